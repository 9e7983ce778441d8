import type { EditorHost } from "../editor-host.ts";
import type { Clock, FileFacts, Files } from "../platform/platform.ts";
import { type Disposable, toDisposable } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import { sameLines, splitByteOrderMark } from "./text-fidelity.ts";

/** What an accepted text would replace: the unsaved text of the file's open document, or what is on disk. */
export interface FileText {
  /** Without a byte order mark; empty where there is no file, or it cannot be read as text. */
  readonly text: string;
  readonly unsaved: boolean;
  /** False where it is there and cannot be read as text (another encoding, over 64 MB): then nothing can be merged. */
  readonly readable: boolean;
  /** Size and time of one that cannot be read: all that tells its states apart. */
  readonly stamp?: string;
}

/** A file as an agent was allowed to name it. */
export interface FilePlace {
  /** As the agent sent it; what the editor opens. */
  readonly path: string;
  /** With links resolved when it was checked. */
  readonly real: string;
}

/** Larger files are compared with nothing, bytes. */
const largestFile = 64 * 1024 * 1024;

/** Programs write a file in several steps; it is read so long after the last one, ms. */
const settleMs = 100;

/** A file that is empty or gone for a moment is about to be written again; it is believed after this, ms. */
const emptySettleMs = 400;

/** Where the system cannot tell of changes, a file under review is looked at so often, ms. */
const pollMs = 2_000;

/** So long another accept for the file waits for one that is still to be written, ms. */
const patienceMs = 3_000;

/** So long after an accept a file that is as it was before is worth a word to the user, ms. */
const unwrittenMs = 30_000;

/** So many accepted texts of one agent are watched for at most. */
const mostAwaited = 32;

/** The same where the agent may well have refused. */
const refusedMs = 5_000;

/** How an accepted text reaches its file. */
export interface AwaitedWrite {
  readonly place: FilePlace;
  /** What the file held when the user accepted. */
  readonly before: FileText;
  /** What the agent is to write. */
  readonly text: string;
  readonly sessionId: string;
  /** The file has changed since the agent read it: some agents then refuse to write (docs/protocols/qwen.md). */
  readonly mayBeRefused: boolean;
  /** Whether the agent may well write later: agents write the files of one answer when all of them are decided. */
  readonly mayComeLater: () => boolean;
  /** Called once where the file is as it was long after the accept. */
  readonly onUnwritten: () => void;
}

/** What was accepted for a file and is not on disk. */
export interface UnwrittenText {
  readonly text: string;
  /** Its agent may still write it. */
  readonly mayComeLater: boolean;
}

export interface ReviewedFilesOptions {
  readonly host: Pick<EditorHost, "documents">;
  readonly files: Files;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The files under review: what they hold now, when that changes, and whether agents have written what was accepted. */
export class ReviewedFiles {
  readonly #options: ReviewedFilesOptions;
  readonly #writes: Map<string, Set<PendingWrite>> = new Map();
  /** Sessions that were seen to write what was accepted. */
  readonly #writers: Set<string> = new Set();
  /** Sessions that were waited for in vain: some write where this machine does not see it, and are not waited for again. */
  readonly #overdue: Set<string> = new Set();
  #ended = false;

  constructor(options: ReviewedFilesOptions) {
    this.#options = options;
  }

