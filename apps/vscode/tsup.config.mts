import { cp } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Options } from "tsup";
import { vscodeParts, writeLanguageFiles } from "../../packages/languages/scripts/files.ts";
import { hookProgram, wholeParser } from "../../tooling/scripts/command-line-build.mjs";
import { commonJsChunks } from "../../tooling/scripts/commonjs-chunks.ts";
import { editorFindings, findingPages } from "../../tooling/scripts/finding-pages.mjs";
import { panelTexts } from "../../tooling/scripts/panel-texts.ts";
import { thirdPartyNotices } from "../../tooling/scripts/third-party-notices.ts";
import { withoutSchemaValidator } from "../../tooling/scripts/without-schema-validator.ts";

const config: Options = {
  entry: { extension: "src/extension.ts" },
  format: "esm",
  outExtension: () => ({ js: ".js" }),
  target: "node20",
  platform: "node",
  splitting: true,
  minify: true,
  // The other build's file may be there already.
  clean: ["!**/patchbay-hook.cjs"],
  external: ["vscode", "bufferutil", "utf-8-validate"],
  noExternal: [/^(?!vscode$|bufferutil$|utf-8-validate$).*/],
  esbuildOptions: (options) => {
    options.conditions = ["@patchbay/source"];
    options.legalComments = "none";
    options.charset = "utf8";
  },
  esbuildPlugins: [
    thirdPartyNotices("dist/THIRD-PARTY-NOTICES.txt"),
    withoutSchemaValidator(),
    wholeParser(),
    findingPages(editorFindings),
    panelTexts(),
  ],
  plugins: [commonJsChunks],
  // The page of the panel, as its own package has built it: VS Code loads it into a webview. And the languages of both.
  onSuccess: async () => {
    const page = dirname(fileURLToPath(import.meta.resolve("@patchbay/panel/page/panel.js")));
    // What connects it with a server of its own has no use here.
    await cp(page, "dist/page", { recursive: true, filter: (path) => !/[\\/](?:connect\.js|languages)$/u.test(path) });
    await writeLanguageFiles("dist/languages", vscodeParts());
  },
};

export default [config, hookProgram({ outDir: "dist" })];
