import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BundlerPlugin } from "./without-schema-validator.ts";

/** A text by its key, as the panel's files have it; a long one stands on a line of its own. */
const entry = /^\s*"([\w.-]+)":\s*("(?:[^"\\]|\\.)*"),\n/gmu;

/** Texts of a page that stands in a browser by itself: its reviews, its connection to the server, and what it names. */
const inBrowsers = /^(?:review|connection|mention)\./u;

/**
 * Packs the panel's texts for an editor, in which the page has no reviews and no connection of its own; and the translations as
 * lists in the order of the English texts instead of with every key once more. What is packed says the same, key by key
 * (`apps/vscode/test/bundle.test.ts`).
 */
export function panelTexts(): BundlerPlugin {
  return {
    name: "panel-texts",
    setup: (build) => {
      // Without flags: esbuild reads it as a regular expression of Go.
      build.onLoad({ filter: /panel[\\/]src[\\/]strings\.ts$/ }, async ({ path }) => ({
        contents: inEditors(await readFile(path, "utf8")),
        loader: "ts",
      }));
      build.onLoad({ filter: /panel[\\/]src[\\/]languages[\\/](de|zh-cn)\.ts$/ }, async ({ path }) => {
        const english = await readFile(join(path, "..", "..", "strings.ts"), "utf8");
        return { contents: asLists(await readFile(path, "utf8"), keysOf(inEditors(english))), loader: "ts" };
      });
    },
  };
}

function inEditors(source: string): string {
  return source.replaceAll(entry, (line, key: string) => (inBrowsers.test(key) ? "" : line));
}

function keysOf(source: string): readonly string[] {
  return Array.from(source.matchAll(entry), ([, key = ""]) => key);
}

/** A module that exports the texts of its table alone, in the order of these keys. */
function asLists(source: string, keys: readonly string[]): string {
  const texts = new Map(Array.from(source.matchAll(entry), ([, key = "", text = ""]) => [key, text]));
  const [, name = ""] = /^export const (\w+)/mu.exec(source) ?? [];
  const missing = keys.filter((key) => !texts.has(key));
  if (name === "" || missing.length > 0) throw new Error(`The panel has no translation of ${missing.join(", ")}.`);
  return `export const ${name} = [${keys.map((key) => texts.get(key)).join(",")}];`;
}
