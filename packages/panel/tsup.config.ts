import { copyFile } from "node:fs/promises";
import { defineConfig, type Options } from "tsup";
import { thirdPartyNotices } from "../../tooling/scripts/third-party-notices.ts";

/** The page: one file that is loaded first, and the highlighter when there is code to see. */
const page: Options = {
  entry: { panel: "src/page.tsx" },
  outDir: "dist/page",
  format: "esm",
  target: "es2022",
  platform: "browser",
  splitting: true,
  minify: true,
  clean: true,
  noExternal: [/./u],
  esbuildOptions: (options) => {
    options.conditions = ["@patchbay/source"];
    options.jsx = "automatic";
    options.jsxImportSource = "preact";
    options.legalComments = "none";
  },
  esbuildPlugins: [thirdPartyNotices("dist/page/THIRD-PARTY-NOTICES.txt")],
};

const styles: Options = {
  entry: { panel: "src/styles/panel.css" },
  outDir: "dist/page",
  minify: true,
  clean: false,
};

/** What hosts import: it needs nothing of a page. */
const messages: Options = {
  entry: { messages: "src/messages/index.ts" },
  format: "esm",
  target: "node20",
  platform: "node",
  clean: false,
};

/** A host inside the page, for measuring and testing; not published. */
const bench: Options = {
  entry: { "panel-bench": "bench/panel-bench.ts" },
  outDir: "dist/bench",
  format: "iife",
  outExtension: () => ({ js: ".js" }),
  target: "es2022",
  platform: "browser",
  noExternal: [/./u],
  esbuildOptions: (options) => {
    options.conditions = ["@patchbay/source"];
  },
  onSuccess: async () => {
    await copyFile("bench/index.html", "dist/bench/index.html");
  },
};

export default defineConfig([page, styles, messages, bench]);
