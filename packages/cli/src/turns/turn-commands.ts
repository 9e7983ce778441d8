import { dirname, isAbsolute, relative, resolve } from "node:path";
import { type HostMessage, PatchbayError, type Platform, turnsDirectory } from "@patchbay/core";
import {
  changedHunks,
  createDiskDoor,
  FolderLedgers,
  type FolderLedgersOptions,
  type TurnFile,
  type TurnInfo,
  type TurnPart,
  type UndoneFile,
  type UndoResult,
} from "@patchbay/turns";
import type { TurnsCommand } from "../command-line.ts";
import { program } from "../own-command.ts";
import { renderDiff } from "../review/unified-diff.ts";
import { escapeLine, safeJson } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";

export interface TurnsOptions {
  readonly command: TurnsCommand;
  readonly platform: Platform;
  readonly paint: Paint;
  readonly print: (line: string) => void;
  /** Whether the user says yes; undefined where nobody can be asked. */
  readonly ask: (question: string) => Promise<boolean | undefined>;
}

/** The ledger of folders on disk. What it writes, it writes in place. */
export function openLedgers(
  platform: Platform,
  folders: readonly string[],
  options: Pick<FolderLedgersOptions, "looks" | "mayKeep" | "tellUser">,
): FolderLedgers {
  return new FolderLedgers({
    ...options,
    platform,
    storageDirectory: turnsDirectory(platform, folders),
    folders,
    door: createDiskDoor({ platform, folders }),
  });
}

/** Longest diff of a file that is printed, lines. */
const longestDiff = 2_000;

/** `turns`, `diff`, `undo` and `redo`: what agents did in a folder, from what is on disk. Works without an editor. Resolves with the exit code. */
export async function runTurns(options: TurnsOptions): Promise<number> {
  const { command, platform } = options;
  const folder = await folderWithTurns(platform, command.folder);
  const tellUser = async ({ text }: HostMessage): Promise<void> => options.print(options.paint.bad(escapeLine(text)));
  const ledgers = openLedgers(platform, [folder], { looks: false, mayKeep: () => true, tellUser });
  try {
    await ledgers.settled();
    switch (command.kind) {
      case "turns":
        return listTurns(ledgers, folder, options);
      case "diff":
        return await printDiff(ledgers, folder, options);
      case "undo":
        return options.command.session === undefined
          ? await undoPart(ledgers, folder, options)
          : await undoSession(ledgers, folder, { ...options, session: options.command.session });
      case "redo":
        return await redo(ledgers, folder, options);
    }
  } finally {
    await ledgers.settled();
    ledgers.dispose();
  }
}

/** The folder itself, or the nearest one above it, in which agents did something. */
async function folderWithTurns({ files, ...platform }: Platform, from: string): Promise<string> {
  for (let folder = from; ; folder = dirname(folder)) {
    if ((await files.lstat(turnsDirectory(platform, [folder]))) !== undefined) return folder;
    if (dirname(folder) === folder) return from;
  }
}

function listTurns(ledgers: FolderLedgers, folder: string, { command, paint, print }: TurnsOptions): number {
  const turns = ledgers.turns();
  if (command.json) {
    print(safeJson(turns));
    return 0;
  }
  if (turns.length === 0) {
    print(
      `Nothing that agents changed in ${folder} is known. Agents tell of it by their hooks: ${program} hook install`,
    );
  }
  for (const turn of turns) {
    const { number, prompt, began, ended, border, isPartial, session, git = [] } = turn;
    const facts = [
      new Date(began).toLocaleString(),
      ...(ended === undefined ? ["working"] : []),
      ...(border === "estimated" ? ["its begin and end are estimated"] : []),
      ...(isPartial ? ["not all files could be looked at"] : []),
      ...(session === "" ? [] : [`session ${escapeLine(session)}`]),
    ];
    print(`${paint.strong(`${number}  ${escapeLine(titleOf(turn, turns))}`)}  ${paint.faint(facts.join(", "))}`);
    if (prompt !== "") print(`   ${escapeLine(prompt)}`);
    if (git.length > 0)
      print(
        paint.faint(
          `   changed in git: ${git.map(escapeLine).join(", ")}. An undo changes files, and nothing of that.`,
        ),
      );
    for (const file of turn.files) print(`   ${fileLine(file, folder, paint)}`);
  }
  return 0;
}

