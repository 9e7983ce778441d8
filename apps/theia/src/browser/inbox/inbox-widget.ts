import { ContextMenuRenderer } from "@theia/core/lib/browser/context-menu-renderer";
import { KeybindingRegistry } from "@theia/core/lib/browser/keybinding";
import { CompositeTreeNode, type TreeNode } from "@theia/core/lib/browser/tree/tree";
import { createTreeContainer } from "@theia/core/lib/browser/tree/tree-container";
import { ExpandableTreeNode } from "@theia/core/lib/browser/tree/tree-expansion";
import { TreeModel } from "@theia/core/lib/browser/tree/tree-model";
import { SelectableTreeNode } from "@theia/core/lib/browser/tree/tree-selection";
import { type NodeProps, TreeProps, TreeWidget } from "@theia/core/lib/browser/tree/tree-widget";
import { codicon, type Message } from "@theia/core/lib/browser/widgets/widget";
import { ContextKeyService } from "@theia/core/lib/browser/context-key-service";
import { Emitter, type Event } from "@theia/core/lib/common/event";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable, type interfaces } from "@theia/core/shared/inversify";
import { createElement, type MouseEvent, type ReactNode } from "@theia/core/shared/react";
import type { ListedTurn, WindowStatus } from "../../common/protocol.ts";
import {
  allRows,
  commandOf,
  type InboxAction,
  inboxFocusKey,
  type InboxRow,
  type InboxSurroundings,
  inboxWidgetId,
} from "./inbox-row.ts";
import { inboxRows } from "./inbox-rows.ts";

interface EmptyOffer {
  readonly label: string;
  readonly command: string;
  /** What most people want. */
  readonly isMain: boolean;
}

/** What the view says and offers while it is empty. */
export interface EmptyInbox {
  readonly words: string;
  readonly offers: readonly EmptyOffer[];
}

/** What the user wants of a row. */
export interface InboxRequest {
  readonly row: InboxRow;
  readonly action: InboxAction;
}

interface InboxNode extends SelectableTreeNode {
  row: InboxRow;
}

function isInboxNode(node: TreeNode | undefined): node is InboxNode {
  return node !== undefined && "row" in node;
}

/** An agent, or a text of the user's, waits for an answer. */
function isWaiting({ subject }: InboxRow): boolean {
  return subject.kind !== "presence" && subject.kind !== "turn" && subject.kind !== "folder";
}

function isWholeTurn({ subject }: InboxRow): boolean {
  return subject.kind === "turn" && subject.path === undefined;
}

/** Nothing above it is folded. */
function isSeen({ parent }: TreeNode): boolean {
  return parent === undefined || ((!ExpandableTreeNode.is(parent) || parent.expanded) && isSeen(parent));
}

interface Look {
  readonly icon: string;
  readonly words: string;
}

const looks: Readonly<Record<InboxAction, Look>> = {
  open: { icon: "go-to-file", words: nls.localize("patchbay/inbox/open", "Open") },
  accept: { icon: "check", words: nls.localize("patchbay/toolbar/accept", "Accept") },
  reject: { icon: "close", words: nls.localize("patchbay/toolbar/reject", "Reject") },
  showAll: { icon: "diff-multiple", words: nls.localize("patchbay/inbox/showAll", "Show All Changes") },
  acceptAll: { icon: "check-all", words: nls.localize("patchbay/inbox/acceptAll", "Accept All") },
  rejectAll: { icon: "close-all", words: nls.localize("patchbay/inbox/rejectAll", "Reject All") },
  hold: { icon: "debug-pause", words: nls.localize("patchbay/inbox/hold", "Hold: Close for Now") },
  terminal: { icon: "terminal", words: nls.localize("patchbay/inbox/goToTerminal", "Go to Its Terminal") },
  keep: { icon: "check", words: nls.localize("patchbay/turns/keep", "Keep") },
  undo: { icon: "discard", words: nls.localize("patchbay/turns/undo", "Undo") },
  save: { icon: "save", words: nls.localize("patchbay/toolbar/saveKept", "Save to File") },
  copy: { icon: "copy", words: nls.localize("patchbay/toolbar/copyKept", "Copy") },
  discard: { icon: "trash", words: nls.localize("patchbay/toolbar/discardKept", "Discard") },
};

