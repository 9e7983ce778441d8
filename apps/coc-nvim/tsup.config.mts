import { cp } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Options } from "tsup";
import { cocParts, vimParts, writeLanguageFiles } from "../../packages/languages/scripts/files.ts";
import { hookProgram, wholeParser } from "../../tooling/scripts/command-line-build.mjs";
import { findingPages, vimFindings } from "../../tooling/scripts/finding-pages.mjs";
import { thirdPartyNotices } from "../../tooling/scripts/third-party-notices.ts";
import { withoutSchemaValidator } from "../../tooling/scripts/without-schema-validator.ts";

type EsbuildPlugin = NonNullable<Options["esbuildPlugins"]>[number];
type Esbuild = Parameters<EsbuildPlugin["setup"]>[0]["esbuild"];

let esbuild: Esbuild | undefined;

/** The licences of what the bundle contains. */
const notices = thirdPartyNotices("lib/THIRD-PARTY-NOTICES.txt");

/**
 * coc.nvim loads CommonJS and esbuild splits only ES modules, so each chunk is turned into CommonJS after the split. A
 * dynamic `import()` becomes a `require()` at the same moment: the engine still loads with the first agent.
 */
const commonJsChunks: NonNullable<Options["plugins"]>[number] = {
  name: "commonjs-chunks",
  renderChunk: async (code) => {
    if (esbuild === undefined) throw new Error("esbuild has not announced itself");
    const result = await esbuild.transform(withPlainRequires(withCommonJsExports(code)), {
      format: "cjs",
      platform: "node",
      target: "node20",
      minify: true,
      legalComments: "none",
      charset: "utf8",
      // It does not know that `module` is meant.
      logLevel: "error",
      supported: { "dynamic-import": false },
    });
    return { code: result.code };
  },
};

/**
 * A chunk says at its end, in one statement, what it exports. Said in CommonJS by ourselves that takes a line; esbuild's way
 * takes half a kilobyte in each of the many small chunks.
 */
function withCommonJsExports(code: string): string {
  return code.replace(/export\s*\{([^}]*)\};?\s*$/u, (_statement, list: string) => {
    const names = list.split(",").map((name) => name.trim().split(/\s+as\s+/u));
    const getters = names.map(([local = "", exported = local]) => `get ${exported}(){return ${local}}`);
    return `module.exports={${getters.join(",")}};`;
  });
}

/** What is taken whole, or when it is wanted, from modules that are CommonJS as they are: esbuild would wrap each of them. */
function withPlainRequires(code: string): string {
  return code
    .replaceAll(/(?<=^|[;}\n])import ([\w$]+) ?from"([^"]+)";/gu, 'var $1=require("$2");')
    .replaceAll(/\bimport\(("\.\/[^"]+")\)/gu, "Promise.resolve().then(()=>require($1))");
}

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
    {
      name: "announce-esbuild",
      setup: (build) => {
        esbuild = build.esbuild;
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
