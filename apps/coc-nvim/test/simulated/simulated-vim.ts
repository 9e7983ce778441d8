import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Disposable, type Position, type Range, toDisposable } from "@patchbay/core";
import { shapeOfMode } from "../../src/context/visual-selection.ts";
import { utf16ToByte } from "../../src/host/document-texts.ts";
import { type BufferText, fromBufferText, readBufferText, toBufferText } from "../../src/diff/buffer-reader.ts";
import { asBoolean, asLines, asList, asNumber, asShape, asText, type Shape } from "../../src/vim/shape.ts";
import type { CocServices, Vim } from "../../src/vim/vim.ts";

interface Buffer {
  readonly number: number;
  readonly path: string;
  lines: string[];
  modified: boolean;
  tick: number;
}

interface Review {
  readonly id: string;
  readonly isLocked: boolean;
  left: string;
  right: BufferText;
  tick: number;
  state: "open" | "accepted" | "rejected" | "closed";
}

interface Listener {
  readonly events: readonly string[];
  readonly expressions: readonly string[];
  readonly run: (...values: readonly unknown[]) => void;
  /** For which names. */
  readonly pattern: string;
}

type PlaceListener = Parameters<CocServices["onDidMoveCursor"]>[0];

type Cursor = readonly [
  buffer: number,
  mode: string,
  line: number,
  column: number,
  anchorLine: number,
  anchorColumn: number,
];

/**
 * Vim with coc, as far as the extension sees it: buffers, a cursor, autocommands whose arguments are evaluated when they
 * fire, and reviews that behave as autoload/patchbay/review.vim does.
 */
