import type { Uri } from "./uri.ts";
import { Position, type Range } from "./ranges.ts";
import { EndOfLine } from "./values.ts";

/** A text, or how to come by it: a text that nobody looks at costs nothing. */
export type DocumentContent = string | (() => string);

/** A text document: one kind of line end, no byte order mark, versions that only grow. */
export class FakeDocument {
  readonly uri: Uri;
  readonly languageId: string = "plaintext";
  readonly #save: (document: FakeDocument) => Promise<boolean>;
  version = 1;
  /** What extensions are told, which may be out of date. */
  isDirty = false;
  /** What the window itself knows. */
  isUnsaved = false;
  isClosed = false;
  #content: DocumentContent = "";
  #eol: number | undefined;
  #lines: string[] | undefined;

  constructor(uri: Uri, content: DocumentContent, save: (document: FakeDocument) => Promise<boolean>) {
    this.uri = uri;
    this.#save = save;
    this.load(content);
  }

  /** Takes a text as VS Code reads it from bytes. */
  load(content: DocumentContent): void {
    this.#content = content;
    this.#eol = undefined;
    this.#lines = undefined;
  }

  /** Replaces everything, in the line ends that the document has. */
  replaceAll(text: string): void {
    void this.#all;
    this.#lines = text.split(/\r\n|\r|\n/u);
    this.version += 1;
  }

  get eol(): number {
    void this.#all;
    return this.#eol ?? EndOfLine.LF;
  }

  set eol(eol: number) {
    void this.#all;
    this.#eol = eol;
  }

  get lineCount(): number {
    return this.#all.length;
  }

  get fileName(): string {
    return this.uri.fsPath;
  }

  getText(range?: Range): string {
    const lineEnd = this.eol === EndOfLine.CRLF ? "\r\n" : "\n";
    if (range === undefined) return this.#all.join(lineEnd);
    const { start, end } = range;
    const lines = this.#all.slice(start.line, end.line + 1);
    const last = lines.length - 1;
    lines[last] = (lines[last] ?? "").slice(0, start.line + last === end.line ? end.character : undefined);
    lines[0] = (lines[0] ?? "").slice(start.character);
    return lines.join(lineEnd);
  }

  lineAt(line: number): { readonly text: string; readonly range: { readonly end: Position } } {
    const text = this.#all[line];
    if (text === undefined) throw new Error("Illegal value for `line`");
    return { text, range: { end: new Position(line, text.length) } };
  }

  offsetAt({ line, character }: Position): number {
    const before = this.#all.slice(0, line);
    return before.reduce((sum, { length }) => sum + length + (this.eol === EndOfLine.CRLF ? 2 : 1), 0) + character;
  }

  positionAt(offset: number): Position {
    const lineEnd = this.eol === EndOfLine.CRLF ? 2 : 1;
    let rest = offset;
    for (const [line, { length }] of this.#all.entries()) {
      if (rest <= length) return new Position(line, rest);
      rest -= length + lineEnd;
    }
    return this.lineAt(this.#all.length - 1).range.end;
  }

  async save(): Promise<boolean> {
    return await this.#save(this);
  }

  /** All lines, told apart when somebody first asks. */
  get #all(): string[] {
    if (this.#lines !== undefined) return this.#lines;
    const text = typeof this.#content === "string" ? this.#content : this.#content();
    const plain = text.startsWith("\uFEFF") ? text.slice(1) : text;
    const crLf = plain.split("\r\n").length - 1;
    this.#eol ??= crLf > plain.split("\n").length - 1 - crLf ? EndOfLine.CRLF : EndOfLine.LF;
    this.#lines = plain.split(/\r\n|\r|\n/u);
    this.#content = "";
    return this.#lines;
  }
}
