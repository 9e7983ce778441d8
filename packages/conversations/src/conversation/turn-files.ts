import { createHash } from "node:crypto";
import { type Clock, type Logger, messageOf, withTimeout } from "@patchbay/core";
import { mergeTexts, restoreLineEnds, splitByteOrderMark } from "@patchbay/core/texts";
import type { AgentSession, RewindResult, SessionHost } from "../driver.ts";
import type { ChangedFile, FileChange, TurnChanges, UndoResult } from "../model/changes.ts";
import type { Entry } from "../model/entries.ts";
import type { SessionUpdate } from "../model/session.ts";
import type { FileRecord, TextRecord, TurnRecord } from "../transcript/line.ts";
import type { Transcript } from "../transcript/transcript.ts";
import type { ToldTurns } from "./told-turns.ts";

/** What a conversation needs of the editor. */
export interface ConversationHost extends SessionHost {
  /** Removes a file that an agent has created, at the user's wish. */
  removeFile(path: string): Promise<void>;
}

export interface TurnFilesOptions {
  readonly host: ConversationHost;
  /** Is told of what is about to be written. */
  readonly told?: Pick<ToldTurns, "aboutToWrite" | "wrote"> | undefined;
  readonly transcript: () => Transcript;
  /** False: another window has the conversation. */
  readonly mayWrite: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onDidChange: (turns: readonly TurnChanges[]) => void;
}

/** How many turns are told. */
const toldTurns = 20;
/** Texts of files that may be about to change take this much memory at most, UTF-16 units: 32 MB. */
const candidateUnits = 16 * 1024 * 1024;

/** How long a file may take to be read, ms: a folder of the network may not answer at all. */
const readMs = 2_000;

/** A text, or that there is no such file. */
type FileText = string | undefined;

/**
 * What each turn did to the files, and the way back: a file's text is kept from before its first change in a turn, and as the
 * turn left it. What shell commands do is not seen, and stays.
 */
