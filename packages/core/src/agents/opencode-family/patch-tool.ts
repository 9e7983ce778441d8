import { type HookChange, type PathPlace, relativePath, replacementFor, textOf, type ToolArguments } from "../hook.ts";
import { type PatchedFile, type PatchHunk, readPatch } from "../patch.ts";

const [begin, end] = ["*** Begin Patch", "*** End Patch"];

const heading = /^\*\*\* (?:Add|Update|Delete) File:(.+)$/u;

/**
 * The changes of a patch, one for each file (seen, 1.18.34). What the tool might read in another way than we do is not shown, and the model has
 * to write it plainly.
 */
export function patchChanges(given: ToolArguments): readonly HookChange[] {
  const lines = patchLines(textOf(given, "patchText") ?? "");
  // It refuses.
  if (lines === undefined) return [];
  const paths = lines.flatMap((line) => heading.exec(line)?.[1]?.trim() ?? []);
  const files = readPlainly(lines);
  if (files === undefined || new Set(paths).size < paths.length) {
    return paths.map((path) => changeOf(path, () => undefined));
  }
  return files.flatMap((file) => {
    if (file.movedTo !== undefined) return [file.path, file.movedTo].map((path) => changeOf(path, () => undefined));
    const change = changeOf(file.path, (before) => textAfterPatch(file, before));
    return files.length > 1
      ? [change]
      : [{ ...change, argumentsFor: (before, wanted) => patchFor(given, file.path, before, wanted) }];
  });
}

function changeOf(path: string, textAfter: HookChange["textAfter"]): HookChange {
  // Of several files a patch is not written anew.
  return {
    path,
    opened: (place) => openedByPatch(path, place),
    isDelicate: false,
    textAfter,
    argumentsFor: () => undefined,
  };
}

/** A path is taken by its letters, an absolute one, too. */
async function openedByPatch(path: string, { cwd, words }: PathPlace): Promise<string> {
  if (cwd === undefined && !words.isAbsolute(path)) throw relativePath();
  return words.resolve(cwd ?? "/", path);
}

/** What stands between its first and its last line, wherever these are; undefined where they are not there. */
function patchLines(text: string): readonly string[] | undefined {
  const lines = text.split("\n");
  const [first, last] = [begin, end].map((wanted) => lines.findIndex((line) => line.trim() === wanted));
  return first === undefined || last === undefined || first === -1 || last <= first
    ? undefined
    : lines.slice(first + 1, last);
}

/** Undefined where the tool might read it in another way: it passes over empty lines, and what stands before the first `@@`. */
function readPlainly(lines: readonly string[]): readonly PatchedFile[] | undefined {
  // For the tool a file's hunks are over there.
  const told = lines.filter((line, index) => {
    const next = lines[index + 1];
    return line !== "*** End of File" || (next !== undefined && !next.startsWith("*** "));
  });
  const isOdd = told.some((line, index) => {
    if (line === "" || line.endsWith("\r") || line === "*** End of File") return true;
    const above = told[index - 1] ?? "";
    const opensUpdate = above.startsWith("*** Update File:") || above.startsWith("*** Move to:");
    return opensUpdate && !line.startsWith("@@") && !line.startsWith("*** Move to:");
  });
  return isOdd ? undefined : readPatch([begin, ...told, end].join("\n"));
}

function textAfterPatch(file: PatchedFile, before: string | undefined): string | undefined {
  if (file.kind === "add") return textOfAdded(file.added ?? "");
  if (before === undefined) return undefined;
  if (file.kind === "delete") return "";
  const mark = before.startsWith("\ufeff") ? "\ufeff" : "";
  const after = patched(before.slice(mark.length), file.hunks);
  return after === undefined || after.startsWith("\ufeff") ? undefined : mark + after;
}

/** Of empty lines at its end the tool leaves one out. */
function textOfAdded(added: string): string {
  const text = added.slice(0, -1);
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Each hunk below the one before it; lines that only come go to the end of the file, whatever is named. */
function patched(text: string, hunks: readonly PatchHunk[]): string | undefined {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const replacements: { readonly at: number; readonly count: number; readonly lines: readonly string[] }[] = [];
  let from = 0;
  for (const { below, before, after } of hunks) {
    const named = below?.trim() ?? "";
    if (named !== "") {
      const found = placeOfContext(lines, named, from);
      if (found === -1) return undefined;
      from = found + 1;
    }
    if (before.length === 0) replacements.push({ at: lines.length, count: 0, lines: after });
    else {
      const at = placeOf(lines, before, from);
      if (at === -1) return undefined;
      replacements.push({ at, count: before.length, lines: after });
      from = at + before.length;
    }
  }
  // From the end, those of one place in their order.
  for (const { at, count, lines: next } of replacements.toSorted((one, other) => one.at - other.at).toReversed())
    lines.splice(at, count, ...next);
  return lines.map((line, index) => (line === "" && index === lines.length - 1 ? "" : `${line}\n`)).join("");
}

/** As the tool looks: the same line, else the same but for blanks at its end, else at both. */
function placeOfContext(lines: readonly string[], wanted: string, from: number): number {
  for (const view of [(line: string) => line, (line: string) => line.trimEnd(), (line: string) => line.trim()]) {
    const found = lines.findIndex((line, index) => index >= from && view(line) === wanted);
    if (found !== -1) return found;
  }
  return -1;
}

function placeOf(lines: readonly string[], wanted: readonly string[], from: number): number {
  return lines.findIndex((_line, at) => at >= from && wanted.every((line, index) => lines[at + index] === line));
}

/** A patch of this one file that makes exactly this text; undefined where none can. */
function patchFor(
  given: ToolArguments,
  path: string,
  before: string | undefined,
  wanted: string,
): ToolArguments | undefined {
  const patches: (readonly string[])[] = [];
  const one = before === undefined ? undefined : replacementFor(before, wanted, undefined);
  if (one !== undefined)
    patches.push([`*** Update File: ${path}`, "@@", ...signed("-", one.from), ...signed("+", one.to)]);
  patches.push([`*** Add File: ${path}`, ...signed("+", /(?:^|\n)\n$/u.test(wanted) ? `${wanted}\n` : wanted)]);
  return patches
    .map((lines) => ({ ...given, patchText: [begin, ...lines, end].join("\n") }))
    .find((changed) => patchChanges(changed)[0]?.textAfter(before) === wanted);
}

function signed(sign: "+" | "-", text: string): readonly string[] {
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n").map((line) => sign + line);
}
