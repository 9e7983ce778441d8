import { cp } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Options } from "tsup";
import { cocParts, vimParts, writeLanguageFiles } from "../../packages/languages/scripts/files.ts";
import { hookProgram, wholeParser } from "../../tooling/scripts/command-line-build.mjs";
import { commonJsChunks } from "../../tooling/scripts/commonjs-chunks.ts";
import { findingPages, vimFindings } from "../../tooling/scripts/finding-pages.mjs";
import { thirdPartyNotices } from "../../tooling/scripts/third-party-notices.ts";
import { withoutSchemaValidator } from "../../tooling/scripts/without-schema-validator.ts";

/** The licences of what the bundle contains. */
const notices = thirdPartyNotices("lib/THIRD-PARTY-NOTICES.txt");

const options: Options = {
  entry: { index: "src/index.ts" },
  outDir: "lib",
  format: "esm",
  outExtension: () => ({ js: ".js" }),
  target: "node20",
  platform: "node",
  splitting: true,
  minify: true,
  // The other build's file may be there already.
  clean: ["!**/patchbay-hook.cjs"],
  // coc.nvim gives itself to extensions at run time and is in no registry.
  external: ["coc.nvim", "bufferutil", "utf-8-validate"],
  noExternal: [/^(?!coc\.nvim$|bufferutil$|utf-8-validate$).*/],
  esbuildOptions: (options) => {
    options.conditions = ["@patchbay/source"];
    options.legalComments = "none";
    options.charset = "utf8";
  },
  esbuildPlugins: [
    withoutSchemaValidator(),
    wholeParser(),
    findingPages(vimFindings),
    {
      name: notices.name,
      setup: (build) => {
        build.initialOptions.metafile = true;
        notices.setup({
          initialOptions: { metafile: true },
          onEnd: (callback) => build.onEnd(({ metafile }) => callback(metafile === undefined ? {} : { metafile })),
        });
      },
    },
  ],
  plugins: [commonJsChunks],
  // What Vim itself runs and reads, for extensions that coc installed (see ensureRuntimePath).
  onSuccess: async () => {
    // The page of the panel, as its own package has built it.
    await cp(dirname(fileURLToPath(import.meta.resolve("@patchbay/panel/page/panel.js"))), "lib/page", {
      recursive: true,
    });
    // One file for a language, which the panel reads where it looks for its own.
    await writeLanguageFiles("lib/page/languages", cocParts());
    await writeLanguageFiles("lib/vim/languages", vimParts());
    for (const folder of ["autoload", "doc", "lua"]) await cp(folder, `lib/vim/${folder}`, { recursive: true });
  },
};

const builds: readonly Options[] = [options, hookProgram({ outDir: "lib" })];

export default builds;
