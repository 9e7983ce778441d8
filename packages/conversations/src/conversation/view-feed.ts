import type { Clock, Disposable } from "@patchbay/core";
import type { ConversationPatch, ConversationSnapshot } from "../model/snapshot.ts";
import type { Conversation } from "./conversation.ts";

/** What a view is sent of a conversation. */
export type FeedMessage =
  | { readonly kind: "snapshot"; readonly snapshot: ConversationSnapshot }
  | { readonly kind: "patch"; readonly patch: ConversationPatch };

/** A view that is this far behind gets the whole state instead of what it has missed, ms. */
const backlogMs = 1_000;

export interface ViewFeedOptions {
  readonly conversation: Conversation;
  readonly clock: Clock;
  /** Resolves when the view has it; false: it is hidden or gone, and gets nothing until it says `ready`. */
  readonly send: (message: FeedMessage) => Promise<boolean>;
}

/**
 * Keeps one view up to date: first the whole state, then patches, one at a time. A view that is slow never gets a queue of old
 * patches, and one that is hidden gets nothing.
 */
export class ViewFeed implements Disposable {
  readonly #options: ViewFeedOptions;
  readonly #subscription: Disposable;
  #waiting: { readonly patch: ConversationPatch; readonly at: number }[] = [];
  /** Counts how often the view has come. */
  #page = 0;
  #isStale = true;
  #isReady = false;
  #isSending = false;
  #isDisposed = false;

  constructor(options: ViewFeedOptions) {
    this.#options = options;
    this.#subscription = options.conversation.onDidChange((change) => {
      if (change.kind === "reset") this.#isStale = true;
      else if (!this.#isStale) this.#waiting.push({ patch: change.patch, at: options.clock.monotonic() });
      this.#pump();
    });
  }

  /** The view is there and knows nothing, or has missed something. */
  ready(): void {
    this.#page += 1;
    this.#isReady = true;
    this.#isStale = true;
    this.#pump();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#subscription.dispose();
  }

  #pump(): void {
    if (this.#isSending || !this.#isReady || this.#isDisposed) return;
    // A snapshot tells what was gathered: that comes back here.
    this.#isSending = true;
    const message = this.#next();
    if (message === undefined) {
      this.#isSending = false;
      return;
    }
    void this.#deliver(message);
  }

  async #deliver(message: FeedMessage): Promise<void> {
    const page = this.#page;
    let isThere = false;
    try {
      isThere = await this.#options.send(message);
    } catch {
      // A view that cannot be reached is gone.
    }
    this.#isSending = false;
    // The page that was not there may have been another one than is there now.
    if (!isThere && page === this.#page) {
      this.#isReady = false;
      this.#isStale = true;
      this.#waiting = [];
    }
    this.#pump();
  }

  #next(): FeedMessage | undefined {
    const [oldest] = this.#waiting;
    if (oldest !== undefined && this.#options.clock.monotonic() - oldest.at > backlogMs) this.#isStale = true;
    if (!this.#isStale) {
      const next = this.#waiting.shift();
      return next === undefined ? undefined : { kind: "patch", patch: next.patch };
    }
    // What is gathered is told with the snapshot: it is in it.
    const snapshot = this.#options.conversation.snapshot();
    this.#waiting = [];
    this.#isStale = false;
    return { kind: "snapshot", snapshot };
  }
}
