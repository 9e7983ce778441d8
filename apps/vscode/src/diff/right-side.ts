import type { DiffRequest, DiffUpdate, DiffViewEvents } from "@patchbay/core";
import { type Disposable, Range, type TextDocument, type TextDocumentChangeEvent, type Uri, workspace } from "vscode";
import { replaceText, sameLines } from "../host/document-texts.ts";
import { type FinishedSave, QuietSave, SaveWatch } from "./saving.ts";

export interface RightSideOptions {
  readonly request: Pick<DiffRequest, "proposedText" | "draftText" | "isReadOnly">;
  readonly events: Pick<DiffViewEvents, "edited">;
  /** The text behind the right side: what was last saved into it. */
  readonly savedText: () => string;
  /** Makes another text what stands behind the right side: VS Code may read that anew at any time. */
  readonly keepText: (text: string) => void;
  /** The same, and VS Code shows it: for a right side that nobody edits. */
  readonly showText: (text: string) => void;
  /** The marks of the tab are out of date. */
  readonly onDidChange: () => void;
  /** Something failed that nobody waits for. */
  readonly onFailure: (error: unknown) => void;
}

/** So often a right side is saved before its tab is closed. */
const mostSaves = 3;

/** The text on the right side of a review: the proposal, what the user makes of it, and what we put there ourselves. */
export class RightSide implements Disposable {
  readonly #uri: Uri;
  readonly #options: RightSideOptions;
  /** What stands there as long as the user has not touched it. */
  #proposedText: string;
  #edited = false;
  #isOurs = false;
  #disposed = false;
  /** Whether there may be anything but the proposal: it was changed, or comes from an earlier run. */
  #mayDiffer = false;
  /** About, UTF-16 units. */
  #length: number;
  readonly #comparison: LongComparison = new LongComparison((differs) => this.#setEdited(differs));
  readonly #saves: SaveWatch;
  readonly #quietSave: QuietSave;

  constructor(uri: Uri, options: RightSideOptions) {
    const { proposedText, draftText } = options.request;
    this.#uri = uri;
    this.#options = options;
    this.#proposedText = proposedText;
    this.#length = (draftText ?? proposedText).length;
    this.#saves = new SaveWatch(proposedText);
    this.#quietSave = new QuietSave(options.onFailure);
  }

  /** Whether it differs from the proposal. */
  get edited(): boolean {
    return this.#edited;
  }

  /** What happens to it now is our doing, and not the user's. */
  get isOurs(): boolean {
    return this.#isOurs;
  }

  /** The save that VS Code tells of now is ours. */
  get isSavedByUs(): boolean {
    return this.#quietSave.isSaving;
  }

  /** Too long to be looked at after each pause in the typing. */
  get isLong(): boolean {
    return this.#length > longText;
  }

