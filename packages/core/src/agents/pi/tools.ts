import {
  type HookChange,
  memberOf,
  oneOrNone,
  type PathPlace,
  relativePath,
  replacementFor,
  textOf,
  type ToolArguments,
} from "../hook.ts";
import { editTool, writeTool } from "./names.ts";

/** The change that a tool is about to make; none where it writes no file. */
export function changesOf(tool: string | undefined, given: ToolArguments): readonly HookChange[] {
  const path = textOf(given, "path");
  if (path === undefined) return [];
  const named = { path, opened: (place: PathPlace) => openedByPi(path, place), isDelicate: false };
  return oneOrNone<HookChange>(
    tool === writeTool
      ? {
          ...named,
          // As it stands: line ends and marks of what was there do not count.
          textAfter: () => textOf(given, "content"),
          argumentsFor: (_before, wanted) => ({ ...given, content: wanted }),
        }
      : tool === editTool
        ? {
            ...named,
            textAfter: (before) => textAfterEdit(given, before),
            argumentsFor: (before, wanted) => editFor(given, before, wanted),
          }
        : undefined,
  );
}

/** Blanks that models put into paths, and that Pi takes for plain ones. */
const blanks = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/gu;

/** One `@` goes, `~` is the home, and a relative path is taken by its letters; an absolute one stays as it is. */
async function openedByPi(path: string, { cwd, homeDirectory, words }: PathPlace): Promise<string> {
  const bare = (path.startsWith("@") ? path.slice(1) : path).replace(blanks, " ");
  const whole = bare === "~" || bare.startsWith("~/") ? homeDirectory + bare.slice(1) : bare;
  if (words.isAbsolute(whole)) return whole;
  if (cwd === undefined) throw relativePath();
  return words.resolve(cwd, whole);
}

interface Pair {
  readonly from: string;
  readonly to: string;
}

/** The pairs of an edit with one kind of line ends; undefined where they have another form than the tool takes. */
function pairsOf(given: ToolArguments): readonly Pair[] | undefined {
  const edits = memberOf(given, "edits");
  if (!Array.isArray(edits) || edits.length === 0) return undefined;
  const pairs = edits.map((edit: unknown): Pair | undefined => {
    const [from, to] = [textOf(edit, "oldText"), textOf(edit, "newText")];
    return from === undefined || to === undefined ? undefined : { from: lineFeedsOf(from), to: lineFeedsOf(to) };
  });
  const whole = pairs.filter((pair) => pair !== undefined);
  return whole.length === pairs.length ? whole : undefined;
}

/**
 * Each old text is looked for in the file as it was, and gives way to its new one (seen, 0.74.2). The byte order mark stays, and all lines end
 * as the first one does. Where an old text is only nearly in the file, the tool writes all of the file in a plainer form: that is not
 * shown, and the model has to give the exact text.
 */
function textAfterEdit(given: ToolArguments, before: string | undefined): string | undefined {
  const pairs = pairsOf(given);
  if (pairs === undefined || before === undefined) return undefined;
  const { mark, body } = withoutMark(before);
  const seen = lineFeedsOf(body);
  const loose = looselyOf(seen);
  const found: (Pair & { readonly start: number; readonly end: number })[] = [];
  for (const pair of pairs) {
    const start = pair.from === "" ? -1 : seen.indexOf(pair.from);
    // It counts what looks alike, too, and refuses where there is more than one.
    if (start === -1 || loose.split(looselyOf(pair.from)).length !== 2) return undefined;
    found.push({ ...pair, start, end: start + pair.from.length });
  }
  found.sort((one, other) => one.start - other.start);
  if (found.some(({ start }, index) => start < (found[index - 1]?.end ?? 0))) return undefined;
  let after = "";
  let at = 0;
  for (const { start, end, to } of found) {
    after += seen.slice(at, start) + to;
    at = end;
  }
  after += seen.slice(at);
  // It refuses, and leaves the file alone.
  if (after === seen) return before;
  return mark + (firstEndHasReturn(body) ? after.replaceAll("\n", "\r\n") : after);
}

/** One pair that makes exactly this text: with the model's own old text, if it has given one, or else of the lines that change. */
function editFor(given: ToolArguments, before: string | undefined, wanted: string): ToolArguments | undefined {
  const pairs = pairsOf(given);
  if (pairs === undefined || before === undefined) return undefined;
  const [text, next] = [before, wanted].map((file) => lineFeedsOf(withoutMark(file).body));
  if (text === undefined || next === undefined) return undefined;
  const kept = pairs.length === 1 ? pairs[0]?.from : undefined;
  const nearest = replacementFor(text, next, kept);
  const tried = [nearest, { from: text, to: next }].flatMap((one) =>
    one === undefined ? [] : [{ ...given, edits: [{ oldText: one.from, newText: one.to }] }],
  );
  return tried.find((changed) => textAfterEdit(changed, before) === wanted);
}

function withoutMark(file: string): { readonly mark: string; readonly body: string } {
  const mark = file.startsWith("\ufeff") ? "\ufeff" : "";
  return { mark, body: file.slice(mark.length) };
}

function lineFeedsOf(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
}

function firstEndHasReturn(body: string): boolean {
  const first = body.indexOf("\n");
  return first > 0 && body[first - 1] === "\r";
}

/** What the tool takes for the same: blanks at the ends of lines, and the shapes of quotes, dashes and blanks, do not count. */
function looselyOf(text: string): string {
  const lines = text.normalize("NFKC").split("\n");
  return lines
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/[\u2018-\u201b]/gu, "'")
    .replace(/[\u201c-\u201f]/gu, '"')
    .replace(/[\u2010-\u2015\u2212]/gu, "-")
    .replace(blanks, " ");
}