/** The keys of a yes and a no are the same whether an agent asked or not. */
const sameKey: Partial<Record<InboxAction, InboxAction>> = {
  keep: "accept",
  undo: "reject",
  acceptAll: "accept",
  rejectAll: "reject",
};

/** Where the user was in the view, kept with the layout. */
interface KeptPlace {
  readonly collapsed: readonly string[];
  readonly selected: string | undefined;
  readonly isByFolder?: boolean;
}

/** The tree of everything that waits for the user. It shows rows and says what is wanted of them; it decides nothing. */
@injectable()
export class InboxWidget extends TreeWidget {
  @inject(KeybindingRegistry)
  protected readonly keybindings: KeybindingRegistry;
  @inject(ContextKeyService)
  protected readonly contextKeys: ContextKeyService;

  protected readonly nodes: Map<string, InboxNode> = new Map();
  protected readonly collapsed: Set<string> = new Set();
  protected empty: EmptyInbox = { words: "", offers: [] };
  protected byFolder = false;
  /** Selected before the layout came back, and there again as soon as its row is. */
  protected wanted: string | undefined;
  protected readonly onDidAskEmitter: Emitter<InboxRequest> = new Emitter();
  readonly onDidAsk: Event<InboxRequest> = this.onDidAskEmitter.event;
  protected readonly onDidOfferEmitter: Emitter<string> = new Emitter();
  /** One of the commands that the empty view offers. */
  readonly onDidOffer: Event<string> = this.onDidOfferEmitter.event;
  protected readonly onDidGroupEmitter: Emitter<void> = new Emitter();
  /** The rows are to be presented anew. */
  readonly onDidGroup: Event<void> = this.onDidGroupEmitter.event;

  constructor(
    @inject(TreeProps) props: TreeProps,
    @inject(TreeModel) model: TreeModel,
    @inject(ContextMenuRenderer) contextMenuRenderer: ContextMenuRenderer,
  ) {
    super(props, model, contextMenuRenderer);
    const name = nls.localize("patchbay/inbox/title", "Review");
    this.id = inboxWidgetId;
    this.title.label = name;
    this.title.caption = `Patchbay: ${name}`;
    this.title.iconClass = codicon("git-pull-request");
    this.title.closable = true;
    this.addClass("patchbay-inbox");
  }

  static create(container: interfaces.Container): InboxWidget {
    // The lists are short, and rows that are all there can be read by everything that reads a page.
    const props = { virtualized: false, leftPadding: 8, expansionTogglePadding: 18 };
    return createTreeContainer(container, { props, widget: InboxWidget }).get(InboxWidget);
  }

  protected override init(): void {
    super.init();
    this.contextKeys.createScoped(this.node).createKey(inboxFocusKey, true);
    this.toDispose.pushAll([
      this.onDidAskEmitter,
      this.onDidOfferEmitter,
      this.onDidGroupEmitter,
      this.model.onOpenNode((node) => {
        // A turn that is folded or unfolded opens none of its files; its button does.
        if (isInboxNode(node) && !isWholeTurn(node.row)) this.onDidAskEmitter.fire({ row: node.row, action: "open" });
      }),
      this.model.onExpansionChanged(({ id, expanded }) => {
        if (expanded) this.collapsed.delete(id);
        else this.collapsed.add(id);
      }),
    ]);
    const root: CompositeTreeNode = { id: "patchbay-reviews", parent: undefined, visible: false, children: [] };
    this.model.root = root;
  }

  /** Whether what waits is shown by folder. Kept with the layout. */
  get isByFolder(): boolean {
    return this.byFolder;
  }

  group(byFolder: boolean): void {
    this.byFolder = byFolder;
    this.onDidGroupEmitter.fire();
  }

