/** A file's part of a patch, with the lines that said so. */
export interface PatchSection {
  readonly kind: "add" | "update" | "delete";
  /** As the model names it. */
  readonly path: string;
  /** Where an updated file goes; undefined: it stays. */
  readonly movedTo: string | undefined;
  /** The text of an added file. */
  readonly added: string | undefined;
  readonly hunks: readonly PatchHunk[];
  readonly lines: readonly string[];
}

/** Lines that give way to others. */
export interface PatchHunk {
  /** A line above, by which the place is found; undefined: none is named. */
  readonly below: string | undefined;
  readonly steps: readonly PatchStep[];
  /** It is the last one of its file. */
  readonly isAtEnd: boolean;
}

export interface PatchStep {
  /** What stays, stays as it is in the file, also where the patch says it a little differently. */
  readonly does: "stays" | "goes" | "comes";
  readonly text: string;
}

/** White space as the program trims it. */
const edges =
  /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/gu;

/** A line as the program reads markers. */
export function trimmed(text: string): string {
  return text.replace(edges, "");
}

function withoutEnd(line: string): string {
  return line.replace(edges, (blanks, at: number) => (at === 0 && blanks.length < line.length ? blanks : ""));
}

/** Around what a patch says of its files. */
export const firstLine = "*** Begin Patch";
export const lastLine = "*** End Patch";

/**
 * A patch as Codex CLI reads it (seen, 0.171.0), as far as it is in a form of which nobody could read anything else; undefined: it is not,
 * or the program refuses it.
 */
export function readSections(text: string): readonly PatchSection[] | undefined {
  const lines = trimmed(text).split(/\r?\n/u);
  if (/^<<(?:EOF|'EOF'|"EOF")$/u.test(lines[0] ?? "") && lines.length >= 4 && lines.at(-1)?.endsWith("EOF") === true) {
    lines.shift();
    lines.pop();
  }
  if (trimmed(lines.shift() ?? "") !== firstLine || trimmed(lines.pop() ?? "") !== lastLine) return undefined;
  if (lines.some((line) => line.includes("\r"))) return undefined;
  const sections: PatchSection[] = [];
  while (lines.length > 0) {
    const section = takeSection(lines);
    if (section === undefined) return undefined;
    sections.push(section);
  }
  return sections.length === 0 ? undefined : sections;
}

const heading = /^\*\*\* (Add|Update|Delete) File: (.+)$/u;

/** Takes the lines of one file from the front. */
function takeSection(rest: string[]): PatchSection | undefined {
  const [head = "", ...after] = rest;
  const [, verb, path] = heading.exec(trimmed(head)) ?? [];
  if (path === undefined) return undefined;
  // What looks like a marker, with blanks before it, is one for some versions.
  const end = after.findIndex((line) => heading.test(trimmed(line)) && !/^[+-]/u.test(line));
  const own = end === -1 ? after : after.slice(0, end);
  rest.splice(0, own.length + 1);
  const base = { path, movedTo: undefined, added: undefined, hunks: [], lines: [head, ...own] };
  if (verb === "Delete") return own.length === 0 ? { ...base, kind: "delete" } : undefined;
  if (verb === "Add") {
    if (!own.every((line) => line.startsWith("+"))) return undefined;
    return { ...base, kind: "add", added: own.map((line) => `${line.slice(1)}\n`).join("") };
  }
  const [, movedTo] = /^\*\*\* Move to: (.+)$/u.exec(own[0] ?? "") ?? [];
  const hunks = readHunks(movedTo === undefined ? own : own.slice(1));
  return hunks === undefined ? undefined : { ...base, kind: "update", movedTo: movedTo && trimmed(movedTo), hunks };
}

function readHunks(lines: readonly string[]): readonly PatchHunk[] | undefined {
  const hunks: { below: string | undefined; steps: PatchStep[]; isAtEnd: boolean }[] = [];
  let hunk: (typeof hunks)[number] | undefined;
  for (const line of lines) {
    const head = withoutEnd(line);
    if (head === "@@" || head.startsWith("@@ ")) {
      hunk = { below: head === "@@" ? undefined : head.slice(3), steps: [], isAtEnd: false };
      hunks.push(hunk);
      continue;
    }
    if (hunk === undefined || hunk.isAtEnd) {
      // Empty lines between hunks are nothing; what only looks empty is read in several ways.
      if (line === "") continue;
      if (hunk !== undefined || trimmed(line) === "") return undefined;
      hunk = { below: undefined, steps: [], isAtEnd: false };
      hunks.push(hunk);
    }
    if (line === "*** End of File") hunk.isAtEnd = true;
    else if (line === "" || line.startsWith(" ")) {
      if (trimmed(line).startsWith("***")) return undefined;
      hunk.steps.push({ does: "stays", text: line.slice(1) });
    } else if (line.startsWith("-")) hunk.steps.push({ does: "goes", text: line.slice(1) });
    else if (line.startsWith("+")) hunk.steps.push({ does: "comes", text: line.slice(1) });
    else return undefined;
  }
  const isEmpty = hunks.length === 0 || hunks.some(({ steps }) => steps.length === 0);
  return isEmpty ? undefined : hunks;
}

