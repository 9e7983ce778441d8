import type { EditorHost } from "../editor-host.ts";
import type { FileFacts, Files } from "../platform/platform.ts";
import { type Disposable, toDisposable } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { Clock } from "../support/time.ts";
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

/**
 * A file that was changed within this time may be changed once more without another time: some file systems count in steps of
 * two seconds, ms.
 */
const timeStepMs = 2_000;

/** So long after a file was read, its text does for another proposal if nothing about the file has changed, ms. */
const recentMs = 2_000;
const maximumRecent = 64;

/** From which state of its file a text was read, and when. */
interface Reading {
  readonly state: string;
  /** On the monotonic clock. */
  readonly at: number;
}

export interface ReviewedFilesOptions {
  readonly host: Pick<EditorHost, "documents">;
  readonly files: Files;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The files under review: what they hold now, and when that changes. */
export class ReviewedFiles {
  readonly #options: ReviewedFilesOptions;
  /** Those of texts whose files tell by themselves whether they still hold them. */
  readonly #readings: WeakMap<FileText, Reading> = new WeakMap();
  /** By real path; nothing is held for it. */
  readonly #latest: Map<string, WeakRef<FileText>> = new Map();

  constructor(options: ReviewedFilesOptions) {
    this.#options = options;
  }

  /** Where a path leads that was checked in an earlier run. */
  async placeOf(path: string): Promise<FilePlace> {
    return { path, real: (await this.#options.files.realPath(path).catch(() => undefined)) ?? path };
  }

  /** What the file holds now. Never rejects. `known`: see `readDisk`. */
  async read(place: FilePlace, known?: FileText): Promise<FileText> {
    return (await this.readUnsaved(place)) ?? (await this.readDisk(place, known));
  }

  /** What the editor holds unsaved; undefined where that is nothing. Never rejects. */
  async readUnsaved(place: FilePlace): Promise<FileText | undefined> {
    const unsaved = await this.#unsavedText(place.path);
    return unsaved === undefined
      ? undefined
      : { text: splitByteOrderMark(unsaved).body, unsaved: true, readable: true };
  }

  /**
   * What is on disk, whatever the editor holds. Never rejects. `known`: a text that was read before, which is not read once more
   * where nothing about the file has changed since.
   */
  async readDisk({ path, real }: FilePlace, known?: FileText): Promise<FileText> {
    const { files, host, logger, clock } = this.#options;
    try {
      const facts = await files.lstat(real);
      if (facts === undefined) return absentFile;
      const state = stateOf(facts);
      if (known !== undefined && this.#readings.get(known)?.state === state) return known;
      const [now, at] = [clock.now(), clock.monotonic()];
      const bytes = await files.readReal(real, largestFile, facts);
      if (bytes === undefined && (await files.lstat(real)) === undefined) return absentFile;
      const text =
        bytes === undefined ? undefined : ((await host.documents?.decodeFile?.(path, bytes)) ?? decodeUtf8(bytes));
      if (text === undefined) return await this.#unreadable(real);
      const file: FileText = { text: splitByteOrderMark(text).body, unsaved: false, readable: true };
      if (now - Math.max(facts.changedMs, facts.modifiedMs) > timeStepMs) this.#note(real, file, { state, at });
      return file;
    } catch (error) {
      logger.warn("A file under review could not be read", { reason: messageOf(error) });
      return await this.#unreadable(real);
    }
  }

  /** What was read of the file just now, for `readDisk`: agents often propose several times for one file. */
  recent({ real }: FilePlace): FileText | undefined {
    const file = this.#latest.get(real)?.deref();
    const reading = file === undefined ? undefined : this.#readings.get(file);
    return reading !== undefined && this.#options.clock.monotonic() - reading.at < recentMs ? file : undefined;
  }

  #note(real: string, file: FileText, reading: Reading): void {
    this.#readings.set(file, reading);
    if (this.#latest.size >= maximumRecent) this.#latest.clear();
    this.#latest.set(real, new WeakRef(file));
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
      const state = facts === undefined ? "" : stateOf(facts);
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

  async #unsavedText(path: string): Promise<string | undefined> {
    const { host, logger } = this.#options;
    try {
      return await host.documents?.unsavedText?.(path);
    } catch (error) {
      logger.warn("The unsaved text of a file could not be read from the editor", { reason: messageOf(error) });
      return undefined;
    }
  }
}

/** Whether a review of `known` tells the truth about a file that is `now`. */
export function isSameFile(known: FileText, now: FileText): boolean {
  if (known.readable !== now.readable || known.unsaved !== now.unsaved) return false;
  return now.readable ? sameLines(known.text, now.text) : known.stamp === now.stamp;
}

const absentFile: FileText = { text: "", unsaved: false, readable: true };

/** Tells the states of an entry apart as well as the system can: also where the time of its text was set to what it was. */
function stateOf({ id, size, modifiedMs, changedMs }: FileFacts): string {
  return `${id} ${size} ${modifiedMs} ${changedMs}`;
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
