import type { LineSpan } from "@patchbay/core/texts";
import type { ReviewEdit } from "../../messages/reviews.ts";

/** A text as its lines, each with its line end; the last one has none. */
export type Lines = readonly string[];

/** Some lines of a text were replaced. */
export interface LineSplice {
  readonly start: number;
  readonly removed: Lines;
  readonly inserted: Lines;
}

export function linesOf(text: string): Lines {
  const lines: string[] = [];
  const ends = /\r\n|\r|\n/gu;
  let start = 0;
  while (ends.test(text)) {
    lines.push(text.slice(start, ends.lastIndex));
    start = ends.lastIndex;
  }
  lines.push(text.slice(start));
  return lines;
}

export const textOf = (lines: Lines): string => lines.join("");

/** A line without its line end. */
export function bodyOf(line: string): string {
  let end = line.length;
  if (line.charCodeAt(end - 1) === 10) end -= 1;
  if (line.charCodeAt(end - 1) === 13) end -= 1;
  return line.slice(0, end);
}

const endOf = (line: string): string => line.slice(bodyOf(line).length);

/** What a text field shows of lines: it knows line feeds alone. */
export function fieldText(lines: Lines, { start, end }: LineSpan): string {
  return lines.slice(start, end).map(bodyOf).join("\n");
}

/** What differs, in whole lines. Undefined: nothing. */
export function spliceBetween(before: Lines, after: Lines): LineSplice | undefined {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before[before.length - tail - 1] === after[after.length - tail - 1]) tail += 1;
  if (head + tail === before.length && before.length === after.length) return undefined;
  const cut = (lines: Lines): Lines => lines.slice(head, lines.length - tail);
  return { start: head, removed: cut(before), inserted: cut(after) };
}

export function withSplice(lines: Lines, { start, removed, inserted }: LineSplice): Lines {
  return [...lines.slice(0, start), ...inserted, ...lines.slice(start + removed.length)];
}

/** A splice as the host takes it, of the lines that it is about. */
export function editOf(lines: Lines, { start, removed, inserted }: LineSplice): ReviewEdit {
  let at = 0;
  for (let index = 0; index < start; index += 1) at += lines[index]?.length ?? 0;
  const [before, after] = [textOf(removed), textOf(inserted)];
  // A key changes one place in a line.
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before.charCodeAt(head) === after.charCodeAt(head)) head += 1;
  return { start: at + head, end: at + before.length, text: after.slice(head) };
}

export function withEdit(lines: Lines, { start, end, text }: ReviewEdit): Lines {
  const whole = textOf(lines);
  return linesOf(whole.slice(0, start) + text + whole.slice(end));
}

/** The line end that most lines have. */
export function mainEnd(lines: Lines): string {
  let [crlf, lf] = [0, 0];
  for (const line of lines) {
    if (line.endsWith("\r\n")) crlf += 1;
    else if (line.endsWith("\n")) lf += 1;
  }
  return crlf > lf ? "\r\n" : "\n";
}

/**
 * What was typed into a text field that shows some lines. Lines that stay keep their line ends; one that comes has that of the line in whose
 * place it is, or the one that most have.
 */
export function typedSplice(lines: Lines, { start, end }: LineSpan, typed: string): LineSplice | undefined {
  const before = lines.slice(start, end);
  const bodies = typed.split("\n");
  const own = before.map(bodyOf);
  const most = Math.min(own.length, bodies.length);
  let head = 0;
  while (head < most && own[head] === bodies[head]) head += 1;
  let tail = 0;
  while (tail < most - head && own[own.length - tail - 1] === bodies[bodies.length - tail - 1]) tail += 1;
  const usual = mainEnd(lines);
  const last = endOf(before.at(-1) ?? "");
  const after = bodies.map((body, index) => {
    if (index === bodies.length - 1) return body + last;
    const kept = index < head ? before[index] : before[before.length - bodies.length + index];
    const same = index < head || index >= bodies.length - tail ? kept : before[index];
    return body + (endOf(same ?? "") || usual);
  });
  const splice = spliceBetween(before, after);
  return splice === undefined ? undefined : { ...splice, start: start + splice.start };
}

/** The line at `line` becomes a part of the one above it. */
export function joinSplice(lines: Lines, line: number): LineSplice | undefined {
  const [above, below] = [lines[line - 1], lines[line]];
  if (above === undefined || below === undefined) return undefined;
  return { start: line - 1, removed: [above, below], inserted: [bodyOf(above) + below] };
}

export const isEmpty = ({ start, end }: LineSpan): boolean => start === end;
