import Module from "node:module";

const folder = new URL("../../../../apps/vscode/test/fake-vscode/", import.meta.url).href;

interface ModuleHooks {
  resolve(specifier: string, context: object, next: (specifier: string, context: object) => object): object;
  load(url: string, context: object, next: (url: string, context: object) => object): object;
}

/** What a subject does with the window in the place of a user. */
export interface StandIn {
  readonly openFakeWindow: typeof import("../../../../apps/vscode/test/fake-vscode/index.ts").openFakeWindow;
  readonly Position: typeof import("../../../../apps/vscode/test/fake-vscode/ranges.ts").Position;
  readonly Uri: typeof import("../../../../apps/vscode/test/fake-vscode/uri.ts").Uri;
}

/** Gives everyone who asks for `vscode` the stand-in of the VS Code edition's tests, loaded as ES modules. */
export async function loadStandIn(): Promise<StandIn> {
  // Newer than the declarations of Node here.
  const registerHooks: (hooks: ModuleHooks) => void = Reflect.get(Module, "registerHooks");
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "vscode" ? { url: `${folder}index.ts`, shortCircuit: true } : next(specifier, context),
    load: (url, context, next) =>
      next(url, url.startsWith(folder) ? { ...context, format: "module-typescript" } : context),
  });
  const { openFakeWindow } = await import("../../../../apps/vscode/test/fake-vscode/index.ts");
  const { Position } = await import("../../../../apps/vscode/test/fake-vscode/ranges.ts");
  const { Uri } = await import("../../../../apps/vscode/test/fake-vscode/uri.ts");
  return { openFakeWindow, Position, Uri };
}
