import type { RefObject } from "preact";
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";

/** How near to an end more is loaded, px. */
const nearEnd = 800;

/** Keys that scroll up. */
const upwards: ReadonlySet<string> = new Set(["ArrowUp", "PageUp", "Home"]);

export interface ScrollEnds {
  readonly onNearStart: () => void;
  readonly onNearEnd: () => void;
  /** The view follows what comes, or does not any more. */
  readonly onPin: (isPinned: boolean) => void;
  readonly onScrolled: () => void;
  /** What is shown ends with the newest. */
  readonly isLive: boolean;
}

/**
 * Follows the end of the conversation while the user is there, and leaves it at once when they scroll up by whatever means: no
 * distance has to be overcome. What changes above the place where somebody reads is the browser's own scroll anchoring.
 */
export function useScroll(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  ends: ScrollEnds,
): {
  readonly pin: () => void;
  readonly unpin: () => void;
  readonly isPinned: () => boolean;
  readonly settle: () => void;
} {
  const pinned = useRef(true);
  const lastTop = useRef(0);
  const latest = useRef(ends);
  latest.current = ends;

  const isOwn = useRef(false);
  /** Cheap after a layout only: what has to be measured in between costs one. */
  const toEnd = useCallback(() => {
    const { current } = scroller;
    if (current === null || !pinned.current) return;
    const end = current.scrollHeight - current.clientHeight;
    if (end === lastTop.current) return;
    lastTop.current = end;
    isOwn.current = true;
    // A pixel more, because both heights are rounded.
    current.scrollTop = end + 1;
    // The event of this comes before the next frame is drawn.
    requestAnimationFrame(() => {
      isOwn.current = false;
    });
  }, []);
  const set = useCallback((isPinned: boolean) => {
    if (pinned.current === isPinned) return;
    pinned.current = isPinned;
    latest.current.onPin(isPinned);
  }, []);
  const unpin = useCallback(() => {
    const { current } = scroller;
    if (current !== null && current.scrollHeight > current.clientHeight + 1) set(false);
  }, []);
  const pin = useCallback(() => {
    set(true);
    toEnd();
  }, []);
  const settle = useCallback(() => {
    const { current } = scroller;
    if (current === null || pinned.current) return;
    if (current.scrollTop < nearEnd) {
      // At the very top the browser anchors nothing.
      if (current.scrollTop < 1) current.scrollTop = 1;
      latest.current.onNearStart();
    } else if (current.scrollHeight - current.scrollTop - current.clientHeight < nearEnd) latest.current.onNearEnd();
  }, []);

  // Before the first frame, which is to show the end already.
  useLayoutEffect(() => {
    const { current: view } = scroller;
    const { current: inner } = content;
    if (view === null || inner === null) return undefined;
    let touchedAt = 0;
    const onScroll = (): void => {
      // To read where it is now would lay out what has changed since.
      if (isOwn.current && pinned.current) return;
      const { scrollTop, scrollHeight, clientHeight } = view;
      const fromEnd = scrollHeight - clientHeight - scrollTop;
      if (scrollTop < lastTop.current - 0.5 && fromEnd > 1) set(false);
      else if (scrollTop > lastTop.current && fromEnd < 4 && latest.current.isLive) set(true);
      lastTop.current = scrollTop;
      settle();
      latest.current.onScrolled();
    };
    const listeners = {
      wheel: (event: Event) => event instanceof WheelEvent && event.deltaY < 0 && (unpin(), settle()),
      keydown: (event: Event) => {
        if (!(event instanceof KeyboardEvent)) return;
        if (upwards.has(event.key) || (event.key === " " && event.shiftKey)) unpin();
      },
      touchstart: (event: Event) => {
        if (event instanceof TouchEvent) touchedAt = event.touches[0]?.clientY ?? 0;
      },
      touchmove: (event: Event) => {
        if (event instanceof TouchEvent && (event.touches[0]?.clientY ?? 0) > touchedAt) unpin();
      },
      scroll: onScroll,
    };
    for (const [type, listener] of Object.entries(listeners)) view.addEventListener(type, listener, { passive: true });
    const onSelect = (): void => {
      const selection = document.getSelection();
      if (selection !== null && !selection.isCollapsed && inner.contains(selection.anchorNode)) unpin();
    };
    document.addEventListener("selectionchange", onSelect);
    // It is told after the layout of each frame and before its paint.
    const observer = new ResizeObserver(toEnd);
    observer.observe(inner);
    observer.observe(view);
    return () => {
      for (const [type, listener] of Object.entries(listeners)) view.removeEventListener(type, listener);
      document.removeEventListener("selectionchange", onSelect);
      observer.disconnect();
    };
  }, []);

  return { pin, unpin, isPinned: () => pinned.current, settle };
}
