import type { ComponentChildren, JSX, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Block } from "./blocks.ts";
import type { ReviewState } from "./review-state.ts";

/** So much above and below what is seen is there, too, px. */
const margin = 900;

/** What a row is thought to be as long as it was not seen, px. */
const thoughtLine = 18;
const barHeight = 30;

export interface RowsProps {
  readonly state: ReviewState;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly isUnified: boolean;
  /** A row that is there, wherever it is. */
  readonly wanted: number | undefined;
  readonly draw: (block: Block) => JSX.Element;
}

/** The rows that are near what is seen, and that of the caret. Gaps stand for the others. */
export function Rows({ state, scroller, isUnified, wanted, draw }: RowsProps): JSX.Element {
  const { blocks } = state;
  const heights = useRef(new Map<number, { readonly lines: number; readonly height: number }>());
  const rows = useRef<HTMLDivElement>(null);
  const [{ top, height }, setView] = useState({ top: 0, height: 800 });
  const [, setMeasured] = useState(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = (): void => {
      const next = { top: element.scrollTop, height: element.clientHeight || 800 };
      // Rows come before they are seen.
      setView((before) =>
        Math.abs(before.top - next.top) < margin / 3 && before.height === next.height ? before : next,
      );
    };
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = typeof ResizeObserver === "undefined" ? undefined : new ResizeObserver(look);
    observer?.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      observer?.disconnect();
    };
  }, [scroller]);
  useLayoutEffect(() => heights.current.clear(), [isUnified]);
  useLayoutEffect(() => {
    // Where lines are wrapped, only their row knows how high it is.
    let isOther = false;
    for (const row of rows.current?.querySelectorAll<HTMLElement>("[data-block]") ?? []) {
      const key = Number(row.dataset["block"]);
      const block = blocks.find((one) => one.key === key);
      if (block === undefined || row.offsetHeight === 0) continue;
      const known = heights.current.get(key);
      const lines = linesOf(block, isUnified);
      if (known?.height === row.offsetHeight && known.lines === lines) continue;
      isOther = isOther || Math.abs((known?.height ?? heightOf(block)) - row.offsetHeight) > 1;
      heights.current.set(key, { lines, height: row.offsetHeight });
    }
    if (isOther) setMeasured((count) => count + 1);
  });
  const heightOf = (block: Block): number => {
    const known = heights.current.get(block.key);
    const lines = linesOf(block, isUnified);
    return known?.lines === lines ? known.height : lines * thoughtLine + (block.isFirst ? barHeight : 0);
  };
  const drawn: ComponentChildren[] = [];
  let [at, gap] = [0, 0];
  const closeGap = (): void => {
    if (gap > 0) drawn.push(<div key={`gap ${drawn.length}`} class="review-gap" style={{ height: `${gap}px` }} />);
    gap = 0;
  };
  for (const block of blocks) {
    const own = heightOf(block);
    const isNear = at + own > top - margin && at < top + height + margin;
    if (isNear || block.key === state.caret?.key || block.key === wanted) {
      closeGap();
      drawn.push(draw(block));
    } else gap += own;
    at += own;
  }
  closeGap();
  return (
    <div ref={rows} class="review-rows">
      {drawn}
    </div>
  );
}

function linesOf({ left, right, change }: Block, isUnified: boolean): number {
  const [before, after] = [left.end - left.start, right.end - right.start];
  return isUnified && change !== undefined ? before + after : Math.max(before, after);
}
