import type { Platform } from "../platform/platform.ts";
import { splitPath } from "../storage/private-directory.ts";
import { type Disposable, DisposableStore } from "../support/disposable.ts";

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
