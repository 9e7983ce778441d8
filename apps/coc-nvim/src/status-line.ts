import {
  type Companion,
  type CompanionState,
  type Disposable,
  DisposableStore,
  type ProposalInfo,
  type SessionInfo,
} from "@patchbay/core";
import type { ExtensionSettings } from "./settings.ts";
import type { Coc } from "./vim/coc-vim.ts";
import { plainStatus } from "./vim/shape.ts";
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

export interface StatusFacts {
  readonly state: CompanionState;
  readonly sessions: readonly SessionInfo[];
  readonly proposals: readonly ProposalInfo[];
  readonly sharing: boolean;
}

/** A few words for the status line; empty while there is nothing to say. */
export function statusText(facts: StatusFacts): string {
  if (facts.state.kind === "failed") return "Patchbay failed";
  if (facts.state.kind !== "listening") return "";
  const parts: string[] = [];
  const names = new Map<string, number>();
  for (const session of facts.sessions) {
    if (session.state === "connected") names.set(session.agentName, (names.get(session.agentName) ?? 0) + 1);
  }
  if (names.size > 0)
    parts.push([...names].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", "));
  const count = facts.proposals.length;
  if (count > 0) parts.push(count === 1 ? "1 proposal" : `${count} proposals`);
  if (!facts.sharing) parts.push("sharing paused");
  return plainStatus(parts.join(" · "));
}
