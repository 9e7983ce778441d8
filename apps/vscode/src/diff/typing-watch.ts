import { type Disposable, TextEditorSelectionChangeKind, window } from "vscode";
import { delay } from "../host/delay.ts";

/** A pause of this length means that the user is not in the middle of typing, ms. */
const pauseLength = 1_500;

/**
 * Whether the user is typing in an editor. A diff that comes to the front there takes the place of what is typed into, and
 * keys go astray until the user notices; so it waits behind until there is a pause.
 */
export class TypingWatch implements Disposable {
  #last = Number.NEGATIVE_INFINITY;
  readonly #subscription: Disposable;

  constructor() {
    this.#subscription = window.onDidChangeTextEditorSelection(({ kind }) => {
      if (kind === TextEditorSelectionChangeKind.Keyboard) this.#last = Date.now();
    });
  }

  get isTyping(): boolean {
    return Date.now() - this.#last < pauseLength;
  }

  /** Resolves at the next pause. */
  async pause(): Promise<void> {
    while (this.isTyping) await delay(this.#last + pauseLength - Date.now());
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
