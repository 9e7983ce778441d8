import { commands, type Disposable, type Event, l10n, type Uri, type ViewBadge, window } from "vscode";
import type { Companion, HostEditors } from "@patchbay/core";
import { loadLater } from "../load-later.ts";
import { coalesced } from "./coalesced.ts";
import { LazyTree } from "./lazy-tree.ts";
import { StatusBar } from "./status-bar.ts";

/** How often views follow what happens at most, ms. */
const refreshSpan = 100;

/** How often the list of what is shared follows the cursor at most, and only while it is seen, ms. */
const followSpan = 400;

/** Whether agents are told what is open. */
export interface SharingState {
  readonly paused: boolean;
  readonly onDidChange: Event<void>;
}

/** Status bar, views of the side bar, and the context keys that menus and walkthrough ask for. */
export function registerViews(
  companion: Companion,
  editors: HostEditors,
  sharing: SharingState,
  uriOf: (proposalId: string) => Uri | undefined,
): Disposable {
  const isPaused = (): boolean => sharing.paused;
  const statusBar = new StatusBar(companion, isPaused);
  const connections = new LazyTree(async () => new (await loadLater()).ConnectionsTree(companion, isPaused));
  const proposals = new LazyTree(async () => new (await loadLater()).ProposalsTree(companion));
  const connectionsView = window.createTreeView("patchbay.connections", { treeDataProvider: connections });
  const proposalsView = window.createTreeView("patchbay.proposals", { treeDataProvider: proposals });
  const tellContexts = createContexts(companion, uriOf);
  const update = (): void => {
    statusBar.update();
    connections.refresh();
    proposals.refresh();
    proposalsView.badge = badgeOf(companion.proposals.length);
    tellContexts();
  };
  const refresh = coalesced(update, refreshSpan);
  const follow = coalesced(() => connections.refresh(), followSpan);
  const own: readonly Disposable[] = [
    refresh,
    follow,
    statusBar,
    connections,
    proposals,
    connectionsView,
    proposalsView,
    sharing.onDidChange(refresh.request),
    companion.onDidChangeState(refresh.request),
    companion.onDidChangeSessions(refresh.request),
    companion.onDidChangeProposals(refresh.request),
    editors.onDidChange(() => {
      if (connectionsView.visible) follow.request();
    }),
  ];
  update();
  return {
    dispose: () => {
      for (const part of own) part.dispose();
    },
  };
}

function badgeOf(count: number): ViewBadge | undefined {
  if (count === 0) return undefined;
  return { value: count, tooltip: l10n.t("Proposals waiting for your review: {0}", count) };
}

/** Tells VS Code's menus the facts, each when it changes. */
function createContexts(companion: Companion, uriOf: (proposalId: string) => Uri | undefined): () => void {
  const told = new Map<string, string>();
  const tell = (key: string, value: boolean | readonly string[]): void => {
    const written = JSON.stringify(value);
    if (told.get(key) === written) return;
    told.set(key, written);
    void commands.executeCommand("setContext", key, value);
  };
  return () => {
    const { proposals, sessions, state } = companion;
    tell(
      "patchbay.connected",
      sessions.some((session) => session.state === "connected"),
    );
    tell("patchbay.hasProposals", proposals.length > 0);
    tell("patchbay.failed", state.kind === "failed");
    // Titles of tabs ask whether their document is one of these.
    const urisOf = (all: readonly { readonly id: string }[]): readonly string[] =>
      all.flatMap(({ id }) => uriOf(id)?.toString() ?? []);
    tell("patchbay.conflicts", urisOf(proposals.filter(({ standing }) => standing === "conflict")));
    tell("patchbay.answeredInTerminal", urisOf(proposals.filter((proposal) => proposal.state === "terminal")));
    tell("patchbay.keptTexts", urisOf(proposals.filter((proposal) => proposal.state === "kept")));
  };
}
