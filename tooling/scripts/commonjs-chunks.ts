import { Script } from "node:vm";
import type { Options } from "tsup";

const bindingsOf = (names: string): string =>
  names
    .split(",")
    .filter((name) => name !== "")
    .map((name) => name.trim().replace(/ as /u, ":"))
    .join(",");

/** Many are shorter as one object. */
function exportsOf(names: string): string {
  const pairs = names
    .split(",")
    .filter((name) => name !== "")
    .map((name) => name.trim().split(" as "));
  const apart = pairs.map(([local, exported]) => `exports.${exported ?? local}=${local};`).join("");
  const together = pairs.map(([local, exported]) => `${exported ?? local}:${local}`).join(",");
  const all = `Object.assign(exports,{${together}});`;
  return all.length < apart.length ? all : apart;
}

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
  [/(?<=^|[;}\n])export\{([^}]*)\};?\s*$/gu, (_all, names) => exportsOf(names ?? "")],
  // One statement for all that is taken.
  [/(?<==require\("[^"]+"\));var(?:(?=\{)| )(?=[^;]*=require\()/gu, () => ","],
];

/**
 * VS Code and coc.nvim load CommonJS only, and esbuild splits only ES modules: so the split output is turned into CommonJS chunk by
 * chunk. A dynamic `import()` becomes a `require()` at the same moment, so the engine still loads with the first agent.
 * esbuild itself could turn each chunk, with half a kilobyte of helpers and getters in every one.
 */
export const commonJsChunks: NonNullable<Options["plugins"]>[number] = {
  name: "commonjs-chunks",
  renderChunk: (code, { path }) => {
    // A file names chunks that it takes nothing from, too: they are loaded by those that do.
    const taken = code.replaceAll(/import"\.\/chunk-[^"]+";/gu, "");
    const turned = statements.reduce((text, [pattern, write]) => text.replace(pattern, write), taken);
    // Checkers of packages look for words, and take a file that holds a module as a text for one.
    const holdsModule = /^(?:import|export)\b/mu.test(turned) && !/[\s;](?:exports\.\w|require\()/u.test(turned);
    const script = `"use strict";${holdsModule ? "exports.a;" : ""}${turned}`;
    // A statement that was not understood is a syntax error here and not in a user's editor.
    void new Script(`(function(exports,require,module){${script}\n})`, { filename: path });
    return { code: script };
  },
};
