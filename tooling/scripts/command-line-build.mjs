import { fileURLToPath } from "node:url";

/** What the builds of the command line need (`packages/cli/tsup.config.ts`, `tooling/start/build.mjs`), and editions that bring its hook. */

/**
 * What an agent's hook is: one file, without what it never loads, in the form that Node starts fastest.
 *
 * @param {import("tsup").Options} more
 * @returns {import("tsup").Options}
 */
export function hookProgram(more = {}) {
  return {
    entry: { "patchbay-hook": fileURLToPath(new URL("../../packages/cli/src/hook/main.ts", import.meta.url)) },
    format: "cjs",
    outExtension: () => ({ js: ".cjs" }),
    target: "node20",
    platform: "node",
    splitting: false,
    minify: true,
    noExternal: [/^@patchbay\//u],
    esbuildPlugins: [withoutEngines()],
    esbuildOptions: (options) => {
      options.conditions = ["@patchbay/source"];
    },
    ...more,
  };
}

/**
 * Gives a module `hook-program.ts` the text of that program, for editions whose files are bundled anew by others.
 *
 * @returns {import("esbuild").Plugin}
 */
export function hookProgramText() {
  return {
    name: "hook-program-text",
    setup: (build) => {
      build.onLoad({ filter: /[\\/]hook-program\.ts$/ }, async () => {
        const { outputFiles } = await build.esbuild.build({
          entryPoints: [fileURLToPath(new URL("../../packages/cli/src/hook/main.ts", import.meta.url))],
          bundle: true,
          write: false,
          format: "cjs",
          target: "node20",
          platform: "node",
          minify: true,
          conditions: ["@patchbay/source"],
          plugins: [withoutEngines()],
        });
        return { contents: `export const hookProgram = ${JSON.stringify(outputFiles[0].text)};`, loader: "js" };
      });
    },
  };
}

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
 * The engines of agents and what they do by themselves are loaded on demand, which a hook never does: they stay out of its file.
 *
 * @returns {import("esbuild").Plugin}
 */
export function withoutEngines() {
  return {
    name: "without-engines",
    setup: (build) => {
      build.onResolve(
        { filter: /^\.\/(engine|behaviour|ide-questions|own-service)[-.]|^\.\.\/gemini-family\/engine[-.]/ },
        ({ kind, path }) => (kind === "dynamic-import" ? { path, external: true } : undefined),
      );
    },
  };
}
