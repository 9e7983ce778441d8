import { useEffect, useState } from "preact/hooks";
import { LoadLater } from "../store/load-later.ts";
import type { CodePiece } from "./highlighter.ts";

/** Larger code stays plain: it would hold up the page. */
const largest = 40_000;

/** Asked for with the first code that is seen. */
const highlighter = new LoadLater(async () => await import("./highlighter.ts"));

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
      leave = highlighter.whenLoaded(() =>
        idle(() => isWanted && setPieces(highlighter.value?.highlight(code, language))),
      );
    });
    return () => {
      isWanted = false;
      stop();
      leave();
    };
  }, [code, language, isFinished]);
  return pieces;
}
