import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { defineConfig, type Options } from "tsup";
import { panelParts, writeLanguageFiles } from "../languages/scripts/files.ts";
import { thirdPartyNotices } from "../../tooling/scripts/third-party-notices.ts";

/**
 * Of marked the page uses the lexer alone, whose classes come first in its one file; what follows makes HTML. A version in which
 * that is not so fails here.
 */
const lexerOnly: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "lexer-only",
  setup: (build) => {
    build.onLoad({ filter: /marked\.esm\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const exported = /export\s*\{(?<names>[^}]*)\}/u.exec(text)?.groups?.["names"] ?? "";
      const localName = (name: string): string | undefined =>
        exported
          .split(",")
          .map((one) => one.trim().split(" as "))
          .find(([local, given = local]) => given === name)?.[0];
      const end = text.indexOf(`var ${localName("Renderer")}=class`);
      const lexer = localName("Lexer");
      if (lexer === undefined || !text.slice(0, Math.max(0, end)).includes(`var ${lexer}=class`)) {
        throw new Error("marked has another shape: see lexerOnly in tsup.config.ts");
      }
      return { contents: `${text.slice(0, end)}export{${lexer} as Lexer};`, loader: "js" };
    });
  },
};

/** The page parses what it is told by the same schemas as hosts do, without the rest of zod. */
const schemasOfPage: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "schemas-of-page",
  setup: (build) => {
    build.onResolve({ filter: /^zod\/mini$/ }, ({ importer }) => ({
      path: join(import.meta.dirname, "src", "page-schemas.ts"),
      // A copy for what is rarely loaded: shared, it would be a chunk of its own in what is loaded first.
      suffix: /(?:reviews|agent-facts|messages\/changes)\.ts$/u.test(importer) ? "?rare" : "",
    }));
  },
};

const pageOptions = {
  target: "es2022",
  platform: "browser",
  minify: true,
  noExternal: [/./u],
  esbuildOptions: (options) => {
    options.conditions = ["@patchbay/source"];
    options.jsx = "automatic";
    options.jsxImportSource = "preact";
    options.legalComments = "none";
  },
} as const satisfies Options;

/** What the page and its server say in other languages. */
const languages: NonNullable<Options["onSuccess"]> = async () =>
  await writeLanguageFiles("dist/page/languages", panelParts());

/** The page in parts: what draws a conversation, what is not needed for that, what few need, and the highlighter when there is code to see. */
const page: Options = {
  ...pageOptions,
  entry: { panel: "src/page.tsx" },
  outDir: "dist/page",
  format: "esm",
  splitting: true,
  clean: true,
  esbuildPlugins: [lexerOnly, schemasOfPage, thirdPartyNotices("dist/page/THIRD-PARTY-NOTICES.txt")],
  onSuccess: languages,
};

/** All of it in one file, for hosts that can load no second one: a frame without an origin. */
const inline: Options = {
  ...pageOptions,
  entry: { "panel-inline": "src/page.tsx" },
  outDir: "dist/inline",
  format: "iife",
  outExtension: () => ({ js: ".js" }),
  esbuildPlugins: [lexerOnly, schemasOfPage],
};

/** What connects the page with its server, where it stands in a browser by itself. */
const connect: Options = {
  ...pageOptions,
  entry: { connect: "src/connect.ts" },
  outDir: "dist/page",
  format: "esm",
  clean: false,
};

const styles: Options = {
  entry: { panel: "src/styles/panel.css" },
  outDir: "dist/page",
  minify: true,
  clean: false,
};

/** What hosts import: it needs nothing of a page. */
const messages: Options = {
  entry: {
    agents: "src/agents/index.ts",
    document: "src/messages/document.ts",
    host: "src/host/index.ts",
    messages: "src/messages/index.ts",
    server: "src/server/index.ts",
    workspace: "src/workspace/index.ts",
  },
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

export default defineConfig([page, inline, connect, styles, messages, bench]);
