import type { DiffCloseReason, DiffRequest, DiffView, DiffViewEvents } from "@patchbay/core";

export type MemoryViewState =
  | { readonly kind: "open" }
  /** Ended by the user's hand. */
  | { readonly kind: "accepted" | "rejected" | "closed" }
  /** Taken away by the companion. */
  | { readonly kind: "withdrawn"; readonly reason: DiffCloseReason };

export interface MemoryDiffViewOptions {
  readonly request: DiffRequest;
  readonly events: DiffViewEvents;
  /** What stands on the left side. */
  readonly originalText: string;
  readonly onEnd: (view: MemoryDiffView) => void;
  readonly onReveal: (view: MemoryDiffView) => void;
  readonly failure: (call: "view.currentText" | "view.close" | "view.reveal") => void;
}

/** One open diff of the in-memory editor: the port's `DiffView` for the companion, the user's hands for tests. */
export class MemoryDiffView implements DiffView {
  readonly request: DiffRequest;
  readonly originalText: string;
  readonly #options: MemoryDiffViewOptions;
  #text: string;
  #edited: boolean;
  #state: MemoryViewState = { kind: "open" };
  #agentPresent: boolean;

  constructor(options: MemoryDiffViewOptions) {
    this.request = options.request;
    this.originalText = options.originalText;
    this.#options = options;
    this.#text = options.request.draftText ?? options.request.proposedText;
    this.#edited = options.request.draftText !== undefined;
    this.#agentPresent = options.request.agentPresent;
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
    if (!this.isOpen) return;
    this.#text = text;
    this.#edited = true;
    this.#options.events.edited();
  }

  accept(): void {
    this.#endByUser("accepted", () => this.#options.events.accepted(this.#text));
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
      this.#state = { kind: "withdrawn", reason };
      this.#options.onEnd(this);
    });
  }

  setAgentPresent(present: boolean): void {
    this.#agentPresent = present;
  }

  #endByUser(kind: "accepted" | "rejected" | "closed", report: () => void): void {
    if (!this.isOpen) return;
    this.#state = { kind };
    this.#options.onEnd(this);
    report();
  }

  async #attempt<T>(call: "view.currentText" | "view.close" | "view.reveal", action: () => T): Promise<T> {
    this.#options.failure(call);
    return action();
  }
}
