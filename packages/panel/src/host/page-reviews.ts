import type {
  Companion,
  DiffCloseReason,
  DiffOpening,
  DiffRequest,
  DiffUpdate,
  DiffViewEvents,
  Disposable,
  HostDiffs,
  HunkDecision,
} from "@patchbay/core";
import type {
  ReviewEnd,
  ReviewInfo,
  ReviewMessage,
  ReviewRefusal,
  ReviewRequest,
  UnwrittenInfo,
} from "../messages/index.ts";

/** What decides in the pages' name; the rest is said through the port. */
export type ReviewDecisions = Pick<
  Companion,
  | "decideHunk"
  | "discardKeptText"
  | "onDidChangeProposals"
  | "proposals"
  | "reject"
  | "reveal"
  | "saveKeptText"
  | "undoHunk"
>;

/** A page, as the reviews see it. */
export interface ReviewPage {
  readonly post: (message: ReviewMessage) => void;
  readonly hasFocus: () => boolean;
}

/** The way from one page. */
export interface ReviewDesk extends Disposable {
  /** The page has started anew, and knows nothing. */
  hello(): void;
  receive(message: ReviewRequest): Promise<void>;
}

/** How pages get at reviews; the panel of an editor that shows reviews itself has none. */
export interface ReviewDesks {
  connect(page: ReviewPage): ReviewDesk;
}

interface Entry {
  readonly request: DiffRequest;
  readonly events: DiffViewEvents;
  left: string;
  right: string;
  revision: number;
  info: ReviewInfo;
}

/** A page with the reviews that it shows. */
interface Reader extends ReviewPage {
  readonly shown: Set<string>;
}

/**
 * The diff views of a host whose only screen is its pages. All texts are here: a page may be gone at any time, several may show one
 * review, and none of them decides about what it does not show.
 */
export class PageReviews implements HostDiffs, ReviewDesks {
  readonly #entries: Map<string, Entry> = new Map();
  readonly #readers: Set<Reader> = new Set();
  /** The reviews of which a verdict on a hunk is being brought about. */
  readonly #deciding: Set<string> = new Set();
  /** What a page showed that is gone: the next one goes on there. */
  #left: string | undefined;
  #companion: ReviewDecisions | undefined;
  #unwritten: readonly UnwrittenInfo[] = [];

  /** Verdicts on hunks and reasons go there, and its proposals say what else is shown. Until then only whole proposals are decided. */
  attach(companion: ReviewDecisions): Disposable {
    this.#companion = companion;
    return companion.onDidChangeProposals(() => {
      this.#readProposals();
      this.#readUnwritten();
    });
  }

  async open(request: DiffRequest, events: DiffViewEvents): Promise<DiffOpening> {
    const { id, agentName, path, kind, standing, unsaved, originalText, proposedText, draftText } = request;
    const entry: Entry = {
      request,
      events,
      left: originalText,
      right: draftText ?? proposedText,
      revision: 1,
      info: {
        id,
        agentName,
        path,
        kind,
        standing,
        isUnsaved: unsaved,
        isReadOnly: request.isReadOnly === true,
        isAgentPresent: request.agentPresent,
        isDecidedInTerminal: request.decidedBy === "terminal",
        readsReasons: false,
        decided: 0,
      },
    };
    this.#entries.set(id, entry);
    this.#readProposals();
    this.#list();
    return {
      kind: "opened",
      view: {
        currentText: async () => entry.right,
        reveal: async () => this.#reveal(entry),
        close: async (reason) => this.#close(entry, reason),
        setAgentPresent: (isAgentPresent) => this.#inform(entry, { isAgentPresent }),
        update: async (update) => this.#update(entry, update),
        setStanding: (standing) => this.#inform(entry, { standing }),
      },
    };
  }

  connect(page: ReviewPage): ReviewDesk {
    const reader: Reader = { ...page, shown: new Set() };
    this.#readers.add(reader);
    return {
      hello: () => this.#hello(reader),
      receive: async (message) => await this.#receive(reader, message),
      dispose: () => {
        this.#readers.delete(reader);
        this.#left = Array.from(reader.shown).at(-1) ?? this.#left;
      },
    };
  }

