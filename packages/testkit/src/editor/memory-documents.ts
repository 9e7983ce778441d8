import {
  type EditorChange,
  Emitter,
  type HostActiveEditor,
  type HostDocuments,
  type HostEditors,
  type Position,
  type Range,
} from "@patchbay/core";
import type { HostFailures } from "./memory-messages.ts";

/** Text that was handed back to the user in a new unsaved document. */
export interface UntitledDocument {
  readonly text: string;
  readonly likePath: string;
}

export interface MemoryDocumentsOptions {
  readonly failures: HostFailures;
  readonly readDisk: (path: string) => string | undefined;
  /** A file was shown with keyboard focus. */
  readonly onFocus: (path: string) => void;
}

/** The open files of the in-memory editor: two sides of the port, and the user's hands. */
export class MemoryDocuments {
  readonly editors: HostEditors;
  readonly documents: HostDocuments;
  readonly untitled: UntitledDocument[] = [];
  readonly reads: { active: number; openFiles: number; selection: number } = { active: 0, openFiles: 0, selection: 0 };
  readonly #options: MemoryDocumentsOptions;
  readonly #open: Map<string, MemoryDocument> = new Map();
  readonly #change: Emitter<EditorChange> = new Emitter();
  readonly #unsavedChange: Emitter<{ readonly path: string }> = new Emitter();
  #active: string | undefined;

  constructor(options: MemoryDocumentsOptions) {
    this.#options = options;
    this.editors = {
      openFiles: () => {
        this.reads.openFiles += 1;
        options.failures.check("editors.openFiles");
        return Array.from(this.#open.keys());
      },
      active: () => this.#readActive(),
      onDidChange: this.#change.event,
    };
    this.documents = this.#createDocuments(options.failures);
  }

  find(path: string): MemoryDocument | undefined {
    return this.#open.get(path);
  }

  open(path: string, text: string): void {
    if (!this.#open.has(path)) {
      const start = { line: 0, character: 0 };
      this.#open.set(path, { path, text, dirty: false, cursor: start, selection: undefined });
      this.#change.fire({ kind: "opened", path });
    }
    this.focus(path);
  }

  focus(path: string): void {
    this.#get(path);
    this.#active = path;
    this.#change.fire({ kind: "focused", path });
  }

  close(path: string): void {
    this.#open.delete(path);
    if (this.#active === path) this.#active = Array.from(this.#open.keys()).at(-1);
    this.#change.fire({ kind: "closed", path });
  }

  setCursor(cursor: Position): void {
    const document = this.#getActive();
    document.cursor = cursor;
    document.selection = undefined;
    this.#change.fire({ kind: "selection" });
  }

  select(range: Range, others: readonly Range[] = []): void {
    const document = this.#getActive();
    document.cursor = range.end;
    document.selection = isEmptyRange(range) ? undefined : range;
    document.others = others;
    this.#change.fire({ kind: "selection" });
  }

  makeDirty(path: string, text: string): void {
    const document = this.#get(path);
    document.text = text;
    document.dirty = true;
    this.#change.fire({ kind: "selection" });
    this.#unsavedChange.fire({ path });
  }

  #readActive(): HostActiveEditor | undefined {
    this.reads.active += 1;
    this.#options.failures.check("editors.active");
    const document = this.#active === undefined ? undefined : this.#open.get(this.#active);
    if (document === undefined) return undefined;
    const { path, cursor, selection, others = [] } = document;
    return {
      path,
      cursor,
      ...(selection === undefined ? {} : { selection }),
      readSelection: (limitBytes) => {
        this.reads.selection += 1;
        return selection === undefined ? "" : readRange(document.text, selection, limitBytes);
      },
      otherSelections: others.map((range) => ({
        range,
        read: (limitBytes) => readRange(document.text, range, limitBytes),
      })),
    };
  }

  #createDocuments(failures: HostFailures): HostDocuments {
    return {
      open: async ({ path, range, focus }) => {
        failures.check("documents.open");
        this.open(path, this.#options.readDisk(path) ?? "");
        if (range !== undefined) this.select(range);
        if (focus) this.#options.onFocus(path);
      },
      isDirty: (path) => this.#open.get(path)?.dirty,
      save: async (path) => {
        failures.check("documents.save");
        const document = this.#open.get(path);
        if (document === undefined) return false;
        document.dirty = false;
        this.#unsavedChange.fire({ path });
        return true;
      },
      unsavedText: async (path) => {
        failures.check("documents.unsavedText");
        const document = this.#open.get(path);
        return document?.dirty === true ? document.text : undefined;
      },
      onDidChangeUnsaved: this.#unsavedChange.event,
      reload: async (path, heldText) => {
        failures.check("documents.reload");
        const document = this.#open.get(path);
        if (document?.dirty !== true || document.text !== heldText) return;
        document.text = this.#options.readDisk(path) ?? "";
        document.dirty = false;
        this.#unsavedChange.fire({ path });
      },
      readText: async (path, limitBytes) => {
        failures.check("documents.readText");
        return this.#open.get(path)?.text.slice(0, limitBytes);
      },
      write: async (path, heldText, text) => {
        failures.check("documents.write");
        const document = this.#open.get(path);
        if (document === undefined || document.text !== heldText) return "stale";
        document.text = text;
        return "written";
      },
      openUntitled: async (text, likePath) => {
        this.untitled.push({ text, likePath });
      },
      languageId: (path) => (this.#open.has(path) ? "plaintext" : undefined),
    };
  }

  #get(path: string): MemoryDocument {
    const document = this.#open.get(path);
    if (document === undefined) throw new Error(`The test has not opened ${path}.`);
    return document;
  }

  #getActive(): MemoryDocument {
    if (this.#active === undefined) throw new Error("The test has no file open.");
    return this.#get(this.#active);
  }
}

/** A file as the in-memory editor has it open. */
export interface MemoryDocument {
  readonly path: string;
  text: string;
  dirty: boolean;
  cursor: Position;
  selection: Range | undefined;
  others?: readonly Range[];
}

/** The UTF-16 offset of a position; places behind the end of a line or of the text are the end. */
function offsetAt(text: string, position: Position): number {
  let start = 0;
  for (let line = 0; line < position.line; line++) {
    const next = text.indexOf("\n", start);
    if (next === -1) return text.length;
    start = next + 1;
  }
  const end = text.indexOf("\n", start);
  return Math.min(start + position.character, end === -1 ? text.length : end);
}

/** The text of a range, not more than about `limitBytes` UTF-8 bytes of it. */
function readRange(text: string, range: Range, limitBytes: number): string {
  const start = offsetAt(text, range.start);
  // A UTF-16 unit is at least one byte of UTF-8, so no more units than bytes are ever needed.
  return text.slice(start, Math.min(offsetAt(text, range.end), start + limitBytes));
}

/** Whether nothing is selected. */
function isEmptyRange(range: Range): boolean {
  return range.start.line === range.end.line && range.start.character === range.end.character;
}
