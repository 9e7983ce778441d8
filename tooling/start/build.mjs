import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { wholeParser, withoutEngines } from "../scripts/command-line-build.mjs";
import { findingPages } from "../scripts/finding-pages.mjs";

/**
 * Bundles the command line from its sources, with the bundler alone: `packages/cli/tsup.config.ts` makes what is published.
 *
 * @param {string} root the repository
 * @param {string} [outdir]
 */
export async function buildCommandLine(root, outdir = "dist") {
  const cli = join(root, "packages", "cli");
  const { version } = JSON.parse(readFileSync(join(cli, "package.json"), "utf8"));
  const ours = readdirSync(join(root, "packages"));
  const shared = {
    absWorkingDir: cli,
    outdir,
    bundle: true,
    platform: "node",
    target: "node20",
    logLevel: "warning",
    alias: Object.fromEntries(ours.flatMap((name) => sourcesOf(join(root, "packages", name)))),
  };
  await build({
    ...shared,
    entryPoints: { "patchbay-hook": "src/hook/main.ts" },
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    plugins: [withoutEngines()],
  });
  await build({
    ...shared,
    entryPoints: { patchbay: "src/start.ts" },
    splitting: true,
    format: "esm",
    plugins: [wholeParser(), findingPages()],
    // Of the command line nothing is installed for this: what it takes from the registry is found here.
    nodePaths: [fileURLToPath(new URL("node_modules", import.meta.url))],
    external: ["bufferutil", "utf-8-validate"],
    define: { "process.env.PATCHBAY_VERSION": JSON.stringify(version) },
    banner: {
      js: '#!/usr/bin/env node\nimport { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);',
    },
  });
}

/**
 * Every entry of a package, the longest name first: an alias also holds for what is below it.
 *
 * @param {string} folder
 * @returns {readonly (readonly [string, string])[]}
 */
function sourcesOf(folder) {
  const { name, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.entries(exports ?? {})
    .flatMap(([entry, { "@patchbay/source": source }]) =>
      // What a package only has built is none of its entries.
      source === undefined ? [] : [[posix.join(name, entry), join(folder, source)]],
    )
    .toSorted(([one], [other]) => other.length - one.length);
}
