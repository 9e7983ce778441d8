import { asBoolean, asLines, asShape, asText } from "../vim/shape.ts";

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

/** Reads what `patchbay#review#text()` says; undefined where the review is gone. */
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
