import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/**
 * Bundles the command line from its sources, with the bundler alone: `packages/cli/tsup.config.ts` makes what is published.
 *
 * @param {string} root the repository
 */
export async function buildCommandLine(root) {
  const cli = join(root, "packages", "cli");
  const { version } = JSON.parse(readFileSync(join(cli, "package.json"), "utf8"));
  await build({
    absWorkingDir: cli,
    entryPoints: { patchbay: "src/main.ts" },
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning",
    alias: Object.fromEntries(
      ["core", "testkit"].map((name) => [`@patchbay/${name}`, join(root, "packages", name, "src", "index.ts")]),
    ),
    // Of the command line nothing is installed for this: what it takes from the registry is found here.
    nodePaths: [fileURLToPath(new URL("node_modules", import.meta.url))],
    external: ["bufferutil", "utf-8-validate"],
    define: { "process.env.PATCHBAY_VERSION": JSON.stringify(version) },
    banner: {
      js: '#!/usr/bin/env node\nimport { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);',
    },
  });
}
