import type { Uri } from "./uri.ts";
import { Position, type Range } from "./ranges.ts";
import { EndOfLine } from "./values.ts";

/** A text document: one kind of line end, no byte order mark, versions that only grow. */
export class FakeDocument {
  readonly uri: Uri;
  readonly languageId: string = "plaintext";
  readonly #save: (document: FakeDocument) => Promise<boolean>;
  version = 1;
  isDirty = false;
  isClosed = false;
  eol: number = EndOfLine.LF;
  #lines: string[] = [""];

  constructor(uri: Uri, text: string, save: (document: FakeDocument) => Promise<boolean>) {
    this.uri = uri;
    this.#save = save;
    this.load(text);
  }

  /** Takes a text as VS Code reads it from bytes. */
  load(text: string): void {
    const plain = text.startsWith("\uFEFF") ? text.slice(1) : text;
    const crLf = plain.split("\r\n").length - 1;
    this.eol = crLf > plain.split("\n").length - 1 - crLf ? EndOfLine.CRLF : EndOfLine.LF;
    this.#lines = plain.split(/\r\n|\r|\n/u);
  }

  /** Replaces everything, in the line ends that the document has. */
  replaceAll(text: string): void {
    this.#lines = text.split(/\r\n|\r|\n/u);
    this.version += 1;
  }

  get lineCount(): number {
    return this.#lines.length;
  }

  get fileName(): string {
    return this.uri.fsPath;
  }

  getText(): string {
    return this.#lines.join(this.eol === EndOfLine.CRLF ? "\r\n" : "\n");
  }

  lineAt(line: number): { readonly text: string; readonly range: { readonly end: Position } } {
    const text = this.#lines[line];
    if (text === undefined) throw new Error("Illegal value for `line`");
    return { text, range: { end: new Position(line, text.length) } };
  }

  positionAt(offset: number): Position {
    if (offset !== 0) throw new Error("The stand-in knows the start only.");
    return new Position(0, 0);
  }

  /** Whether a range covers the whole text. */
  isWhole(range: Range): boolean {
    const last = this.#lines.length - 1;
    return range.start.line === 0 && range.start.character === 0 && range.end.isEqual(this.lineAt(last).range.end);
  }

  async save(): Promise<boolean> {
    return await this.#save(this);
  }
}
