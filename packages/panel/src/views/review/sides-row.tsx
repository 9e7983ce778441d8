import type { ComponentChildren, JSX } from "preact";
import { useWords } from "../../store/use-panel.ts";
import { visibleLine } from "../widgets/visible-text.ts";
import type { Block } from "./blocks.ts";
import { bodyOf, isEmpty, type Lines } from "./lines.ts";

/** More of a line than this is no text that people read, and takes long to lay out, UTF-16 units. */
const longestLine = 10_000;

/** Characters that show nothing or change how others are shown; tabs are seen. */
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Cf}]/u;

/** Lines beside each other. */
export function SidesRow({
  left,
  right,
  block,
  bar,
  field,
  showsEnds = false,
}: {
  readonly left: Lines;
  readonly right: Lines;
  readonly block: Block;
  /** Of the change that begins with it. */
  readonly bar: ComponentChildren;
  /** In which the right side is edited: it stands before its lines. */
  readonly field?: ComponentChildren;
  /** How lines end is a part of the change. */
  readonly showsEnds?: boolean;
}): JSX.Element {
  const mark = (sign: string): string | undefined => (block.change === undefined ? undefined : sign);
  const hasEnds = showsEnds && hasDifferentEnds(left, right, block);
  return (
    <div class={`review-row ${block.change === undefined ? "same" : "differs"}`} data-block={block.key}>
      {bar}
      <div class={`review-side left ${isEmpty(block.left) ? "none" : ""}`} dir="ltr">
        <LineList lines={left} from={block.left.start} to={block.left.end} mark={mark("−")} hasEnds={hasEnds} />
      </div>
      <div class={`review-side right ${isEmpty(block.right) ? "none" : ""}`} dir="ltr">
        <LineList
          lines={right}
          from={block.right.start}
          to={block.right.end}
          mark={mark("+")}
          hasEnds={hasEnds}
          isBehindField={field !== undefined}
        />
        {field}
      </div>
      {block.change === undefined ? undefined : <Hidden left={left} right={right} block={block} />}
    </div>
  );
}

/** Signs for the ends of lines, where the lines of a change do not all end alike. */
const endSigns: Readonly<Record<string, string>> = { "\r\n": "CRLF", "\n": "LF", "\r": "CR" };

const endOf = (line: string): string => line.slice(bodyOf(line).length);

/** Whether the lines of a change do not all end alike. */
function hasDifferentEnds(left: Lines, right: Lines, { left: one, right: other, change }: Block): boolean {
  if (change === undefined) return false;
  const lines = [...left.slice(one.start, one.end), ...right.slice(other.start, other.end)];
  return new Set(lines.map(endOf)).size > 1;
}

export const hasLongLine = (lines: Lines, { right }: Block): boolean =>
  lines.slice(right.start, right.end).some(({ length }) => length > longestLine);

/** Lines with their numbers. Behind a text field they give it its height, its numbers and its colours. */
function LineList({
  lines,
  from,
  to,
  mark,
  hasEnds,
  isBehindField = false,
}: {
  readonly lines: Lines;
  readonly from: number;
  readonly to: number;
  readonly mark: string | undefined;
  readonly hasEnds: boolean;
  readonly isBehindField?: boolean;
}): JSX.Element {
  const words = useWords();
  return (
    <div class={`review-lines ${isBehindField ? "behind" : ""}`} aria-hidden={isBehindField}>
      {lines.slice(from, to).map((line, index) => {
        const body = bodyOf(line);
        const isLong = body.length > longestLine;
        return (
          <div key={index} class="review-line" data-number={from + index + 1} data-mark={mark}>
            {isLong ? body.slice(0, 1_000) : body}
            {isLong ? <i>{words("review.longLine", { count: body.length - 1_000 })}</i> : undefined}
            {hasEnds ? <i class="line-end">{endSigns[endOf(line)] ?? words("past.noEnd")}</i> : undefined}
          </div>
        );
      })}
    </div>
  );
}

/** What cannot be seen in a changed line is spelled out: what is accepted is what is read. */
function Hidden({
  left,
  right,
  block,
}: {
  readonly left: Lines;
  readonly right: Lines;
  readonly block: Block;
}): JSX.Element | undefined {
  const words = useWords();
  const before = new Set(left.slice(block.left.start, block.left.end));
  const found = right
    .slice(block.right.start, block.right.end)
    .map((line, index) => ({ text: bodyOf(line).slice(0, longestLine), line, number: block.right.start + index + 1 }))
    .filter(({ text, line }) => !before.has(line) && unseen.test(text.replaceAll("\t", "")));
  if (found.length === 0) return undefined;
  return (
    <ul class="plain review-hidden" dir="ltr">
      {found.slice(0, 5).map(({ text, number }) => (
        <li key={number}>
          <span class="badge warning">{words("review.hidden", { line: number })}</span> <code>{visibleLine(text)}</code>
        </li>
      ))}
    </ul>
  );
}
