import { useEffect, useState } from "preact/hooks";
import type { CodePiece } from "./highlighter.ts";

type Highlight = (code: string, language: string) => readonly CodePiece[] | undefined;

/** Larger code stays plain: it would hold up the page. */
const largest = 40_000;

const state: { highlight: Highlight | undefined; isLoading: boolean; readonly waiting: Set<() => void> } = {
  highlight: undefined,
  isLoading: false,
  waiting: new Set(),
};

/** Calls back when the highlighter is there: the second chunk of the page, asked for with the first code that is seen. */
function whenLoaded(callback: () => void): () => void {
  if (state.highlight !== undefined) {
    callback();
    return () => undefined;
  }
  state.waiting.add(callback);
  if (!state.isLoading) {
    state.isLoading = true;
    void load();
  }
  return () => state.waiting.delete(callback);
}

async function load(): Promise<void> {
  try {
    const { highlight } = await import("./highlighter.ts");
    state.highlight = highlight;
    for (const callback of state.waiting) callback();
    state.waiting.clear();
  } catch {
    // Code stays plain; the next one that is seen tries again.
  } finally {
    state.isLoading = false;
  }
}

/** One observer for all; what has been seen once is not watched any more. */
const seen = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

function whenSeen(element: Element, callback: () => void): () => void {
  observer ??= new IntersectionObserver(
    (changes) => {
      for (const { isIntersecting, target } of changes) {
        if (!isIntersecting) continue;
        observer?.unobserve(target);
        seen.get(target)?.();
      }
    },
    { rootMargin: "200px" },
  );
  seen.set(element, callback);
  observer.observe(element);
  return () => observer?.unobserve(element);
}

const idle = (callback: () => void): void => {
  if (typeof requestIdleCallback === "function") requestIdleCallback(callback, { timeout: 500 });
  else setTimeout(callback, 0);
};

/** The pieces of a finished code, once it has been seen; until then, or if its language is not known, undefined. */
export function useHighlighted(
  element: { readonly current: Element | null },
  code: string,
  language: string,
  isFinished: boolean,
): readonly CodePiece[] | undefined {
  const [pieces, setPieces] = useState<readonly CodePiece[] | undefined>(undefined);
  useEffect(() => {
    setPieces(undefined);
    const { current } = element;
    if (!isFinished || current === null || language === "" || code.length > largest) return undefined;
    let isWanted = true;
    let leave = (): void => undefined;
    const stop = whenSeen(current, () => {
      leave = whenLoaded(() => idle(() => isWanted && setPieces(state.highlight?.(code, language))));
    });
    return () => {
      isWanted = false;
      stop();
      leave();
    };
  }, [code, language, isFinished]);
  return pieces;
}
