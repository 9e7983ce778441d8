import type { Contents } from "./contents.ts";
import type { Content, FileRecord, TurnRecord } from "./records.ts";

/** A file that a turn made, and the one that it took away for it. */
export interface Rename {
  readonly path: string;
  readonly from: string;
}

/** More files that came or went in a turn are compared only byte for byte, as is a longer text, in bytes. */
const [mostCompared, longestCompared] = [100, 256 * 1024];

/** Of files of one size so many are compared with each. */
const mostAlike = 20;

/** So much of the longer text has to be in both, as with git. */
const leastShared = 0.5;

/**
 * What is told of the old name of a file as part of it: both are one row, kept or undone together. Undefined where the file was not
 * renamed, or something stands at one of the names by now that makes them two.
 */
export function renamedFrom({ files }: Pick<TurnRecord, "files">, file: FileRecord): FileRecord | undefined {
  const from = file.movedFrom === undefined ? undefined : files.get(file.movedFrom);
  if (from === undefined || !hasCome(file) || !hasGone(from)) return undefined;
  // One of them may be the user's own, or was decided by itself.
  const isUnsure = (one: FileRecord): boolean => one.attribution === "unknown";
  return from.review === file.review && isUnsure(from) === isUnsure(file) ? from : undefined;
}

/** What is not decided of a file: of one that was renamed, against what stood at its old name. */
export function sidesOf(
  turn: Pick<TurnRecord, "files">,
  file: FileRecord,
): { readonly before: Content; readonly after: Content } {
  const own = file.undecided ?? file;
  const from = renamedFrom(turn, file);
  if (from === undefined) return own;
  // All of it is kept: it is shown as it was.
  const isKept = from.undecided?.before.kind === "none";
  const { before } = isKept ? from : (from.undecided ?? from);
  return { before, after: own.after.kind === "none" ? before : own.after };
}

/**
 * Which of the files that came in a turn are, as a whole or nearly, files that went in it. `compared`: those that were looked at before are
 * looked at again only where there is another one by now.
 */
export async function findRenames(
  { files }: TurnRecord,
  contents: Contents,
  compared: WeakSet<FileRecord>,
): Promise<readonly Rename[]> {
  const all = Array.from(files.values()).filter(({ review, undecided }) => review === "unreviewed" && !undecided);
  const taken = new Set(all.flatMap((file) => (hasCome(file) && file.movedFrom !== undefined ? [file.movedFrom] : [])));
  const come = all.filter((file) => hasCome(file) && file.movedFrom === undefined && isKept(file.after));
  const gone = all.filter((file) => hasGone(file) && !taken.has(file.path) && isKept(file.before));
  const isNew = [...come, ...gone].some((file) => !compared.has(file));
  if (!isNew || come.length === 0 || gone.length === 0) return [];
  for (const file of [...come, ...gone]) compared.add(file);
  const found: Rename[] = [];
  const left = new Set(gone);
  const sized = new Map<number | undefined, FileRecord[]>();
  for (const from of gone) {
    const alike = sized.get(sizeOf(from.before));
    if (alike === undefined) sized.set(sizeOf(from.before), [from]);
    else alike.push(from);
  }
  const pair = (file: FileRecord, from: FileRecord): void => {
    left.delete(from);
    found.push({ path: file.path, from: from.path });
  };
  let others: readonly FileRecord[] = come;
  // Of several with the same bytes, those that keep their names.
  for (const isNamed of [true, false]) {
    const unlike: FileRecord[] = [];
    for (const file of others) {
      const name = nameOf(file.path);
      const candidates = (sized.get(sizeOf(file.after)) ?? [])
        .filter((from) => left.has(from) && (!isNamed || nameOf(from.path) === name))
        .slice(0, mostAlike);
      const same = await sameIn(candidates, file, contents);
      if (same === undefined) unlike.push(file);
      else pair(file, same);
    }
    others = unlike;
  }
  if (others.length === 0 || others.length > mostCompared || left.size > mostCompared) return found;
  const lines = new Map<FileRecord, ReadonlyMap<string, number> | undefined>();
  for (const from of left) lines.set(from, await linesOf(from.before, contents));
  for (const file of others) {
    const wanted = await linesOf(file.after, contents);
    const alike = Array.from(left, (from) => ({ from, share: shared(wanted, lines.get(from)) }));
    const [best] = alike.filter(({ share }) => share >= leastShared).toSorted((one, other) => other.share - one.share);
    if (best !== undefined) pair(file, best.from);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return found;
}

function hasCome({ before, after }: FileRecord): boolean {
  return before.kind === "none" && after.kind !== "none";
}

function hasGone({ before, after }: FileRecord): boolean {
  return before.kind !== "none" && after.kind === "none";
}

/** Empty files are all the same. */
function isKept(content: Content): boolean {
  return (sizeOf(content) ?? 0) > 0;
}

function sizeOf(content: Content): number | undefined {
  if (content.kind === "text") return Number(content.text.split(".")[1]);
  return content.kind === "bytes" || content.kind === "git" ? content.size : undefined;
}

async function sameIn(
  gone: readonly FileRecord[],
  file: FileRecord,
  contents: Contents,
): Promise<FileRecord | undefined> {
  for (const from of gone) if (await contents.isSame(from.before, file.after)) return from;
  return undefined;
}

function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** How often each line stands in a text; undefined for what is no text, or is too long. */
async function linesOf(content: Content, contents: Contents): Promise<ReadonlyMap<string, number> | undefined> {
  const text = (sizeOf(content) ?? 0) > longestCompared ? undefined : await contents.read(content);
  if (text === undefined) return undefined;
  const found = new Map<string, number>();
  for (const line of text.split(/(?<=\n)/u)) found.set(line, (found.get(line) ?? 0) + 1);
  return found;
}

/** How much of the longer text is in the other one, too, line by line: from 0 to 1. */
function shared(one?: ReadonlyMap<string, number>, other?: ReadonlyMap<string, number>): number {
  if (one === undefined || other === undefined) return 0;
  let both = 0;
  for (const [line, count] of one) both += line.length * Math.min(count, other.get(line) ?? 0);
  return both / Math.max(lengthOf(one), lengthOf(other), 1);
}

function lengthOf(lines: ReadonlyMap<string, number>): number {
  let length = 0;
  for (const [line, count] of lines) length += line.length * count;
  return length;
}