function titleOf({ undoes, agents }: TurnInfo, turns: readonly TurnInfo[]): string {
  const names = agents.join(", ");
  if (undoes === undefined) return names;
  const undone = turns.find(({ id }) => id === undoes);
  const of = undone === undefined ? names : `turn ${undone.number} (${names})`;
  return `${undone?.undoes === undefined ? "undo" : "redo"} of ${of}`;
}

const whyNot: Readonly<Record<NonNullable<TurnFile["cannotUndo"]>, string>> = {
  large: "too large, and git does not have it",
  withheld: "no copy of it may be kept",
  failed: "the copy could not be written",
  unread: "nobody could read it in time",
  special: "it was no file and no link",
};

function fileLine(file: TurnFile, folder: string, paint: Paint): string {
  const { path, kind, attribution, review, lines, cannotUndo } = file;
  const [what = kind] = movesOf(file, folder);
  const counts = lines === undefined ? "" : ` ${paint.added(`+${lines.added}`)} ${paint.removed(`-${lines.removed}`)}`;
  const doubts = { exact: "", likely: ", likely", unknown: ", perhaps changed by you" }[attribution];
  const state = review === "unreviewed" ? "not reviewed" : review;
  const limit = cannotUndo === undefined ? "" : paint.bad(`, cannot be undone: ${whyNot[cannotUndo]}`);
  return `${shown(path, folder)}${counts}  ${paint.faint(`${what}${doubts}, ${state}`)}${limit}`;
}

async function printDiff(
  ledgers: FolderLedgers,
  folder: string,
  { command, paint, print }: TurnsOptions,
): Promise<number> {
  const { turn, files } = chosenOf(ledgers, folder, command);
  for (const file of files) {
    const { path } = file;
    print(paint.strong(shown(path, folder)));
    const facts = factsOf(file, folder);
    for (const fact of facts) print(paint.faint(fact));
    const before = await ledgers.beforeText(turn.id, path);
    const after = await ledgers.afterText(turn.id, path);
    if (before === after && facts.length > 0) continue;
    const { lines, omitted } = renderDiff(before ?? "", after ?? "", { paint, maximumLines: longestDiff });
    for (const line of lines) print(line);
    if (omitted > 0) print(paint.faint(`(${omitted} more lines)`));
  }
  return 0;
}

function movesOf({ movedFrom }: TurnFile, folder: string): readonly string[] {
  return movedFrom === undefined ? [] : [`renamed from ${shown(movedFrom, folder)}`];
}

/** What lines do not tell of a change. */
function factsOf(file: TurnFile, folder: string): readonly string[] {
  const { kind, lines, mode, target } = file;
  const octal = (bits: number): string => bits.toString(8).padStart(3, "0");
  const { before, after } = target ?? {};
  const moves = movesOf(file, folder);
  return [
    ...moves,
    ...(mode === undefined ? [] : [`permissions ${octal(mode.before)} → ${octal(mode.after)}`]),
    ...(before === undefined ? [] : [`was a link to ${escapeLine(before)}`]),
    ...(after === undefined ? [] : [`is a link to ${escapeLine(after)}`]),
    ...(lines === undefined && target === undefined && moves.length === 0 ? [`(no text to show: ${kind})`] : []),
  ];
}

async function undoPart(
  ledgers: FolderLedgers,
  folder: string,
  { command, paint, print, ask }: TurnsOptions,
): Promise<number> {
  const { turn, files } = chosenOf(ledgers, folder, command);
  const { hunk: number } = command;
  const [only] = files;
  let hunk: { readonly start: number; readonly end: number } | undefined;
  if (number !== undefined) {
    if (files.length !== 1 || only === undefined) {
      throw new PatchbayError("invalid-argument", "Name one file with --hunk: the hunks of a file are counted from 1.");
    }
    const texts = [await ledgers.beforeText(turn.id, only.path), await ledgers.afterText(turn.id, only.path)] as const;
    const hunks = changedHunks(texts[0] ?? "", texts[1] ?? "");
    const found = hunks[number - 1];
    if (found === undefined) {
      throw new PatchbayError("invalid-argument", `There is no hunk ${number}: the file has ${hunks.length}.`);
    }
    hunk = { start: found.afterStart, end: found.afterEnd };
  }
  const path = command.path === undefined ? undefined : only?.path;
  const meant = path === undefined ? files.filter(isSure) : files;
  const what = meant.map((file) => shown(file.path, folder)).join(", ");
  const question = `Undo what ${turn.agents.join(", ")} did in ${what}?`;
  // Of what may be the user's, nothing is undone, and each file is said.
  if (meant.length > 0 && !(await isWanted(question, { command, print, ask }))) return 1;
  return await undoAndTell(ledgers, folder, [turn], {
    command,
    paint,
    print,
    part: { ...(path === undefined ? {} : { path }), ...(hunk === undefined ? {} : { hunk }) },
  });
}

