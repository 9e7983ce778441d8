import { adviceFor, causeOf, type Clock, type Disposable, type HostMessage, PatchbayError } from "@patchbay/core";

export interface StoreHealthOptions {
  readonly clock: Clock;
  readonly directory: string;
  readonly tellUser: (message: HostMessage) => void;
  /** Tries what failed again. */
  readonly retry: () => void;
}

/** What failed is tried again after so long, ms. */
const retryMs = 30_000;

/** A disk that works now and then is not complained of all the time, ms. */
const silentMs = 10 * 60 * 1_000;

/** Whether the store of turns can be written: the user hears once where it cannot, and what failed is tried again. */
export class StoreHealth implements Disposable {
  readonly #options: StoreHealthOptions;
  #isWell = true;
  #failedAt = Number.NEGATIVE_INFINITY;
  #saidAt = Number.NEGATIVE_INFINITY;
  #retry: Disposable | undefined;
  #isOver = false;

  constructor(options: StoreHealthOptions) {
    this.#options = options;
  }

  /** Whether it is worth trying again by now. */
  get isDue(): boolean {
    return this.#options.clock.monotonic() - this.#failedAt >= retryMs / 10;
  }

  failed(error: unknown): void {
    const { clock, directory, retry } = this.#options;
    if (this.#isOver) return;
    const now = clock.monotonic();
    this.#failedAt = now;
    this.#retry ??= clock.setTimeout(() => {
      this.#retry = undefined;
      retry();
    }, retryMs);
    const isSaid = !this.#isWell || now - this.#saidAt < silentMs;
    this.#isWell = false;
    if (isSaid) return;
    this.#saidAt = now;
    const [cause, advice] =
      error instanceof PatchbayError ? partsOf(error.message) : [causeOf(error), adviceFor(error)];
    const text = `What agents change cannot be kept for an undo just now: ${directory} could not be written (${cause}). ${advice}`;
    this.#options.tellUser({
      code: "turns-not-kept",
      severity: "warning",
      text,
      values: { directory, cause, advice },
      actions: [],
    });
  }

  worked(): void {
    this.#isWell = true;
    this.#retry?.dispose();
    this.#retry = undefined;
  }

  dispose(): void {
    this.#isOver = true;
    this.#retry?.dispose();
  }
}

/** A sentence of ours about a directory says what is wrong, and then what to do. */
function partsOf(reason: string): readonly [string, string] {
  const [cause = reason, ...advice] = reason.split(/\.\s+(?=\p{Lu})/u);
  return [cause.replace(/\.$/u, ""), advice.join(". ")];
}
