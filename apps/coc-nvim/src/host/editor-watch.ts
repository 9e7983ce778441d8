import type { Clock, Disposable } from "@patchbay/core";

/** How often a lost editor is looked for, ms. Asking whether a process lives costs a microsecond. */
const periodMs = 2_000;

/**
 * An editor that is killed tells nobody, and leaves coc's process behind as an orphan that would go on answering agents.
 * Calls back once when the editor is gone.
 */
export function watchEditor(options: {
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  readonly clock: Pick<Clock, "setTimeout">;
  readonly onGone: () => void;
}): Disposable {
  let timer: Disposable | undefined;
  let over = false;
  const look = (): void => {
    if (over) return;
    if (options.isAlive(options.pid)) {
      timer = options.clock.setTimeout(look, periodMs);
      return;
    }
    over = true;
    options.onGone();
  };
  timer = options.clock.setTimeout(look, periodMs);
  return {
    dispose: () => {
      over = true;
      timer?.dispose();
    },
  };
}