/** Not perhaps the user's own change. */
function isSure({ attribution }: TurnFile): boolean {
  return attribution !== "unknown";
}

/** Undoes an undo: the last one, or that of a turn. */
async function redo(
  ledgers: FolderLedgers,
  folder: string,
  { command, paint, print, ask }: TurnsOptions,
): Promise<number> {
  const chosen = command.turn === undefined ? undefined : turnWith(command.turn, ledgers.turns());
  const undo = chosen !== undefined && chosen.undoes !== undefined ? chosen : ledgers.lastUndo(chosen?.id);
  if (undo === undefined) {
    print(chosen === undefined ? "There is nothing to bring back." : `Nothing of turn ${chosen.number} is undone.`);
    return 1;
  }
  const files = filesOf(undo, folder, command.path);
  const what = files.map(({ path }) => shown(path, folder)).join(", ");
  const question = `Bring back what was undone of ${undo.agents.join(", ")} in ${what}?`;
  if (!(await isWanted(question, { command, print, ask }))) return 1;
  const [path] = command.path === undefined ? [] : files.map((file) => file.path);
  return await undoAndTell(ledgers, folder, [undo], {
    command,
    paint,
    print,
    part: path === undefined ? {} : { path },
  });
}

/** All turns of one session, the newest first: an older one is what the newer one began with. */
async function undoSession(
  ledgers: FolderLedgers,
  folder: string,
  { command, session, paint, print, ask }: TurnsOptions & { readonly session: string },
): Promise<number> {
  const all = ledgers.turns().filter(({ undoes }) => undoes === undefined);
  const names = new Set(all.map((turn) => turn.session).filter((name) => session !== "" && name.startsWith(session)));
  const [name = "", ...others] = names.has(session) ? [session] : names;
  if (names.size === 0 || others.length > 0) {
    const text = names.size === 0 ? "No turn is of session" : "Several sessions begin with";
    throw new PatchbayError("invalid-argument", `${text} ${escapeLine(session)}. Type: ${program} turns`);
  }
  const turns = all.filter((turn) => turn.session === name && turn.files.some(({ review }) => review !== "undone"));
  if (turns.length === 0) {
    print("Everything of this session is undone already.");
    return 0;
  }
  const paths = new Set(turns.flatMap(({ files }) => files.filter(isSure).map(({ path }) => shown(path, folder))));
  const agents = new Set(turns.flatMap(({ agents: own }) => own));
  const count = turns.length === 1 ? "one turn" : `${turns.length} turns`;
  const question = `Undo what ${[...agents].join(", ")} did in ${count} of this session: ${[...paths].join(", ")}?`;
  if (!(await isWanted(question, { command, print, ask }))) return 1;
  return await undoAndTell(ledgers, folder, turns, { command, paint, print, part: {} });
}

async function isWanted(
  question: string,
  { command, print, ask }: Pick<TurnsOptions, "command" | "print" | "ask">,
): Promise<boolean> {
  if (command.yes) return true;
  const answer = await ask(question);
  if (answer === undefined)
    print("Nobody could be asked, and nothing was changed. With --yes it is done without a question.");
  return answer === true;
}

