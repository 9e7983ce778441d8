import {
  type Clock,
  type Disposable,
  DisposableStore,
  type EditorChange,
  Emitter,
  type Event,
  type HostActiveEditor,
  type HostEditors,
  type Position,
} from "@patchbay/core";
import { byteToUtf16, type LineReader, rangeOfSelection, textOfSelection } from "../context/visual-selection.ts";
import { cursorExpression, type CursorReport, readCursorReport, SelectionMemory } from "../context/selection-memory.ts";
import { FileBuffers, readFileBuffer } from "../context/file-buffers.ts";
import { asLines, asNumber } from "../vim/shape.ts";
import type { CocServices, Vim } from "../vim/vim.ts";

export interface VimEditorsOptions {
  readonly vim: Vim;
  readonly coc: Pick<CocServices, "lines" | "onDidMoveCursor" | "onDidType" | "onDidOpenTerminal">;
  readonly clock: Pick<Clock, "setTimeout" | "monotonic">;
  readonly onFailure: (error: unknown) => void;
}

/** What the editor said about itself when coc started. */
export interface EditorStart {
  readonly buffers: readonly unknown[];
  readonly current: unknown;
  readonly cursor: unknown;
}

const bufferOfEvent = "+expand('<abuf>')";
const aboutBufferOfEvent = `patchbay#track#buffer(${bufferOfEvent})`;

/**
 * Absolute paths, which names of files are completed to, and no `term://…`: while an autocommand runs at the naming of a
 * `:terminal`, Neovim 0.10 can lose what the shell says first, and its prompt is not shown.
 */
export const namesOfFiles: string = "/*,[A-Za-z]:[\\\\/]*";

const aboutCurrent = "patchbay#track#buffer(bufnr('%'))";

/** Most that is ever fetched of a buffer that coc does not hold, in bytes. */
const fetchLimit = 24_576;

/** Lines of a large file near the cursor or the selection, fetched when they are needed. */
interface FetchedLines {
  readonly buffer: number;
  readonly first: number;
  readonly lines: readonly string[];
}

/**
 * Which files are open, where the cursor is and what is selected, fed by autocommands whose arguments Vim evaluates by
 * itself. A cursor move costs no message beside the one that coc gets anyway; in Visual mode one, in one direction.
 */
