import { type Clock, type Disposable, type Logger, messageOf, type PrivateStorage } from "@patchbay/core";
import type { Conversation } from "../conversation/conversation.ts";

export interface HandoverOptions {
  /** Shared by all windows on the workspace. */
  readonly values: PrivateStorage;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Those that are open in this window. */
  readonly conversations: () => readonly Conversation[];
}

/**
 * How often it is looked whether another window has let go of a conversation, ms: often at first, since after a reload it is this
 * window's own earlier process that is still ending.
 */
const takeOverMs = [250, 500, 1_000, 2_000, 5_000] as const;

/** How often it is looked whether another window wants a conversation that this one has, ms. */
const wantedMs = 1_000;

/** How long a wish counts: a window that lives has heard of it by then, ms. */
const wishMs = 10_000;

/** Conversations go from one window to another: when the one that has them ends, or when a user asks for it in the other. */
export class Handover implements Disposable {
  readonly #options: HandoverOptions;
  #taking: Disposable | undefined;
  #giving: Disposable | undefined;

  constructor(options: HandoverOptions) {
    this.#options = options;
  }

  /** A conversation has been opened, or has changed hands. */
  look(): void {
    this.#takeLater(0);
    this.#giveLater();
  }

  /** Takes a conversation from the window that has it, which ends its agent. False: that window does not answer. */
  async take(conversation: Conversation): Promise<boolean> {
    const { values, clock } = this.#options;
    const key = wishKey(conversation.id);
    const until = clock.now() + wishMs;
    await values.write(key, JSON.stringify({ until }));
    try {
      while (clock.now() < until) {
        if (await conversation.takeOver()) return true;
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, takeOverMs[0]));
      }
      return false;
    } finally {
      await values.remove(key);
      this.look();
    }
  }

  dispose(): void {
    this.#taking?.dispose();
    this.#giving?.dispose();
  }

  #takeLater(count: number): void {
    const held = this.#options.conversations().filter(({ status }) => status.access.kind === "read-only");
    this.#taking?.dispose();
    this.#taking = undefined;
    if (held.length === 0) return;
    const delay = takeOverMs[Math.min(count, takeOverMs.length - 1)] ?? 0;
    this.#taking = this.#options.clock.setTimeout(() => {
      const tries = held.map(async (conversation) => {
        // Who asked for it comes first.
        if (!(await this.#isWanted(conversation.id))) await conversation.takeOver();
      });
      void Promise.allSettled(tries).then(() => {
        this.#takeLater(count + 1);
        this.#giveLater();
      });
    }, delay);
  }

  #giveLater(): void {
    const own = this.#options.conversations().filter(({ status }) => status.access.kind === "own");
    this.#giving?.dispose();
    this.#giving = undefined;
    if (own.length === 0) return;
    this.#giving = this.#options.clock.setTimeout(() => {
      const gifts = own.map(async (conversation) => {
        if (await this.#isWanted(conversation.id)) await conversation.giveAway();
      });
      void Promise.allSettled(gifts).then(() => {
        this.#giveLater();
        if (own.some(({ status }) => status.access.kind === "read-only")) this.#takeLater(0);
      });
    }, wantedMs);
  }

  async #isWanted(id: string): Promise<boolean> {
    const { values, clock, logger } = this.#options;
    try {
      const wish: unknown = JSON.parse((await values.read(wishKey(id))) ?? "null");
      if (typeof wish !== "object" || wish === null || !("until" in wish)) return false;
      const left = typeof wish.until === "number" ? wish.until - clock.now() : 0;
      return left > 0 && left <= wishMs;
    } catch (error) {
      logger.debug("It could not be read whether another window wants a conversation", { reason: messageOf(error) });
      return false;
    }
  }
}

function wishKey(conversationId: string): string {
  return `wanted.${conversationId}`;
}
