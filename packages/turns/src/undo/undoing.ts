import type { Platform } from "@patchbay/core";
import { finishInTurns } from "@patchbay/core/texts";
import type {
  TurnFile,
  TurnHunk,
  TurnInfo,
  TurnPart,
  TurnTexts,
  UndoEntry,
  UndoLedger,
  UndoneFile,
  UndoRequest,
  UndoResult,
} from "../model.ts";
import { isSame, linesAt, type Meant, meantIn } from "./meant-hunks.ts";
import { restoreMode, undoRename, undoWhole } from "./whole-undo.ts";
import { changedHunks, undoHunks, type UndoInput, type UndoneText, undoSteps, withoutHunks } from "./undo-hunks.ts";

/** A file that changes just while it is written is looked at so often. */
const mostTries = 3;

/** Texts of so many UTF-16 units together are compared at once. */
const comparedAtOnce = 512 * 1024;

function isLeft({ attribution }: TurnFile, { path, unsure }: UndoRequest): boolean {
  return attribution === "unknown" && path === undefined && unsure !== true;
}

/** What became of a file's text; undefined: there is no file. */
interface Replaced {
  readonly now: string | undefined;
  readonly text: string | undefined;
  /** The hunks that are gone; undefined: everything was left alone. */
  readonly undone: readonly number[] | undefined;
  readonly conflicts: readonly number[];
}

