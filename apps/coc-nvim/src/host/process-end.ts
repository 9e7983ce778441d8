import process from "node:process";
import { type Disposable, toDisposable } from "@patchbay/core";

/**
 * `:CocRestart` ends coc's process with SIGTERM and tells no extension. The module `node:process` is the real process;
 * the global of that name is a stand-in in coc's extensions.
 */
export function onProcessEnd(handlers: { terminate(): Promise<void>; exit(): void }): Disposable {
  const terminate = (): void => {
    void handlers.terminate().finally(() => {
      process.off("SIGTERM", terminate);
      // A coc that leaves SIGTERM to Node would now outlive it because of us.
      if (process.listenerCount("SIGTERM") === 0) process.kill(process.pid, "SIGTERM");
    });
  };
  process.on("SIGTERM", terminate);
  process.on("exit", handlers.exit);
  return toDisposable(() => {
    process.off("SIGTERM", terminate);
    process.off("exit", handlers.exit);
  });
}
