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
  /** What the system says of one that cannot be read: all that tells its states apart. */
  readonly stamp?: string;
}

/** What the check of its path has just found of a file. */
export interface CheckedFile {
  /** Undefined where it is not there. */
  readonly facts: FileFacts | undefined;
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

/** The same where the times of a file have fractions of a second: such systems count with a clock that ticks a hundred times a second, ms. */
const fineTimeStepMs = 100;

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
  async readDisk(place: FilePlace, known?: FileText): Promise<FileText> {
    return await this.#attempt(place, async () => {
      const facts = await this.#options.files.lstat(place.real);
      return facts !== undefined && known !== undefined && this.#readings.get(known)?.state === stateOf(facts)
        ? known
        : await this.#readFound(place, facts);
    });
  }

  /**
   * What is on disk, by what `lstat` has said of it just now. Never rejects. Agents often propose several times for one file: what was
   * read of it a moment ago does where nothing about it has changed.
   */
  async readAfterCheck(place: FilePlace, { facts }: CheckedFile): Promise<FileText> {
    const recent = this.#recent(place);
    if (facts !== undefined && recent !== undefined && this.#readings.get(recent)?.state === stateOf(facts))
      return recent;
    return await this.#attempt(place, async () => await this.#readFound(place, facts));
  }

  async #attempt({ real }: FilePlace, read: () => Promise<FileText | undefined>): Promise<FileText> {
    try {
      return (await read()) ?? (await this.#unreadable(real));
    } catch (error) {
      this.#options.logger.warn("A file under review could not be read", { reason: messageOf(error) });
      return await this.#unreadable(real);
    }
  }

  /** Undefined where it cannot be read as text. */
  async #readFound({ path, real }: FilePlace, facts: FileFacts | undefined): Promise<FileText | undefined> {
    const { files, host, clock } = this.#options;
    if (facts === undefined) return absentFile;
    const [now, at] = [clock.now(), clock.monotonic()];
    const bytes = await files.readReal(real, largestFile, facts);
    if (bytes === undefined) return (await files.lstat(real)) === undefined ? absentFile : undefined;
    const text = (await host.documents?.decodeFile?.(path, bytes)) ?? decodeUtf8(bytes);
    if (text === undefined) return undefined;
    const file: FileText = { text: splitByteOrderMark(text).body, unsaved: false, readable: true };
    if (now - Math.max(facts.changedMs, facts.modifiedMs) > timeStepOf(facts)) {
      this.#note(real, file, { state: stateOf(facts), at });
    }
    return file;
  }

  /** What was read of the file a moment ago. */
  #recent({ real }: FilePlace): FileText | undefined {
    const file = this.#latest.get(real)?.deref();
    const reading = file === undefined ? undefined : this.#readings.get(file);
    return reading !== undefined && this.#options.clock.monotonic() - reading.at < recentMs ? file : undefined;
  }

  /** Undefined where the text does not tell. */
  #stateOfText(file: FileText | undefined): string | undefined {
    if (file === undefined) return undefined;
    return file === absentFile ? stateOf(undefined) : this.#readings.get(file)?.state;
  }

  #note(real: string, file: FileText, reading: Reading): void {
    this.#readings.set(file, reading);
    if (this.#latest.size >= maximumRecent) this.#latest.clear();
    this.#latest.set(real, new WeakRef(file));
  }

  async #unreadable(real: string): Promise<FileText> {
    const stamp = stateOf(await this.#options.files.lstat(real).catch(() => undefined));
    return { text: "", unsaved: false, readable: false, stamp };
  }

  /**
   * Tells, a moment after, that the file or its unsaved text may have changed. `known`: what the file was last known to hold. Then
   * the watch begins a moment later, with a look at what has happened until then: most reviews of a burst are over before.
   */
  watch(place: FilePlace, onDidChange: () => void, known?: () => FileText | undefined): Disposable {
    const { files, clock, host } = this.#options;
    let state: string | undefined;
    let timer: Disposable | undefined;
    let later: Disposable | undefined;
    let watching: Disposable | undefined;
    let ended = false;
    const wait = (ms: number, next: () => void): void => {
      timer?.dispose();
      timer = ended ? undefined : clock.setTimeout(next, ms);
    };
    const look = async (): Promise<{ readonly facts: FileFacts | undefined; readonly isOther: boolean }> => {
      const facts = await files.lstat(place.real).catch(() => undefined);
      const before = state;
      state = stateOf(facts);
      return { facts, isOther: before !== state };
    };
    // The whole directory is watched: what happens beside the file is not worth reading it.
    const settle = async (): Promise<void> => {
      const { isOther, facts } = await look();
      if (ended || !isOther) return;
      // A file that is cut to nothing before it is written anew must not be taken for an emptied one.
      if (facts === undefined || facts.size === 0) wait(emptySettleMs, onDidChange);
      else onDidChange();
    };
    const poll = async (): Promise<void> => {
      if ((await look()).isOther && !ended) onDidChange();
      if (!ended) later = clock.setTimeout(() => void poll(), pollMs);
    };
    const begin = (): void => {
      watching = files.watch?.(directoryOf(place.real), () => wait(settleMs, () => void settle()));
      if (watching === undefined) void poll();
    };
    const beginLate = async (): Promise<void> => {
      begin();
      if (watching === undefined) return;
      state = this.#stateOfText(known?.());
      const facts = await files.lstat(place.real).catch(() => undefined);
      if (ended || stateOf(facts) === state) return;
      // As after what the watch tells of: who is writing it may not be done yet.
      if (facts !== undefined && Math.abs(clock.now() - facts.changedMs) < settleMs)
        wait(settleMs, () => void settle());
      else await settle();
    };
    if (known === undefined) begin();
    else later = clock.setTimeout(() => void beginLate(), settleMs);
    const unsaved = host.documents?.onDidChangeUnsaved?.(({ path }) => {
      if (path === place.path || path === place.real) wait(settleMs, onDidChange);
    });
    return toDisposable(() => {
      ended = true;
      timer?.dispose();
      watching?.dispose();
      later?.dispose();
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
function stateOf(facts: FileFacts | undefined): string {
  if (facts === undefined) return "";
  const { id, size, modifiedMs, changedMs } = facts;
  return `${id} ${size} ${modifiedMs} ${changedMs}`;
}

/** Both times: whoever sets the one of the text back to what it was cannot do so with the other. */
function timeStepOf({ changedMs, modifiedMs }: FileFacts): number {
  return changedMs % 1_000 === 0 || modifiedMs % 1_000 === 0 ? timeStepMs : fineTimeStepMs;
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
