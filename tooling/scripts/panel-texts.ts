import { readFile } from "node:fs/promises";
import { inBrowsers } from "../../packages/languages/scripts/english.ts";
import type { BundlerPlugin } from "./without-schema-validator.ts";

/** A text by its key, as the panel's table has it; a long one stands on a line of its own. */
const entry = /^\s*"([\w.-]+)":\s*("(?:[^"\\]|\\.)*"),\n/gmu;

/** Leaves out of the panel's texts what an editor has no use for: in it the page has no reviews and no connection of its own. */
export function panelTexts(): BundlerPlugin {
  return {
    name: "panel-texts",
    setup: (build) => {
      // Without flags: esbuild reads it as a regular expression of Go.
      build.onLoad({ filter: /panel[\\/]src[\\/]strings\.ts$/ }, async ({ path }) => ({
        contents: (await readFile(path, "utf8")).replaceAll(entry, (line, key: string) =>
          inBrowsers.test(key) ? "" : line,
        ),
        loader: "ts",
      }));
    },
  };
}
