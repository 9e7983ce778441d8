/** One file of a patch as `apply_patch` takes it, the form in which models of one maker change several files in one call. */
export interface PatchedFile {
  readonly kind: "add" | "update" | "delete";
  /** As the model names it. */
  readonly path: string;
  /** Where an updated file goes; undefined: it stays. */
  readonly movedTo: string | undefined;
  /** The text of an added file. */
  readonly added: string | undefined;
  readonly hunks: readonly PatchHunk[];
}

/** Lines that give way to others. */
export interface PatchHunk {
  /** A line above, by which the place is found; undefined: none is named. */
  readonly below: string | undefined;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** It is the last one of its file. */
  readonly isAtEnd: boolean;
}

/** The files of a patch, in its order; undefined where it is none that can be read. */
export function readPatch(text: string): readonly PatchedFile[] | undefined {
  const lines = text.trim().split(/\r?\n/u);
  if (lines.shift()?.trim() !== "*** Begin Patch" || lines.pop()?.trim() !== "*** End Patch") return undefined;
  const files: PatchedFile[] = [];
  while (lines.length > 0) {
    const file = readFile(lines);
    if (file === undefined) return undefined;
    files.push(file);
  }
  return files.length === 0 ? undefined : files;
}

const heading = /^\*\*\* (Add|Update|Delete) File: (.+)$/u;

/** Takes the lines of one file from the front. */
function readFile(lines: string[]): PatchedFile | undefined {
  const [, verb, path] = heading.exec(lines.shift() ?? "") ?? [];
  if (path === undefined) return undefined;
  const own: string[] = [];
  for (let next = lines[0]; next !== undefined && !heading.test(next); next = lines[0]) own.push(lines.shift() ?? "");
  const base = { path: path.trim(), movedTo: undefined, added: undefined, hunks: [] };
  if (verb === "Delete") return own.length === 0 ? { ...base, kind: "delete" } : undefined;
  if (verb === "Add") {
    if (!own.every((line) => line.startsWith("+"))) return undefined;
    return { ...base, kind: "add", added: own.map((line) => `${line.slice(1)}\n`).join("") };
  }
  const [, movedTo] = /^\*\*\* Move to: (.+)$/u.exec(own[0] ?? "") ?? [];
  const hunks = readHunks(movedTo === undefined ? own : own.slice(1));
  return hunks === undefined ? undefined : { ...base, kind: "update", movedTo: movedTo?.trim(), hunks };
}

function readHunks(lines: readonly string[]): readonly PatchHunk[] | undefined {
  const hunks: { below: string | undefined; before: string[]; after: string[]; isAtEnd: boolean }[] = [];
  let hunk: (typeof hunks)[number] | undefined;
  for (const line of lines) {
    if (line === "@@" || line.startsWith("@@ ")) {
      hunk = { below: line === "@@" ? undefined : line.slice(3), before: [], after: [], isAtEnd: false };
      hunks.push(hunk);
      continue;
    }
    if (hunk === undefined) {
      hunk = { below: undefined, before: [], after: [], isAtEnd: false };
      hunks.push(hunk);
    }
    if (line === "*** End of File") hunk.isAtEnd = true;
    else if (line === "" || line.startsWith(" ")) {
      hunk.before.push(line.slice(1));
      hunk.after.push(line.slice(1));
    } else if (line.startsWith("-")) hunk.before.push(line.slice(1));
    else if (line.startsWith("+")) hunk.after.push(line.slice(1));
    else return undefined;
  }
  return hunks.some(({ before, after }) => before.length + after.length === 0) ? undefined : hunks;
}

/**
 * A text after the hunks of an update; undefined where one fits nowhere, or not as it stands: tools look for lines that are nearly the
 * same, each in its own way, and nobody could tell what they found.
 */
export function patched(text: string, hunks: readonly PatchHunk[]): string | undefined {
  const lines = text.split("\n");
  // Every line of a file ends; what comes after the last end is none.
  if (lines.at(-1) === "") lines.pop();
  const out: string[] = [];
  let at = 0;
  for (const { below, before, after, isAtEnd } of hunks) {
    let from = at;
    if (below !== undefined) {
      const found = lines.indexOf(below, at);
      if (found === -1) return undefined;
      from = found + 1;
    }
    // Lines that only come stand at the end of the file, if no place is named.
    const start =
      before.length === 0 ? (below === undefined ? lines.length : from) : placeOf(lines, before, from, isAtEnd);
    if (start === undefined) return undefined;
    out.push(...lines.slice(at, start), ...after);
    at = start + before.length;
  }
  out.push(...lines.slice(at));
  return out.map((line) => `${line}\n`).join("");
}

function placeOf(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  isAtEnd: boolean,
): number | undefined {
  const fits = (at: number): boolean => wanted.every((line, index) => lines[at + index] === line);
  const last = lines.length - wanted.length;
  if (isAtEnd && last >= from) return fits(last) ? last : undefined;
  for (let at = from; at <= last; at += 1) if (fits(at)) return at;
  return undefined;
}
