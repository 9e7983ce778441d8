import { registerProblemActions } from "./problem-actions.ts";
import {
  type Companion,
  type HostEditors,
  inBackground,
  type InBackground,
  LoadOnce,
  type Logger,
  type ProposalInfo,
} from "@patchbay/core";
import {
  commands,
  type Disposable,
  type Event,
  EventEmitter,
  StatusBarAlignment,
  type StatusBarItem,
  type TreeDataProvider,
  type TreeItem,
  type TreeView,
  type Uri,
  type ViewBadge,
  window,
} from "vscode";
import type { ReviewList, ReviewRow } from "../commands/inbox.ts";
import { loadLater } from "../lazy.ts";
import { l10n } from "@patchbay/languages/spoken";
import { ages, coalesced, delay } from "../timers.ts";
import type { ReviewTree } from "./review-tree.ts";

/** How often views follow what happens at most, ms. */
const refreshSpan = 100;

/** How often the list of what is shared follows the cursor at most, and only while it is seen, ms. */
const followSpan = 400;

/** How soon the status bar says which review the user is in, once tabs have come or gone, ms: an agent may open and close dozens at once. */
const positionSpan = 30;

/** How often the ages of what waits are written anew, ms. */
const ageSpan = 60_000;

/** So often it is looked which row the keyboard is on, and so long between two looks, ms. */
const mostLooks = 5;
const lookSpan = 50;

/** Whether agents are told what is open. */
export interface SharingState {
  readonly paused: boolean;
  readonly onDidChange: Event<void>;
}

/** How the Review list is grouped. */
export interface Grouping {
  /** By folder; else by agent and session. */
  readonly isByFolder: boolean;
  set(isByFolder: boolean): Promise<void>;
}

export interface ViewServices {
  readonly companion: Companion;
  readonly editors: HostEditors;
  readonly sharing: SharingState;
  readonly settings: { readonly notifies: boolean };
  readonly grouping: Grouping;
  readonly reviewOf: ReviewOf;
  readonly logger: Logger;
}

/** Status bar, views of the side bar, actions of problems, and the context keys that menus and walkthrough ask for. */
export function registerViews(services: ViewServices): Disposable & { readonly list: ReviewList } {
  const { companion, editors, sharing, settings, grouping, reviewOf } = services;
  const begin = inBackground(services.logger);
  const isPaused = (): boolean => sharing.paused;
  const statusBar = new StatusBar(companion, isPaused, begin);
  const connections = new LazyTree(async () => new (await loadLater()).ConnectionsTree(companion, isPaused));
  const proposals = new LazyTree<ReviewRow, ReviewTree>(
    async () => new (await loadLater()).ReviewTree(companion, () => grouping.isByFolder),
  );
  const connectionsView = window.createTreeView("patchbay.connections", { treeDataProvider: connections });
  const proposalsView = window.createTreeView("patchbay.proposals", { treeDataProvider: proposals });
  const list = new FocusedRows(proposals, proposalsView, grouping);
  const position = createPosition(companion, begin);
  const notices = new LoadOnce(async () => new (await loadLater()).AgentNotices(companion, () => settings.notifies));
  const tellContexts = createContexts(companion, reviewOf);
  const aging = ages(
    () => proposalsView.visible && companion.proposals.length > 0,
    () => proposals.refresh(),
    ageSpan,
  );
  const update = (): void => {
    aging.follow();
    statusBar.update();
    connections.refresh();
    proposals.refresh();
    // What a conversation asks is counted in the panel.
    proposalsView.badge = badgeOf(companion.proposals.filter((one) => one.conversationId === undefined).length);
    tellContexts();
    position.update();
    if (companion.activities.length > 0)
      void begin(async () => (await notices.get()).update(), "Agents that wait cannot be told of");
  };
  const refresh = coalesced(update, refreshSpan);
  const follow = coalesced(() => connections.refresh(), followSpan);
  const own: readonly Disposable[] = [
    aging,
    proposalsView.onDidChangeVisibility(() => aging.follow()),
    refresh,
    follow,
    statusBar,
    position,
    connections,
    proposals,
    connectionsView,
    proposalsView,
    registerProblemActions(companion),
    sharing.onDidChange(refresh.request),
    companion.onDidChangeState(refresh.request),
    companion.onDidChangeSessions(refresh.request),
    companion.onDidChangeProposals(refresh.request),
    companion.onDidChangeActivities(refresh.request),
    editors.onDidChange(() => {
      if (connectionsView.visible) follow.request();
    }),
  ];
  update();
  return {
    list,
    dispose: () => {
      for (const part of own) part.dispose();
    },
  };
}

