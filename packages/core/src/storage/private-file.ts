import type { Platform } from "../platform/platform.ts";
import { joinPath } from "./private-directory.ts";

const privateMode = 0o600;
const temporaryPrefix = ".patchbay-";
const temporaryPattern = /^\.patchbay-(\d{1,10})-[A-Za-z0-9_-]{16,}\.tmp$/;
/** A temporary file lives for milliseconds; one of a living process that is this old was left by another process of that id. */
const leftoverAgeMs = 60 * 60 * 1000;

/** One file about to be put in place: the name it has until then, and the name it will have. */
export interface PrivateFileNames {
  readonly temporary: string;
  readonly target: string;
}

/** Names for one atomic write. The temporary one matches no pattern by which an agent looks for records. */
export function privateFileNames(platform: Platform, directory: string, name: string): PrivateFileNames {
  const temporaryName = `${temporaryPrefix}${platform.process.pid}-${platform.random.token(16)}.tmp`;
  return {
    temporary: joinPath(platform, directory, temporaryName),
    target: joinPath(platform, directory, name),
  };
}

/**
 * Puts a file in place whole or not at all, 0600 from its first moment (statement E01). What has the name before is
 * replaced as a directory entry: a planted link is never followed. Throws the system's error, leaving nothing behind.
 */
export async function writePrivateFile(
  platform: Platform,
  names: PrivateFileNames,
  text: string | Iterable<string>,
): Promise<void> {
  const { files } = platform;
  await files.createExclusive(names.temporary, text, privateMode);
  try {
    await files.rename(names.temporary, names.target);
  } catch (error) {
    files.removeSync(names.temporary);
    throw error;
  }
}

/** Whether a name in a private directory is a temporary file that no running write will finish. */
export async function isLeftover(platform: Platform, directory: string, name: string): Promise<boolean> {
  const pid = temporaryPattern.exec(name)?.[1];
  if (pid === undefined) return false;
  if (!platform.process.isAlive(Number(pid))) return true;
  const facts = await platform.files.lstat(joinPath(platform, directory, name));
  return facts !== undefined && platform.clock.now() - facts.modifiedMs > leftoverAgeMs;
}

/**
 * Runs one piece of work per key at a time. While one runs, only the latest value asked for is kept: it runs next, and
 * everybody who asked meanwhile gets its result.
 */
export class SerialSlots<Value> {
  readonly #work: (key: string, value: Value) => Promise<void>;
  // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten when the work ends.
  readonly #running: Map<string, Promise<void>> = new Map();
  // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten when the work begins.
  readonly #next: Map<string, { value: Value; readonly done: Promise<void> }> = new Map();

  constructor(work: (key: string, value: Value) => Promise<void>) {
    this.#work = work;
  }

  /** Resolves or rejects as the work for `value`, or for a later value that took its place, does. */
  run(key: string, value: Value): Promise<void> {
    const waiting = this.#next.get(key);
    if (waiting !== undefined) {
      waiting.value = value;
      return waiting.done;
    }
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key, value);
    const entry = { value, done: running.then(noop, noop).then(() => this.#startNext(key)) };
    this.#next.set(key, entry);
    return entry.done;
  }

  /** Whether work for the key runs or waits. */
  isBusy(key: string): boolean {
    return this.#running.has(key) || this.#next.has(key);
  }

  /** Resolves when nothing runs or waits for the key, however it ended. */
  async settled(key: string): Promise<void> {
    for (;;) {
      const last = this.#next.get(key)?.done ?? this.#running.get(key);
      if (last === undefined) return;
      await last.then(noop, noop);
    }
  }

  async #startNext(key: string): Promise<void> {
    const entry = this.#next.get(key);
    if (entry === undefined) return;
    this.#next.delete(key);
    await this.#start(key, entry.value);
  }

  #start(key: string, value: Value): Promise<void> {
    const run = this.#work(key, value).finally(() => {
      if (this.#running.get(key) === run) this.#running.delete(key);
    });
    this.#running.set(key, run);
    return run;
  }
}

function noop(): void {}
