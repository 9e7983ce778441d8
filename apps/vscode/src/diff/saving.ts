import { type Disposable, type TextDocument, TextEditorSelectionChangeKind, window } from "vscode";
import { changesOnSave } from "../host/document-texts.ts";
import { delay } from "../timers.ts";

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
  /** The user went on typing meanwhile. */
  readonly isTypedInto: boolean;
}

/** A save that is done. `text`: the user's, without what participants made of it. */
export type FinishedSave = Pick<Saving, "text" | "verdict" | "wasDirty">;

/** What a save has left. */
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

  /** Whether VS Code is between announcing a save and finishing it, so that a change may be no doing of the user's. */
  get isSaving(): boolean {
    const saving = this.#saving;
    return saving !== undefined && !saving.isTypedInto && Date.now() - saving.since < longestSave;
  }

  noteChange(text: string, changes: readonly ContentChange[]): void {
    this.#noteTyping(changes);
    this.#beforeSave.noteChange(text, changes, Date.now());
  }

  /** The text has changed, and is too long for anyone to have looked at it. */
  noteLongText(changes: readonly ContentChange[]): void {
    this.#noteTyping(changes);
    this.#beforeSave.forget();
  }

  /** A save begins. `verdict`: by the user's hand, of what the user is looking at. */
  begin(text: string, facts: { readonly verdict: boolean; readonly wasDirty: boolean }): void {
    const since = Date.now();
    this.#saving = { text: this.#beforeSave.textOf(text, since), ...facts, since, isTypedInto: false };
  }

  /** The save is done, and the document has this version now. Undefined: none was announced, or the user went on typing. */
  end(version: number): FinishedSave | undefined {
    const saving = this.#saving;
    this.#saving = undefined;
    if (saving === undefined || saving.isTypedInto) return undefined;
    const { text, verdict, wasDirty } = saving;
    this.#kept = { text, version };
    return { text, verdict, wasDirty };
  }

  /** The user's text, where a document of this version (none: it is closed) is what a save has left. */
  keptText(version: number | undefined): string | undefined {
    const kept = this.#kept;
    return kept !== undefined && (version === undefined || version === kept.version) ? kept.text : undefined;
  }

  /** What is typed while a save goes on counts, unless the save is the verdict itself: on a busy machine one lasts long. */
  #noteTyping(changes: readonly ContentChange[]): void {
    if (this.#saving?.verdict === false && !changes.every(isLikeParticipant))
      this.#saving = { ...this.#saving, isTypedInto: true };
  }
}

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

/** Save participants change the text at most this long before VS Code tells of the save, ms; seen: 1 to 70, more on a busy machine. */
const participantSpan = 400;

/** Participants make a handful of changes; more are not looked back at. */
const longestHistory = 8;

/** Larger texts are taken as they are, UTF-16 units. */
const largestText = 1024 * 1024;

/** One of the changes of VS Code's change event. */
export interface ContentChange {
  readonly text: string;
  readonly rangeLength: number;
}

interface Change {
  readonly before: string;
  readonly at: number;
  /** Whether a save participant may have made it: blanks taken away or replaced, a newline put at the end. */
  readonly likeParticipant: boolean;
}

/**
 * The text before save participants touched it. VS Code runs its own (trailing blanks, final newlines, formatting)
 * before it tells of the save, so the text of that moment is already theirs. Changes of nothing but white space right
 * before a save are taken for their doing, because nobody types and saves within that time. A typed blank is none of them.
 */
export class TextBeforeSave {
  readonly #history: Change[] = [];
  #latest: string | undefined;

  constructor(text: string) {
    this.#latest = text;
  }

  /** Times are in milliseconds, of any one clock. */
  noteChange(text: string, changes: readonly ContentChange[], now: number): void {
    const likeParticipant = changes.every(isLikeParticipant);
    if (this.#latest !== undefined) this.#history.push({ before: this.#latest, at: now, likeParticipant });
    if (this.#history.length > longestHistory || text.length > largestText) this.#history.shift();
    this.#latest = text;
  }

  /** A change of which only its being is known: what was before is not looked back at. */
  forget(): void {
    this.#history.length = 0;
    this.#latest = undefined;
  }

  /** What the user had when the save with this text began. */
  textOf(saved: string, now: number): string {
    const essence = saved.length > largestText ? undefined : withoutWhiteSpace(saved);
    let text = saved;
    for (const { before, at, likeParticipant } of Array.from(this.#history).reverse()) {
      if (!likeParticipant || now - at > participantSpan || withoutWhiteSpace(before) !== essence) break;
      text = before;
    }
    return text;
  }
}

function isLikeParticipant({ text, rangeLength }: ContentChange): boolean {
  return rangeLength > 0 ? /^\s*$/u.test(text) : /^[\r\n]+$/u.test(text);
}

function withoutWhiteSpace(text: string): string {
  return text.replace(/\s+/gu, "");
}

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
