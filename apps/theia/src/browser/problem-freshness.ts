/** Bounds of how long the problems of a change are waited for, in milliseconds; the whole fits into the backend's patience. */
const shortestWait = 500;
const longestWait = 2000;

/** For a language of which nothing is known yet: one with a server publishes within this time, in milliseconds. */
const firstWait = 1500;

/** Language servers often publish twice in a row (syntax, then types), in milliseconds. */
const settleFor = 200;

const pollEvery = 40;

/** A file whose problems are asked for. */
export interface WatchedFile {
  readonly uri: string;
  readonly languageId: string;
}

/**
 * Knows which files' problems are behind their text. Right after an agent wrote a file it asks what it has broken, and the
 * language server is not done yet: what the problems view shows in that moment is about the text before.
 */
export class ProblemFreshness {
  /** Files with a change that no problems have followed yet, with its time. */
  readonly #changed: Map<string, number> = new Map();
  readonly #published: Map<string, number> = new Map();
  /** By language, how long its problems took to follow a change lately; 0 for one that publishes nothing. */
  readonly #delays: Map<string, number> = new Map();

  /** The text of an open file changed. */
  noteChange(uri: string): void {
    this.#changed.set(uri, Date.now());
  }

  /** The problems of a file were published. */
  notePublished(uri: string, languageId: string | undefined): void {
    const now = Date.now();
    const changed = this.#changed.get(uri);
    this.#changed.delete(uri);
    this.#published.set(uri, now);
    if (changed === undefined || languageId === undefined) return;
    this.#delays.set(languageId, Math.max(now - changed, (this.#delays.get(languageId) ?? 0) / 2));
  }

  /** The file is not open any more. */
  forget(uri: string): void {
    this.#changed.delete(uri);
    this.#published.delete(uri);
  }

  /** Resolves when the problems of these files are as current as they get, or after two and a half seconds at most. */
  async settle(files: readonly WatchedFile[]): Promise<void> {
    await waitUntil(() => !files.some((file) => this.#isBehind(file)), longestWait);
    for (const { uri, languageId } of files) {
      // A change that brings no new problem publishes nothing either, and a language without a server never does.
      if (this.#changed.delete(uri) && !this.#delays.has(languageId)) this.#delays.set(languageId, 0);
    }
    const isQuiet = ({ uri }: WatchedFile): boolean => Date.now() - (this.#published.get(uri) ?? 0) >= settleFor;
    await waitUntil(() => files.every(isQuiet), 2 * settleFor);
  }

  #isBehind({ uri, languageId }: WatchedFile): boolean {
    const changed = this.#changed.get(uri);
    return changed !== undefined && Date.now() - changed < this.#patience(languageId);
  }

  #patience(languageId: string): number {
    const usual = this.#delays.get(languageId);
    return usual === undefined ? firstWait : Math.max(shortestWait, 3 * usual);
  }
}

/** Looks until `done`, or until the time is over. */
export async function waitUntil(done: () => boolean, longest: number): Promise<void> {
  const end = Date.now() + longest;
  while (!done() && Date.now() < end) await new Promise<void>((resolve) => setTimeout(resolve, pollEvery));
}