  async #receive(reader: Reader, message: ReviewRequest): Promise<void> {
    const { id } = message;
    if (message.type === "review-unwritten") return await this.#settle(reader, message);
    const entry = this.#entries.get(id);
    if (entry === undefined) {
      // It ended while the page was away.
      if (message.type !== "review-leave") reader.post({ type: "review-ended", id, as: "stopped" });
      return;
    }
    if (message.type === "review-leave") return void reader.shown.delete(id);
    if (message.type === "review-open") return this.#show(entry, reader, false);
    if (message.type === "review-edit") return this.#edit(entry, reader, message);
    // A verdict is about what the user sees, and about nothing else.
    const reason = message.revision === entry.revision ? await this.#decide(entry, message) : "changed";
    if (reason !== undefined) reader.post({ type: "review-refused", id, reason });
  }

  /** What has changed in the same lines comes to the front by itself, with both versions. */
  async #settle(
    reader: Reader,
    { id, action }: Extract<ReviewRequest, { readonly type: "review-unwritten" }>,
  ): Promise<void> {
    const companion = this.#companion;
    if (!this.#unwritten.some((text) => text.id === id)) return;
    if (action === "show") await companion?.reveal(id);
    else if (action === "discard") await companion?.discardKeptText(id);
    else if ((await companion?.saveKeptText(id))?.kind === "failed") {
      await companion?.reveal(id);
      reader.post({ type: "review-refused", id, reason: "failed" });
    }
  }

  #hello(reader: Reader): void {
    const before = Array.from(reader.shown).at(-1) ?? this.#left;
    reader.shown.clear();
    this.#left = undefined;
    if (this.#entries.size + this.#unwritten.length > 0) reader.post(this.#listed());
    const entry = before === undefined ? undefined : this.#entries.get(before);
    if (entry !== undefined) this.#show(entry, reader, true);
  }

  #show(entry: Entry, reader: Reader, isRevealed: boolean): void {
    reader.shown.add(entry.request.id);
    reader.post(stateOf(entry, "asked", isRevealed));
  }

  #edit(entry: Entry, reader: Reader, message: Extract<ReviewRequest, { type: "review-edit" }>): void {
    const { revision, start, end, text, edit } = message;
    reader.shown.add(entry.request.id);
    if (revision !== entry.revision) return;
    const isInside = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && end <= entry.right.length;
    // The page shows another text than there is.
    if (!isInside || start > end || entry.info.isReadOnly) return this.#show(entry, reader, false);
    entry.right = entry.right.slice(0, start) + text + entry.right.slice(end);
    entry.revision += 1;
    const { id } = entry.request;
    for (const other of this.#readersOf(entry)) {
      const own = other === reader ? edit : { start, end, text };
      other.post({ type: "review-edited", id, revision: entry.revision, edit: own });
    }
    entry.events.edited();
  }

  /** Why it was not done. */
  async #decide(
    entry: Entry,
    message: Extract<ReviewRequest, { type: "review-decide" | "review-hunk" | "review-undo" }>,
  ): Promise<ReviewRefusal | undefined> {
    const companion = this.#companion;
    const { events, right, info } = entry;
    const { id } = entry.request;
    if (message.type === "review-decide") {
      const { verdict, reason } = message;
      if (verdict === "accept") events.accepted(right);
      else if (reason === undefined || companion === undefined) {
        this.#close(entry, "rejected");
        events.rejected();
      } else await companion.reject(id, reason);
      return undefined;
    }
    if (companion === undefined || info.isReadOnly) return "read-only";
    this.#deciding.add(id);
    try {
      if (message.type === "review-hunk") {
        return refusalOf(await companion.decideHunk(id, message.verdict, message.line));
      }
      if (await companion.undoHunk(id)) return undefined;
      return info.standing === "conflict" ? "conflict" : "none";
    } finally {
      this.#deciding.delete(id);
    }
  }

  #update(entry: Entry, update: DiffUpdate): "applied" | "stale" | "gone" {
    const { id } = entry.request;
    if (this.#entries.get(id) !== entry) return "gone";
    if (entry.right !== update.expectedText) return "stale";
    const { originalText, text, standing, unsaved } = update;
    const isOther = entry.left !== originalText || entry.right !== text;
    entry.left = originalText;
    entry.right = text;
    if (isOther) {
      entry.revision += 1;
      const message = stateOf(entry, this.#deciding.has(id) ? "verdict" : "file", false);
      for (const reader of this.#readersOf(entry)) reader.post(message);
    }
    this.#inform(entry, { standing, isUnsaved: unsaved });
    return "applied";
  }

  #reveal(entry: Entry): void {
    const readers = Array.from(this.#readers);
    const reader = readers.find(({ hasFocus }) => hasFocus()) ?? readers.at(-1);
    if (reader !== undefined) this.#show(entry, reader, true);
  }

  #close(entry: Entry, reason: DiffCloseReason): void {
    const { id } = entry.request;
    if (this.#entries.get(id) !== entry) return;
    this.#entries.delete(id);
    const as: ReviewEnd = reason;
    for (const reader of this.#readersOf(entry)) {
      reader.shown.delete(id);
      reader.post({ type: "review-ended", id, as });
    }
    this.#list();
  }

  #inform(entry: Entry, change: Partial<ReviewInfo>): void {
    const info = { ...entry.info, ...change };
    const isSame = JSON.stringify(info) === JSON.stringify(entry.info);
    entry.info = info;
    if (!isSame && this.#entries.get(entry.request.id) === entry) this.#list();
  }

  #readProposals(): void {
    for (const { id, conversationId, hunks, readsReasons = false } of this.#companion?.proposals ?? []) {
      const entry = this.#entries.get(id);
      if (entry === undefined) continue;
      const decided = hunks === undefined ? 0 : hunks.accepted + hunks.rejected;
      this.#inform(entry, {
        decided,
        readsReasons,
        ...(conversationId === undefined ? {} : { conversation: conversationId }),
      });
    }
  }

  #readUnwritten(): void {
    const before = JSON.stringify(this.#unwritten);
    this.#unwritten = (this.#companion?.proposals ?? [])
      .filter(({ keptReason }) => keptReason === "not-written")
      .map(({ id, agentName, path }) => ({ id, agentName, path }));
    if (JSON.stringify(this.#unwritten) !== before) this.#list();
  }

  #readersOf(entry: Entry): readonly Reader[] {
    return Array.from(this.#readers).filter(({ shown }) => shown.has(entry.request.id));
  }

  #listed(): ReviewMessage {
    const reviews = Array.from(this.#entries.values(), ({ info }) => info);
    return { type: "reviews", reviews, unwritten: this.#unwritten };
  }

  #list(): void {
    for (const reader of this.#readers) reader.post(this.#listed());
  }
}

function stateOf(
  { request: { id }, revision, left, right }: Entry,
  cause: Extract<ReviewMessage, { type: "review" }>["cause"],
  isRevealed: boolean,
): ReviewMessage {
  return { type: "review", id, revision, left, right, cause, isRevealed };
}

function refusalOf({ kind }: HunkDecision): ReviewRefusal | undefined {
  return kind === "decided" || kind === "ended" ? undefined : kind;
}