export class VimEditors implements HostEditors, Disposable {
  readonly #vim: Vim;
  readonly #coc: Pick<CocServices, "lines" | "onDidMoveCursor" | "onDidType" | "onDidOpenTerminal">;
  readonly #clock: Pick<Clock, "setTimeout" | "monotonic">;
  readonly #onFailure: (error: unknown) => void;
  readonly #buffers: FileBuffers = new FileBuffers();
  readonly #selection: SelectionMemory;
  readonly #change: Emitter<EditorChange>;
  readonly #unsaved: Emitter<{ readonly path: string }>;
  readonly #store: DisposableStore = new DisposableStore();
  /** Numbers of file buffers, the one used last at the end. */
  #recent: number[] = [];
  #cursor: CursorReport | undefined;
  #fetched: FetchedLines | undefined;
  #fetching: Disposable | undefined;
  #focused = true;
  #lastActivity = 0;
  #invitedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: VimEditorsOptions) {
    this.#vim = options.vim;
    this.#coc = options.coc;
    this.#clock = options.clock;
    this.#onFailure = options.onFailure;
    this.#change = new Emitter(options.onFailure);
    this.#unsaved = new Emitter(options.onFailure);
    this.#selection = new SelectionMemory(options.clock, () => this.#change.fire({ kind: "selection" }));
  }

  get onDidChange(): Event<EditorChange> {
    return this.#change.event;
  }

  /** The unsaved text of a file came, changed or went; told for each key that is typed. */
  get onDidChangeUnsaved(): Event<{ readonly path: string }> {
    return this.#unsaved.event;
  }

  /** Takes over what is open and begins to listen. */
  start(facts: EditorStart): void {
    const known = facts.buffers.flatMap((value) => readFileBuffer(value) ?? []);
    for (const buffer of known) this.#buffers.put(buffer);
    this.#recent = known
      .slice()
      .sort((a, b) => a.used - b.used)
      .map((buffer) => buffer.number);
    this.#entered(facts.current, facts.cursor);
    const on = (
      events: readonly string[],
      expressions: readonly string[],
      run: (...v: readonly unknown[]) => void,
      pattern?: string,
    ): void => {
      this.#store.add(
        this.#vim.on(
          events,
          expressions,
          (...values) => {
            this.#lastActivity = this.#clock.monotonic();
            run(...values);
          },
          pattern,
        ),
      );
    };
    on(["BufEnter"], [aboutCurrent, cursorExpression], (buffer, cursor) => this.#entered(buffer, cursor));
    on(["BufReadPost", "BufWritePost"], [aboutBufferOfEvent], (buffer) => this.#loaded(buffer));
    on(["BufFilePost"], [aboutBufferOfEvent], (buffer) => this.#loaded(buffer), namesOfFiles);
    on(["BufUnload", "BufDelete", "BufWipeout"], [bufferOfEvent], (number) => this.#removed(asNumber(number)));
    // In Visual mode, on entering and on leaving it (autoload/patchbay/track.vim); all other moves are told by coc.
    on(["User PatchbayCursor"], [cursorExpression], (cursor) => this.#moved(cursor));
    on(["TextChanged", "InsertLeave"], [cursorExpression], (cursor) => this.#changed(cursor));
    on(["FocusLost"], [], () => this.#windowFocus(false));
    on(["FocusGained"], [], () => this.#windowFocus(true));
    this.#store.add(this.#coc.onDidMoveCursor((buffer, line, column) => this.#movedTo(buffer, line, column, false)));
    // With a name like a file's it may have passed for one when it was entered.
    this.#store.add(this.#coc.onDidOpenTerminal((buffer) => this.#removed(buffer)));
    this.#store.add(this.#coc.onDidType((buffer, line, column) => this.#movedTo(buffer, line, column, true)));
  }

  openFiles(): readonly string[] {
    return this.#buffers.paths();
  }

  active(): HostActiveEditor | undefined {
    const buffer = this.#active();
    if (buffer === undefined) return undefined;
    const read = this.#reader(buffer.number);
    const visual = this.#selection.of(buffer.number);
    const selection = visual === undefined ? undefined : rangeOfSelection(visual, read);
    const editor = { path: buffer.path, cursor: this.#position(buffer.number, read) };
    if (visual === undefined || selection === undefined) return { ...editor, readSelection: () => "" };
    return { ...editor, selection, readSelection: (limitBytes) => textOfSelection(visual, read, limitBytes) };
  }

  /** The buffer that holds a file, also one that is not on the disk yet. */
  bufferOf(path: string): { readonly number: number; readonly modified: boolean; readonly type: string } | undefined {
    return this.#buffers.ofPath(path);
  }

  /** After a save by us, for which Vim's own event may still be on its way. */
  noteModified(number: number, modified: boolean): void {
    this.#buffers.setModified(number, modified);
  }

  /** The user has just asked to see something, so that going there disturbs nobody. */
  invite(): void {
    this.#invitedUntil = this.#clock.monotonic() + 1_000;
  }

  /** Nobody types in this editor: it has lost the focus, or was untouched for some time; or the user waits for what comes. */
  isIdle(): boolean {
    if (this.#clock.monotonic() < this.#invitedUntil) return true;
    return !this.#focused || this.#clock.monotonic() - this.#lastActivity >= 2_000;
  }

  dispose(): void {
    this.#store.dispose();
    this.#fetching?.dispose();
    this.#selection.dispose();
    this.#change.dispose();
    this.#unsaved.dispose();
  }

  #active(): { readonly number: number; readonly path: string } | undefined {
    const number = this.#recent.findLast((one) => this.#buffers.get(one)?.exists === true);
    return number === undefined ? undefined : this.#buffers.get(number);
  }

  #entered(value: unknown, cursor: unknown): void {
    const buffer = readFileBuffer(value);
    const report = readCursorReport(cursor);
    if (buffer === undefined) {
      // A buffer may become a terminal after it was made with a name like a file's.
      if (report !== undefined) this.#removed(report.buffer);
      this.#selection.away();
      return;
    }
    this.#buffers.put(buffer);
    this.#recent = [...this.#recent.filter((number) => number !== buffer.number), buffer.number];
    if (report?.buffer === buffer.number) this.#noteCursor(report);
    this.#selection.back();
    if (buffer.exists) this.#change.fire({ kind: "focused", path: buffer.path });
  }

  #loaded(value: unknown): void {
    const buffer = readFileBuffer(value);
    if (buffer === undefined) return;
    const before = this.#buffers.put(buffer);
    if (!this.#recent.includes(buffer.number)) this.#recent = [buffer.number, ...this.#recent];
    if (buffer.exists && before?.exists !== true) this.#change.fire({ kind: "opened", path: buffer.path });
    this.#tellUnsaved(buffer.number);
    if (before !== undefined && before.path !== buffer.path) this.#change.fire({ kind: "closed", path: before.path });
  }

  #removed(number: number): void {
    const buffer = this.#buffers.remove(number);
    this.#recent = this.#recent.filter((one) => one !== number);
    if (this.#fetched?.buffer === number) this.#fetched = undefined;
    if (buffer?.modified === true) this.#unsaved.fire({ path: buffer.path });
    if (buffer?.exists === true) this.#change.fire({ kind: "closed", path: buffer.path });
  }

  #moved(value: unknown): void {
    const report = readCursorReport(value);
    if (report === undefined || this.#buffers.get(report.buffer) === undefined) return;
    this.#noteCursor(report);
    this.#change.fire({ kind: "selection" });
  }

  #changed(value: unknown): void {
    const report = readCursorReport(value);
    if (report === undefined || this.#buffers.get(report.buffer) === undefined) return;
    this.#selection.clear();
    this.#moved(value);
    this.#tellUnsaved(report.buffer);
  }

  /** Outside Visual mode, where moves come with what they select. */
  #movedTo(buffer: number, line: number, column: number, typed: boolean): void {
    this.#lastActivity = this.#clock.monotonic();
    const known = this.#buffers.get(buffer);
    if (known === undefined || (this.#cursor?.buffer === buffer && this.#cursor.visual !== undefined)) return;
    if (typed) this.#selection.clear();
    this.#noteCursor({ buffer, line, column, modified: typed || known.modified, visual: undefined });
    this.#change.fire({ kind: "selection" });
    if (typed) this.#tellUnsaved(buffer);
  }

  #tellUnsaved(buffer: number): void {
    const path = this.#buffers.get(buffer)?.path;
    if (path !== undefined) this.#unsaved.fire({ path });
  }

  #noteCursor(report: CursorReport): void {
    this.#cursor = report;
    this.#buffers.setModified(report.buffer, report.modified);
    this.#selection.moved(report);
    if (this.#coc.lines(report.buffer) === undefined) this.#fetchSoon(report);
  }

  #windowFocus(focused: boolean): void {
    this.#focused = focused;
    if (focused) this.#selection.back();
    else this.#selection.away();
  }

  #position(number: number, read: LineReader): Position {
    const report = this.#cursor;
    if (report?.buffer !== number) return { line: 0, character: 0 };
    const line = report.line - 1;
    return { line, character: byteToUtf16(read(line) ?? "", report.column - 1) };
  }

  #reader(number: number): LineReader {
    const lines = this.#coc.lines(number);
    if (lines !== undefined) return (line) => lines[line];
    const fetched = this.#fetched;
    if (fetched?.buffer !== number) return () => undefined;
    return (line) => fetched.lines[line - fetched.first];
  }

  /** coc does not hold large files: their lines come a moment later, and then the picture is told to be out of date. */
  #fetchSoon(report: CursorReport): void {
    this.#fetching?.dispose();
    this.#fetching = this.#clock.setTimeout(() => {
      const ends = [report.line, report.visual?.anchor.line ?? report.line];
      const first = Math.min(...ends);
      void this.#vim
        .call("patchbay#track#lines", [report.buffer, first, Math.max(...ends), fetchLimit])
        .then((lines) => {
          this.#fetched = { buffer: report.buffer, first: first - 1, lines: asLines(lines) };
          this.#change.fire({ kind: "selection" });
        })
        .catch(this.#onFailure);
    }, 30);
  }
}
