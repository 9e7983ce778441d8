/** What both builds of the command line need (`packages/cli/tsup.config.ts`, `tooling/start/build.mjs`). */

/**
 * The usual form of jsonc-parser asks for its parts in a way that no bundler sees.
 *
 * @returns {import("esbuild").Plugin}
 */
export function wholeParser() {
  return {
    name: "whole-parser",
    setup: (build) => {
      build.onResolve({ filter: /^jsonc-parser$/ }, ({ kind, resolveDir }) =>
        build.resolve("jsonc-parser/lib/esm/main.js", { kind, resolveDir }),
      );
    },
  };
}

/**
 * The engines and checks of agents are loaded on demand, which a hook never does: they stay out of its file.
 *
 * @returns {import("esbuild").Plugin}
 */
export function withoutEngines() {
  return {
    name: "without-engines",
    setup: (build) => {
      build.onResolve({ filter: /^\.\/(engine|checks|hook)[-.]|^\.\.\/gemini-family\/engine[-.]/ }, ({ kind, path }) =>
        kind === "dynamic-import" ? { path, external: true } : undefined,
      );
    },
  };
}
