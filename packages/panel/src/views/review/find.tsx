import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useWords } from "../../store/use-panel.ts";
import { IconButton } from "../widgets/icon.tsx";
import type { Block } from "./blocks.ts";
import { bodyOf, type Lines } from "./lines.ts";
import type { ReviewState } from "./review-state.ts";

/** More places are not counted. */
const mostFound = 5_000;

/** A line with the text that is looked for. */
export interface FoundLine {
  /** Of its block. */
  readonly key: number;
  readonly side: "left" | "right";
  /** In the whole text, from 0. */
  readonly line: number;
  readonly column: number;
}

/** Lines with a text, from top to bottom, whatever its case: of the right side, and those of the left side that are changed. */
export function linesWith(
  text: string,
  blocks: readonly Block[],
  { left, right }: { readonly left: Lines; readonly right: Lines },
): readonly FoundLine[] {
  const wanted = text.toLowerCase();
  const found: FoundLine[] = [];
  if (wanted === "") return found;
  const look = (lines: Lines, block: Block, side: FoundLine["side"]): void => {
    for (let line = block[side].start; line < block[side].end && found.length < mostFound; line += 1) {
      const column = bodyOf(lines[line] ?? "")
        .toLowerCase()
        .indexOf(wanted);
      if (column >= 0) found.push({ key: block.key, side, line, column });
    }
  };
  for (const block of blocks) {
    if (block.change !== undefined) look(left, block, "left");
    look(right, block, "right");
  }
  return found;
}

/** Marks a text in the lines that are drawn, without touching them. */
function mark(text: string, rows: HTMLElement | null): void {
  if (typeof CSS === "undefined" || !("highlights" in CSS)) return;
  CSS.highlights.delete("find");
  const wanted = text.toLowerCase();
  if (wanted === "" || rows === null) return;
  const ranges: Range[] = [];
  for (const { firstChild } of rows.querySelectorAll(".review-line")) {
    const value = firstChild?.nodeValue?.toLowerCase() ?? "";
    for (
      let at = value.indexOf(wanted);
      firstChild !== null && at >= 0;
      at = value.indexOf(wanted, at + wanted.length)
    ) {
      const range = new Range();
      range.setStart(firstChild, at);
      range.setEnd(firstChild, at + wanted.length);
      ranges.push(range);
    }
  }
  if (ranges.length > 0) CSS.highlights.set("find", new Highlight(...ranges));
}

/** Finds in both sides: the browser itself finds in what is drawn alone. */
export function FindInReview({
  state,
  rows,
  onGo,
  onClose,
}: {
  readonly state: Pick<ReviewState, "blocks"> & { readonly text: { readonly left: Lines; readonly right: Lines } };
  readonly rows: () => HTMLElement | null;
  readonly onGo: (found: FoundLine) => void;
  /** With the place that was found last. */
  readonly onClose: (found: FoundLine | undefined) => void;
}): JSX.Element {
  const words = useWords();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const { blocks } = state;
  const found = useMemo(() => linesWith(text, blocks, state.text), [text, blocks]);
  // At once: the first key may follow the shortcut before the next frame is drawn.
  useLayoutEffect(() => field.current?.focus(), []);
  useEffect(() => () => mark("", null), []);
  // What is drawn changes as one scrolls.
  useEffect(() => mark(text, rows()));
  const go = (to: number): void => {
    if (found.length === 0) return;
    const at = (to + found.length) % found.length;
    const place = found[at];
    setIndex(at);
    if (place !== undefined) onGo(place);
  };
  useEffect(() => go(0), [text]);
  return (
    <div
      class="find"
      role="search"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onClose(found[index]);
      }}
    >
      <input
        ref={field}
        class="field"
        type="text"
        aria-label={words("find.label")}
        placeholder={words("find.label")}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
          event.preventDefault();
          go(event.shiftKey ? index - 1 : index + 1);
        }}
      />
      <span class="find-count" role="status">
        {text === ""
          ? ""
          : found.length === 0
            ? words("find.none")
            : words("find.count", { index: Math.min(index, found.length - 1) + 1, count: found.length })}
      </span>
      <IconButton
        icon="arrowUp"
        label={words("find.previous")}
        isDisabled={found.length === 0}
        onClick={() => go(index - 1)}
      />
      <IconButton
        icon="arrowDown"
        label={words("find.next")}
        isDisabled={found.length === 0}
        onClick={() => go(index + 1)}
      />
      <IconButton icon="close" label={words("find.close")} onClick={() => onClose(found[index])} />
    </div>
  );
}