  /** The row that the keys are about. */
  get selected(): InboxRow | undefined {
    const [node] = this.model.selectedNodes;
    // Theia keeps what has gone selected.
    return isInboxNode(node) && this.nodes.has(node.id) ? node.row : undefined;
  }

  /** Shows how things stand. */
  async present(
    status: WindowStatus,
    turns: readonly ListedTurn[],
    around: InboxSurroundings,
    empty: EmptyInbox,
  ): Promise<void> {
    await this.display(inboxRows(status, { ...around, isByFolder: this.isByFolder }, turns), empty);
  }

  /** Shows these rows. The selection stays where it was; if its row is gone, the one that took its place is selected. */
  async display(rows: readonly InboxRow[], empty: EmptyInbox): Promise<void> {
    const { root } = this.model;
    if (!CompositeTreeNode.is(root)) return;
    const before = Array.from(this.nodes.keys());
    const last = this.selected;
    const selected = last?.id ?? this.wanted;
    this.empty = empty;
    const all = allRows(rows);
    const known = new Set(all.map(({ id }) => id));
    for (const id of before) if (!known.has(id)) this.nodes.delete(id);
    root.children = rows.map((row) => this.nodeOf(row));
    await this.model.refresh();
    this.update();
    if (selected === undefined) return;
    const next =
      this.nodes.get(selected) ?? this.nodes.get((last === undefined ? undefined : heir(before, last, all)) ?? "");
    if (next === undefined) return;
    this.wanted = undefined;
    if (!next.selected || this.selected?.id !== next.id) this.model.selectNode(next);
  }

  /**
   * To the next thing that waits, or the one before it; the ends meet. Where nothing waits, from one changed file to the next, and where
   * there is none, from session to session.
   */
  step(direction: 1 | -1): void {
    const seen = Array.from(this.nodes.values()).filter((node) => node.row.children.length === 0 && isSeen(node));
    const waiting = seen.filter(({ row }) => isWaiting(row));
    const changed = seen.filter(({ row }) => row.subject.kind === "turn");
    const stops = [waiting, changed].find((some) => some.length > 0) ?? seen;
    const at = stops.findIndex(({ id }) => id === this.selected?.id);
    const next = stops.at(at < 0 ? (direction === 1 ? 0 : -1) : (at + direction) % stops.length);
    if (next !== undefined) this.model.selectNode(next);
  }

  /** Does something with the selected row, if that can be done with it. */
  ask(action: InboxAction): void {
    const row = this.selected;
    if (row === undefined) return;
    const meant = row.actions.find((one) => one === action || sameKey[one] === action);
    if (action === "open" || meant !== undefined) this.onDidAskEmitter.fire({ row, action: meant ?? action });
  }

  override storeState(): object {
    const place: KeptPlace = {
      collapsed: Array.from(this.collapsed),
      selected: this.selected?.id,
      isByFolder: this.isByFolder,
    };
    return place;
  }

  override restoreState(place: Partial<KeptPlace>): void {
    for (const id of place.collapsed ?? []) this.collapsed.add(id);
    this.wanted = place.selected;
    this.group(place.isByFolder === true);
  }

  protected nodeOf(row: InboxRow): InboxNode {
    const selected = this.nodes.get(row.id)?.selected ?? false;
    const node: InboxNode = { id: row.id, name: row.label, parent: undefined, selected, row };
    // The order of the map is that of the rows.
    this.nodes.delete(row.id);
    this.nodes.set(row.id, node);
    if (row.children.length === 0) return node;
    const children = row.children.map((child) => this.nodeOf(child));
    return Object.assign(node, { children, expanded: !this.collapsed.has(row.id) });
  }

  /** Theia opens the row that had the focus last, which need not be the one that is shown as selected, or be there any more. */
  protected override handleEnter(_event: KeyboardEvent): void {
    const [node] = this.model.selectedNodes;
    if (node !== undefined) this.model.openNode(node);
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    if (this.selected === undefined) this.step(1);
  }

