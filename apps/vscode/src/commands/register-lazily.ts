import { commands, type Disposable } from "vscode";
import { LoadOnce } from "@patchbay/core";

/**
 * Registers commands whose code is loaded when the first of them is called: stand-ins make way for the real ones, and
 * the call goes on to its real one.
 */
export function registerLazily(ids: readonly string[], load: () => Promise<() => readonly Disposable[]>): Disposable {
  let own: readonly Disposable[] = [];
  let disposed = false;
  const drop = (): void => {
    for (const part of own) part.dispose();
    own = [];
  };
  const real = new LoadOnce(async () => {
    const register = await load();
    drop();
    own = register();
    if (disposed) drop();
  });
  own = ids.map((id) =>
    commands.registerCommand(id, async (...args: readonly unknown[]): Promise<unknown> => {
      await real.get();
      return await commands.executeCommand(id, ...args);
    }),
  );
  return {
    dispose: () => {
      disposed = true;
      drop();
    },
  };
}
