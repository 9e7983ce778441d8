import { type Companion, type Disposable, DisposableStore } from "@patchbay/core";
import type { ExtensionSettings } from "./settings.ts";
import { statusText } from "./status-text.ts";
import type { Coc } from "./vim/coc-vim.ts";
import type { Vim } from "./vim/vim.ts";

/** Keeps `patchbay#status()` and coc's status item up to date. */
export function showStatus(options: {
  readonly coc: Pick<Coc, "window">;
  readonly vim: Pick<Vim, "notify">;
  readonly companion: Companion;
  readonly settings: () => ExtensionSettings;
}): Disposable {
  const { companion, vim, settings } = options;
  const store = new DisposableStore();
  const item = options.coc.window.createStatusBarItem(10);
  store.add({ dispose: () => item.dispose() });
  let last: string | undefined;
  const update = (): void => {
    const text = statusText({
      state: companion.state,
      sessions: companion.sessions,
      proposals: companion.proposals,
      sharing: settings().companion.sharing,
    });
    if (text === last) return;
    last = text;
    vim.notify("patchbay#set_status", [text]);
    item.text = text;
    if (text !== "" && settings().statusItem) item.show();
    else item.hide();
  };
  for (const event of [companion.onDidChangeState, companion.onDidChangeSessions, companion.onDidChangeProposals]) {
    store.add(event(update));
  }
  return store;
}