  /** Where a path leads that was checked in an earlier run. */
  async placeOf(path: string): Promise<FilePlace> {
    return { path, real: (await this.#options.files.realPath(path).catch(() => undefined)) ?? path };
  }

  /** What the file holds now. Never rejects. */
  async read(place: FilePlace): Promise<FileText> {
    const unsaved = await this.#unsavedText(place.path);
    if (unsaved !== undefined) return { text: splitByteOrderMark(unsaved).body, unsaved: true, readable: true };
    return await this.readDisk(place);
  }

  /** What is on disk, whatever the editor holds. Never rejects. */
  async readDisk({ path, real }: FilePlace): Promise<FileText> {
    const { files, host, logger } = this.#options;
    try {
      const bytes = await files.readReal(real, largestFile);
      const facts = bytes === undefined ? await files.lstat(real) : undefined;
      if (bytes === undefined && facts === undefined) return { text: "", unsaved: false, readable: true };
      const text =
        bytes === undefined ? undefined : ((await host.documents?.decodeFile?.(path, bytes)) ?? decodeUtf8(bytes));
      if (text === undefined) return await this.#unreadable(real);
      return { text: splitByteOrderMark(text).body, unsaved: false, readable: true };
    } catch (error) {
      logger.warn("A file under review could not be read", { reason: messageOf(error) });
      return await this.#unreadable(real);
    }
  }

  async #unreadable(real: string): Promise<FileText> {
    const stamp = stampOf(await this.#options.files.lstat(real).catch(() => undefined));
    return { text: "", unsaved: false, readable: false, stamp };
  }

  /** Tells, a moment after, that the file or its unsaved text may have changed. */
  watch(place: FilePlace, onDidChange: () => void): Disposable {
    const { files, clock, host } = this.#options;
    let known: string | undefined;
    let timer: Disposable | undefined;
    let polling: Disposable | undefined;
    let ended = false;
    const wait = (ms: number, next: () => void): void => {
      timer?.dispose();
      timer = ended ? undefined : clock.setTimeout(next, ms);
    };
    const look = async (): Promise<{ readonly isOther: boolean; readonly isEmpty: boolean }> => {
      const facts = await files.lstat(place.real).catch(() => undefined);
      const state = stampOf(facts);
      const isOther = known !== state;
      known = state;
      return { isOther, isEmpty: facts === undefined || facts.size === 0 };
    };
    // The whole directory is watched: what happens beside the file is not worth reading it.
    const settle = async (): Promise<void> => {
      const { isOther, isEmpty } = await look();
      if (ended || !isOther) return;
      // A file that is cut to nothing before it is written anew must not be taken for an emptied one.
      if (isEmpty) wait(emptySettleMs, onDidChange);
      else onDidChange();
    };
    const poll = async (): Promise<void> => {
      if ((await look()).isOther && !ended) onDidChange();
      if (!ended) polling = clock.setTimeout(() => void poll(), pollMs);
    };
    const watching = files.watch?.(directoryOf(place.real), () => wait(settleMs, () => void settle()));
    if (watching === undefined) void poll();
    const unsaved = host.documents?.onDidChangeUnsaved?.(({ path }) => {
      if (path === place.path || path === place.real) wait(settleMs, onDidChange);
    });
    return toDisposable(() => {
      ended = true;
      timer?.dispose();
      watching?.dispose();
      polling?.dispose();
      unsaved?.dispose();
    });
  }

  /** Whether an accepted text for the file is still on its way to the disk. */
  isBeingWritten({ real }: FilePlace): boolean {
    return (this.#writes.get(real)?.size ?? 0) > 0;
  }

  /** What an agent that writes here was told last to write to the file, where that is not on disk yet. */
  unwritten({ real }: FilePlace): UnwrittenText | undefined {
    const last = Array.from(this.#writes.get(real) ?? [])
      .filter(({ sessionId }) => this.#writers.has(sessionId))
      .at(-1);
    return last === undefined ? undefined : { text: last.text, mayComeLater: this.#mayComeLater(last) };
  }

  /** Only of an agent that was seen to write is it known that it writes here at all. */
  #mayComeLater({ sessionId, mayComeLater }: PendingWrite): boolean {
    return mayComeLater && this.#writers.has(sessionId);
  }

  /** Waits a few seconds for what was accepted for the file before. */
  async whenWritten(place: FilePlace): Promise<void> {
    const all = Array.from(this.#writes.get(place.real) ?? []);
    await Promise.all(all.map((write) => write.look()));
    const writes = Array.from(this.#writes.get(place.real) ?? []).filter(
      (write) => this.#mayComeLater(write) || !this.#overdue.has(write.sessionId),
    );
    if (writes.length === 0) return;
    let timer: Disposable | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = this.#options.clock.setTimeout(resolve, patienceMs);
    });
    await Promise.race([Promise.all(writes.map((write) => write.landed)), patience]);
    timer?.dispose();
    for (const { sessionId, hasEnded } of writes) if (!hasEnded) this.#overdue.add(sessionId);
  }

  /** An agent writes nothing more of what it had, to one file or, having ended, to any. */
  forgetWritesOf(sessionId: string, path?: string): void {
    if (path === undefined) {
      this.#writers.delete(sessionId);
      this.#overdue.delete(sessionId);
    }
    for (const write of Array.from(this.#writes.values()).flatMap((writes) => [...writes])) {
      if (write.sessionId === sessionId && (path === undefined || write.path === path)) write.dispose();
    }
  }

  /** The user has accepted a text; its agent is about to write it. */
  awaitWrite(awaited: AwaitedWrite): void {
    if (this.#ended || sameLines(splitByteOrderMark(awaited.text).body, awaited.before.text)) return;
    const { real } = awaited.place;
    const { sessionId } = awaited;
    const own = Array.from(this.#writes.values()).flatMap((all) =>
      Array.from(all).filter((write) => write.sessionId === sessionId),
    );
    if (own.length >= mostAwaited) own[0]?.dispose();
    const writes = this.#writes.get(real) ?? new Set();
    this.#writes.set(real, writes);
    const write = new PendingWrite(this, this.#options, {
      ...awaited,
      // Of an agent that was never seen to write, an unchanged file says nothing: it may write elsewhere.
      onUnwritten: () => {
        if (awaited.mayBeRefused || this.#writers.has(sessionId)) awaited.onUnwritten();
      },
    });
    writes.add(write);
    write.onDidEnd = (isWritten) => {
      if (isWritten) {
        this.#writers.add(sessionId);
        this.#overdue.delete(sessionId);
      }
      writes.delete(write);
      if (writes.size === 0 && this.#writes.get(real) === writes) this.#writes.delete(real);
    };
    write.begin();
  }

  /** Nothing is watched any more. */
  end(): void {
    this.#ended = true;
    for (const writes of this.#writes.values()) for (const write of writes) write.dispose();
  }

  async #unsavedText(path: string): Promise<string | undefined> {
    const { host, logger } = this.#options;
    try {
      return await host.documents?.unsavedText?.(path);
    } catch (error) {
      logger.warn("The editor could not tell the unsaved text of a file", { reason: messageOf(error) });
      return undefined;
    }
  }
}

/** One accepted text on its way to the disk. */
class PendingWrite {
  /** Resolves when the file has changed, or is not waited for any more. Never rejects. */
  readonly landed: Promise<void>;
  onDidEnd: (isWritten: boolean) => void = () => {};
  readonly #files: Pick<ReviewedFiles, "readDisk" | "watch">;
  readonly #options: ReviewedFilesOptions;
  readonly #awaited: AwaitedWrite;
  #watching: Disposable | undefined;
  #timer: Disposable | undefined;
  #land: () => void = () => {};
  #hasEnded = false;

  constructor(files: Pick<ReviewedFiles, "readDisk" | "watch">, options: ReviewedFilesOptions, awaited: AwaitedWrite) {
    this.#files = files;
    this.#options = options;
    this.#awaited = awaited;
    this.landed = new Promise((resolve) => {
      this.#land = resolve;
    });
  }

  get sessionId(): string {
    return this.#awaited.sessionId;
  }

  /** As the agent named it. */
  get path(): string {
    return this.#awaited.place.path;
  }

  get text(): string {
    return splitByteOrderMark(this.#awaited.text).body;
  }

  get mayComeLater(): boolean {
    return this.#awaited.mayComeLater();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  begin(): void {
    this.#watching = this.#files.watch(this.#awaited.place, () => void this.look());
    this.#giveTime();
    // It may have been written while the accept was on its way here.
    void this.look();
  }

  dispose(): void {
    this.#end(false);
  }

  #end(isWritten: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#watching?.dispose();
    this.#timer?.dispose();
    this.onDidEnd(isWritten);
    this.#land();
  }

  #giveTime(): void {
    const ms = this.#awaited.mayBeRefused ? refusedMs : unwrittenMs;
    this.#timer = this.#options.clock.setTimeout(() => void this.#timeIsUp(), ms);
  }

  async #timeIsUp(): Promise<void> {
    await this.look();
    if (this.#hasEnded) return;
    if (this.#awaited.mayComeLater()) this.#giveTime();
    else {
      this.dispose();
      this.#awaited.onUnwritten();
    }
  }

  /** Whether it is there by now. */
  async look(): Promise<void> {
    if (this.#hasEnded) return;
    const { place, before, text } = this.#awaited;
    const now = await this.#files.readDisk(place);
    const isAccepted = sameLines(now.text, splitByteOrderMark(text).body);
    // Another text than before counts, too: hooks of agents format what they have written.
    const isOther = !before.unsaved && !(before.readable && now.readable && sameLines(now.text, before.text));
    if (this.#hasEnded || !(isAccepted || isOther)) return;
    this.#end(true);
    if (before.unsaved && isAccepted) await this.#reload(place.path, before.text);
  }

  async #reload(path: string, heldText: string): Promise<void> {
    const { host, logger } = this.#options;
    try {
      await host.documents?.reload?.(path, heldText);
    } catch (error) {
      logger.warn("An open document could not take what was accepted", { reason: messageOf(error) });
    }
  }
}

function stampOf(facts: FileFacts | undefined): string {
  return facts === undefined ? "" : `${facts.size} ${facts.modifiedMs}`;
}

function directoryOf(path: string): string {
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return end <= 0 ? "/" : path.slice(0, end);
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Another encoding, or no text at all.
    return undefined;
  }
}
