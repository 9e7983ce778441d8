import {
  type DiffCloseReason,
  type DiffOpening,
  type DiffRequest,
  type DiffUpdate,
  type DiffViewEvents,
  Emitter,
  type Event,
  type FileStanding,
  type HostDiffs,
} from "@patchbay/core";

/** A proposal that waits for a verdict. */
export interface Review {
  readonly request: DiffRequest;
  /** The left side: the file as it is now. */
  readonly original: string;
  /** What is accepted when the user accepts now. */
  readonly text: string;
  readonly edited: boolean;
  readonly agentPresent: boolean;
  readonly standing: FileStanding;
  /** Counts how often the sides have followed a change of the file. */
  readonly revision: number;
}

/** How a review left the queue. */
export type ReviewEnd =
  | { readonly kind: "accepted" | "rejected" }
  | { readonly kind: "withdrawn"; readonly reason: DiffCloseReason };

interface Entry {
  readonly request: DiffRequest;
  readonly events: DiffViewEvents;
  original: string;
  text: string;
  edited: boolean;
  agentPresent: boolean;
  standing: FileStanding;
  revision: number;
  /** Being edited elsewhere: what is saved there was made from the text as it is. */
  isHeld: boolean;
  /** The user's own decision, which core has still to confirm. */
  decision: "accepted" | "rejected" | undefined;
}

/** The diff views of an editor without a screen: proposals wait in order until someone decides. */
export class ReviewQueue implements HostDiffs {
  readonly #entries: Map<string, Entry> = new Map();
  readonly #change: Emitter<void> = new Emitter();
  readonly #end: Emitter<{ readonly review: Review; readonly end: ReviewEnd }> = new Emitter();
  readonly #reveal: Emitter<string> = new Emitter();

  /** A review came, changed or ended. */
  readonly onDidChange: Event<void> = this.#change.event;
  readonly onDidEnd: Event<{ readonly review: Review; readonly end: ReviewEnd }> = this.#end.event;
  /** Someone wants to see this review next. */
  readonly onDidReveal: Event<string> = this.#reveal.event;

  /** Waiting reviews, oldest first. */
  get waiting(): readonly Review[] {
    return Array.from(this.#entries.values(), snapshot);
  }

  find(id: string): Review | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined ? undefined : snapshot(entry);
  }

  async open(request: DiffRequest, events: DiffViewEvents): Promise<DiffOpening> {
    const entry: Entry = {
      request,
      events,
      original: request.originalText,
      text: request.draftText ?? request.proposedText,
      edited: request.draftText !== undefined,
      agentPresent: request.agentPresent,
      standing: request.standing,
      revision: 0,
      isHeld: false,
      decision: undefined,
    };
    this.#entries.set(request.id, entry);
    this.#change.fire();
    return {
      kind: "opened",
      view: {
        currentText: async () => entry.text,
        reveal: async () => this.#reveal.fire(request.id),
        close: async (reason) => this.#close(entry, reason),
        setAgentPresent: (present) => {
          entry.agentPresent = present;
          this.#change.fire();
        },
        update: async (update) => this.#update(entry, update),
        setStanding: (standing) => {
          entry.standing = standing;
          this.#change.fire();
        },
      },
    };
  }

  /** While it is held, the text follows no file: a program has a copy of it. `edit` ends that. */
  hold(id: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.isHeld = true;
  }

  /** Whether the agent of a proposal takes no edited text. */
  isReadOnly(id: string): boolean {
    return this.#entries.get(id)?.request.isReadOnly === true;
  }

  /** The user changed the proposal; nothing happens where it is read-only. False: it waits no longer. */
  edit(id: string, text: string): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    entry.isHeld = false;
    if (entry.text === text || entry.request.isReadOnly === true) return true;
    entry.text = text;
    entry.edited = true;
    entry.events.edited();
    this.#change.fire();
    return true;
  }

  /** It waits on until core closes it, and goes on where the accept was not possible. False: it waits no longer. */
  accept(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    entry.decision = "accepted";
    entry.events.accepted(entry.text);
    return true;
  }

  reject(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    entry.decision = "rejected";
    this.#close(entry, "rejected");
    entry.events.rejected();
    return true;
  }

  #update(entry: Entry, update: DiffUpdate): "applied" | "stale" | "gone" {
    if (this.#entries.get(entry.request.id) !== entry) return "gone";
    if (entry.isHeld || entry.text !== update.expectedText) return "stale";
    // The review goes on: what was decided was not possible.
    entry.decision = undefined;
    const { originalText, text, standing } = update;
    if (entry.original !== originalText || entry.text !== text || entry.standing !== standing) entry.revision += 1;
    entry.original = originalText;
    entry.text = text;
    entry.edited = text !== update.proposedText;
    entry.standing = standing;
    this.#change.fire();
    return "applied";
  }

  #close(entry: Entry, reason: DiffCloseReason): void {
    const { id } = entry.request;
    if (this.#entries.get(id) !== entry) return;
    this.#entries.delete(id);
    const end: ReviewEnd = entry.decision === reason ? { kind: reason } : { kind: "withdrawn", reason };
    this.#end.fire({ review: snapshot(entry), end });
    this.#change.fire();
  }
}

function snapshot({ request, original, text, edited, agentPresent, standing, revision }: Entry): Review {
  return { request, original, text, edited, agentPresent, standing, revision };
}
