import type { ConversationStatus } from "../model/snapshot.ts";
import type { GatheredUpdates } from "./gathered-updates.ts";

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
