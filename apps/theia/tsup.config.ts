import { defineConfig, type Options } from "tsup";
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

export default defineConfig([
  {
    ...shared,
    outDir: "lib/node",
    entry: { "patchbay-backend-module": "src/node/patchbay-backend-module.ts" },
    target: "node20",
    platform: "node",
    // Core is part of the backend: applications need no other package of ours.
    esbuildPlugins: [thirdPartyNotices("lib/node/THIRD-PARTY-NOTICES.txt"), withoutSchemaValidator()],
    esbuildOptions: (options) => {
      options.conditions = ["@patchbay/source"];
    },
    noExternal: [
      /^@patchbay\//,
      /^@modelcontextprotocol\//,
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
  },
]);