  text(): string {
    // A document puts its lines together for everyone who asks.
    if (!this.#mayDiffer) return this.#proposedText;
    const document = this.#document();
    return this.#saves.keptText(document?.version) ?? document?.getText() ?? this.#options.savedText();
  }

  /** The same; a long one is put together in pieces. */
  async currentText(): Promise<string> {
    const document = this.#mayDiffer && this.#length > longText ? this.#document() : undefined;
    if (document === undefined || this.#saves.keptText(document.version) !== undefined) return this.text();
    return await readInPieces(document);
  }

  differs(text: string): boolean {
    return !sameLines(text, this.#proposedText);
  }

  /** This is what stands there now. */
  compare(text: string): void {
    this.#setEdited(this.differs(text));
  }

  /** It comes from an earlier run, as it is. */
  takeOver(): void {
    this.#mayDiffer = true;
  }

  async applyDraft(draft: string, isOpenAlready: boolean): Promise<void> {
    this.#isOurs = true;
    try {
      const document = await workspace.openTextDocument(this.#uri);
      // As an edit, so that undo leads back to the proposal.
      await replaceText(document, draft);
      // A host that ended without its window leaves the document open: VS Code reads it anew from the next one.
      if (isOpenAlready) this.#options.keepText(draft);
      this.#setEdited(true);
    } finally {
      this.#isOurs = false;
    }
  }

  /** Puts an edit of our own into it. False where the user was faster. */
  async put(text: string): Promise<boolean> {
    if (this.#options.request.isReadOnly === true) {
      this.#options.showText(text);
      return true;
    }
    if (this.#isOurs) return false;
    this.#isOurs = true;
    try {
      const shown = this.#document() ?? (await workspace.openTextDocument(this.#uri));
      if (!(await replaceText(shown, text))) {
        // What the user typed meanwhile was not told while it was ours to edit.
        this.#options.events.edited();
        return false;
      }
      this.#mayDiffer = true;
      await this.#quietSave.saveNow(shown);
      if (!sameLines(shown.getText(), text)) this.#options.events.edited();
      return true;
    } finally {
      this.#isOurs = false;
    }
  }

  /** An update was put into it: from now on it is compared with another proposal. */
  rebase({ text, proposedText }: Pick<DiffUpdate, "text" | "proposedText">): void {
    this.#proposedText = proposedText;
    this.#edited = this.differs(text);
  }

  /** Does what is no edit of the user's; nothing where it is not open, or something of the kind is under way. */
  async quietly(work: (document: TextDocument) => Promise<void>): Promise<void> {
    const document = this.#document();
    if (document === undefined || this.#isOurs) return;
    this.#isOurs = true;
    try {
      await work(document);
    } finally {
      this.#isOurs = false;
    }
  }

  /**
   * An unsaved document would bring VS Code's dialog; saving it changes nothing but what our provider holds. `isDirty` is not
   * asked before: it is told late, and what the window knows to be saved already is not written again. A save that was under way
   * may leave what was typed into it.
   */
  async saveForClosing(): Promise<void> {
    const document = this.#document();
    for (let times = 0; times < mostSaves; times += 1) {
      await document?.save();
      if (document?.isDirty !== true) return;
    }
  }

  /** `isReviewed`: what the user types still counts. */
  noteChange({ document, contentChanges }: TextDocumentChangeEvent, isReviewed: boolean): void {
    if (this.#options.request.isReadOnly === true) return;
    if (document.isDirty && !this.#disposed) this.#quietSave.request(document);
    if (contentChanges.length === 0) return;
    this.#mayDiffer = true;
    for (const { text, rangeLength } of contentChanges) this.#length += text.length - rangeLength;
    const text = this.#length > longText ? undefined : document.getText();
    if (text === undefined) this.#saves.noteLongText(contentChanges);
    else this.#saves.noteChange(text, contentChanges);
    if (this.#isOurs || this.#saves.isSaving || !isReviewed) return;
    if (text !== undefined) this.compare(text);
    else {
      this.#setEdited(true);
      this.#comparison.note(document, this.#proposedText, this.#options.onFailure);
    }
    this.#options.events.edited();
  }

  /** Save participants run between this and `endSave`; what they do to the text is not the user's doing. */
  beginSave(document: TextDocument, verdict: boolean): void {
    this.#saves.begin(document.getText(), { verdict, wasDirty: document.isDirty });
  }

  endSave(document: TextDocument): FinishedSave | undefined {
    return this.#saves.end(document.version);
  }

  dispose(): void {
    this.#disposed = true;
    this.#comparison.dispose();
    this.#quietSave.dispose();
  }

  #setEdited(edited: boolean): void {
    if (this.#edited === edited) return;
    this.#edited = edited;
    this.#options.onDidChange();
  }

  #document(): TextDocument | undefined {
    const wanted = this.#uri.toString();
    return workspace.textDocuments.find((document) => !document.isClosed && document.uri.toString() === wanted);
  }
}

/**
 * From so many UTF-16 units on a text is not put together for every key. A document is held in lines, and its whole text is
 * made anew for everyone who asks: 6 ms for each megabyte, in which the extension host answers nobody.
 */
const longText: number = 1024 * 1024;

const linesAtOnce = 8_192;

/** A pause in the typing, ms. */
const pauseMs = 400;

/** Who types without a pause is waited for so often. */
const attempts = 3;

/** The text of a long document, put together in pieces with other work in between. */
async function readInPieces(document: TextDocument): Promise<string> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const { version } = document;
    const isStill = (): boolean => document.version === version && !document.isClosed;
    const pieces: string[] = [];
    for (let line = 0; line < document.lineCount && isStill(); line += linesAtOnce) {
      pieces.push(document.getText(new Range(line, 0, line + linesAtOnce, 0)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (isStill()) return pieces.join("");
  }
  return document.getText();
}

/** Says after a pause in the typing whether a long document differs from its proposal, instead of with every key. */
class LongComparison {
  readonly #onCompared: (differs: boolean) => void;
  #due: ReturnType<typeof setTimeout> | undefined;

  constructor(onCompared: (differs: boolean) => void) {
    this.#onCompared = onCompared;
  }

  /** The document has changed. */
  note(document: TextDocument, proposedText: string, onFailure: (error: unknown) => void): void {
    clearTimeout(this.#due);
    this.#due = setTimeout(() => {
      this.#compare(document, proposedText).catch(onFailure);
    }, pauseMs);
  }

  dispose(): void {
    clearTimeout(this.#due);
  }

  async #compare(document: TextDocument, proposedText: string): Promise<void> {
    const { version } = document;
    const text = await readInPieces(document);
    if (document.version === version) this.#onCompared(!sameLines(text, proposedText));
  }
}