/** Which of how many reviews the user is in; a click goes to the next one. */
function createPosition(companion: Companion, begin: InBackground): Disposable & { update(): void } {
  let item: StatusBarItem | undefined;
  const update = (): void => {
    if (item === undefined && companion.proposals.length === 0) return;
    const shown = (item ??= window.createStatusBarItem("patchbay.position", StatusBarAlignment.Left, -1));
    shown.name = l10n.t("Patchbay: Review");
    shown.command = "patchbay.nextProposal";
    void begin(
      async () => (await loadLater()).writePosition(shown, companion),
      "Which review the user is in cannot be shown",
    );
  };
  const soon = coalesced(update, positionSpan);
  const own = [soon, window.tabGroups.onDidChangeTabs(soon.request), window.onDidChangeActiveTextEditor(soon.request)];
  return {
    update,
    dispose: () => {
      for (const part of own) part.dispose();
      item?.dispose();
    },
  };
}

function badgeOf(count: number): ViewBadge | undefined {
  if (count === 0) return undefined;
  return { value: count, tooltip: l10n.t("Proposals waiting for your review: {0}", count) };
}

/** The review of a proposal, while it is open. */
type ReviewOf = (proposalId: string) => OpenReview | undefined;

interface OpenReview {
  readonly uri: Uri;
  readonly originalUri: Uri;
  readonly request: { readonly isReadOnly?: true };
}

/** Tells VS Code's menus the facts, each when it changes. */
function createContexts(companion: Companion, reviewOf: ReviewOf): () => void {
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
    tell(
      "patchbay.diffOpen",
      proposals.some(({ id }) => reviewOf(id) !== undefined),
    );
    tell("patchbay.failed", state.kind === "failed");
    // Titles of tabs ask whether their document is one of these.
    const urisOf = (all: readonly { readonly id: string }[]): readonly string[] =>
      all.flatMap(({ id }) => reviewOf(id)?.uri.toString() ?? []);
    tell("patchbay.conflicts", urisOf(proposals.filter(({ standing }) => standing === "conflict")));
    tell("patchbay.answeredInTerminal", urisOf(proposals.filter((proposal) => proposal.state === "terminal")));
    tell("patchbay.keptTexts", urisOf(proposals.filter((proposal) => proposal.state === "kept")));
    const hunkReviews = proposals.filter(takesHunkVerdicts).flatMap(({ id }) => {
      const review = reviewOf(id);
      if (review === undefined || review.request.isReadOnly === true) return [];
      return [review.uri.toString(), review.originalUri.toString()];
    });
    tell("patchbay.hunkReviews", hunkReviews);
  };
}

/** Whether single hunks can be decided: it is shown, its agent waits, and something is left. */
function takesHunkVerdicts({ state, standing, hunks }: ProposalInfo): boolean {
  return state === "shown" && standing !== "conflict" && hunks?.undecided !== 0;
}

/** The content of a view of the side bar. */
interface Tree<T> {
  getChildren(node?: T): T[];
  getTreeItem(node: T): TreeItem;
  getParent?(node: T): T | undefined;
}

/** A view's content, whose code is loaded when the view is looked at for the first time. */
export class LazyTree<T, C extends Tree<T> = Tree<T>> implements TreeDataProvider<T>, Disposable {
  readonly #changes: EventEmitter<void> = new EventEmitter();
  readonly onDidChangeTreeData: Event<void> = this.#changes.event;
  readonly #tree: LoadOnce<C>;

  constructor(load: () => Promise<C>) {
    this.#tree = new LoadOnce(load);
  }

  refresh(): void {
    this.#changes.fire();
  }

