import { readFile } from "node:fs/promises";

/** The parts of esbuild's plugin interface that are used here; written out, as esbuild comes with the bundler and not with us. */
export interface BundlerPlugin {
  readonly name: string;
  setup(build: {
    onLoad(
      options: { readonly filter: RegExp },
      load: (file: { readonly path: string }) => Promise<{ readonly contents: string; readonly loader?: "ts" }>,
    ): void;
  }): void;
}

/**
 * Leaves out of a bundle what is never used. Of what knows JSON Schema: the protocol engine's validator, more than a hundred
 * kilobytes, because core gives the engine another one (dialects/tool.ts); and what writes zod's schemas as JSON Schema. And the
 * engine's way to run tools as tasks, which no agent asks of an editor, and what ours do not use of WebSockets: compression, and with
 * it all extensions, a client's redirections, sign-in and ways to other machines, and the interfaces of browsers and of streams.
 */
export function withoutSchemaValidator(): BundlerPlugin {
  return {
    name: "without-schema-validator",
    setup: (build) => {
      // Without flags: esbuild reads it as a regular expression of Go.
      build.onLoad({ filter: /@modelcontextprotocol[\\/]sdk[\\/].*[\\/]ajv-provider\.js$/ }, async () => ({
        contents: "export class AjvJsonSchemaValidator {}",
      }));
      build.onLoad(
        { filter: /@modelcontextprotocol[\\/]sdk[\\/].*[\\/]experimental[\\/]tasks[\\/]server\.js$/ },
        async () => ({
          contents: "export class ExperimentalServerTasks {}",
        }),
      );
      build.onLoad({ filter: /[\\/]ws[\\/]lib[\\/]permessage-deflate\.js$/ }, async () => ({
        contents: 'module.exports = class { static extensionName = "permessage-deflate"; };',
      }));
      build.onLoad({ filter: /[\\/]ws[\\/]lib[\\/]websocket\.js$/ }, async (file) => ({
        contents: (await readFile(file.path, "utf8"))
          .replace("opts.followRedirects &&", "false &&")
          .replaceAll(
            /if \((?:opts\.(?:followRedirects|perMessageDeflate|origin)|parsedUrl\.username .*)\) \{/gu,
            "if (false) {",
          )
          .replace("if (!perMessageDeflate) {", "if (true) {")
          .replaceAll(/parsedUrl\.protocol === 'https?:'/gu, "false")
          .replaceAll(/const isSecure = [^;]+;/gu, "")
          .replaceAll(/\bisSecure\b/gu, "false"),
      }));
      build.onLoad({ filter: /[\\/]ws[\\/]lib[\\/]extension\.js$/ }, async () => ({
        contents: "module.exports = { format: () => '', parse: () => ({}) };",
      }));
      build.onLoad({ filter: /[\\/]ws[\\/]lib[\\/]event-target\.js$/ }, async () => ({
        contents: "module.exports = { EventTarget: { addEventListener() {}, removeEventListener() {} } };",
      }));
      build.onLoad({ filter: /[\\/]ws[\\/]lib[\\/]stream\.js$/ }, async () => ({
        contents: "module.exports = () => undefined;",
      }));
      build.onLoad(
        { filter: /zod[\\/]v4[\\/]core[\\/](json-schema-processors|to-json-schema)\.js$/ },
        async (file) => ({
          contents: emptied(await readFile(file.path, "utf8")),
        }),
      );
      // The engine asks the small form of zod for what the usual one, which is there in any case, has as well.
      build.onLoad({ filter: /zod[\\/]v4-mini[\\/]index\.js$/ }, async () => ({
        contents: 'export { object, safeParse, safeParseAsync, toJSONSchema } from "../v4/classic/external.js";',
      }));
      // Asked for by way of another module, all of it would be taken, used or not.
      build.onLoad({ filter: /zod[\\/]v4[\\/]classic[\\/]schemas\.js$/ }, async (file) => ({
        contents: (await readFile(file.path, "utf8"))
          .replace('import { util } from "../core/index.js";', 'import * as util from "../core/util.js";')
          .replaceAll("core.util.", "util.")
          // What follows a value that holds itself: all of ours come from JSON, which cannot say such a thing. Zod's small form is without it, too.
          .replace("core.config({ memoizer: core.memoizer() });", "return;")
          // Ways to say the form of a text that neither the engine nor we have, each with a schema of its own.
          .replaceAll(
            /^ {4}(?!url\b)\w+\(params\) \{\n {8}return this\.check\(core\._\w+\(Zod\w+, params\)\);\n {4}\},\n/gmu,
            "",
          ),
      }));
    },
  };
}

/** A module with the same names, whose functions do nothing. */
function emptied(module: string): string {
  const names = Array.from(module.matchAll(/^export (?:const|function) (\w+)/gmu), (match) => match[1] ?? "");
  const others = Array.from(module.matchAll(/^export \{[^}]*\};/gmu), ([statement]) => statement);
  return [...names.map((name) => `export const ${name} = () => undefined;`), ...others].join("\n");
}
