import type { Clock } from "@patchbay/core/texts";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Block } from "./blocks.ts";

/** Narrower than this there is no room for two sides, px. */
const narrow = 720;

export const pageClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs);
    return { dispose: () => clearTimeout(timer) };
  },
};

/** The block of the change above or below the one that the user is at. */
export function nextChange(blocks: readonly Block[], scroller: HTMLElement | null, way: -1 | 1): number | undefined {
  const active = document.activeElement?.closest<HTMLElement>("[data-block]");
  const key = scroller?.contains(active ?? null) === true ? Number(active?.dataset["block"]) : undefined;
  const at = blocks.findIndex((block) => block.key === key);
  const isBar = document.activeElement?.classList.contains("change-bar") === true;
  const places = Array.from(blocks.entries()).filter(([, { isFirst }]) => isFirst);
  const changes = places.map(([, block]) => block);
  const others = places
    .filter(([place]) => (way === 1 ? place > at : isBar ? place < at : place <= at))
    .map(([, block]) => block);
  // Behind the last one comes the first one.
  const next = way === 1 ? (others[0] ?? changes[0]) : (others.at(-1) ?? changes.at(-1));
  return next?.key;
}

/** Keys that nobody has: with what had the focus (a button that is drawn anew as another one) it goes to the page itself. */
export function useLostKeys(onKeyDown: (event: KeyboardEvent) => void): void {
  useEffect(() => {
    const onLost = (event: KeyboardEvent): void => {
      if (document.activeElement === document.body) onKeyDown(event);
    };
    document.addEventListener("keydown", onLost);
    return () => document.removeEventListener("keydown", onLost);
  });
}

/** Whether there is room for two sides. */
export function useIsWide(scroller: { readonly current: HTMLElement | null }): boolean {
  const [isWide, setWide] = useState(true);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || typeof ResizeObserver === "undefined") return undefined;
    const look = (): void => setWide(element.clientWidth >= narrow);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return isWide;
}
