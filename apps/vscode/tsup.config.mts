import { cp } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import type { Options } from "tsup";
import { vscodeParts, writeLanguageFiles } from "../../packages/languages/scripts/files.ts";
import { hookProgram, wholeParser } from "../../tooling/scripts/command-line-build.mjs";
import { editorFindings, findingPages } from "../../tooling/scripts/finding-pages.mjs";
import { panelTexts } from "../../tooling/scripts/panel-texts.ts";
import { thirdPartyNotices } from "../../tooling/scripts/third-party-notices.ts";
import { withoutSchemaValidator } from "../../tooling/scripts/without-schema-validator.ts";

const bindingsOf = (names: string): string =>
  names
    .split(",")
    .filter((name) => name !== "")
    .map((name) => name.trim().replace(/ as /u, ":"))
    .join(",");

/** Statements of minified ES modules, as esbuild writes them, in CommonJS. */
const statements: readonly (readonly [RegExp, (...parts: readonly string[]) => string])[] = [
  [/(?<=^|[;}\n])import"([^"]+)";/gu, (_all, from) => `require("${from}");`],
  [
    /(?<=^|[;}\n])import\{([^}]*)\}from"([^"]+)";/gu,
    (_all, names, from) => `var{${bindingsOf(names ?? "")}}=require("${from}");`,
  ],
  [
    /(?<=^|[;}\n])import (?:\* ?as )?([\w$]+) ?from"([^"]+)";/gu,
    (_all, name, from) => `var ${name}=require("${from}");`,
  ],
  [/(?<=^|[;}\n])import\*as ([\w$]+) from"([^"]+)";/gu, (_all, name, from) => `var ${name}=require("${from}");`],
  [
    /(?<=^|[;}\n])import ([\w$]+),\{([^}]*)\}from"([^"]+)";/gu,
    (_all, name, names, from) => `var ${name}=require("${from}"),{${bindingsOf(names ?? "")}}=${name};`,
  ],
  [/\bimport\(("[^"]+")\)/gu, (_all, from) => `(async()=>require(${from}))()`],
  [
    /(?<=^|[;}\n])export\{([^}]*)\};?\s*$/gu,
    (_all, names) =>
      (names ?? "")
        .split(",")
        .map((name) => name.trim().split(" as "))
        .map(([local, exported]) => `exports.${exported ?? local}=${local};`)
        .join(""),
  ],
];

/**
 * VS Code loads CommonJS only, and esbuild splits only ES modules: so the split output is turned into CommonJS chunk by
 * chunk. A dynamic `import()` becomes a `require()` at the same moment, so the engine still loads with the first agent.
 * esbuild itself could turn each chunk, with half a kilobyte of helpers and getters in every one.
 */
const commonJsChunks: NonNullable<Options["plugins"]>[number] = {
  name: "commonjs-chunks",
  renderChunk: (code, { path }) => {
    // A file names chunks that it takes nothing from, too: they are loaded by those that do.
    const taken = code.replaceAll(/import"\.\/chunk-[^"]+";/gu, "");
    const turned = statements.reduce((text, [pattern, write]) => text.replace(pattern, write), taken);
    const script = `"use strict";${turned}`;
    // A statement that was not understood is a syntax error here and not in a user's editor.
    void new Script(`(function(exports,require,module){${script}\n})`, { filename: path });
    return { code: script };
  },
};

const config: Options = {
  entry: { extension: "src/extension.ts" },
  format: "esm",
  outExtension: () => ({ js: ".js" }),
  target: "node20",
  platform: "node",
  splitting: true,
  minify: true,
  // The other build's file may be there already.
  clean: ["!**/patchbay-hook.cjs"],
  external: ["vscode", "bufferutil", "utf-8-validate"],
  noExternal: [/^(?!vscode$|bufferutil$|utf-8-validate$).*/],
  esbuildOptions: (options) => {
    options.conditions = ["@patchbay/source"];
    options.legalComments = "none";
    options.charset = "utf8";
  },
  esbuildPlugins: [
    thirdPartyNotices("dist/THIRD-PARTY-NOTICES.txt"),
    withoutSchemaValidator(),
    wholeParser(),
    findingPages(editorFindings),
    panelTexts(),
  ],
  plugins: [commonJsChunks],
  // The page of the panel, as its own package has built it: VS Code loads it into a webview. And the languages of both.
  onSuccess: async () => {
    const page = dirname(fileURLToPath(import.meta.resolve("@patchbay/panel/page/panel.js")));
    // What connects it with a server of its own has no use here.
    await cp(page, "dist/page", { recursive: true, filter: (path) => !/[\\/](?:connect\.js|languages)$/u.test(path) });
    await writeLanguageFiles("dist/languages", vscodeParts());
  },
};

export default [config, hookProgram({ outDir: "dist" })];
