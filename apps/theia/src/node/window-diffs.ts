import {
  type Clock,
  type DiffOpening,
  type DiffRequest,
  type DiffViewEvents,
  type HostDiffs,
  type Logger,
  messageOf,
} from "@patchbay/core";
import type { ShownProposal } from "../common/protocol.ts";
import { type AttachedWindow, WindowGoneError, type WindowSet } from "./attached-window.ts";
import { ProposalView } from "./proposal-view.ts";

/** How long a proposal waits for its own window to come back from a reload before another window takes it, in milliseconds. */
const moveDelayMs = 5000;

export interface WindowDiffsOptions {
  readonly windows: WindowSet;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Shows proposals in the window used last, keeps them where none is there, and brings them back after a reload. */
export class WindowDiffs implements HostDiffs {
  readonly #options: WindowDiffsOptions;
  readonly #views: Map<string, ProposalView> = new Map();

  constructor(options: WindowDiffsOptions) {
    this.#options = options;
    options.windows.onDidJoin((window) => this.#welcome(window));
    options.windows.onDidLeave(() => {
      if (this.#homeless().length === 0) return;
      options.clock.setTimeout(() => this.#rehome(), moveDelayMs);
    });
  }

  get openIds(): readonly string[] {
    return Array.from(this.#views.keys());
  }

  find(id: string): ProposalView | undefined {
    return this.#views.get(id);
  }

  async open(request: DiffRequest, events: DiffViewEvents): Promise<DiffOpening> {
    const { clock, logger } = this.#options;
    const view = new ProposalView({
      request,
      events,
      logger,
      timeout: (delayMs) =>
        new Promise((_resolve, reject) =>
          clock.setTimeout(() => reject(new Error(`no answer within ${delayMs} ms`)), delayMs),
        ),
      home: () => this.#options.windows.lastUsed(),
      onEnd: (ended) => {
        if (this.#views.get(ended.id) === ended) this.#views.delete(ended.id);
      },
    });
    this.#views.set(view.id, view);
    const window = this.#options.windows.lastUsed();
    // Nobody looks: the proposal waits for a window, and the agent's terminal can decide meanwhile.
    if (window === undefined) return { kind: "opened", view };
    try {
      if ((await view.showIn(window)) === "opened") return { kind: "opened", view };
      view.abandon();
      return { kind: "declined" };
    } catch (error) {
      if (error instanceof WindowGoneError || window.isGone) return { kind: "opened", view };
      this.#views.delete(view.id);
      throw error;
    }
  }

  /** A window has its connection back and still shows some proposals. */
  resume(window: AttachedWindow, shown: readonly ShownProposal[]): void {
    for (const { id, text } of shown) this.#views.get(id)?.resume(window, text);
  }

  #welcome(window: AttachedWindow): void {
    this.resume(window, window.facts.shown);
    this.#rehome();
  }

  #homeless(): readonly ProposalView[] {
    return Array.from(this.#views.values()).filter((view) => view.window === undefined);
  }

  #rehome(): void {
    const window = this.#options.windows.lastUsed();
    if (window === undefined) return;
    for (const view of this.#homeless()) {
      view.showIn(window).then(
        (answer) => {
          // The user does not want it in this window; to the agent that is a closed view.
          if (answer === "declined") view.decide({ kind: "closed" });
        },
        (error: unknown) => {
          if (!(error instanceof WindowGoneError)) {
            this.#options.logger.error("a proposal could not be shown again", { cause: messageOf(error) });
          }
        },
      );
    }
  }
}
