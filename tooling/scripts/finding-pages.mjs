import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../docs/findings/", import.meta.url);

/**
 * Puts the pages of docs/findings into `diagnosis/finding-pages.ts` of core, which reads them from there where nothing was built.
 *
 * @returns {import("esbuild").Plugin}
 */
export function findingPages() {
  return {
    name: "finding-pages",
    setup: (build) => {
      build.onLoad({ filter: /[\\/]diagnosis[\\/]finding-pages\.ts$/ }, () => {
        const names = readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "index.md");
        const pages = names.map((name) => [name.slice(0, -3), readFileSync(new URL(name, folder), "utf8")]);
        return { contents: `export const findingPages = ${JSON.stringify(Object.fromEntries(pages))};`, loader: "js" };
      });
    },
  };
}
