/** A replacement as the edit tools of agents make it: `from` stands in the file as the agent sees it. */
export interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly isForAll: boolean;
}

const byteOrderMark = "\ufeff";

/** A file as agents see it in their edits: without its byte order mark, every line with a line feed. */
export interface SeenFile {
  readonly mark: string;
  readonly text: string;
  /** The file whose text this is to be, as the agent writes it. */
  written(text: string): string;
}

/** `endsWithReturn` says of a file with some `\r\n` whether the agent writes all its lines so. */
export function seenFile(file: string, endsWithReturn: (file: string) => boolean): SeenFile {
  const mark = file.startsWith(byteOrderMark) ? byteOrderMark : "";
  const body = file.slice(mark.length);
  const hasReturns = body.includes("\r\n");
  const isWithReturns = hasReturns && endsWithReturn(body);
  return {
    mark,
    text: hasReturns ? body.replaceAll("\r\n", "\n") : body,
    written: (text) => mark + (isWithReturns ? text.replaceAll("\n", "\r\n") : text),
  };
}

/** So much of a file tells Claude Code how its lines end, UTF-16 units (seen, 2.1.328). */
const headLength = 4_096;

/** Whether most lines at the beginning of a file end with `\r\n`. */
export function beginsWithReturns(file: string): boolean {
  const head = file.slice(0, headLength);
  const returns = head.split("\r\n").length - 1;
  return returns > head.split("\n").length - 1 - returns;
}

/** How often a text stands in another, also where two of them overlap: none, once or more often. */
function occurrences(text: string, part: string): "none" | "once" | "more" {
  const first = text.indexOf(part);
  if (first === -1) return "none";
  return text.lastIndexOf(part) === first ? "once" : "more";
}

/** A text after replacements, one after the other; undefined where one does not fit, or fits more than one place. */
export function replaced(text: string, replacements: readonly Replacement[]): string | undefined {
  let now = text;
  for (const { from, to, isForAll } of replacements) {
    if (from === "" || from === to) return undefined;
    const found = occurrences(now, from);
    if (found === "none" || (found === "more" && !isForAll)) return undefined;
    now = isForAll ? now.replaceAll(from, () => to) : now.replace(from, () => to);
  }
  return now;
}

/**
 * One replacement that makes `text` into `wanted`: of `kept`, if that is enough, else of the fewest lines that stand once in the text.
 * Neither side is empty, unless all of the text goes: agents do more with an empty one than to replace it. Undefined where both are
 * the same, or the text is empty.
 */
export function replacementFor(text: string, wanted: string, kept: string | undefined): Replacement | undefined {
  if (text === wanted || text === "") return undefined;
  const own = kept === undefined ? undefined : keeping(text, wanted, kept);
  return own ?? ofLines(text, wanted);
}

/** The same old text with another new one. */
function keeping(text: string, wanted: string, from: string): Replacement | undefined {
  if (from === "" || occurrences(text, from) !== "once") return undefined;
  const start = text.indexOf(from);
  const rest = text.slice(start + from.length);
  if (wanted.length <= start + rest.length) return undefined;
  if (!wanted.startsWith(text.slice(0, start)) || !wanted.endsWith(rest)) return undefined;
  const to = wanted.slice(start, wanted.length - rest.length);
  return to === from ? undefined : { from, to, isForAll: false };
}

function ofLines(text: string, wanted: string): Replacement {
  const [before, after] = [linesOf(text), linesOf(wanted)];
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  for (let more = 1; head > 0 || tail > 0; more *= 2) {
    const from = before.slice(head, before.length - tail).join("");
    const to = after.slice(head, after.length - tail).join("");
    if (from !== "" && to !== "" && occurrences(text, from) === "once") return { from, to, isForAll: false };
    head = Math.max(0, head - more);
    tail = Math.max(0, tail - more);
  }
  return { from: text, to: wanted, isForAll: false };
}

/** With their ends. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/(?<=\n)/u);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
