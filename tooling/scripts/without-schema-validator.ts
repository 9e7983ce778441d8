/** The parts of esbuild's plugin interface that are used here; written out, as esbuild comes with the bundler and not with us. */
interface BundlerPlugin {
  readonly name: string;
  setup(build: { onLoad(options: { readonly filter: RegExp }, load: () => { readonly contents: string }): void }): void;
}

/**
 * Leaves the protocol engine's JSON Schema validator out of a bundle: more than a hundred kilobytes of which nothing is ever
 * used, because core gives the engine another one (dialects/tool.ts).
 */
export function withoutSchemaValidator(): BundlerPlugin {
  return {
    name: "without-schema-validator",
    setup: (build) => {
      // Without flags: esbuild reads it as a regular expression of Go.
      build.onLoad({ filter: /@modelcontextprotocol[\\/]sdk[\\/].*[\\/]ajv-provider\.js$/ }, () => ({
        contents: "export class AjvJsonSchemaValidator {}",
      }));
    },
  };
}
