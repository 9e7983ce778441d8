import type { PatchbayWindow, WindowContext, WindowFacts } from "../common/protocol.ts";

/** Thrown to whoever waits for a window that went away: closed, reloaded, or cut off for too long. */
export class WindowGoneError extends Error {
  constructor() {
    super("The window is gone.");
    this.name = "WindowGoneError";
  }
}

const emptyContext: WindowContext = { files: [], focused: [], active: undefined, windowFocused: false };

/** One window of a workspace, for as long as its connection (or its page) lives. */
export class AttachedWindow {
  readonly client: PatchbayWindow;
  facts: WindowFacts;
  context: WindowContext = emptyContext;
  /** Grows with every use; the highest is the window the user was in last. */
  lastUsed = 0;
  #gone = false;
  readonly #departures: Set<(error: WindowGoneError) => void> = new Set();

  constructor(client: PatchbayWindow, facts: WindowFacts) {
    this.client = client;
    this.facts = facts;
  }

  get isGone(): boolean {
    return this.#gone;
  }

  /** Calls the window; rejects with {@link WindowGoneError} as soon as it is gone, whatever the connection still promises. */
  async call<T>(action: (client: PatchbayWindow) => Promise<T>): Promise<T> {
    if (this.#gone) throw new WindowGoneError();
    let depart: ((error: WindowGoneError) => void) | undefined;
    const departure = new Promise<never>((_resolve, reject) => {
      depart = reject;
      this.#departures.add(reject);
    });
    try {
      return await Promise.race([action(this.client), departure]);
    } catch (error) {
      // A connection that breaks rejects what was pending before anyone has told us that the window is gone.
      throw this.#gone ? new WindowGoneError() : error;
    } finally {
      if (depart !== undefined) this.#departures.delete(depart);
    }
  }

  /** Sends what needs no answer; a window that is gone needs nothing. */
  notify(action: (client: PatchbayWindow) => void): void {
    if (!this.#gone) action(this.client);
  }

  /** Settles everything that waits for this window. Idempotent. */
  leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    for (const reject of Array.from(this.#departures)) reject(new WindowGoneError());
    this.#departures.clear();
  }
}
