import { asBoolean, asLines, asNumber, asShape, asText } from "../vim/shape.ts";

/** A buffer's text as it was at one moment. */
export interface BufferReading {
  readonly buffer: BufferText;
  /** Changes with the text. */
  readonly tick: number;
}

/**
 * Knows the text of one buffer, and asks only for what has changed since it was asked last: a text of megabytes would hold up
 * Vim and this process with every key. The answers are those of `patchbay#changes#since()`.
 */
export class BufferReader {
  readonly #ask: (known: number) => Promise<unknown>;
  #answer = 0;
  #lines: string[] = [];
  // oxlint-disable-next-line patchbay/no-kept-promise -- A tail that never rejects.
  #last: Promise<unknown> = Promise.resolve();

  /** @param ask Gets the changes since the answer of this number; 0 for all of the text. */
  constructor(ask: (known: number) => Promise<unknown>) {
    this.#ask = ask;
  }

  /** The text as it is now; undefined where there is no such buffer. One question at a time: each builds upon the one before. */
  read(): Promise<BufferReading | undefined> {
    const reading = this.#last.then(() => this.#read());
    this.#last = reading.catch(() => {});
    return reading;
  }

  async #read(): Promise<BufferReading | undefined> {
    for (;;) {
      const answer = asShape(await this.#ask(this.#answer));
      const come = readBufferText(answer);
      if (come === undefined) return undefined;
      const tick = asNumber(answer["tick"]);
      // The buffer is gone, and this is what it held.
      if (answer["answer"] === undefined) return { buffer: come, tick };
      if (asNumber(answer["from"]) === 0) this.#lines = [];
      this.#lines.splice(asNumber(answer["first"]) - 1, asNumber(answer["gone"]), ...come.lines);
      this.#answer = asNumber(answer["answer"]);
      if (!asBoolean(answer["more"])) return { buffer: { ...come, lines: this.#lines.slice() }, tick };
    }
  }
}

/** A text as a Vim buffer holds it: lines without ends, one kind of line end, and whether the last line has one. */
export interface BufferText {
  readonly lines: readonly string[];
  readonly format: "unix" | "dos";
  readonly newline: boolean;
}

/** Takes a text apart for a buffer. Where line ends are mixed the carriage returns stay visible in the lines, as in Vim. */
export function toBufferText(text: string): BufferText {
  const format = usesOnlyCrLf(text) ? "dos" : "unix";
  const lines = text.split(format === "dos" ? "\r\n" : "\n");
  const newline = lines.length > 1 && lines.at(-1) === "";
  if (newline) lines.pop();
  return { lines: lines.map(toVim), format, newline };
}

/**
 * Puts the text of a buffer together again. An empty buffer is one empty line in Vim; whether that is an empty text or a
 * single line end only the proposal can say.
 */
export function fromBufferText(buffer: BufferText, proposed: string): string {
  const end = buffer.format === "dos" ? "\r\n" : "\n";
  const [only] = buffer.lines;
  if (buffer.lines.length === 0 || (buffer.lines.length === 1 && only === "")) return proposed === end ? end : "";
  // Few texts have a NUL, and to look for one takes a tenth of the time.
  const hasNul = buffer.lines.some((line) => line.includes("\n"));
  const text = (hasNul ? buffer.lines.map(fromVim) : buffer.lines).join(end);
  return buffer.newline ? text + end : text;
}

/** Reads what `patchbay#sides#text()` says; undefined where the review is gone. */
export function readBufferText(value: unknown): BufferText | undefined {
  const shape = asShape(value);
  if (!Array.isArray(shape["lines"])) return undefined;
  return {
    lines: asLines(shape["lines"]),
    format: asText(shape["format"]) === "dos" ? "dos" : "unix",
    newline: asBoolean(shape["newline"]),
  };
}

function usesOnlyCrLf(text: string): boolean {
  if (!text.includes("\r\n")) return false;
  return !/(?<!\r)\n/u.test(text);
}

/** Vim keeps a NUL of a text as a line feed inside the line. */
function toVim(line: string): string {
  return line.replaceAll("\0", "\n");
}

function fromVim(line: string): string {
  return line.replaceAll("\n", "\0");
}