async function undoAndTell(
  ledgers: FolderLedgers,
  folder: string,
  turns: readonly TurnInfo[],
  { command, paint, print, part }: Pick<TurnsOptions, "command" | "paint" | "print"> & { readonly part: TurnPart },
): Promise<number> {
  const { now, reason = "" } = command;
  const results: UndoResult[] = [];
  for (const turn of turns) {
    const result = await ledgers.undo(turn.id, { now, ...part, ...(reason.trim() === "" ? {} : { reason }) });
    for (const file of result.files)
      print(outcomeLine(file, folder, paint, turn.undoes === undefined ? "undone" : "brought back"));
    results.push(result);
  }
  await ledgers.settled();
  if (!ledgers.isWritten) {
    const waits = results.flatMap(({ files }) => files).some(({ outcome }) => outcome === "queued");
    const text = waits
      ? "That could not be written down, so nothing will be undone later. To undo it at once, add --now."
      : "The undo could not be written down, so it cannot be taken back.";
    print(paint.bad(text));
    return 1;
  }
  if (results.some(({ turn }) => turn !== undefined && ledgers.isToHear(turn))) {
    print(paint.faint("The agent is told with your next prompt, if an editor with Patchbay is running then."));
  }
  const isDone = results
    .flatMap(({ files }) => files)
    .every(({ outcome }) => outcome === "undone" || outcome === "queued" || outcome === "unsure");
  return isDone ? 0 : 1;
}

function outcomeLine(
  { path, outcome, conflicts }: UndoneFile,
  folder: string,
  paint: Paint,
  done: "undone" | "brought back",
): string {
  const name = shown(path, folder);
  const places = conflicts === 1 ? "one place was" : `${conflicts} places were`;
  switch (outcome) {
    case "undone":
      return paint.good(`${name}: ${done}`);
    case "partly":
      return `${name}: ${done}, but ${places} changed again since and left alone`;
    case "conflict":
      return paint.bad(`${name}: left alone, because it was changed again since`);
    case "queued":
      return `${name}: the agent works on it; ${done} when its turn has ended (--now does not wait)`;
    case "stale":
      return paint.bad(`${name}: left alone, because it changes right now or is no plain file of the folder`);
    case "unknown":
      return paint.bad(`${name}: left alone, because what it was before is not kept`);
    case "failed":
      return paint.bad(`${name}: could not be written, or moved to the trash`);
    case "unsure":
      return `${name}: left alone, because it may be your own change (name the file to undo it)`;
  }
}

/** The turn with this number, or the newest one with something that is neither kept nor undone; and its files that are meant. */
function chosenOf(
  ledgers: FolderLedgers,
  folder: string,
  { turn: number, path }: TurnsCommand,
): { readonly turn: TurnInfo; readonly files: readonly TurnFile[] } {
  const turns = ledgers.turns();
  const isOpen = ({ review }: TurnFile): boolean => review === "unreviewed" || review === "partly";
  const newest = turns.find(({ undoes, files }) => undoes === undefined && files.some(isOpen));
  const turn = number === undefined ? newest : turnWith(number, turns);
  if (turn !== undefined) return { turn, files: filesOf(turn, folder, path) };
  const none =
    turns.length === 0 ? "No changes by agents are known here." : "All changes by agents are kept or undone.";
  throw new PatchbayError("invalid-argument", `${none} Type: ${program} turns`);
}

function turnWith(number: number, turns: readonly TurnInfo[]): TurnInfo {
  const [turn, other] = turns.filter((one) => one.number === number);
  if (turn !== undefined && other === undefined) return turn;
  const text =
    turn === undefined
      ? `There is no turn ${number}. Type: ${program} turns`
      : `Two turns that began at the same time have the number ${number}. Use an editor, or --session.`;
  throw new PatchbayError("invalid-argument", text);
}

function filesOf(turn: TurnInfo, folder: string, path: string | undefined): readonly TurnFile[] {
  const wanted = path === undefined ? undefined : resolve(folder, path);
  const isMeant = ({ path: name, movedFrom }: TurnFile): boolean => name === wanted || movedFrom === wanted;
  const files = turn.files.filter((file) => wanted === undefined || isMeant(file));
  if (files.length > 0) return files;
  throw new PatchbayError("invalid-argument", `This turn did not change ${escapeLine(path ?? "any file")}.`);
}

function shown(path: string, folder: string): string {
  const way = relative(folder, path);
  return escapeLine(way.startsWith("..") || isAbsolute(way) ? path : way);
}
