import process from "node:process";
import { type Disposable, DisposableStore, Emitter, messageOf, toDisposable } from "@patchbay/core";
import type { ExtensionContext, IServiceProvider } from "coc.nvim";
import { type RunningExtension, startExtension } from "./extension.ts";
import type { Coc } from "./vim/coc-vim.ts";

/**
 * How long coc needs from the end of its process to a new one that listens, ms (`:CocRestart`): about one second, two where
 * language servers take their time, more where Vim waits for Enter after its messages. Agents try again after this
 * time and once more; what they wait for is given up after twice as long.
 */
const restartMs = 2_000;

/** coc's numbers for the state of a service. */
const serviceState = { starting: 1, running: 3, stopping: 4, stopped: 5 } as const;

export interface Lifecycle {
  end(): Promise<void>;
}

/**
 * Starts and stops the extension as one of coc's services. `:CocList services` then shows it and can toggle it, and, more
 * important, coc waits for its services when `:CocRestart` ends the process: agents are told to come back in a moment.
 */
export async function startLifecycle(coc: Coc, context: ExtensionContext): Promise<Lifecycle> {
  const store = new DisposableStore();
  const ready = new Emitter<void>();
  let extension: RunningExtension | undefined;
  const start = async (): Promise<void> => {
    if (extension !== undefined) return;
    service.state = serviceState.starting;
    extension = await startExtension(coc, context);
    service.state = serviceState.running;
    ready.fire();
  };
  const stop = async (): Promise<void> => {
    const ending = extension;
    extension = undefined;
    if (ending === undefined) return;
    service.state = serviceState.stopping;
    await ending.stop({ reload: true, comeBackMs: restartMs });
    service.state = serviceState.stopped;
  };
  const restart = async (): Promise<void> => {
    await stop();
    await start();
  };
  const service: IServiceProvider = {
    id: "patchbay",
    name: "patchbay",
    selector: [],
    state: serviceState.starting,
    start,
    stop,
    restart,
    dispose: () => {},
    onServiceReady: (listener) => ready.event(() => listener()),
  };
  await start();
  store.add(registerService(coc, service));
  store.add(coc.commands.registerCommand("patchbay.restart", restart));
  store.add(
    onProcessEnd({
      terminate: () => stop().catch((error: unknown) => context.logger.error("Not stopped in order", messageOf(error))),
      exit: () => extension?.removeRecordsSync(),
    }),
  );
  return {
    end: async () => {
      store.dispose();
      await stop();
      ready.dispose();
    },
  };
}

/** The typings name the function as older versions of coc do. */
function registerService(coc: Coc, service: IServiceProvider): { dispose(): void } {
  const services: object = coc.services;
  for (const name of ["register", "regist"]) {
    const register: unknown = Reflect.get(services, name);
    if (typeof register !== "function") continue;
    const disposable: unknown = Reflect.apply(register, services, [service]);
    return { dispose: () => disposeOf(disposable) };
  }
  return { dispose: () => {} };
}

function disposeOf(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const dispose: unknown = Reflect.get(value, "dispose");
  if (typeof dispose === "function") Reflect.apply(dispose, value, []);
}

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
