import { stat } from "node:fs/promises";
import { type Clock, type Disposable, DisposableStore } from "@patchbay/core";

/** Facts by which a change of a file is seen; undefined where there is no such file. */
export type FileMark = (path: string) => Promise<string | undefined>;

/** Agents write within milliseconds of a verdict; after this long nothing is expected any more. Milliseconds. */
const patienceMs = 8_000;
const stepsMs: readonly number[] = [40, 60, 100, 200];
const slowStepMs = 500;

/**
 * After a verdict the agent writes the file, and Vim looks at the disk only when it feels like it. So the file is
 * watched for some seconds, and each change of it is passed on.
 */
export class DiskFollower implements Disposable {
  readonly #clock: Pick<Clock, "setTimeout" | "monotonic">;
  readonly #mark: FileMark;
  readonly #onChange: (path: string) => void;
  readonly #store: DisposableStore = new DisposableStore();

  constructor(options: {
    readonly clock: Pick<Clock, "setTimeout" | "monotonic">;
    readonly mark: FileMark;
    readonly onChange: (path: string) => void;
  }) {
    this.#clock = options.clock;
    this.#mark = options.mark;
    this.#onChange = options.onChange;
  }

  /** Follows a file from now on; `before` is its mark from before the agent could know the verdict. */
  follow(path: string, before: string | undefined): void {
    const start = this.#clock.monotonic();
    let last = before;
    let told = before;
    let step = 0;
    const look = async (): Promise<void> => {
      const mark = await this.#mark(path);
      if (this.#store.isDisposed) return;
      const over = this.#clock.monotonic() - start >= patienceMs;
      // Agents empty the file before they fill it: only what has come to rest is taken over. The last look also ends the watch on Vim's side.
      if (over || (mark === last && mark !== told)) {
        told = mark;
        this.#onChange(path);
      }
      if (mark !== last) step = 0;
      last = mark;
      if (!over) again();
    };
    const again = (): void => {
      const delay = stepsMs[step] ?? slowStepMs;
      step += 1;
      const timer = this.#clock.setTimeout(() => {
        this.#store.delete(timer);
        void look();
      }, delay);
      this.#store.add(timer);
    };
    again();
  }

  dispose(): void {
    this.#store.dispose();
  }
}

/** Changes whenever the file is written; undefined where there is none. */
export async function fileMark(path: string): Promise<string | undefined> {
  try {
    const facts = await stat(path, { bigint: true });
    return `${facts.ino}:${facts.size}:${facts.mtimeNs}`;
  } catch {
    // No such file, or none that can be seen: the same to whoever waits for it.
    return undefined;
  }
}