  protected override render(): ReactNode {
    return this.nodes.size > 0 ? super.render() : this.renderEmpty();
  }

  protected renderEmpty(): ReactNode {
    const offers = this.empty.offers.map(({ label, command, isMain }) =>
      createElement(
        "button",
        {
          key: command,
          className: `theia-button${isMain ? "" : " secondary"}`,
          onClick: () => this.onDidOfferEmitter.fire(command),
        },
        label,
      ),
    );
    return createElement(
      "div",
      { className: "patchbay-inbox-empty" },
      createElement("p", {}, this.empty.words),
      offers,
    );
  }

  protected override renderIcon(node: TreeNode): ReactNode {
    if (!isInboxNode(node)) return null;
    return createElement("div", { className: `${codicon(node.row.icon)} patchbay-inbox-${node.row.tone}` });
  }

  protected override renderCaption(node: TreeNode, props: NodeProps): ReactNode {
    if (!isInboxNode(node)) return super.renderCaption(node, props);
    const { label, state, facts, lines, tone, tooltip } = node.row;
    const parts: ReactNode[] = [createElement("span", { key: "label", className: "patchbay-inbox-label" }, label)];
    if (state !== "") {
      parts.push(createElement("span", { key: "state", className: `patchbay-inbox-${tone}` }, state));
    }
    if (lines !== undefined) {
      parts.push(
        createElement("span", { key: "added", className: "patchbay-inbox-added" }, `+${lines.added}`),
        createElement("span", { key: "removed", className: "patchbay-inbox-removed" }, `−${lines.removed}`),
      );
    }
    if (facts.length > 0) {
      parts.push(createElement("span", { key: "facts", className: "patchbay-inbox-facts" }, facts.join(" · ")));
    }
    const className = "theia-TreeNodeSegment theia-TreeNodeSegmentGrow patchbay-inbox-caption";
    return createElement("div", { className, title: tooltip }, parts);
  }

  protected override renderTailDecorations(node: TreeNode): ReactNode {
    if (!isInboxNode(node) || node.row.actions.length === 0) return null;
    const { row } = node;
    const buttons = row.actions.map((action) => this.renderAction(row, action));
    return createElement("div", { className: "theia-TreeNodeSegment patchbay-inbox-actions" }, buttons);
  }

  protected renderAction(row: InboxRow, action: InboxAction): ReactNode {
    const { icon, words } = looks[action];
    const title = this.withKey(words, commandOf(sameKey[action] ?? action));
    const onClick = (event: MouseEvent): void => {
      event.stopPropagation();
      this.onDidAskEmitter.fire({ row, action });
    };
    return createElement("button", {
      key: action,
      className: `${codicon(icon)} action-label`,
      title,
      "aria-label": `${words}: ${row.label}`,
      tabIndex: -1,
      onClick,
    });
  }

  protected withKey(words: string, command: string): string {
    const [binding] = this.keybindings.getKeybindingsForCommand(command);
    return binding === undefined
      ? words
      : `${words} (${this.keybindings.acceleratorFor(binding, "+", true).join(" ")})`;
  }

  protected override isExpandable(node: TreeNode): node is ExpandableTreeNode {
    return ExpandableTreeNode.is(node);
  }
}

/**
 * Which row is selected once another one has gone: the next that still waits, else the one before. After an answer it is never one that
 * asks nothing: the next key would undo what nobody meant.
 */
function heir(before: readonly string[], gone: InboxRow, rows: readonly InboxRow[]): string | undefined {
  const at = before.indexOf(gone.id);
  if (at < 0) return undefined;
  const isOfTurn = gone.subject.kind === "turn";
  const heirs = rows.filter((row) => isWaiting(row) || (isOfTurn && row.subject.kind === "turn" && !isWholeTurn(row)));
  const ids = new Set(heirs.map(({ id }) => id));
  const after = before.slice(at + 1).find((id) => ids.has(id));
  return after ?? before.slice(0, at).findLast((id) => ids.has(id));
}
