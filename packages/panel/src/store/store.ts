import {
  applyPatch,
  type ConversationSnapshot,
  type Draft,
  type PlacedEntry,
  type PromptBlock,
} from "@patchbay/conversations/model";
import type { Bridge } from "../bridge.ts";
import { entryForPage } from "../messages/for-page.ts";
import type {
  AgentInfo,
  ConversationSummary,
  Hello,
  HostMessage,
  MentionItem,
  PageCommand,
  PanelSettings,
} from "../messages/from-host.ts";
import type { PageMessage } from "../messages/from-page.ts";
import { KeptState } from "./kept.ts";

/** All that the page shows. */
export interface PanelState {
  /** Absent until the first `hello`. */
  readonly settings: PanelSettings | undefined;
  readonly strings: Readonly<Record<string, string>>;
  readonly agents: readonly AgentInfo[];
  readonly conversations: readonly ConversationSummary[];
  readonly open: ConversationSnapshot | undefined;
  readonly selection: PromptBlock | undefined;
  readonly mentions: { readonly request: number; readonly items: readonly MentionItem[] } | undefined;
  readonly found: { readonly request: number; readonly places: readonly number[] } | undefined;
  /** The list of conversations covers the open one. */
  readonly isListing: boolean;
  readonly isFinding: boolean;
  /** What the agent tells of itself covers the open conversation; without an answer until there is one. */
  readonly about: { readonly facts?: unknown } | undefined;
}

const nothing: PanelState = {
  settings: undefined,
  strings: {},
  agents: [],
  conversations: [],
  open: undefined,
  selection: undefined,
  mentions: undefined,
  found: undefined,
  isListing: false,
  isFinding: false,
  about: undefined,
};

/** Above so many entries the oldest are given up while the newest are read; they come back in pages. */
const keptEntries = { most: 400, after: 160 } as const;

/** What happens once, and is no state: the one that it concerns listens. */
export type PanelEvent =
  | { readonly type: "command"; readonly command: PageCommand }
  /** `before`: where it stood in the queue. */
  | { readonly type: "insert"; readonly blocks: readonly PromptBlock[]; readonly before?: readonly string[] }
  /** For whoever draws it: `changesMessageSchema`. */
  | { readonly type: "changes"; readonly about: unknown }
  /** Something newer was written in another page. */
  | { readonly type: "draft"; readonly conversation: string; readonly draft: Draft }
  /** An entry is to be shown. */
  | { readonly type: "reveal"; readonly place: number }
  /** The user has sent something. */
  | { readonly type: "sent" }
  /** Another conversation is open, or the same one was sent anew as a whole. */
  | { readonly type: "opened"; readonly isSame: boolean };

function trimmed({ place, entry }: PlacedEntry): PlacedEntry {
  return { place, entry: entryForPage(entry) };
}

/** What was loaded before the snapshot's first entry stays: somebody may be reading there. */
function withOlder(open: ConversationSnapshot, before: ConversationSnapshot): ConversationSnapshot {
  const first = open.entries[0]?.place;
  const older = before.entries.filter(({ place }) => first !== undefined && place < first);
  const isJoined = first !== undefined && older.at(-1)?.place === first - 1 && before.start === open.start;
  return isJoined ? { ...open, entries: [...older, ...open.entries] } : open;
}

/** A language that the browser knows. */
function knownLocale(settings: PanelSettings): PanelSettings {
  try {
    return { ...settings, locale: Intl.getCanonicalLocales(settings.locale)[0] ?? "en" };
  } catch {
    return { ...settings, locale: "en" };
  }
}

/** Whether an answer is to a later request than the one that is shown: what is looked up longer comes later. */
function isNewer(answer: { readonly request: number }, shown: { readonly request: number } | undefined): boolean {
  return answer.request > (shown?.request ?? 0);
}

/** Holds the state; what listens is called at most once a frame for what streams, and at once for everything else. */
export class PanelStore {
  /** What survives the page. */
  readonly kept: KeptState;
  /** What the host says of reviews that are shown in pages. */
  onReview: (about: unknown) => void = () => undefined;
  readonly #bridge: Bridge;
  readonly #nextFrame: (callback: () => void) => void;
  readonly #listeners = new Set<() => void>();
  readonly #eventListeners = new Set<(event: PanelEvent) => void>();
  #state = nothing;
  #isFrameDue = false;
  /** The place before which older entries were asked for; until they come nothing is asked again. */
  #askedBefore: number | undefined;
  #isResyncing = false;
  #requests = 0;

  constructor(bridge: Bridge, nextFrame: (callback: () => void) => void) {
    this.#bridge = bridge;
    this.kept = new KeptState(bridge.state);
    this.#nextFrame = nextFrame;
  }

  get state(): PanelState {
    return this.#state;
  }

