import { readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Options } from "tsup";
import { wholeParser, withoutEngines } from "../../tooling/scripts/command-line-build.mjs";
import { thirdPartyNotices } from "../../tooling/scripts/third-party-notices.ts";
import { withoutSchemaValidator } from "../../tooling/scripts/without-schema-validator.ts";

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));

const program = {
  entry: { patchbay: "src/start.ts" },
  format: "esm",
  target: "node20",
  platform: "node",
  splitting: true,
  // The other build's file may be there already.
  clean: ["!**/patchbay-hook.cjs"],
  // Optional native helpers of ws: used where they are installed, never needed.
  external: ["bufferutil", "utf-8-validate"],
  esbuildPlugins: [thirdPartyNotices("dist/THIRD-PARTY-NOTICES.txt"), withoutSchemaValidator(), wholeParser()],
  define: { "process.env.PATCHBAY_VERSION": JSON.stringify(version) },
  // Bundled CommonJS packages ask for Node's modules through require.
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);',
  },
  // The page of the panel, as its own package has built it.
  onSuccess: async () => {
    const page = dirname(fileURLToPath(import.meta.resolve("@patchbay/panel/page/panel.js")));
    await cp(page, "dist/page", { recursive: true });
  },
} satisfies Options;

/** What an agent's hook is: one file, without what it never loads, in the form that Node starts fastest. */
const hook = {
  entry: { "patchbay-hook": "src/hook/main.ts" },
  format: "cjs",
  target: "node20",
  platform: "node",
  splitting: false,
  minify: true,
  noExternal: [/^@patchbay\//u],
  esbuildPlugins: [withoutEngines()],
} satisfies Options;

export default defineConfig([program, hook]);
