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

export interface ReviewedFilesOptions {
  readonly host: Pick<EditorHost, "documents">;
  readonly files: Files;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The files under review: what they hold now, and when that changes. */
export class ReviewedFiles {
  readonly #options: ReviewedFilesOptions;
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
