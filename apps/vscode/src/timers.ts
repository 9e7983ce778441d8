import type { Disposable } from "vscode";

/** Something that is done at most once per span, however often it is asked for: views need not follow every key. */
export interface Coalesced extends Disposable {
  request(): void;
}

export function coalesced(action: () => void, spanMs: number): Coalesced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let disposed = false;
  return {
    request: () => {
      if (disposed) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        action();
      }, spanMs);
    },
    dispose: () => {
      disposed = true;
      clearTimeout(timer);
    },
  };
}

/** Writes anew what says how long something has waited. No timer stands while nothing of it is shown. */
export interface Ages extends Disposable {
  /** Something may be shown by now, or not any more. */
  follow(): void;
}

export function ages(isShown: () => boolean, write: () => void, spanMs: number): Ages {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let disposed = false;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const follow = (): void => {
    if (disposed || !isShown()) stop();
    else
      timer ??= setTimeout(() => {
        timer = undefined;
        if (isShown()) write();
        follow();
      }, spanMs);
  };
  return {
    follow,
    dispose: () => {
      disposed = true;
      stop();
    },
  };
}

/** Waits, but not longer than the signal allows. */
export async function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    // oxlint-disable-next-line patchbay/let-go-of-signals -- It is let go of above; nothing of the companion is loaded for it.
    signal?.addEventListener("abort", end);
  });
}