interface Line {
  readonly text: string;
  /** Empty at the end of a file whose last line has none. */
  readonly end: "" | "\n" | "\r\n";
}

/** The lines of a file, each with its end. */
export function linesOf(file: string): readonly Line[] {
  const parts = file.split("\n");
  const last = parts.pop() ?? "";
  const lines = parts.map((part): Line => {
    return part.endsWith("\r") ? { text: part.slice(0, -1), end: "\r\n" } : { text: part, end: "\n" };
  });
  return last === "" ? lines : [...lines, { text: last, end: "" }];
}

/** A file after the hunks of an update, as the program makes it (seen, 0.171.0); undefined where it refuses. */
export function updated(file: string, hunks: readonly PatchHunk[]): string | undefined {
  const lines = linesOf(file);
  const texts = lines.map(({ text }) => text);
  // As the first line ends, so do all that come.
  const end = lines[0]?.end === "\r\n" ? "\r\n" : "\n";
  const places: { readonly start: number; readonly steps: readonly PatchStep[] }[] = [];
  let at = 0;
  for (const { below, steps, isAtEnd } of hunks) {
    if (below !== undefined) {
      const found = placeOf(texts, [below], at, false);
      if (found === undefined) return undefined;
      at = found + 1;
    }
    // Lines that only come stand at the end, whatever line is named.
    const found = steps.some(({ does }) => does !== "comes")
      ? foundOf(texts, steps, at, isAtEnd)
      : { start: texts.length, steps };
    if (found === undefined) return undefined;
    places.push(found);
    const length = oldOf(found.steps).length;
    if (length > 0) at = found.start + length;
  }
  const sorted = places.toSorted((one, other) => one.start - other.start);
  const out: Line[] = [];
  let done = 0;
  for (const [index, place] of sorted.entries()) {
    if (place.start < done) return undefined;
    // Of two that add lines at the end it depends on what else they say which one's stand first.
    const before = sorted[index - 1];
    if (before !== undefined && place.start === done && places.indexOf(before) > places.indexOf(place))
      return undefined;
    out.push(...lines.slice(done, place.start));
    done = place.start;
    for (const { does, text } of place.steps) {
      if (does === "comes") out.push({ text, end });
      else {
        if (does === "stays") out.push(...lines.slice(done, done + 1));
        done += 1;
      }
    }
  }
  out.push(...lines.slice(done));
  return out.map(({ text, end: own }) => text + (own === "" ? end : own)).join("");
}

function oldOf(steps: readonly PatchStep[]): readonly string[] {
  return steps.flatMap(({ does, text }) => (does === "comes" ? [] : [text]));
}

/** An empty last line may be missing in the file. */
function foundOf(
  texts: readonly string[],
  steps: readonly PatchStep[],
  at: number,
  isAtEnd: boolean,
): { readonly start: number; readonly steps: readonly PatchStep[] } | undefined {
  const start = placeOf(texts, oldOf(steps), at, isAtEnd);
  if (start !== undefined) return { start, steps };
  const last = steps.findLastIndex(({ does }) => does !== "comes");
  if (steps[last]?.text !== "" || last !== steps.length - 1) return undefined;
  const fewer = steps.slice(0, -1);
  // Where the new lines end so, too, nobody needs to know which of them goes.
  if (steps[last]?.does === "goes" && fewer.findLast(({ does }) => does !== "goes")?.text === "") return undefined;
  const again = placeOf(texts, oldOf(fewer), at, isAtEnd);
  return again === undefined ? undefined : { start: again, steps: fewer };
}

/** What the program takes for the same, the nearest first. */
const likenesses: readonly ((line: string) => string)[] = [
  (line) => line,
  withoutEnd,
  trimmed,
  (line) =>
    trimmed(line)
      .replace(/[\u2010-\u2015\u2212]/gu, "-")
      .replace(/[\u2018-\u201b]/gu, "'")
      .replace(/[\u201c-\u201f]/gu, '"')
      .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/gu, " "),
];

function placeOf(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  isAtEnd: boolean,
): number | undefined {
  if (wanted.length === 0) return from;
  const last = lines.length - wanted.length;
  if (last < 0) return undefined;
  for (const likeness of likenesses) {
    const sought = wanted.map(likeness);
    for (let at = isAtEnd ? Math.max(from, last) : from; at <= last; at += 1) {
      if (sought.every((line, index) => likeness(lines[at + index] ?? "") === line)) return at;
    }
  }
  return undefined;
}
