/** U+FEFF, which agents keep in front of a text and editors keep apart from it. */
export const byteOrderMark = "\ufeff";

/** Splits a leading byte order mark from a text. */
export function splitByteOrderMark(text: string): { readonly mark: "" | typeof byteOrderMark; readonly body: string } {
  return text.startsWith(byteOrderMark) ? { mark: byteOrderMark, body: text.slice(1) } : { mark: "", body: text };
}

/** Whether two texts differ in nothing but their line ends, which editors make uniform when they load a document. */
export function sameLines(a: string, b: string): boolean {
  return a === b || toLineFeeds(a) === toLineFeeds(b);
}

/**
 * Gives the text of an editor's document the line ends of the proposal it came from, because an agent compares what
 * comes back with what it sent. An unedited text is the proposal itself, byte for byte. In an edited one, a uniform
 * proposal decides for all lines; in a mixed one the lines before and after the edit keep their own ends, and
 * lines of the edit take the most frequent one.
 *
 * @param documentText without byte order mark, in the editor's line ends
 * @param proposed without byte order mark, as the agent sent it
 */
export function restoreLineEnds(documentText: string, proposed: string): string {
  const lines = toLineFeeds(documentText);
  if (lines === toLineFeeds(proposed)) return proposed;
  if (!proposed.includes("\r"))
    return proposed.includes("\n") ? lines : documentText.includes("\r") ? lines : documentText;
  const before = splitLines(proposed);
  const ends = new Map<string, number>();
  for (const line of before) if (line.end !== "") ends.set(line.end, (ends.get(line.end) ?? 0) + 1);
  const dominant = [...ends].reduce((most, entry) => (entry[1] > most[1] ? entry : most), ["\n", 0])[0];
  if (ends.size === 1) return dominant === "\n" ? lines : lines.replaceAll("\n", dominant);
  return mergeLineEnds(lines, before, dominant);
}

interface Line {
  readonly text: string;
  /** `\n`, `\r\n`, `\r`, or empty for the last line. */
  readonly end: string;
}

function mergeLineEnds(lines: string, before: readonly Line[], dominant: string): string {
  const after = lines.split("\n");
  let head = 0;
  while (head < after.length && head < before.length && after[head] === before[head]?.text) head += 1;
  let tail = 0;
  const room = Math.min(after.length, before.length) - head;
  while (tail < room && after[after.length - 1 - tail] === before[before.length - 1 - tail]?.text) tail += 1;
  let merged = "";
  for (const [index, text] of after.entries()) {
    merged += text;
    if (index === after.length - 1) break;
    const kept =
      index < head
        ? before[index]
        : index >= after.length - tail
          ? before[before.length - (after.length - index)]
          : undefined;
    const end = kept === undefined || kept.end === "" ? dominant : kept.end;
    // After a carriage return a line feed alone would end no line of its own.
    merged += end === "\n" && merged.endsWith("\r") ? "\r" : end;
  }
  return merged;
}

function splitLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\r|\n/gu)) {
    lines.push({ text: text.slice(start, match.index), end: match[0] });
    start = match.index + match[0].length;
  }
  lines.push({ text: text.slice(start), end: "" });
  return lines;
}

function toLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/gu, "\n") : text;
}
