import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const root = join(import.meta.dirname, "..", "..", "..");
const manifest = z.object({ dependencies: z.record(z.string(), z.string()) });

/** Packages that a source file imports, apart from Node's own and its neighbours. */
function imported(file: string): readonly string[] {
  const matches = readFileSync(file, "utf8").matchAll(/(?:from|import\() ?"(?<name>(?:@[^"/]+\/)?[^"./][^"/]*)/gu);
  return Array.from(matches, ({ groups }) => groups?.["name"] ?? "").filter((name) => !isBuiltin(name));
}

/** Packages that are installed with `dependencies` of a package of this repository. */
function dependencies(folder: string): readonly string[] {
  return Object.keys(manifest.parse(JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))).dependencies);
}

function importedBelow(folder: string): readonly string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".ts")).flatMap((file) => imported(join(root, folder, file)));
}

describe("what `start` installs", () => {
  it.each([
    ["packages/cli", "tooling/start"],
    ["packages/core", "packages/core"],
    ["packages/testkit", "packages/testkit"],
  ])("is everything that %s is built from", (sources, installed) => {
    const needed = new Set(importedBelow(join(sources, "src")));
    expect(needed).toContain("zod");
    expect(dependencies(installed)).toEqual(expect.arrayContaining(Array.from(needed)));
  });
});
