import {
  type Clock,
  type DiffCloseReason,
  type DiffOpening,
  type DiffRequest,
  type DiffUpdate,
  type DiffView,
  type DiffViewEvents,
  type FileStanding,
  type HostDiffs,
  type Logger,
  messageOf,
  textEdits,
} from "@patchbay/core";
import type { ProposalText, ShownProposal, Verdict } from "../common/protocol.ts";
import { type AttachedWindow, WindowGoneError, type WindowSet } from "./attached-window.ts";

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

/** How long a window may take to say what a proposal's text is now, in milliseconds, before what it last reported counts. */
const readTimeoutMs = 1500;

export interface ProposalViewOptions {
  readonly request: DiffRequest;
  readonly events: DiffViewEvents;
  readonly logger: Logger;
  /** Rejects after so many milliseconds. */
  readonly timeout: (delayMs: number) => Promise<never>;
  /** Where it is shown if the window that showed it is gone; undefined where there is no window. */
  readonly home: () => AttachedWindow | undefined;
  readonly onEnd: (view: ProposalView) => void;
}

/**
 * A proposal as the backend holds it: it outlives every window that shows it. Without a window it waits; what the user
 * typed is here as of the last report.
 */
class ProposalView implements DiffView {
  readonly #options: ProposalViewOptions;
  /** As a window is asked to show it; it follows the file. Texts of the user are not in it. */
  #request: Omit<DiffRequest, "draftText">;
  /** What the window was given to show; `unchanged` means this. */
  #base: string;
  #text: string;
  #ended = false;
  #window: AttachedWindow | undefined;
  /** The window in which it is being opened. */
  #opening: AttachedWindow | undefined;
  /** The user has asked for it, and no window has brought it to the front since. */
  #isWanted = false;

  constructor(options: ProposalViewOptions) {
    this.#options = options;
    const { draftText, ...request } = options.request;
    this.#request = request;
    this.#base = draftText ?? request.proposedText;
    this.#text = this.#base;
  }

  get id(): string {
    return this.#request.id;
  }

  /** The window that shows the proposal, if one does. */
  get window(): AttachedWindow | undefined {
    return this.#window?.isGone === true ? undefined : this.#window;
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  /** Shows the proposal in a window, with what the user had typed elsewhere. */
  async showIn(window: AttachedWindow): Promise<"opened" | "declined"> {
    this.#window = window;
    this.#base = this.#text;
    const draft = this.#text === this.#request.proposedText ? {} : { draftText: this.#text };
    this.#opening = window;
    try {
      const answer = await window.call((client) => client.openDiff({ ...this.#request, ...draft }));
      if (answer === "declined") this.#isWanted = false;
      else await this.#bringForward(window);
      return answer;
    } finally {
      if (this.#opening === window) this.#opening = undefined;
    }
  }

  /** The user does not want to see it; the agent's terminal decides. */
  abandon(): void {
    if (!this.#ended) this.#end();
  }

  /** A window that showed the proposal all along has its connection back. */
  resume(window: AttachedWindow, text: ProposalText): void {
    this.#window = window;
    if (text.kind === "edited") this.drafted(text.text);
    this.#bringForward(window).catch((error: unknown) => {
      this.#options.logger.warn("a window did not bring a proposal to the front", { cause: messageOf(error) });
    });
  }

  /** The user typed. */
  drafted(text: string): void {
    if (this.#ended || text === this.#text) return;
    this.#text = text;
    this.#options.events.edited();
  }

  /** The user decided, in whichever window. */
  decide(verdict: Verdict): void {
    if (this.#ended) return;
    const { events } = this.#options;
    if (verdict.kind === "accepted") events.accepted(this.#resolve(verdict.text));
    else if (verdict.kind === "rejected") events.rejected();
    else events.closed();
  }

  async currentText(): Promise<string> {
    const window = this.window;
    if (window === undefined || this.#ended) return this.#text;
    try {
      const text = await Promise.race([
        window.call((client) => client.readDiff(this.id)),
        this.#options.timeout(readTimeoutMs),
      ]);
      this.#text = this.#resolve(text);
    } catch (error) {
      this.#options.logger.warn("a window did not say what a proposal's text is; its last report counts", {
        cause: messageOf(error),
      });
    }
    return this.#text;
  }

  /** The wish outlives the window: where none can show it now, the next one that shows it brings it to the front. */
  async reveal(): Promise<void> {
    if (this.#ended) return;
    this.#isWanted = true;
    const { window } = this;
    const home = window ?? this.#options.home();
    // On its way, it comes to the front once it is there.
    if (home === undefined || this.#opening === home) return;
    try {
      if (window === undefined || !(await this.#bringForward(window))) await this.showIn(home);
    } catch (error) {
      if (!(error instanceof WindowGoneError)) throw error;
    }
  }

  async close(reason: DiffCloseReason): Promise<void> {
    if (this.#ended) return;
    const window = this.window;
    this.#end();
    try {
      await window?.call((client) => client.closeDiff(this.id, reason));
    } catch (error) {
      // A window that cannot close it now is told to when it attaches again.
      this.#options.logger.warn("a window did not close a proposal", { cause: messageOf(error) });
    }
  }

  setAgentPresent(present: boolean): void {
    this.#request = { ...this.#request, agentPresent: present };
    this.window?.notify((client) => client.notifyAgentPresent(this.id, present));
  }

  async update(update: DiffUpdate): Promise<"applied" | "stale" | "gone"> {
    const window = this.window;
    if (window === undefined) return this.#updateUnseen(update);
    try {
      const [from, to] = [withLineFeeds(update.expectedText), withLineFeeds(update.text)];
      const edits = await textEdits(from, to, async () => {
        await new Promise((resolve) => setImmediate(resolve));
      });
      const answer = await window.call((client) => client.updateDiff(this.id, update, edits));
      if (answer === "applied") this.#follow(update);
      return this.#ended ? "gone" : answer;
    } catch (error) {
      // The next window that shows it is given what is known here.
      if (error instanceof WindowGoneError) return this.#updateUnseen(update);
      throw error;
    }
  }

  setStanding(standing: FileStanding): void {
    this.#request = { ...this.#request, standing };
    this.window?.notify((client) => client.notifyStanding(this.id, standing));
  }

  /** Does what the user has asked for meanwhile. False: the window does not show it. */
  async #bringForward(window: AttachedWindow): Promise<boolean> {
    if (!this.#isWanted) return true;
    const isInFront = await window.call((client) => client.revealDiff(this.id));
    if (isInFront) this.#isWanted = false;
    return isInFront;
  }

  /** No window shows it: what it holds is known here. */
  #updateUnseen(update: DiffUpdate): "applied" | "stale" | "gone" {
    if (this.#ended) return "gone";
    if (this.#text !== update.expectedText) return "stale";
    this.#follow(update);
    return "applied";
  }

  #follow({ originalText, unsaved, text, proposedText, standing }: DiffUpdate): void {
    this.#request = { ...this.#request, originalText, unsaved, proposedText, standing };
    this.#base = text;
    this.#text = text;
  }

  #resolve(text: ProposalText): string {
    return text.kind === "unchanged" ? this.#base : text.text;
  }

  #end(): void {
    this.#ended = true;
    this.#options.onEnd(this);
  }
}

function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}
