import { type TextDocument, workspace } from "vscode";

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
      this.#save(document).catch(this.#onFailure);
    }, pauseMs);
  }

  dispose(): void {
    this.#mayRun = false;
    clearTimeout(this.#due);
  }

  async #save(document: TextDocument): Promise<void> {
    if (!this.#mayRun || !document.isDirty || document.isClosed || isLong(document) || changesOnSave(document)) return;
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

function isLong(document: TextDocument): boolean {
  return document.offsetAt(document.lineAt(document.lineCount - 1).range.end) > longest;
}

/** Whether the user wants documents changed when they are saved: then a save while typing would change what is typed. */
function changesOnSave({ uri, languageId }: TextDocument): boolean {
  const files = workspace.getConfiguration("files", { uri, languageId });
  const editor = workspace.getConfiguration("editor", { uri, languageId });
  const actions: unknown = editor.get("codeActionsOnSave");
  return (
    ["trimTrailingWhitespace", "insertFinalNewline", "trimFinalNewlines"].some((name) => files.get(name) === true) ||
    editor.get("formatOnSave") === true ||
    (typeof actions === "object" && actions !== null && Object.keys(actions).length > 0)
  );
}