  post(message: PageMessage): void {
    this.#bridge.post(message);
  }

  /** A number for a request, by which its answer is known: later ones have greater numbers. */
  nextRequest(): number {
    this.#requests += 1;
    return this.#requests;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onEvent(listener: (event: PanelEvent) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  update(change: Partial<PanelState>): void {
    this.#state = { ...this.#state, ...change };
    this.#notify();
  }

  emit(event: PanelEvent): void {
    for (const listener of this.#eventListeners) listener(event);
  }

  /** Asks for a page of entries before the first one, if there are any. */
  askOlder(): void {
    const { open } = this.#state;
    const first = open?.entries[0]?.place;
    if (open === undefined || first === undefined || first <= open.start || this.#askedBefore === first) return;
    this.#askedBefore = first;
    this.post({ type: "older", conversation: open.id, before: first });
  }

  apply(message: HostMessage): void {
    switch (message.type) {
      case "hello":
        this.#hello(message);
        return;
      case "conversation":
        this.#open(message.open);
        return;
      case "patch":
        this.#patch(message);
        return;
      case "page":
        this.#page(message.conversation, message.entries);
        return;
      case "conversations":
        this.update({ conversations: message.conversations });
        return;
      case "agents":
        this.update({ agents: message.agents });
        return;
      case "settings":
        this.update({ settings: knownLocale(message.settings) });
        return;
      case "selection":
        this.update({ selection: message.block });
        return;
      case "mentions":
        if (isNewer(message, this.#state.mentions)) this.update({ mentions: message });
        return;
      case "found":
        if (isNewer(message, this.#state.found)) this.update({ found: message });
        return;
      case "facts": {
        const { open, about } = this.#state;
        if (about !== undefined && message.conversation === open?.id) this.update({ about: message });
        return;
      }
      case "review":
        this.onReview(message.about);
        return;
      case "changes":
      case "draft":
      case "insert":
      case "command":
        this.emit(message);
        return;
    }
  }

  /** Gives up the oldest entries of a long conversation. The caller sees that they are not read. */
  trim(): void {
    const { open } = this.#state;
    // An open question may be far back.
    if (open === undefined || open.entries.length <= keptEntries.most || open.waiting > 0) return;
    this.#state = { ...this.#state, open: { ...open, entries: open.entries.slice(-keptEntries.after) } };
    this.#notify();
  }

  #hello({ settings, strings, agents, conversations, selection, open }: Hello): void {
    this.#state = { ...this.#state, settings: knownLocale(settings), strings, agents, conversations, selection };
    this.#open(open);
  }

  #open(open: ConversationSnapshot | undefined): void {
    const isSame = open !== undefined && open.id === this.#state.open?.id;
    this.#askedBefore = undefined;
    this.#isResyncing = false;
    const before = this.#state.open;
    this.update({
      open: isSame && before !== undefined ? withOlder(open, before) : open,
      ...(isSame ? {} : { isFinding: false, found: undefined, about: undefined }),
      // Another conversation is to be seen.
      ...(isSame || open === undefined ? {} : { isListing: false }),
    });
    this.emit({ type: "opened", isSame });
  }

  #patch({ conversation, patch }: Extract<HostMessage, { readonly type: "patch" }>): void {
    const { open } = this.#state;
    // Of a conversation that was open before.
    if (open?.id !== conversation || patch.sequence <= open.sequence || this.#isResyncing) return;
    const patched = applyPatch(open, patch);
    if (patched === undefined) {
      this.#isResyncing = true;
      this.post({ type: "resync", conversation });
      return;
    }
    // An output that grows for hours is shown by its end.
    const grown = new Set(patch.appends.map(({ place }) => place));
    const entries =
      grown.size === 0
        ? patched.entries
        : patched.entries.map((placed) => (grown.has(placed.place) ? trimmed(placed) : placed));
    this.#state = { ...this.#state, open: { ...patched, entries } };
    this.#notifyNextFrame();
  }

  #page(conversation: string, older: readonly PlacedEntry[]): void {
    const { open } = this.#state;
    if (open?.id !== conversation) return;
    const first = open.entries[0]?.place ?? Number.POSITIVE_INFINITY;
    const entries = [...older.filter(({ place }) => place < first), ...open.entries];
    // Nothing came: there is nothing before, whatever was said.
    const start = entries.length === open.entries.length ? first : open.start;
    this.#askedBefore = undefined;
    this.update({ open: { ...open, entries, start } });
  }

  #notifyNextFrame(): void {
    if (this.#isFrameDue) return;
    this.#isFrameDue = true;
    this.#nextFrame(() => {
      if (this.#isFrameDue) this.#notify();
    });
  }

  #notify(): void {
    this.#isFrameDue = false;
    for (const listener of this.#listeners) listener();
  }
}
