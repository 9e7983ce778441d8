import { readFileSync } from "node:fs";
import { defineConfig } from "tsup";
import { thirdPartyNotices } from "../../tooling/scripts/third-party-notices.ts";
import { withoutSchemaValidator } from "../../tooling/scripts/without-schema-validator.ts";

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));

export default defineConfig({
  entry: { patchbay: "src/main.ts" },
  format: "esm",
  target: "node20",
  platform: "node",
  splitting: true,
  clean: true,
  // Optional native helpers of ws: used where they are installed, never needed.
  external: ["bufferutil", "utf-8-validate"],
  esbuildPlugins: [thirdPartyNotices("dist/THIRD-PARTY-NOTICES.txt"), withoutSchemaValidator()],
  define: { "process.env.PATCHBAY_VERSION": JSON.stringify(version) },
  // Bundled CommonJS packages ask for Node's modules through require.
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);',
  },
});
