import * as coc from "coc.nvim";

type Lifecycle = import("./lifecycle.ts").Lifecycle;

// oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten where the start fails.
let running: Promise<Lifecycle> | undefined;

/**
 * Entry point. coc.nvim compiles this one file in a context of its own, with stand-ins for Node's globals; what it
 * requires later is plain Node. So everything else is loaded from here, in one piece, and gets coc handed over.
 */
export async function activate(context: coc.ExtensionContext): Promise<void> {
  if (coc.workspace.getConfiguration("patchbay").get<boolean>("enabled") === false) return;
  running = import("./lifecycle.ts").then(({ startLifecycle }) => startLifecycle(coc, context));
  try {
    await running;
  } catch (error) {
    // Nothing runs that would have to be ended.
    running = undefined;
    throw error;
  }
}

/** The extension is unloaded or reloaded while the editor goes on. */
export async function deactivate(): Promise<void> {
  const lifecycle = await running;
  running = undefined;
  await lifecycle?.end();
}
