import {
  type DiffCloseReason,
  type DiffOpening,
  type DiffRequest,
  type DiffViewEvents,
  Emitter,
  type Event,
  type HostDiffs,
} from "@patchbay/core";

/** A proposal that waits for a verdict. */
export interface Review {
  readonly request: DiffRequest;
  /** What is accepted when the user accepts now. */
  readonly text: string;
  readonly edited: boolean;
  readonly agentPresent: boolean;
}

/** How a review left the queue. */
export type ReviewEnd =
  | { readonly kind: "accepted" | "rejected" }
  | { readonly kind: "withdrawn"; readonly reason: DiffCloseReason };

interface Entry {
  readonly request: DiffRequest;
  readonly events: DiffViewEvents;
  text: string;
  edited: boolean;
  agentPresent: boolean;
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
      text: request.draftText ?? request.proposedText,
      edited: request.draftText !== undefined,
      agentPresent: request.agentPresent,
    };
    this.#entries.set(request.id, entry);
    this.#change.fire();
    return {
      kind: "opened",
      view: {
        currentText: async () => entry.text,
        reveal: async () => this.#reveal.fire(request.id),
        close: async (reason) => {
          this.#take(request.id, { kind: "withdrawn", reason });
        },
        setAgentPresent: (present) => {
          entry.agentPresent = present;
          this.#change.fire();
        },
      },
    };
  }

  /** The user changed the proposal. False: it waits no longer. */
  edit(id: string, text: string): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    if (entry.text === text) return true;
    entry.text = text;
    entry.edited = true;
    entry.events.edited();
    this.#change.fire();
    return true;
  }

  accept(id: string): boolean {
    const entry = this.#take(id, { kind: "accepted" });
    entry?.events.accepted(entry.text);
    return entry !== undefined;
  }

  reject(id: string): boolean {
    const entry = this.#take(id, { kind: "rejected" });
    entry?.events.rejected();
    return entry !== undefined;
  }

  #take(id: string, end: ReviewEnd): Entry | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    this.#entries.delete(id);
    this.#end.fire({ review: snapshot(entry), end });
    this.#change.fire();
    return entry;
  }
}

function snapshot({ request, text, edited, agentPresent }: Entry): Review {
  return { request, text, edited, agentPresent };
}
