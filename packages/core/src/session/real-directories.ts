import type { Clock, Files } from "../platform/platform.ts";
import { LoadOnce } from "../support/load-once.ts";

/**
 * How long a directory is taken to be where it was, ms. Long enough for a burst of proposals, and far too short to matter:
 * what was checked can change at any time before the user decides, so a check says how things are, not how they stay.
 */
const standsMs = 50;
const maximumKept = 64;

/** Where directories lead with all links resolved, asked once per burst. */
export class RealDirectories {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #kept: Map<string, { readonly real: LoadOnce<string | undefined>; readonly at: number }> = new Map();

  constructor(files: Files, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  /** Undefined where there is no directory of that name. */
  real(directory: string): Promise<string | undefined> {
    const now = this.#clock.monotonic();
    const kept = this.#kept.get(directory);
    if (kept !== undefined && now - kept.at < standsMs) return kept.real.get();
    if (this.#kept.size >= maximumKept) this.#kept.clear();
    const entry = { real: new LoadOnce(() => this.#resolve(directory)), at: now };
    this.#kept.set(directory, entry);
    return entry.real.get();
  }

  async #resolve(path: string): Promise<string | undefined> {
    const real = await this.#files.realPath(path);
    if (real === undefined) return undefined;
    return (await this.#files.lstat(real))?.kind === "directory" ? real : undefined;
  }
}