/** Keeps or takes back what turns changed: one verdict after the other. */
export class Undoing {
  readonly #ledger: UndoLedger;
  readonly #clock: Platform["clock"];
  /** Turns with verdicts that wait until agents have ended. */
  readonly #waiting: Set<string> = new Set();
  readonly #subscription: { dispose(): void };
  // oxlint-disable-next-line patchbay/no-kept-promise -- The end of a chain whose links never reject.
  #last: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(ledger: UndoLedger, clock: Platform["clock"]) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#subscription = ledger.onDidEnd(({ id, isHere }) => {
      if (isHere) this.#waiting.add(id);
      else this.#waiting.delete(id);
      void this.#inTurn(async () => await this.#applyWaiting()).catch(() => {});
    });
  }

  /** False where there is no such turn, file or hunk. */
  async keep(id: string, part: TurnPart): Promise<boolean> {
    return await this.#inTurn(async () => {
      await this.#ledger.refresh();
      let isKept = false;
      for (const file of this.#allOf(id, part)) {
        if (await this.#keepFile(id, file, part.hunk)) isKept = true;
      }
      return isKept;
    });
  }

  /** Takes a turn back, a file of it or a hunk; or notes that it is to be taken back when the agents that work have ended. */
  async undo(id: string, request: UndoRequest): Promise<UndoResult> {
    return await this.#inTurn(async () => {
      await this.#ledger.refresh();
      const turn = this.#ledger.turn(id);
      if (turn === undefined) return { files: [], turn: undefined };
      // Where a turn ends is a guess then, and nothing is to happen by itself on a guess.
      const canWait = request.now !== true && turn.border === "exact";
      return canWait && this.#ledger.isWorking(id)
        ? await this.#enqueue(id, request)
        : await this.#apply(turn, request);
    });
  }

  /** Carries out at once what waits for the end of a turn, and only now; undefined where it does not wait: it was carried out then. */
  async undoWaiting(id: string, waiting: UndoRequest): Promise<UndoResult | undefined> {
    return await this.#inTurn(async () => {
      await this.#ledger.refresh();
      const turn = this.#ledger.turn(id);
      const queued = this.#ledger.queued(id);
      const others = queued.filter((one) => !isSameRequest(one, waiting));
      if (turn === undefined || others.length === queued.length) return undefined;
      await this.#ledger.queue(id, others);
      return await this.#apply(turn, waiting);
    });
  }

  /** Resolves when every verdict so far is carried out or queued. */
  async settled(): Promise<void> {
    await this.#inTurn(async () => {});
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#subscription.dispose();
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => {});
    return await next;
  }

  /** The user's own lines, and what they kept, are not taken back without being named. */
  #filesOf(id: string, request: UndoRequest): readonly TurnFile[] {
    const isKept = ({ path }: TurnFile): boolean => request.path === undefined && this.#ledger.isKept(id, path);
    return this.#allOf(id, request).filter((file) => !isLeft(file, request) && !isKept(file));
  }

  #allOf(id: string, { path, except = [] }: UndoRequest): readonly TurnFile[] {
    const isMeant = (file: TurnFile): boolean =>
      (path === undefined || file.path === path || file.movedFrom === path) && !except.includes(file.path);
    return this.#ledger.turn(id)?.files.filter(isMeant) ?? [];
  }

  /** What a request leaves alone, for its result. */
  #leftOf(id: string, request: UndoRequest): readonly UndoneFile[] {
    const left = this.#allOf(id, request).filter((file) => isLeft(file, request) && file.review !== "undone");
    return left.map(({ path }) => ({ path, outcome: "unsure", conflicts: 0 }));
  }

  /** What the user keeps is not taken back when the agent has finished, whatever else becomes of the file until then. */
  async #leaveOut(id: string, path: string): Promise<void> {
    const queued = this.#ledger.queued(id);
    const left = queued.flatMap((one) => {
      if (one.path === path) return [];
      return one.path === undefined ? [{ ...one, except: [...(one.except ?? []), path] }] : [one];
    });
    if (queued.length > 0) await this.#ledger.queue(id, left);
  }

  async #keepFile(id: string, { path, movedFrom }: TurnFile, hunk: TurnHunk | undefined): Promise<boolean> {
    const texts = await this.#ledger.texts(id, path);
    if (hunk === undefined) await this.#leaveOut(id, path);
    if (texts === undefined || (hunk === undefined && movedFrom !== undefined)) {
      await this.#ledger.keptWhole(id, path);
      return true;
    }
    const { before = "", after = "" } = texts;
    const { chosen, cut } = meantIn(texts, hunk === undefined ? {} : { hunk });
    if (chosen.length === 0 && hunk !== undefined) return false;
    const others = changedHunks(before, after, cut).flatMap((_, number) => (chosen.includes(number) ? [] : [number]));
    const isWhole = others.length === 0;
    const left = { before: isWhole ? texts.after : withoutHunks(before, after, others, cut), after: texts.after };
    // Its name is still to be decided.
    await this.#ledger.review(id, path, isWhole && movedFrom === undefined ? "kept" : "partly", left);
    return true;
  }

  async #enqueue(id: string, request: UndoRequest): Promise<UndoResult> {
    const ledger = this.#ledger;
    this.#waiting.add(id);
    const texts =
      request.path === undefined || request.hunk === undefined ? undefined : await ledger.texts(id, request.path);
    const lines = texts === undefined ? undefined : linesAt(texts, request.hunk);
    const waiting = lines === undefined ? request : { ...request, lines };
    await ledger.queue(id, [...ledger.queued(id), waiting]);
    const files: UndoneFile[] = [];
    for (const { path, review } of this.#filesOf(id, request)) {
      // Nothing would ever say that it does not wait.
      if (review === "undone") continue;
      await ledger.review(id, path, "queued", await ledger.texts(id, path));
      files.push({ path, outcome: "queued", conflicts: 0 });
    }
    return { files: [...files, ...this.#leftOf(id, request)], turn: undefined, waiting };
  }

  async #applyWaiting(): Promise<void> {
    const ledger = this.#ledger;
    await ledger.refresh();
    for (const id of this.#waiting) {
      if (this.#isDisposed || ledger.isWorking(id)) continue;
      this.#waiting.delete(id);
      const turn = ledger.turn(id);
      const requests = ledger.queued(id);
      if (turn === undefined || requests.length === 0) continue;
      for (const request of requests) await this.#apply(turn, request);
      await ledger.queue(id, []);
    }
  }

  async #apply(turn: TurnInfo, request: UndoRequest): Promise<UndoResult> {
    const { id } = turn;
    const entry = this.#ledger.openEntry(id);
    const files: UndoneFile[] = [];
    const meant = this.#filesOf(id, request);
    const places = new Map(meant.map(({ path }, place) => [path, place]));
    for (const file of this.#inOrder(id, meant)) {
      const { isNew, folders } = this.#ledger.made(id, file.path);
      if (!isNew) await this.#removeEmpty(folders);
      const done = await this.#applyToFile(turn, file, request, entry);
      files.push(done);
      if (isNew && done.outcome === "undone") await this.#removeEmpty(folders);
    }
    files.sort((one, other) => (places.get(one.path) ?? 0) - (places.get(other.path) ?? 0));
    files.push(...this.#leftOf(id, request));
    const result = { files, turn: await entry.end() };
    if (result.turn !== undefined) await this.#ledger.undid({ turn, result, reason: request.reason });
    return result;
  }

  async #removeEmpty(folders: readonly string[]): Promise<void> {
    for (const folder of folders) await this.#ledger.door.removeEmpty(folder);
  }

  /** What the turn made goes first, the innermost before its folder: a file that was there may stand where a folder is now. */
  #inOrder(id: string, files: readonly TurnFile[]): readonly TurnFile[] {
    const isNew = ({ path }: TurnFile): boolean => this.#ledger.made(id, path).isNew;
    return [...files.filter(isNew).toReversed(), ...files.filter((file) => !isNew(file))];
  }

  async #applyToFile(
    turn: TurnInfo,
    { path, kind, review, movedFrom }: TurnFile,
    request: UndoRequest,
    entry: UndoEntry,
  ): Promise<UndoneFile> {
    const ledger = this.#ledger;
    const told = (outcome: UndoneFile["outcome"], conflicts = 0): UndoneFile => ({ path, outcome, conflicts });
    const texts = await ledger.texts(turn.id, path);
    const giveUp = async (outcome: UndoneFile["outcome"], conflicts = 0): Promise<UndoneFile> => {
      if (review === "queued") await ledger.review(turn.id, path, "unreviewed", texts);
      return told(outcome, conflicts);
    };
    const isRename = movedFrom !== undefined && request.hunk === undefined;
    if (texts === undefined || kind === "mode" || isRename) {
      // By itself before: what stands there since is not the turn's.
      if (review === "undone") return told("undone");
      const outcome = isRename
        ? await undoRename(ledger, turn.id, { path, from: movedFrom }, entry)
        : request.hunk === undefined
          ? await undoWhole(ledger, turn.id, path, entry)
          : "unknown";
      if (outcome !== "undone") return await giveUp(outcome);
      for (const name of isRename ? [path, movedFrom] : [path])
        if (turn.undoes !== undefined) await ledger.broughtBack(turn.undoes, name, kind === "mode");
      return told(outcome);
    }
    const meant = meantIn(texts, request);
    const { chosen, cut } = meant;
    if (chosen.length === 0 && texts.before === texts.after) return told("undone");
    // The agent has changed these lines again.
    if (chosen.length === 0 && request.hunk !== undefined) return await giveUp("conflict", 1);
    for (let tries = 1; tries <= mostTries; tries += 1) {
      let made: Replaced | "stale" | "failed";
      try {
        made = await this.#replace(path, texts, meant, entry);
      } catch {
        // A full disk, a folder that may not be written.
        made = "failed";
      }
      if (typeof made !== "string" && made.text === texts.before) await restoreMode(ledger, turn.id, path);
      await entry.settle(path, wroteOf(made));
      if (made === "stale") continue;
      if (made === "failed") return await giveUp("failed");
      const { undone, conflicts } = made;
      if (undone === undefined) return await giveUp("conflict", conflicts.length);
      const left = leftOf(texts, undone, cut);
      const isAll = left.before === left.after && movedFrom === undefined;
      await ledger.review(turn.id, path, isAll ? "undone" : "partly", left);
      if (turn.undoes !== undefined)
        await this.#bringBack(turn.undoes, path, texts, { which: undone, cut }, left.before === left.after);
      return told(conflicts.length === 0 ? "undone" : "partly", conflicts.length);
    }
    return await giveUp("stale");
  }

  async #replace(
    path: string,
    texts: TurnTexts,
    { chosen, cut }: Meant,
    entry: UndoEntry,
  ): Promise<Replaced | "stale" | "failed"> {
    const { door } = this.#ledger;
    const unsaved = await door.unsavedText(path);
    const onDisk = unsaved === undefined ? await this.#ledger.textOnDisk(path) : { text: unsaved };
    const now = onDisk?.text;
    const { before, after } = texts;
    const isWhole = chosen.length === changedHunks(before ?? "", after ?? "", cut).length;
    const leaveAlone = { now, text: now, undone: undefined, conflicts: chosen.length === 0 ? [0] : chosen };
    if (onDisk === undefined) return leaveAlone;
    if (now === before && isWhole) return { now, text: now, undone: chosen, conflicts: [] };
    // Somebody has removed the file since, or made one where the turn removed it.
    if ((now === undefined) !== (after === undefined)) return leaveAlone;
    if (before === undefined && now === after && isWhole && unsaved === undefined) {
      await entry.aboutTo(path, now);
      return (await door.remove(path)) ? { now, text: undefined, undone: chosen, conflicts: [] } : "failed";
    }
    const input = {
      before: before ?? "",
      after: after ?? "",
      now: now ?? "",
      which: chosen,
      cut,
      isBuffer: unsaved !== undefined,
    } as const;
    const { text, undone, conflicts } = await this.#compare(input);
    if (undone.length === 0 && now !== undefined) return { ...leaveAlone, conflicts };
    if (text !== now) {
      await entry.aboutTo(path, now);
      if ((await door.replace(path, now, text, texts.goneMode)) === "stale") return "stale";
    }
    return { now, text, undone, conflicts };
  }

  /** Long texts make room for other work. */
  async #compare(input: UndoInput): Promise<UndoneText> {
    const length = input.before.length + input.after.length + input.now.length;
    return length <= comparedAtOnce ? undoHunks(input) : await finishInTurns(undoSteps(input), this.#clock);
  }

  /** An undo was undone: what it had taken back of its turn is to be reviewed again. */
  async #bringBack(
    undoes: string,
    path: string,
    { before, after }: TurnTexts,
    meant: Pick<UndoInput, "which" | "cut">,
    isAll: boolean,
  ): Promise<void> {
    const ledger = this.#ledger;
    const texts = await ledger.texts(undoes, path);
    if (texts === undefined) return;
    const sides = { before: before ?? "", after: after ?? "", now: texts.after ?? "" };
    // A hunk may have been brought back by itself.
    const { text, conflicts } = await this.#compare({ ...sides, ...meant });
    if (conflicts.length > 0) return;
    const isThere = before !== undefined;
    const isWhole = isAll && texts.before === texts.after;
    await ledger.review(undoes, path, isWhole ? "unreviewed" : "partly", {
      before: texts.before,
      after: isThere ? text : undefined,
    });
  }
}

/** What was written; undefined where the file was left alone. */
function wroteOf(made: Replaced | "stale" | "failed"): Pick<TurnTexts, "before" | "after"> | undefined {
  return typeof made === "string" || made.now === made.text ? undefined : { before: made.now, after: made.text };
}

/** What is undecided once hunks were taken back. */
function leftOf({ before, after }: TurnTexts, undone: readonly number[], cut: TurnHunk | undefined): TurnTexts {
  const isWhole = undone.length === changedHunks(before ?? "", after ?? "", cut).length;
  return { before, after: isWhole ? before : withoutHunks(before ?? "", after ?? "", undone, cut) };
}

function isSameRequest(one: UndoRequest, other: UndoRequest): boolean {
  const isSamePlace =
    one.path === other.path && one.hunk?.start === other.hunk?.start && one.hunk?.end === other.hunk?.end;
  if (!isSamePlace || one.reason !== other.reason) return false;
  return one.lines === undefined || other.lines === undefined
    ? one.lines === other.lines
    : isSame(one.lines, other.lines);
}
