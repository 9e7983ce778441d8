import type { Hunk, LineSpan } from "@patchbay/core/texts";

/** So many lines are in one text field at most: what is typed, and what is drawn at once, lays out no more. */
export const mostLines = 80;

/** The same of lines that are not changed, which fewer edit. */
export const mostSameLines = 40;

/** Lines that stand beside each other: the same on both sides, or a part of a change. */
export interface Block {
  /** The same as long as it is the same block: what stands in its text field stays. */
  readonly key: number;
  readonly left: LineSpan;
  readonly right: LineSpan;
  /** Which change from 0; undefined: the same on both sides. */
  readonly change: number | undefined;
  /** The change begins with it. */
  readonly isFirst: boolean;
}

type Piece = Pick<Block, "left" | "right">;

const lengthOf = ({ start, end }: LineSpan): number => end - start;

/** In pieces of at most so many lines on either side. */
function* chopped({ left, right }: Piece, most: number): Generator<Piece> {
  const cut = ({ start, end }: LineSpan, at: number): LineSpan => ({
    start: Math.min(start + at, end),
    end: Math.min(start + at + most, end),
  });
  const length = Math.max(lengthOf(left), lengthOf(right));
  for (let at = 0; at < length; at += most) yield { left: cut(left, at), right: cut(right, at) };
}

/** Both sides from top to bottom. Blocks that are as before keep their keys. */
export function blocksOf(
  hunks: readonly Hunk[],
  lines: { readonly left: number; readonly right: number },
  before: readonly Block[],
): readonly Block[] {
  const known = new Map(before.map((block) => [nameOf(block), block.key]));
  let next = highest(before) + 1;
  const blocks: Block[] = [];
  const add = (piece: Piece, change: number | undefined): void => {
    let isFirst = change !== undefined;
    for (const part of chopped(piece, change === undefined ? mostSameLines : mostLines)) {
      const name = nameOf({ ...part, change, isFirst });
      const key = known.get(name) ?? next++;
      known.delete(name);
      blocks.push({ ...part, key, change, isFirst });
      isFirst = false;
    }
  };
  let [left, right] = [0, 0];
  for (const [change, hunk] of hunks.entries()) {
    add({ left: { start: left, end: hunk.left.start }, right: { start: right, end: hunk.right.start } }, undefined);
    add(hunk, change);
    [left, right] = [hunk.left.end, hunk.right.end];
  }
  add({ left: { start: left, end: lines.left }, right: { start: right, end: lines.right } }, undefined);
  return blocks;
}

const highest = (blocks: readonly Block[]): number => blocks.reduce((most, { key }) => Math.max(most, key), 0);

/** What is the same block, wherever it has moved on the right side. */
function nameOf({ left, right, change, isFirst }: Omit<Block, "key">): string {
  return `${change === undefined ? "same" : "change"} ${isFirst} ${left.start} ${left.end} ${lengthOf(right)}`;
}

/** The block with a line of the right side keeps the key of the text field that the user is in. */
export function withKeyAt(blocks: readonly Block[], line: number, key: number): readonly Block[] {
  if (blocks.some((block) => block.key === key)) return blocks;
  const at = blocks.findIndex(({ right }) => right.start <= line && line < right.end);
  return blocks.map((block, index) => (index === at ? { ...block, key } : block));
}

/**
 * Before both sides are compared anew: some lines of the right side have become `count` others. Every line is in a block
 * afterwards, if not in the best one. `typedInto`: the block in whose text field that was.
 */
export function splicedBlocks(
  blocks: readonly Block[],
  { start, end }: LineSpan,
  count: number,
  typedInto?: number,
): readonly Block[] {
  const delta = count - (end - start);
  const touches = ({ key, right }: Block): boolean => {
    if (typedInto !== undefined) return key === typedInto;
    if (lengthOf(right) === 0) return false;
    return start === end ? right.start <= start && start <= right.end : right.start < end && start < right.end;
  };
  const first = blocks.findIndex(touches);
  const last = blocks.findLastIndex(touches);
  const [one, other] = [blocks[first], blocks[last]];
  if (one === undefined || other === undefined) return blocks;
  const moved = (span: LineSpan): LineSpan => ({ start: span.start + delta, end: span.end + delta });
  const joined: Block = {
    ...one,
    left: { start: one.left.start, end: other.left.end },
    right: { start: one.right.start, end: other.right.end + delta },
    change: blocks.slice(first, last + 1).find(({ change }) => change !== undefined)?.change,
  };
  let key = highest(blocks);
  const pieces: Iterable<Piece> = first === last ? [joined] : chopped(joined, mostLines);
  const parts = Array.from(pieces, (part, index) => {
    if (index > 0) key += 1;
    return { ...joined, ...part, key: index === 0 ? joined.key : key, isFirst: joined.isFirst && index === 0 };
  });
  const after = blocks.slice(last + 1).map((block) => ({ ...block, right: moved(block.right) }));
  return [...blocks.slice(0, first), ...parts, ...after];
}
