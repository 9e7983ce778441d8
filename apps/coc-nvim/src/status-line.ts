import { type Companion, type Disposable, DisposableStore, inBackground, LoadOnce, type Logger } from "@patchbay/core";
import type { ExtensionSettings } from "./settings.ts";
import type { LazyTurns } from "./turns/lazy-turns.ts";
import type { PanelSlot } from "./panel/vim-panel.ts";
import type { Coc } from "./vim/coc-vim.ts";
import type { CocServices, Vim } from "./vim/vim.ts";

/** Keeps `patchbay#status()` and coc's status item up to date, and tells of agents that wait, where the user wants that. */
export function showStatus(options: {
  readonly coc: { readonly window: Pick<Coc["window"], "createStatusBarItem"> };
  readonly vim: Pick<Vim, "call" | "notify">;
  readonly notice: CocServices["notice"];
  readonly companion: Companion;
  readonly turns: Pick<LazyTurns, "count" | "onDidChange">;
  readonly settings: () => ExtensionSettings;
  readonly panel: PanelSlot;
  readonly logger: Logger;
}): Disposable {
  const { companion, turns, vim, notice, settings } = options;
  const store = new DisposableStore();
  const item = options.coc.window.createStatusBarItem(10);
  store.add({ dispose: () => item.dispose() });
  let last: string | undefined;
  const notices = new LoadOnce(async () => new (await import("./agent-notices.ts")).AgentNotices(vim, notice));
  const update = async (): Promise<void> => {
    const { notify } = settings();
    if (notify !== "never") await (await notices.get()).update(companion);
    const { statusText } = await import("./status-text.ts");
    const counts = { files: turns.count(), questions: options.panel.current?.waiting ?? 0 };
    const text = statusText(companion, settings().companion.sharing, counts);
    if (text === last) return;
    last = text;
    vim.notify("patchbay#set_status", [text]);
    item.text = text;
    if (text !== "" && settings().statusItem) item.show();
    else item.hide();
  };
  const begin = inBackground(options.logger);
  const updateSoon = (): void => void begin(update, "The status line is stale");
  for (const event of [
    companion.onDidChangeState,
    companion.onDidChangeSessions,
    companion.onDidChangeProposals,
    companion.onDidChangeActivities,
    turns.onDidChange,
  ]) {
    store.add(event(updateSoon));
  }
  options.panel.onDidChange = updateSoon;
  return store;
}
