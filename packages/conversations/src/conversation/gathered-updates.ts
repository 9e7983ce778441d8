import { type Clock, type Disposable, Emitter, type Event } from "@patchbay/core";
import type { Entry } from "../model/entries.ts";
import type { ConversationPatch, ConversationStatus } from "../model/snapshot.ts";
import { ChangeSet } from "../transcript/change-set.ts";

/** What of a conversation changes as a whole: as it is now, and every change told to the views. */
export class TrackedStatus {
  readonly #updates: GatheredUpdates;
  #value: ConversationStatus;

  /** No agent runs yet. */
  constructor(
    updates: GatheredUpdates,
    first: Pick<ConversationStatus, "title" | "queue" | "access" | "turns">,
    usage: ConversationStatus["usage"],
    capabilities: ConversationStatus["capabilities"],
  ) {
    this.#updates = updates;
    this.#value = {
      state: { kind: "ended" },
      options: [],
      commands: [],
      waiting: 0,
      isKept: true,
      ...first,
      ...(usage === undefined ? {} : { usage }),
      ...(capabilities === undefined ? {} : { capabilities }),
    };
  }

  get value(): ConversationStatus {
    return this.#value;
  }

  tell(change: Partial<ConversationStatus>): void {
    this.#value = { ...this.#value, ...change };
    this.#updates.status(change);
  }
}

/** What views are told. `reset`: too much to tell one by one; the whole state is to be asked for. */
export type ConversationChange =
  | { readonly kind: "patch"; readonly patch: ConversationPatch }
  | { readonly kind: "reset"; readonly sequence: number };

/** Views are told at most this often, ms. */
const gatherMs = 50;
/** What is told this late is told as a whole, ms. */
const backlogMs = 1_000;

/** Gathers what changes into one patch at a time, each with the number after the one before. */
export class GatheredUpdates {
  readonly #clock: Clock;
  readonly #changed: Emitter<ConversationChange>;
  readonly #changes: ChangeSet = new ChangeSet();
  #status: Partial<ConversationStatus> = {};
  #isDirty = false;
  #sequence = 0;
  #firedAt: number = Number.NEGATIVE_INFINITY;
  #timer: Disposable | undefined;

  constructor(clock: Clock, onListenerFailure: (error: unknown) => void) {
    this.#clock = clock;
    this.#changed = new Emitter(onListenerFailure);
  }

  get onDidChange(): Event<ConversationChange> {
    return this.#changed.event;
  }

  /** The number of the last patch. */
  get sequence(): number {
    return this.#sequence;
  }

  status(status: Partial<ConversationStatus>): void {
    this.#status = { ...this.#status, ...status };
    this.#schedule();
  }

  upsert(place: number, entry: Entry): void {
    this.#changes.upsert(place, entry);
    this.#schedule();
  }

  append(place: number, text: string): void {
    this.#changes.append(place, text);
    this.#schedule();
  }

  /** Tells at once what has been gathered: a snapshot that is taken next has it in it. */
  flush(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (!this.#isDirty) return;
    const { entries, appends } = this.#changes;
    const status = this.#status;
    const sequence = this.#clear();
    this.#changed.fire({ kind: "patch", patch: { sequence, status, entries, appends } });
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#changed.dispose();
  }

  #schedule(): void {
    this.#isDirty = true;
    if (this.#timer !== undefined) return;
    const delay = Math.max(0, this.#firedAt + gatherMs - this.#clock.monotonic());
    const due = this.#clock.monotonic() + delay;
    this.#timer = this.#clock.setTimeout(() => {
      if (this.#clock.monotonic() - due <= backlogMs) this.flush();
      else this.reset();
    }, delay);
  }

  /** Too much has changed to tell it one by one. */
  reset(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#changed.fire({ kind: "reset", sequence: this.#clear() });
  }

  #clear(): number {
    this.#changes.clear();
    this.#status = {};
    this.#isDirty = false;
    this.#firedAt = this.#clock.monotonic();
    this.#sequence += 1;
    return this.#sequence;
  }
}