  async getChildren(node?: T): Promise<T[]> {
    return (await this.#tree.get()).getChildren(node);
  }

  async getTreeItem(node: T): Promise<TreeItem> {
    return (await this.#tree.get()).getTreeItem(node);
  }

  async getParent(node: T): Promise<T | undefined> {
    return (await this.#tree.get()).getParent?.(node);
  }

  /** The content itself, loaded. */
  async content(): Promise<C> {
    return await this.#tree.get();
  }

  dispose(): void {
    this.#changes.dispose();
  }
}

/** The row that the keyboard is on, which VS Code tells extensions only for rows that are selected. */
class FocusedRows implements ReviewList {
  readonly #tree: LazyTree<ReviewRow, ReviewTree>;
  readonly #view: TreeView<ReviewRow>;
  readonly #grouping: ViewServices["grouping"];
  // oxlint-disable-next-line patchbay/no-kept-promise -- It never rejects.
  #revealing: Promise<void> = Promise.resolve();

  constructor(tree: LazyTree<ReviewRow, ReviewTree>, view: TreeView<ReviewRow>, grouping: ViewServices["grouping"]) {
    this.#tree = tree;
    this.#view = view;
    this.#grouping = grouping;
  }

  async groupByFolder(isByFolder: boolean): Promise<void> {
    await this.#grouping.set(isByFolder);
    this.#tree.refresh();
  }

  async focused(): Promise<ReviewRow | undefined> {
    // What is just being revealed is selected in between, and a list that is drawn anew takes a moment.
    await this.#revealing;
    for (let look = 0; look < mostLooks; look += 1) {
      if (look > 1) await delay(lookSpan);
      const row = await this.#look();
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /** The row that VS Code's own command selects or does not any more; the second call takes that back. */
  async #look(): Promise<ReviewRow | undefined> {
    const before = this.#view.selection;
    await commands.executeCommand("list.toggleSelection");
    const after = this.#view.selection;
    const isIn = (rows: readonly ReviewRow[], { key }: ReviewRow): boolean => rows.some((row) => row.key === key);
    const changed = [...after.filter((row) => !isIn(before, row)), ...before.filter((row) => !isIn(after, row))];
    if (changed.length > 0) await commands.executeCommand("list.toggleSelection");
    return changed.length === 1 ? changed[0] : undefined;
  }

  async focus(proposalId: string): Promise<void> {
    const revealing = this.#reveal(proposalId);
    this.#revealing = revealing.catch(() => {});
    await revealing;
  }

  async #reveal(proposalId: string): Promise<void> {
    this.#tree.refresh();
    const row = (await this.#tree.content()).find(proposalId);
    if (row !== undefined) await this.#view.reveal(row, { select: true, focus: true });
  }
}

/** The item in the status bar. While there is nothing to tell it needs no code to tell it with. */
class StatusBar implements Disposable {
  readonly #companion: Companion;
  readonly #isPaused: () => boolean;
  readonly #begin: InBackground;
  readonly #item: StatusBarItem;
  #told = false;

  constructor(companion: Companion, isPaused: () => boolean, begin: InBackground) {
    this.#companion = companion;
    this.#isPaused = isPaused;
    this.#begin = begin;
    this.#item = window.createStatusBarItem("patchbay.status", StatusBarAlignment.Left, 0);
    this.#item.name = "Patchbay";
    this.#item.text = "$(debug-disconnect) Patchbay";
    this.#item.tooltip = l10n.t("No agent is connected.");
    this.#item.command = "patchbay.showConnections";
    this.#item.show();
    this.update();
  }

  update(): void {
    if (!this.#told && this.#isQuiet()) return;
    this.#told = true;
    const write = async (): Promise<void> =>
      (await loadLater()).writeStatus(this.#item, this.#companion, this.#isPaused());
    void this.#begin(write, "The status bar cannot be written");
  }

  dispose(): void {
    this.#item.dispose();
  }

  #isQuiet(): boolean {
    const { state, sessions, proposals, activities } = this.#companion;
    if (
      this.#isPaused() ||
      activities.length > 0 ||
      sessions.length > 0 ||
      proposals.length > 0 ||
      state.kind === "failed"
    )
      return false;
    return state.kind !== "listening" || state.warnings.length === 0;
  }
}
