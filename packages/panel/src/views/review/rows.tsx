import type { ComponentChildren, JSX, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Block } from "./blocks.ts";
import type { ReviewState } from "./review-state.ts";

/** So much above and below what is seen is there in the end, px. */
const margin = 900;

/** It is looked what is seen after so much was scrolled, px. */
const lookEvery = 200;

/** So many lines come at once; the rest in tasks of their own, the nearest first. */
const mostAtOnce = 60;

/** What a row is thought to be as long as it was not seen, px. */
const thoughtLine = 18;
const barHeight = 30;

export interface RowsProps {
  /** `caret`: where something is written. */
  readonly state: Pick<ReviewState, "blocks"> & Partial<Pick<ReviewState, "caret">>;
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
  const view = useRef({ top: 0, height: 800 });
  /** The keys of those that are there. */
  const there = useRef<ReadonlySet<number>>(new Set());
  /** How many lines may still come in this task. */
  const room = useRef(mostAtOnce);
  const isPlaced = useRef(false);
  const [, setVersion] = useState(0);
  const drawAgain = (): void => setVersion((version) => version + 1);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = (): void => {
      const { top, height } = view.current;
      const next = { top: element.scrollTop, height: element.clientHeight || 800 };
      // Rows come before they are seen.
      if (Math.abs(top - next.top) < lookEvery && height === next.height) return;
      view.current = next;
      room.current = mostAtOnce;
      drawAgain();
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
  const heightOf = (block: Block): number => {
    const known = heights.current.get(block.key);
    const lines = linesOf(block, isUnified);
    return known?.lines === lines ? known.height : lines * thoughtLine + (block.isFirst ? barHeight : 0);
  };
  const placed = placesOf(blocks, heightOf);
  const first = placed.find(({ block }) => block.isFirst);
  // The first change is gone to: what stands far above it need not be drawn before.
  const start = !isPlaced.current && first !== undefined ? Math.max(0, first.top - view.current.height / 2) : undefined;
  if (start !== undefined) view.current = { ...view.current, top: start };
  const { top, height } = view.current;
  const middle = top + height / 2;
  const near = placed.filter((one) => one.bottom > top - margin && one.top < top + height + margin);
  const drawn = new Set(near.flatMap(({ block: { key } }) => (there.current.has(key) ? key : [])));
  for (const key of [state.caret?.key, wanted]) if (key !== undefined) drawn.add(key);
  const others = near
    .filter(({ block }) => !drawn.has(block.key))
    .toSorted((one, other) => distanceOf(one, middle) - distanceOf(other, middle));
  let left = room.current;
  for (const { block } of others) {
    if (left <= 0) break;
    left -= linesOf(block, isUnified);
    drawn.add(block.key);
  }
  const isMoreToCome = others.some(({ block }) => !drawn.has(block.key));
  useLayoutEffect(() => {
    there.current = new Set(placed.flatMap(({ block: { key } }) => (drawn.has(key) ? key : [])));
    if (start !== undefined && scroller.current !== null) {
      isPlaced.current = true;
      scroller.current.scrollTop = start;
    }
    room.current = left;
    if (!isMoreToCome) return undefined;
    return inNextTask(() => {
      room.current = mostAtOnce;
      drawAgain();
    });
  });
  useLayoutEffect(() => {
    // Where lines are wrapped, only their row knows how high it is.
    let isOther = false;
    const own = new Map(blocks.map((block) => [block.key, block]));
    for (const row of rows.current?.querySelectorAll<HTMLElement>("[data-block]") ?? []) {
      const key = Number(row.dataset["block"]);
      const block = own.get(key);
      if (block === undefined || row.offsetHeight === 0) continue;
      const known = heights.current.get(key);
      const lines = linesOf(block, isUnified);
      if (known?.height === row.offsetHeight && known.lines === lines) continue;
      isOther = isOther || Math.abs((known?.height ?? heightOf(block)) - row.offsetHeight) > 1;
      heights.current.set(key, { lines, height: row.offsetHeight });
    }
    if (isOther) drawAgain();
  });
  const shown: ComponentChildren[] = [];
  let gap = 0;
  const closeGap = (): void => {
    if (gap > 0) shown.push(<div key={`gap ${shown.length}`} class="review-gap" style={{ height: `${gap}px` }} />);
    gap = 0;
  };
  for (const { block, top: from, bottom } of placed) {
    if (!drawn.has(block.key)) gap += bottom - from;
    else {
      closeGap();
      shown.push(draw(block));
    }
  }
  closeGap();
  return (
    <div ref={rows} class="review-rows">
      {shown}
    </div>
  );
}

/** A row, and where it stands, px. */
interface Placed {
  readonly block: Block;
  readonly top: number;
  readonly bottom: number;
}

function placesOf(blocks: readonly Block[], heightOf: (block: Block) => number): readonly Placed[] {
  let at = 0;
  return blocks.map((block) => {
    const top = at;
    at += heightOf(block);
    return { block, top, bottom: at };
  });
}

const distanceOf = ({ top, bottom }: Placed, place: number): number =>
  top <= place && place < bottom ? 0 : Math.min(Math.abs(top - place), Math.abs(bottom - place));

/** After the browser has drawn what there is. Gives what takes it back. */
function inNextTask(work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => (timer = setTimeout(work)));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

function linesOf({ left, right, change }: Block, isUnified: boolean): number {
  const [before, after] = [left.end - left.start, right.end - right.start];
  return isUnified && change !== undefined ? before + after : Math.max(before, after);
}