export class TurnFiles {
  readonly #options: TurnFilesOptions;
  /** By turn, in the order of their beginning. */
  readonly #turns: Map<string, TurnRecord> = new Map();
  /** What files hold that the agent is about to read or write in this turn. */
  readonly #candidates: Map<string, FileText> = new Map();
  #candidateUnits = 0;
  #turn: TurnRecord | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(options: TurnFilesOptions) {
    this.#options = options;
    this.load();
  }

  /** Takes what the transcript tells: after another window has gone on with it. */
  load(): void {
    for (const turn of this.#options.transcript().turns.toSorted((one, other) => one.place - other.place)) {
      this.#turns.delete(turn.turn);
      this.#turns.set(turn.turn, turn);
    }
  }

  /** The editor as the agent's driver sees it: each file is looked at before the agent gets at it. */
  get host(): SessionHost {
    const { host, told } = this.#options;
    return {
      readText: (path) => host.readText(path),
      problems: (path) => host.problems(path),
      mayRead: (path) => host.mayRead(path),
      locate: (path) => host.locate(path),
      ...(host.view === undefined ? {} : { view: host.view }),
      saveIfDirty: async (path) => {
        const wasDirty = await host.saveIfDirty(path);
        await this.#lookAt(path);
        return wasDirty;
      },
      aboutToWrite: async (path) => await told?.aboutToWrite(path),
      writeText: async (path, text) => {
        await this.#lookAt(path);
        await told?.aboutToWrite(path);
        await host.writeText(path, text);
      },
    };
  }

  /** The newest turns that changed files, oldest first. */
  get turns(): readonly TurnChanges[] {
    return Array.from(this.#turns.values()).slice(-toldTurns).map(changesOf);
  }

  begin(turn: string, place: number): void {
    this.#turn = { turn, place, ranCommands: false, files: [] };
    this.#candidates.clear();
    this.#candidateUnits = 0;
  }

  /** A tool that says what it is about is looked at before it runs, if there is still time. */
  sees(entry: Entry): void {
    if (entry.kind !== "tool" || this.#turn === undefined) return;
    if (entry.tool === "execute" && (entry.state === "running" || entry.state === "done")) this.#ranCommand();
    for (const change of entry.changes ?? []) {
      // As the agent knew it; a part of a file tells nothing of the rest.
      const isKnown = change.isFragment !== true && !this.#candidates.has(change.path);
      if (isKnown && !this.#isRecorded(change.path)) this.#hold(change.path, change.before);
    }
  }

  changed({ path, isAsked }: Extract<SessionUpdate, { type: "file-changed" }>): void {
    const turn = this.#turn?.turn;
    if (turn === undefined) return;
    this.#options.told?.wrote();
    const before = this.#candidates.has(path) ? { text: this.#candidates.get(path) } : undefined;
    this.#inTurn(async () => {
      const after = await this.#textOf(path);
      const record = this.#turn?.turn === turn ? this.#turn : this.#turns.get(turn);
      if (record === undefined || (before !== undefined && isSameText(before.text, after))) return;
      const held = record.files.find((file) => file.path === path);
      const first = held?.before ?? (before === undefined ? undefined : await this.#keep(before.text));
      const file: FileRecord = {
        path,
        ...(first === undefined ? {} : { before: first }),
        after: await this.#keep(after),
        isAsked: isAsked && held?.isAsked !== false,
        isUndone: false,
      };
      this.#record({ ...record, files: [...record.files.filter((one) => one.path !== path), file] });
    });
  }

  /** Resolves when all that was told has been looked at. */
  async settled(): Promise<void> {
    await this.#work;
  }

  /** What a turn did to a file. Undefined: it did nothing, or what the file held is not known any more. */
  async change(turn: string, path: string): Promise<FileChange | undefined> {
    await this.settled();
    const file = this.#turns.get(turn)?.files.find((one) => one.path === path);
    if (file?.before === undefined || file.after === undefined) return undefined;
    const [before, after] = [await this.#read(file.before), await this.#read(file.after)];
    if (before === "lost" || after === "lost") return undefined;
    return {
      path,
      ...(before.text === undefined ? {} : { before: before.text }),
      ...(after.text === undefined ? {} : { after: after.text }),
    };
  }

  /** Gives a file of a turn back what it held before; what has changed in it otherwise since stays, or it is refused. */
  async undo(turn: string, path: string): Promise<UndoResult> {
    return await this.#exchange(turn, path, true);
  }

  /** Takes an undo back. */
  async redo(turn: string, path: string): Promise<UndoResult> {
    return await this.#exchange(turn, path, false);
  }

  /**
   * Undoes a turn and all after it; `dryRun` only tells which files that are. What the user has written since stays, which the
   * agent's own means know nothing of: they are for changes that were not seen here.
   */
  async rewind(turn: string, dryRun: boolean, agent?: Pick<AgentSession, "rewind">): Promise<RewindResult> {
    const seen = await this.#rewind(turn, dryRun);
    if (seen.canRewind || seen.files.length > 0) return seen;
    return (await agent?.rewind?.(turn, dryRun)) ?? seen;
  }

  async #rewind(turn: string, dryRun: boolean): Promise<RewindResult> {
    await this.settled();
    const from = this.#turns.get(turn)?.place ?? (this.#turn?.turn === turn ? this.#turn.place : undefined);
    const turns = Array.from(this.#turns.values()).filter(({ place }) => from !== undefined && place >= from);
    const files = turns.flatMap((one) => one.files.filter(({ isUndone }) => !isUndone).map(({ path }) => path));
    if (files.length === 0) return { canRewind: false, reason: "No files have changed since.", files: [] };
    const changed = Array.from(new Set(files));
    if (dryRun) return { canRewind: true, files: changed };
    const refusals: string[] = [];
    for (const one of turns.toReversed()) {
      for (const { path, isUndone } of one.files.toReversed()) {
        const result: UndoResult = isUndone ? { kind: "done", merged: false } : await this.undo(one.turn, path);
        if (result.kind === "refused") refusals.push(`${path}: ${result.reason}`);
      }
    }
    if (refusals.length === 0) return { canRewind: true, files: changed };
    return { canRewind: false, reason: refusals.join("\n"), files: changed };
  }

  async #exchange(turn: string, path: string, isUndo: boolean): Promise<UndoResult> {
    await this.settled();
    if (!this.#options.mayWrite()) return refused("This conversation is open in another window.");
    const record = this.#turns.get(turn);
    const file = record?.files.find((one) => one.path === path);
    if (record === undefined || file === undefined) return refused("This turn has not changed the file.");
    if (file.isUndone === isUndo)
      return refused(isUndo ? "This has already been undone." : "This has already been applied.");
    const [base, target] = isUndo ? [file.after, file.before] : [file.before, file.after];
    if (base === undefined || target === undefined) return refused(unknownBefore);
    try {
      const result = await this.#write(path, await this.#read(base), await this.#read(target));
      if (result.kind === "done") {
        const files = record.files.map((one) => (one.path === path ? { ...one, isUndone: isUndo } : one));
        this.#record({ ...record, files });
      }
      return result;
    } catch (error) {
      this.#options.logger.warn("A file could not be given back", { reason: messageOf(error) });
      return refused(messageOf(error));
    }
  }

  /** Makes `target` of a file that held `base`. */
  async #write(path: string, base: KeptText, target: KeptText): Promise<UndoResult> {
    const { host, clock } = this.#options;
    if (base === "lost" || target === "lost") return refused("The earlier content of the file is no longer kept.");
    const held = await this.#textOf(path);
    if (isSameText(held, base.text)) {
      if (target.text === undefined) await host.removeFile(path);
      else await host.writeText(path, target.text);
      return { kind: "done", merged: false };
    }
    if (held === undefined) return refused("The file has been deleted since.");
    if (base.text === undefined) return refused("A file of this name has been created since.");
    if (target.text === undefined)
      return refused("The file has been changed since; delete it yourself if it is not needed.");
    const { mark, body } = splitByteOrderMark(held);
    const [from, to] = [splitByteOrderMark(base.text).body, splitByteOrderMark(target.text).body];
    const merged = await mergeTexts(from, to, body, clock);
    if (merged.kind === "conflict") return refused("The same lines have been changed since.");
    await host.writeText(path, mark + (await restoreLineEnds(merged.text, body, clock)));
    return { kind: "done", merged: true };
  }

  #ranCommand(): void {
    const turn = this.#turn;
    if (turn === undefined || turn.ranCommands) return;
    this.#turn = { ...turn, ranCommands: true };
    if (turn.files.length > 0) this.#record(this.#turn);
  }

  #record(record: TurnRecord): void {
    if (this.#turn?.turn === record.turn) this.#turn = record;
    this.#turns.set(record.turn, record);
    this.#options.transcript().recordTurn(record);
    this.#options.onDidChange(this.turns);
  }

  #isRecorded(path: string): boolean {
    return this.#turn?.files.some((file) => file.path === path) === true;
  }

  async #lookAt(path: string): Promise<void> {
    if (this.#turn === undefined || this.#candidates.has(path) || this.#isRecorded(path)) return;
    try {
      this.#hold(path, await this.#textOf(path));
    } catch (error) {
      this.#options.logger.warn("A file could not be read before a change", { reason: messageOf(error) });
    }
  }

  async #textOf(path: string): Promise<FileText> {
    const { host, clock } = this.#options;
    return await withTimeout(readMs, clock, host.readText(path));
  }

  /** The oldest go first: what is needed is what is about to be changed. */
  #hold(path: string, text: FileText): void {
    this.#candidates.set(path, text);
    this.#candidateUnits += text?.length ?? 0;
    for (const [oldest, held] of this.#candidates) {
      if (this.#candidateUnits <= candidateUnits || oldest === path) return;
      this.#candidates.delete(oldest);
      this.#candidateUnits -= held?.length ?? 0;
    }
  }

  async #keep(text: FileText): Promise<TextRecord> {
    if (text === undefined) return { kind: "absent" };
    const key = createHash("sha256").update(text).digest("hex");
    try {
      await this.#options.transcript().texts.write(key, text);
    } catch (error) {
      this.#options.logger.warn("The text of a file could not be kept", { reason: messageOf(error) });
    }
    return { kind: "text", key };
  }

  async #read(record: TextRecord): Promise<KeptText> {
    if (record.kind === "absent") return { text: undefined };
    const text = await this.#options.transcript().texts.read(record.key);
    return text === undefined ? "lost" : { text };
  }

  #inTurn(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      this.#options.logger.warn("A change of a file could not be recorded", { reason: messageOf(error) });
    });
  }
}

type KeptText = { readonly text: FileText } | "lost";

/** An open document and an agent leave out the byte order mark that the file has on disk. */
function isSameText(one: FileText, other: FileText): boolean {
  if (one === undefined || other === undefined) return one === other;
  return splitByteOrderMark(one).body === splitByteOrderMark(other).body;
}

const unknownBefore = "The earlier content of the file is not known.";

function refused(reason: string): UndoResult {
  return { kind: "refused", reason };
}

function changesOf({ turn, ranCommands, files }: TurnRecord): TurnChanges {
  return { turn, ranCommands, files: files.map(changedFileOf) };
}

function changedFileOf({ path, before, after, isAsked, isUndone }: FileRecord): ChangedFile {
  const kind = after?.kind === "absent" ? "deleted" : before?.kind === "absent" ? "created" : "changed";
  const state = isUndone ? "undone" : "applied";
  return { path, kind, state, isAsked, ...(before === undefined ? { obstacle: unknownBefore } : {}) };
}
