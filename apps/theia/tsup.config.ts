import { defineConfig, type Options } from "tsup";
import { hookProgramText, wholeParser } from "../../tooling/scripts/command-line-build.mjs";
import { thirdPartyNotices } from "../../tooling/scripts/third-party-notices.ts";
import { withoutSchemaValidator } from "../../tooling/scripts/without-schema-validator.ts";

const shared: Options = {
  format: "cjs",
  splitting: false,
  treeshake: false,
  clean: true,
  // The application brings Theia; it must not come twice.
  external: [/^@theia\//, "bufferutil", "utf-8-validate"],
};

/** A window knows the agents by their names; what serves them runs in the backend and is loaded there. */
const withoutEngines: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "without-engines",
  setup: (build) => {
    // Without flags: esbuild reads it as a regular expression of Go.
    build.onLoad({ filter: /[\\/]agents[\\/][a-z-]+[\\/](engine|checks|hook)\.ts$/ }, () => ({
      contents: 'throw new Error("Agents are served by the backend.");',
    }));
  },
};

export default defineConfig([
  {
    ...shared,
    outDir: "lib/node",
    entry: { "patchbay-backend-module": "src/node/patchbay-backend-module.ts" },
    target: "node20",
    platform: "node",
    // Core is part of the backend: applications need no other package of ours.
    esbuildPlugins: [
      thirdPartyNotices("lib/node/THIRD-PARTY-NOTICES.txt"),
      withoutSchemaValidator(),
      wholeParser(),
      hookProgramText(),
    ],
    esbuildOptions: (options) => {
      options.conditions = ["@patchbay/source"];
    },
    noExternal: [
      /^@patchbay\//,
      /^@modelcontextprotocol\//,
      "jsonc-parser",
      "minimatch",
      /^@isaacs\//,
      "brace-expansion",
      "balanced-match",
      "ws",
      "zod",
    ],
  },
  {
    ...shared,
    outDir: "lib/browser",
    entry: { "patchbay-frontend-module": "src/browser/patchbay-frontend-module.ts" },
    target: "es2022",
    platform: "browser",
    noExternal: [/^@patchbay\//],
    esbuildPlugins: [withoutEngines],
    esbuildOptions: (options) => {
      options.conditions = ["@patchbay/source"];
      // The names of classes and functions stay, for the traces that people send.
      options.minify = true;
      options.keepNames = true;
    },
  },
]);
