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
