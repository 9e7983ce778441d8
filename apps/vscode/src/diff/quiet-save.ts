import type { TextDocument } from "vscode";
import { changesOnSave } from "../host/file-text.ts";

/** So long after the last edit the document is saved into what our provider holds, ms. */
const pauseMs = 500;

/** Longer documents are left unsaved: each save hands over the whole text. UTF-16 units. */
const longest = 1024 * 1024;

/**
 * Keeps the right side of a review without unsaved changes. VS Code asks "Do you want to save the changes?" when a tab with
 * unsaved ones is closed, and neither of its answers is a verdict; without them the question is ours. Saving here changes
 * nothing but what our own provider holds.
 */
export class QuietSave {
  readonly #onFailure: (error: unknown) => void;
  #due: ReturnType<typeof setTimeout> | undefined;
  #isSaving = false;
  #mayRun = true;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** The save that VS Code tells of now is this one. */
  get isSaving(): boolean {
    return this.#isSaving;
  }

  /** The document was edited. */
  request(document: TextDocument): void {
    clearTimeout(this.#due);
    this.#due = setTimeout(() => {
      this.#save(document, longest).catch(this.#onFailure);
    }, pauseMs);
  }

  /** Saves an edit of our own at once. */
  async saveNow(document: TextDocument): Promise<void> {
    clearTimeout(this.#due);
    await this.#save(document, Number.POSITIVE_INFINITY);
  }

  dispose(): void {
    this.#mayRun = false;
    clearTimeout(this.#due);
  }

  async #save(document: TextDocument, limit: number): Promise<void> {
    if (!this.#mayRun || !document.isDirty || document.isClosed || changesOnSave(document)) return;
    if (limit < Number.POSITIVE_INFINITY && lengthOf(document) > limit) return;
    const before = document.getText();
    const { version } = document;
    this.#isSaving = true;
    try {
      await document.save();
    } finally {
      this.#isSaving = false;
    }
    // Somebody's save participant works on it after all: what the user types must stay as it is typed.
    if (document.version === version + 1 && document.getText() !== before) this.#mayRun = false;
  }
}

function lengthOf(document: TextDocument): number {
  return document.offsetAt(document.lineAt(document.lineCount - 1).range.end);
}