export class SimulatedVim implements Vim {
  readonly calls: { readonly name: string; readonly args: readonly unknown[] }[] = [];
  readonly notices: string[] = [];
  readonly closedNotices: string[] = [];
  readonly #listeners: Set<Listener> = new Set();
  readonly #folderListeners: Set<() => void> = new Set();
  readonly #moveListeners: Set<PlaceListener> = new Set();
  readonly #terminalListeners: Set<(buffer: number) => void> = new Set();
  readonly #typeListeners: Set<PlaceListener> = new Set();
  readonly #buffers: Map<number, Buffer> = new Map();
  readonly #reviews: Map<string, Review> = new Map();
  readonly #parts: Map<string, string[]> = new Map();
  /** Where `patchbay#tell()` goes. */
  onTell: (kind: string, subject: string, detail: unknown) => void = () => {};
  directory: string;
  focus = "no file";
  folders: readonly string[] = [];
  failNextOpen = false;
  /** What functions give back that are not carried out, by their names. */
  readonly answers: Map<string, unknown> = new Map();
  /** What Vim says of the next call in place of carrying it out. */
  failNextCall: string | undefined;
  /** Answers of `patchbay#review#open` before it works, e.g. while a command line is open. */
  busyAnswers = 0;
  /** coc has not attached to any buffer, as with large files. */
  detached = false;
  /** What language servers say. */
  problems: readonly unknown[] = [];
  clickNext: string | undefined;
  #cursor: Cursor = [0, "n", 1, 1, 1, 1];
  #last = 0;
  readonly #problemListeners: Set<(uri: string) => void> = new Set();
  #answers = 0;
  #abuf = 0;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** A language server publishes the problems of a file anew. */
  publishProblems(uri: string): void {
    for (const listener of this.#problemListeners) listener(uri);
  }

  /** What coc knows. */
  readonly coc: CocServices = {
    lines: (number) => (this.detached ? undefined : this.#buffers.get(number)?.lines),
    folders: () => this.folders,
    onDidChangeFolders: (listener) => {
      this.#folderListeners.add(listener);
      return toDisposable(() => this.#folderListeners.delete(listener));
    },
    onDidMoveCursor: (listener) => {
      this.#moveListeners.add(listener);
      return toDisposable(() => this.#moveListeners.delete(listener));
    },
    onDidType: (listener) => {
      this.#typeListeners.add(listener);
      return toDisposable(() => this.#typeListeners.delete(listener));
    },
    onDidOpenTerminal: (listener) => {
      this.#terminalListeners.add(listener);
      return toDisposable(() => this.#terminalListeners.delete(listener));
    },
    diagnostics: async () => this.problems,
    onDidChangeDiagnostics: (listener) => {
      this.#problemListeners.add(listener);
      return toDisposable(() => this.#problemListeners.delete(listener));
    },
    notice: (_kind, lines, buttons) => {
      const text = lines.join(" ");
      this.notices.push(text);
      return {
        clicked: Promise.resolve(this.clickNext === undefined ? -1 : buttons.indexOf(this.clickNext)),
        close: () => this.closedNotices.push(text),
      };
    },
    columns: () => 120,
  };

  on(events: readonly string[], expressions: readonly string[], run: Listener["run"], pattern = "*"): Disposable {
    const listener: Listener = { events, expressions, run, pattern };
    this.#listeners.add(listener);
    return toDisposable(() => this.#listeners.delete(listener));
  }

  /** For which names an event is listened to. */
  patternsOf(event: string): readonly string[] {
    return Array.from(this.#listeners)
      .filter(({ events }) => events.includes(event))
      .map(({ pattern }) => pattern);
  }

  notify(name: string, args: readonly unknown[] = []): void {
    this.calls.push({ name, args });
  }

  async call(name: string, args: readonly unknown[] = []): Promise<unknown> {
    this.calls.push({ name, args });
    const { failNextCall } = this;
    this.failNextCall = undefined;
    if (failNextCall !== undefined) throw new Error(failNextCall);
    if (this.answers.has(name)) return this.answers.get(name);
    const [first, second, third, fourth] = args;
    switch (name) {
      case "patchbay#review#open":
        return this.#open(asShape(first));
      case "patchbay#sides#changes":
        return this.#changesOf(asText(first));
      case "patchbay#sides#update":
        return this.#update(asText(first), asShape(second));
      case "patchbay#disk#reload":
        return this.#reload(asText(first));
      case "patchbay#disk#held":
        return this.#held(asNumber(first));
      case "patchbay#disk#take":
        return this.#take(asNumber(first), asNumber(second));
      case "patchbay#disk#put":
        return this.#put(asNumber(first), asNumber(second), asShape(third));
      case "patchbay#disk#encodings":
        return ["latin1"];
      case "patchbay#review#close":
        this.#reviews.delete(asText(first));
        return 1;
      case "patchbay#go#to":
        this.focus = asText(first);
        return 1;
      case "patchbay#show": {
        const back = this.focus;
        this.openFile(asText(first));
        if (asNumber(fourth) === 0) this.focus = back;
        return 1;
      }
      case "patchbay#save":
        return this.#save(asNumber(first));
      case "patchbay#parts#clear":
        this.#parts.delete(asText(first));
        return 0;
      case "patchbay#parts#add": {
        const known = this.#parts.get(asText(first)) ?? [];
        const [line = "", ...others] = asLines(second);
        if (asNumber(third) === 1) known.push(`${known.pop() ?? ""}${line}`, ...others);
        else known.push(line, ...others);
        this.#parts.set(asText(first), known);
        return known.length;
      }
      case "patchbay#track#lines":
        return this.#buffers.get(asNumber(first))?.lines.slice(asNumber(second) - 1, asNumber(third)) ?? [];
      default:
        return 1;
    }
  }

  /** Fires an autocommand. */
  fire(event: string, abuf: number = this.#cursor[0]): void {
    this.#abuf = abuf;
    for (const listener of Array.from(this.#listeners)) {
      if (listener.events.includes(event)) listener.run(...listener.expressions.map((text) => this.#evaluate(text)));
    }
  }

  openFile(path: string): void {
    const known = this.#ofPath(path);
    const buffer = known ?? { number: ++this.#last, path, lines: linesOf(readText(path)), modified: false, tick: 1 };
    if (known === undefined) {
      this.#buffers.set(buffer.number, buffer);
      this.fire("BufReadPost", buffer.number);
    }
    this.focusFile(path);
  }

  focusFile(path: string): void {
    const buffer = this.#ofPath(path);
    if (buffer === undefined) throw new Error(`${path} is not open`);
    this.focus = path;
    this.#cursor = [buffer.number, "n", 1, 1, 1, 1];
    this.fire("BufEnter");
  }

  closeFile(path: string): void {
    const buffer = this.#ofPath(path);
    if (buffer === undefined) return;
    this.fire("BufUnload", buffer.number);
    this.#buffers.delete(buffer.number);
    this.focus = "no file";
  }

  focusTerminal(): void {
    this.#leaveVisual();
    this.focus = "terminal";
    this.#cursor = [99, "t", 1, 1, 1, 1];
    this.fire("BufEnter");
  }

  setCursor(position: Position): void {
    this.#leaveVisual();
    const [buffer] = this.#cursor;
    const column = this.#column(buffer, position);
    this.#cursor = [buffer, "n", position.line + 1, column, position.line + 1, column];
    this.#moved();
  }

  /** Selects in Visual mode; the cursor stands on the last character, as it does with 'selection' at its default. */
  select(range: Range, mode = "v"): void {
    const [buffer] = this.#cursor;
    const line = this.#buffers.get(buffer)?.lines[range.end.line] ?? "";
    const before = line.codePointAt(range.end.character - 2) ?? 0;
    const last = { line: range.end.line, character: range.end.character - (before > 0xffff ? 2 : 1) };
    this.#cursor = [
      buffer,
      mode,
      last.line + 1,
      this.#column(buffer, last),
      range.start.line + 1,
      this.#column(buffer, range.start),
    ];
    this.fire("User PatchbayCursor");
    this.#moved();
  }

  /** The buffer turns out to be a terminal, which Vim names after the program it runs. */
  becomeTerminal(): void {
    const [buffer] = this.#cursor;
    for (const listener of Array.from(this.#terminalListeners)) listener(buffer);
  }

  /** A character is typed in Insert mode. */
  typeText(): void {
    const [buffer, , line, column] = this.#cursor;
    const held = this.#buffers.get(buffer);
    if (held !== undefined) held.modified = true;
    this.#cursor = [buffer, "i", line, column + 1, line, column + 1];
    this.#moved();
    for (const listener of Array.from(this.#typeListeners)) listener(buffer, line, column + 1);
  }

  makeDirty(path: string, text: string): void {
    const buffer = this.#ofPath(path);
    if (buffer === undefined) throw new Error(`${path} is not open`);
    buffer.lines = linesOf(text);
    buffer.modified = true;
    buffer.tick += 1;
    this.fire("TextChanged");
  }

  setFolders(folders: readonly string[]): void {
    this.folders = folders;
    for (const listener of Array.from(this.#folderListeners)) listener();
  }

  changeDirectory(directory: string): void {
    this.directory = directory;
    this.fire("DirChanged");
  }

  review(id: string): Readonly<Review> | undefined {
    return this.#reviews.get(id);
  }

  /** Of the reviews on the screen, the last one last. */
  get reviewIds(): readonly string[] {
    return Array.from(this.#reviews.keys());
  }

  /** The user changes the right side while nobody listens. */
  typeSilently(id: string, text: BufferText): void {
    const tell = this.onTell;
    this.onTell = () => {};
    this.type(id, text);
    this.onTell = tell;
  }

  /** The user changes the right side. */
  type(id: string, text: BufferText): void {
    const review = this.#reviews.get(id);
    if (review?.state !== "open" || review.isLocked) return;
    review.right = text;
    review.tick += 1;
    this.onTell("edited", id, undefined);
  }

  accept(id: string): void {
    const review = this.#reviews.get(id);
    if (review?.state !== "open") return;
    review.state = "accepted";
    this.onTell("accepted", id, review.right);
  }

  /** `:q`, `:tabclose` or the key. */
  reject(id: string): void {
    const review = this.#reviews.get(id);
    if (review?.state !== "open") return;
    review.state = "rejected";
    this.#reviews.delete(id);
    this.onTell("rejected", id, undefined);
  }

  rightText(id: string, proposed: string): string {
    const review = this.#reviews.get(id);
    return review === undefined ? "" : fromBufferText(review.right, proposed);
  }

  #open(request: Shape): Shape {
    if (this.failNextOpen) {
      this.failNextOpen = false;
      throw new Error("E36: Not enough room");
    }
    if (this.busyAnswers > 0) {
      this.busyAnswers -= 1;
      return { state: "busy" };
    }
    const id = asText(request["id"]);
    const known = this.#reviews.get(id);
    if (known !== undefined) {
      return { state: "adopted", verdict: known.state, text: known.state === "accepted" ? known.right : null };
    }
    const right = this.#received(request["draft"]) ?? this.#received(request["proposal"]);
    if (right === undefined) throw new Error("a review has a text");
    const left = this.#received(request["original"]);
    if (left === undefined) throw new Error("a review has two sides");
    const isLocked = request["locked"] === 1;
    this.#reviews.set(id, { id, isLocked, left: fromBufferText(left, ""), right, tick: 1, state: "open" });
    return { state: "opened" };
  }

  /** All of it each time, as Vim does where it cannot tell what has changed. */
  #changesOf(id: string): Shape | null {
    const review = this.#reviews.get(id);
    if (review === undefined) return null;
    this.#answers += 1;
    return { ...review.right, tick: review.tick, answer: this.#answers, from: 0, first: 1, gone: 0, more: 0 };
  }

  /** As `patchbay#sides#update()` does. */
  #update(id: string, change: Shape): string {
    const review = this.#reviews.get(id);
    if (review === undefined || (review.state !== "open" && review.state !== "accepted")) return "gone";
    if (change["tick"] !== review.tick) return "stale";
    review.left = fromBufferText(this.#edited(toBufferText(review.left), asShape(change["left"])), "");
    review.right = this.#edited(review.right, asShape(change["right"]));
    review.tick += 1;
    review.state = "open";
    return "applied";
  }

  /** As `patchbay#window#edit()` does. */
  #edited(before: BufferText, change: Shape): BufferText {
    const lines = before.lines.length === 0 ? [""] : before.lines.slice();
    const come = "parts" in change ? (this.#parts.get(asText(change["parts"])) ?? []) : asLines(change["lines"]);
    let at = come.length;
    for (const edit of asList(change["edits"]).toReversed()) {
      const [first = 0, gone = 0, count = 0] = asList(edit).map(asNumber);
      lines.splice(first - 1, gone, ...come.slice(at - count, at));
      at -= count;
    }
    const format = change["format"] === "dos" ? "dos" : change["format"] === "unix" ? "unix" : before.format;
    return { lines, format, newline: "newline" in change ? asBoolean(change["newline"]) : before.newline };
  }

  /** As `:checktime` does. */
  #reload(path: string): number {
    const buffer = this.#ofPath(path);
    if (buffer?.modified === false) buffer.lines = linesOf(readText(path));
    return 1;
  }

  #held(number: number): Shape {
    const buffer = this.#buffers.get(number);
    if (buffer === undefined) return {};
    const { lines, modified, tick } = buffer;
    return { lines, format: "unix", newline: 1, modified: modified ? 1 : 0, tick };
  }

  #take(number: number, tick: number): number {
    const buffer = this.#buffers.get(number);
    if (buffer?.tick !== tick) return 2;
    buffer.lines = linesOf(readText(buffer.path));
    buffer.tick += 1;
    buffer.modified = false;
    return 1;
  }

  #put(number: number, tick: number, change: Shape): number {
    const buffer = this.#buffers.get(number);
    if (buffer?.tick !== tick) return 0;
    const text = this.#edited({ lines: buffer.lines, format: "unix", newline: true }, change);
    buffer.lines = text.lines.slice();
    buffer.tick += 1;
    if (!buffer.modified) writeFileSync(buffer.path, fromBufferText(text, ""));
    return 1;
  }

  /** A text that came along or in parts. */
  #received(value: unknown): BufferText | undefined {
    const shape = asShape(value);
    return readBufferText(
      "parts" in shape ? { ...shape, lines: this.#parts.get(asText(shape["parts"])) ?? [] } : value,
    );
  }

  #save(number: number): number {
    const buffer = this.#buffers.get(number);
    if (buffer === undefined) return 0;
    buffer.modified = false;
    this.fire("BufWritePost", number);
    return 1;
  }

  #evaluate(expression: string): unknown {
    switch (expression) {
      case "patchbay#track#cursor()":
        return this.#report();
      case "patchbay#track#buffer(bufnr('%'))":
        return this.#about(this.#cursor[0]);
      case "patchbay#track#buffer(+expand('<abuf>'))":
        return this.#about(this.#abuf);
      case "+expand('<abuf>')":
        return this.#abuf;
      case "patchbay#directory()":
        return this.directory;
      default:
        throw new Error(`the simulated Vim does not know ${expression}`);
    }
  }

  #report(): readonly unknown[] {
    const [buffer, mode, line, column, anchorLine, anchorColumn] = this.#cursor;
    const modified = this.#buffers.get(buffer)?.modified === true ? 1 : 0;
    return [buffer, mode, line, column, column, anchorLine, anchorColumn, 0, 8, modified];
  }

  #about(number: number): Shape {
    const buffer = this.#buffers.get(number);
    if (buffer === undefined) return {};
    const { path, modified } = buffer;
    return { number, path, exists: existsSync(path) ? 1 : 0, modified: modified ? 1 : 0, type: "text", used: number };
  }

  #leaveVisual(): void {
    const [buffer, mode, line, column] = this.#cursor;
    if (mode === "n" || mode === "t") return;
    this.#cursor = [buffer, "n", line, column, line, column];
    this.fire("User PatchbayCursor");
  }

  /** As coc does, and in Visual mode as autoload/patchbay/track.vim does. */
  #moved(): void {
    const [buffer, mode, line, column] = this.#cursor;
    if (shapeOfMode(mode) !== undefined) this.fire("User PatchbayCursor");
    for (const listener of Array.from(this.#moveListeners)) listener(buffer, line, column);
  }

  #ofPath(path: string): Buffer | undefined {
    for (const buffer of this.#buffers.values()) if (buffer.path === path) return buffer;
    return undefined;
  }

  #column(buffer: number, position: Position): number {
    return utf16ToByte(this.#buffers.get(buffer)?.lines[position.line] ?? "", position.character) + 1;
  }
}

function readText(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/u);
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
}
