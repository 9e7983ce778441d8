import { type ContentChange, TextBeforeSave } from "./text-before-save.ts";

/** Longer than any save lasts: an announced save that never finished is forgotten then, ms. */
const longestSave = 5_000;

/** A save that VS Code has announced and not finished. */
interface Saving {
  /** The document before any save participant touched it. */
  readonly text: string;
  readonly verdict: boolean;
  /** There were unsaved changes. */
  readonly wasDirty: boolean;
  readonly since: number;
}

/** A finished save. */
interface Kept {
  readonly text: string;
  readonly version: number;
}

/** Follows the saves of one right side: which of them is a verdict, and what the user's text is, whatever participants make of it. */
export class SaveWatch {
  readonly #beforeSave: TextBeforeSave;
  #saving: Saving | undefined;
  #kept: Kept | undefined;

  constructor(text: string) {
    this.#beforeSave = new TextBeforeSave(text);
  }

  /** Whether VS Code is between announcing a save and finishing it. */
  get isSaving(): boolean {
    return this.#saving !== undefined && Date.now() - this.#saving.since < longestSave;
  }

  noteChange(text: string, changes: readonly ContentChange[]): void {
    this.#beforeSave.noteChange(text, changes, Date.now());
  }

  /** The text has changed, and is too long for anyone to have looked at it. */
  noteLongText(): void {
    this.#beforeSave.forget();
  }

  /** A save begins. `verdict`: by the user's hand, of what the user is looking at. */
  begin(text: string, facts: { readonly verdict: boolean; readonly wasDirty: boolean }): void {
    const since = Date.now();
    this.#saving = { text: this.#beforeSave.textOf(text, since), ...facts, since };
  }

  /** The save is done, and the document has this version now. */
  end(version: number): { readonly text: string; readonly verdict: boolean; readonly wasDirty: boolean } | undefined {
    const saving = this.#saving;
    this.#saving = undefined;
    if (saving === undefined) return undefined;
    const { text, verdict, wasDirty } = saving;
    this.#kept = { text, version };
    return { text, verdict, wasDirty };
  }

  /** The user's text, where a document of this version (none: it is closed) is what a save has left. */
  keptText(version: number | undefined): string | undefined {
    const kept = this.#kept;
    return kept !== undefined && (version === undefined || version === kept.version) ? kept.text : undefined;
  }
}
