import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../../../docs/findings/", import.meta.url);

/** The page of each finding as Markdown, by its code. A build puts the texts here, so that nothing is read (`tooling/scripts/finding-pages.mjs`). */
export const findingPages: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder)
    .filter((name) => name.endsWith(".md") && name !== "index.md")
    .map((name): readonly [string, string] => [name.slice(0, -3), readFileSync(new URL(name, folder), "utf8")]),
);
