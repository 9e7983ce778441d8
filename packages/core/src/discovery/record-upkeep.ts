import type { Platform } from "../platform/platform.ts";
import { findPrivateDirectory, isLeftover, joinPath, ownLinksBelow, splitPath } from "../storage/private-directory.ts";
import { type Disposable, DisposableStore } from "../support/disposable.ts";
import type { RecordPlace } from "../agents/dialect.ts";
import { isEnded, maximumRecordBytes, parseMarker } from "../storage/claim.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";

/** How long to wait after a change before looking, ms: changes come in bursts, our own writes among them. */
const settleMs = 1_000;
/** How often to look where nothing tells of changes, ms. One lstat per record. */
const lookMs = 3_000;

export interface RecordWatchOptions {
  readonly platform: Platform;
  /** Paths of the records that are in place. */
  readonly paths: () => readonly string[];
  /** Puts back what is missing; false where nothing was. Never rejects. */
  readonly restore: () => Promise<boolean>;
}

/**
 * Has records put back that a cleaner of temporary files took away. The system tells of changes in their directories, so
 * that nothing runs while nothing happens; only where a directory cannot be watched (no watches left, a file system that
 * tells nothing) are the records looked at from time to time.
 */
export class RecordWatch implements Disposable {
  readonly #options: RecordWatchOptions;
  #watches: DisposableStore = new DisposableStore();
  #watched: ReadonlySet<string> = new Set();
  #timer: Disposable | undefined;
  #isDisposed = false;

  constructor(options: RecordWatchOptions) {
    this.#options = options;
  }

  /** Watches the directories in which the records are now. */
  follow(): void {
    const directories = this.#directories();
    const isSame =
      directories.size === this.#watched.size && Array.from(directories).every((d) => this.#watched.has(d));
    if (!isSame) this.#watch(directories);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#watches.dispose();
    this.#timer?.dispose();
  }

  #watch(directories: ReadonlySet<string>): void {
    if (this.#isDisposed) return;
    this.#watches.dispose();
    this.#watches = new DisposableStore();
    const watched = new Set<string>();
    for (const directory of directories) {
      const watch = this.#options.platform.files.watch?.(directory, () => this.#lookIn(settleMs));
      if (watch === undefined) continue;
      this.#watches.add(watch);
      watched.add(directory);
    }
    this.#watched = watched;
    if (watched.size < directories.size) this.#lookIn(lookMs);
  }

  #lookIn(delayMs: number): void {
    if (this.#isDisposed) return;
    this.#timer ??= this.#options.platform.clock.setTimeout(() => void this.#look(), delayMs);
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    const wasMissing = await this.#options.restore();
    const directories = this.#directories();
    // A directory that was made anew is another one than that which was watched.
    if (wasMissing || this.#watched.size < directories.size) this.#watch(directories);
  }

  #directories(): ReadonlySet<string> {
    const { paths, platform } = this.#options;
    return new Set(paths().map((path) => splitPath(platform, path).parent));
  }
}

export interface StaleRecordsSweep {
  readonly platform: Platform;
  readonly logger: Logger;
  readonly owner: string | undefined;
  /** Their directories are looked through. */
  readonly places: readonly Pick<RecordPlace, "root" | "directories">[];
}

/**
 * Removes what earlier runs of Patchbay left behind when they were killed: an agent that tries only one record (Gemini
 * CLI) would otherwise dial a port where nobody answers. Looks only into directories that are this user's own, and
 * removes only files that carry our marker and whose run has ended, and temporary files of ended runs.
 */
export async function sweepStaleRecords(sweep: StaleRecordsSweep): Promise<void> {
  const { platform, logger } = sweep;
  const done = new Set<string>();
  for (const { root, directories } of sweep.places) {
    const directory = await findPrivateDirectory(platform, {
      root,
      levels: directories,
      intent: "look",
      ownLinks: ownLinksBelow(platform, root),
    });
    // A refused place is reported by the write that follows.
    if (directory.kind === "refused" || done.has(directory.path)) continue;
    done.add(directory.path);
    for (const name of await namesIn(sweep, directory.path)) {
      try {
        await sweepOne(sweep, directory.path, name);
      } catch (error) {
        logger.warn("Stale discovery record could not be removed", { name, reason: messageOf(error) });
      }
    }
  }
}

async function namesIn({ platform, logger }: StaleRecordsSweep, directory: string): Promise<readonly string[]> {
  try {
    return await platform.files.list(directory);
  } catch (error) {
    logger.warn("Discovery directory could not be listed", { directory, reason: messageOf(error) });
    return [];
  }
}

async function sweepOne(
  { platform, logger, owner }: StaleRecordsSweep,
  directory: string,
  name: string,
): Promise<void> {
  const path = joinPath(platform, directory, name);
  if (!(await isLeftover(platform, directory, name))) {
    if (!name.endsWith(".json") && !name.endsWith(".lock")) return;
    const text = await platform.files.readText(path, maximumRecordBytes);
    const marker = text === undefined ? undefined : parseMarker(text);
    if (marker === undefined) return;
    const isPredecessor = owner !== undefined && marker.editor === owner && marker.pid !== platform.process.pid;
    if (!isPredecessor && !(await isEnded(platform, marker))) return;
    await removeSocketOf(platform, directory, text ?? "");
  }
  await platform.files.remove(path);
  logger.info("Stale discovery record removed", { name });
}

/** The socket that a record leads to, in the same directory, goes with it: who was killed could not take it away. */
async function removeSocketOf(platform: Platform, directory: string, text: string): Promise<void> {
  const [, name] = /"socketPath":"[^"]*?(patchbay-\d+\.sock)"/u.exec(text) ?? [];
  if (name === undefined) return;
  const path = joinPath(platform, directory, name);
  if ((await platform.files.lstat(path))?.kind === "other") await platform.files.remove(path);
}
