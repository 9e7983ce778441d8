import type { DiffCloseReason, DiffRequest, DiffUpdate, DiffView, DiffViewEvents, FileStanding } from "@patchbay/core";

export type MemoryViewState =
  | { readonly kind: "open" }
  /** Ended by the user's hand. */
  | { readonly kind: "accepted" | "rejected" | "closed" }
  /** Taken away by the companion. */
  | { readonly kind: "withdrawn"; readonly reason: DiffCloseReason };

export interface MemoryDiffViewOptions {
  readonly request: DiffRequest;
  readonly events: DiffViewEvents;
  readonly onEnd: (view: MemoryDiffView) => void;
  readonly onReveal: (view: MemoryDiffView) => void;
  readonly onUpdate: (view: MemoryDiffView) => void;
  readonly failure: (call: "view.currentText" | "view.close" | "view.reveal" | "view.update") => void;
}

/** One open diff of the in-memory editor: the port's `DiffView` for the companion, the user's hands for tests. */
export class MemoryDiffView implements DiffView {
  readonly request: DiffRequest;
  readonly #options: MemoryDiffViewOptions;
  #originalText: string;
  #proposedText: string;
  #standing: FileStanding;
  #unsaved: boolean;
  #text: string;
  #edited: boolean;
  /** What the right side held before each change, for the user's undo. */
  readonly #before: string[] = [];
  #state: MemoryViewState = { kind: "open" };
  #isAccepted = false;
  #agentPresent: boolean;

  constructor(options: MemoryDiffViewOptions) {
    this.request = options.request;
    this.#options = options;
    this.#originalText = options.request.originalText;
    this.#proposedText = options.request.proposedText;
    this.#standing = options.request.standing;
    this.#unsaved = options.request.unsaved;
    this.#text = options.request.draftText ?? options.request.proposedText;
    this.#edited = options.request.draftText !== undefined;
    this.#agentPresent = options.request.agentPresent;
  }

  /** What stands on the left side. */
  get originalText(): string {
    return this.#originalText;
  }

  /** The right side as it counts as untouched. */
  get proposedText(): string {
    return this.#proposedText;
  }

  get standing(): FileStanding {
    return this.#standing;
  }

  /** Whether the left side is said to be unsaved text. */
  get unsaved(): boolean {
    return this.#unsaved;
  }

  /** What the right side shows. */
  get text(): string {
    return this.#text;
  }

  get state(): MemoryViewState {
    return this.#state;
  }

  get isOpen(): boolean {
    return this.#state.kind === "open";
  }

  /** Whether the right side is marked as changed by the user. */
  get edited(): boolean {
    return this.#edited;
  }

  get agentPresent(): boolean {
    return this.#agentPresent;
  }

  /** The events given to `open`, for tests that call them late or twice. */
  get events(): DiffViewEvents {
    return this.#options.events;
  }

  /** The user replaces the whole right side. */
  type(text: string): void {
    if (!this.isOpen || this.#isAccepted || this.request.isReadOnly === true) return;
    this.#before.push(this.#text);
    this.#text = text;
    this.#edited = true;
    this.#options.events.edited();
  }

  /** The user takes the last change of the right side back. */
  undo(): void {
    const before = this.#before.pop();
    if (!this.isOpen || this.#isAccepted || before === undefined) return;
    this.#text = before;
    this.#edited = before !== this.#proposedText;
    this.#options.events.edited();
  }

  /** The view stays until the companion takes it away: an accept that is not possible goes on. */
  accept(): void {
    if (!this.isOpen || this.#isAccepted) return;
    this.#isAccepted = true;
    this.#options.events.accepted(this.#text);
  }

  reject(): void {
    this.#endByUser("rejected", () => this.#options.events.rejected());
  }

  /** The user closes the view without a verdict. */
  closeByUser(): void {
    this.#endByUser("closed", () => this.#options.events.closed());
  }

  currentText(): Promise<string> {
    return this.#attempt("view.currentText", () => this.#text);
  }

  reveal(): Promise<void> {
    return this.#attempt("view.reveal", () => this.#options.onReveal(this));
  }

  close(reason: DiffCloseReason): Promise<void> {
    return this.#attempt("view.close", () => {
      if (!this.isOpen) return;
      this.#state = this.#isAccepted ? { kind: "accepted" } : { kind: "withdrawn", reason };
      this.#options.onEnd(this);
    });
  }

  update(update: DiffUpdate): Promise<"applied" | "stale" | "gone"> {
    return this.#attempt("view.update", () => {
      if (!this.isOpen) return "gone";
      if (this.#text !== update.expectedText) return "stale";
      this.#isAccepted = false;
      this.#originalText = update.originalText;
      this.#proposedText = update.proposedText;
      this.#standing = update.standing;
      this.#unsaved = update.unsaved;
      if (update.text !== this.#text) this.#before.push(this.#text);
      this.#text = update.text;
      this.#edited = update.text !== update.proposedText;
      this.#options.onUpdate(this);
      return "applied";
    });
  }

  setStanding(standing: FileStanding): void {
    this.#standing = standing;
  }

  setAgentPresent(present: boolean): void {
    this.#agentPresent = present;
  }

  #endByUser(kind: "rejected" | "closed", report: () => void): void {
    if (!this.isOpen || this.#isAccepted) return;
    this.#state = { kind };
    this.#options.onEnd(this);
    report();
  }

  async #attempt<T>(
    call: "view.currentText" | "view.close" | "view.reveal" | "view.update",
    action: () => T,
  ): Promise<T> {
    this.#options.failure(call);
    return action();
  }
}
