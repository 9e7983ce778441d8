import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { defineConfig, type Options } from "tsup";
import { theiaFiles } from "../../packages/languages/scripts/theia-files.ts";
import { hookProgramText, wholeParser } from "../../tooling/scripts/command-line-build.mjs";
import { editorFindings, findingPages } from "../../tooling/scripts/finding-pages.mjs";
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
    build.onResolve({ filter: /\/(engine|behaviour|ide-questions|own-service)\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "in-the-backend", namespace: "without-engines" } : undefined,
    );
    build.onLoad({ filter: /^/, namespace: "without-engines" }, () => ({
      contents: 'throw new Error("Agents are served by the backend.");',
    }));
  },
};

/** What esbuild begins the exports of a file with, and the same on `exports` itself, which needs fewer helpers: they stand in each file. */
const exportsOfFile = [
  /^var \w+_exports = \{\};\n__export\(\w+_exports, /mu,
  'Object.defineProperty(exports, "__esModule", { value: true });\n__export(exports, ',
] as const;

/** Each of the modules that a file is made of has its own imports. */
function requiredOnce(code: string): string {
  const names = new Map<string, string>();
  const others = new Map<string, string>();
  const once = code.replaceAll(/^var (\w+) = (require\("[^"]+"\));\n/gmu, (line, name, required) => {
    const first = names.get(required);
    if (first === undefined) names.set(required, name);
    else others.set(name, first);
    return first === undefined ? line : "";
  });
  return once.replaceAll(/\bimport_\w+/gu, (name) => others.get(name) ?? name);
}

/**
 * Chunks are made of modules that import each other; what is published is CommonJS, as of all Theia's extensions. An `import()` stays
 * one: of it the application's bundler makes a chunk of its own.
 */
const asCommonJs: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "as-common-js",
  setup: (build) => {
    build.onEnd(async ({ outputFiles = [] }) => {
      for (const file of outputFiles) {
        const options = { format: "cjs", target: "es2022", platform: "browser", charset: "utf8" } as const;
        const { code: whole } = await build.esbuild.transform(file.text, options);
        const own = whole.replace(...exportsOfFile).replace(/^module\.exports = __toCommonJS\(\w+\);$/mu, "");
        // Where it meets an `import()`, esbuild adds helpers for it that nothing calls: 400 bytes for each file.
        const { code } = await build.esbuild.transform(requiredOnce(own).replaceAll("import(", "__import("), {
          ...options,
          minify: true,
          treeShaking: true,
        });
        file.contents = new TextEncoder().encode(code.replaceAll("__import(", "import("));
      }
    });
  },
};

const panelDist = join(import.meta.dirname, "..", "..", "packages", "panel", "dist");

/** The panel's page, sent to a window when it opens the panel. */
const pageTexts: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "page-texts",
  setup: (build) => {
    build.onLoad({ filter: /[\\/]panel[\\/]page-texts\.ts$/ }, async () => {
      const [script, style] = await Promise.all(
        [join(panelDist, "inline", "panel-inline.js"), join(panelDist, "page", "panel.css")].map((file) =>
          readFile(file, "utf8"),
        ),
      );
      return { contents: `export const pageTexts = ${JSON.stringify({ script, style })};`, loader: "js" };
    });
  },
};

/** Every language. */
const languageFiles: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "language-files",
  setup: (build) => {
    build.onLoad({ filter: /[\\/]languages[\\/]language-files\.ts$/ }, async () => ({
      contents: `export const languageFiles = ${JSON.stringify(theiaFiles())};`,
      loader: "js",
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
      findingPages(editorFindings),
      hookProgramText(),
      pageTexts,
      languageFiles,
    ],
    esbuildOptions: (options) => {
      options.conditions = ["@patchbay/source"];
      options.charset = "utf8";
    },
    // The page's packages are in this module, too.
    onSuccess: async () => {
      const notices = await readFile(join(panelDist, "page", "THIRD-PARTY-NOTICES.txt"), "utf8");
      const [, ...own] = notices.split("\n\n");
      await appendFile(join(import.meta.dirname, "lib", "node", "THIRD-PARTY-NOTICES.txt"), `\n${own.join("\n\n")}`);
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
    format: "esm",
    splitting: true,
    outExtension: () => ({ js: ".js" }),
    target: "es2022",
    platform: "browser",
    noExternal: [/^@patchbay\//],
    esbuildPlugins: [withoutEngines, asCommonJs],
    esbuildOptions: (options) => {
      options.conditions = ["@patchbay/source"];
      // The names of classes and functions stay, for the traces that people send.
      options.minify = true;
      options.keepNames = true;
      options.charset = "utf8";
    },
  },
]);
