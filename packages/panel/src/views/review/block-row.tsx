import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useWords } from "../../store/use-panel.ts";
import type { Block } from "./blocks.ts";
import { fieldText, isEmpty } from "./lines.ts";
import { guardTime, type ReviewState } from "./review-state.ts";
import { hasLongLine, SidesRow } from "./sides-row.tsx";

/** Lines beside each other, with the bar of the change that begins with them. */
export function BlockRow({
  state,
  block,
  isReadOnly,
  onWay,
}: {
  readonly state: ReviewState;
  readonly block: Block;
  readonly isReadOnly: boolean;
  /** A key of the review's own was pressed. */
  readonly onWay: (event: KeyboardEvent) => void;
}): JSX.Element {
  const { left, right } = state.text;
  const isFixed = isReadOnly || isEmpty(block.right) || hasLongLine(right, block);
  return (
    <SidesRow
      left={left}
      right={right}
      block={block}
      bar={block.isFirst ? <ChangeBar state={state} block={block} isReadOnly={isReadOnly} /> : undefined}
      field={isFixed ? undefined : <Field state={state} block={block} onWay={onWay} />}
    />
  );
}

/** The lines of the right side as the user edits them. */
function Field({
  state,
  block,
  onWay,
}: {
  readonly state: ReviewState;
  readonly block: Block;
  readonly onWay: (event: KeyboardEvent) => void;
}): JSX.Element {
  const words = useWords();
  const field = useRef<HTMLTextAreaElement>(null);
  const value = fieldText(state.text.right, block.right);
  const { start, end } = block.right;
  const { caret } = state;
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    const isOther = element.value !== value;
    if (isOther) element.value = value;
    if (caret?.key !== block.key) return;
    const isHere = document.activeElement === element;
    if (!isHere && document.activeElement !== document.body) return;
    if (!isHere) element.focus({ preventScroll: true });
    const at = placeOf(value, caret.line - start, caret.column);
    // What is selected up to there stays selected.
    if (isOther || !isHere || caretOf(element) !== at) element.setSelectionRange(at, at);
    // The focus has noted where the text field had its caret before.
    state.caret = caret;
  });
  const note = (): void => {
    const element = field.current;
    if (element === null || document.activeElement !== element) return;
    const { line, column } = caretIn(element.value, caretOf(element));
    state.caret = { key: block.key, line: start + line, column };
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const element = field.current;
    if (element === null || event.isComposing) return;
    note();
    onWay(event);
    if (event.defaultPrevented) return;
    const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isCaret = element.selectionStart === element.selectionEnd;
    const command = event.ctrlKey !== event.metaKey && !event.altKey ? event.key.toLowerCase() : "";
    if (command === "z" || command === "y") {
      event.preventDefault();
      state.step(command === "y" || event.shiftKey ? "redo" : "undo");
    } else if (isPlain && isCaret && event.key === "Backspace" && element.selectionStart === 0 && start > 0) {
      event.preventDefault();
      state.join(start);
    } else if (isPlain && isCaret && event.key === "Delete" && element.selectionStart === element.value.length) {
      event.preventDefault();
      state.join(end);
    } else if (isPlain && isCaret) {
      const way = leaves(element, event.key);
      if (way !== 0 && goBeside(element, way)) event.preventDefault();
    }
  };
  return (
    <textarea
      ref={field}
      class="review-field"
      aria-label={words("review.field", { from: start + 1, to: end })}
      spellcheck={false}
      autocomplete="off"
      wrap="soft"
      defaultValue={value}
      onInput={({ currentTarget }) => {
        const caretNow = caretIn(currentTarget.value, currentTarget.selectionEnd);
        state.typed(block, currentTarget.value, { line: start + caretNow.line, column: caretNow.column });
      }}
      onKeyDown={onKeyDown}
      onSelect={note}
      onFocus={note}
      onKeyUp={note}
      onClick={note}
      onBlur={() => {
        if (document.hasFocus() && state.caret?.key === block.key) state.caret = undefined;
      }}
      onCompositionStart={() => state.compose(true)}
      onCompositionEnd={() => state.compose(false)}
    />
  );
}

/** Where in a text a place is. */
function placeOf(text: string, line: number, column: number): number {
  let at = 0;
  for (let left = line; left > 0; left -= 1) {
    const next = text.indexOf("\n", at);
    if (next === -1) return text.length;
    at = next + 1;
  }
  const end = text.indexOf("\n", at);
  return Math.min(at + column, end === -1 ? text.length : end);
}

/** Where the caret is: at the end of a selection that the user moves. */
function caretOf({ selectionDirection, selectionStart, selectionEnd }: HTMLTextAreaElement): number {
  return selectionDirection === "backward" ? selectionStart : selectionEnd;
}

function caretIn(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at);
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length - 1, column: at - start };
}

/** Whether an arrow key leads out of the text field: up −1, down 1. */
function leaves({ value, selectionStart }: HTMLTextAreaElement, key: string): -1 | 0 | 1 {
  if (key === "ArrowUp" && !value.slice(0, selectionStart).includes("\n")) return -1;
  if (key === "ArrowDown" && !value.slice(selectionStart).includes("\n")) return 1;
  if (key === "ArrowLeft" && selectionStart === 0) return -1;
  if (key === "ArrowRight" && selectionStart === value.length) return 1;
  return 0;
}

/** The text field above or below: all of them are one text for who writes in them. */
function goBeside(element: HTMLTextAreaElement, way: -1 | 1): boolean {
  const fields = Array.from(
    element.closest(".review-rows")?.querySelectorAll<HTMLTextAreaElement>(".review-field") ?? [],
  );
  const next = fields[fields.indexOf(element) + way];
  if (next === undefined) return false;
  const at = way === 1 ? 0 : next.value.length;
  next.focus();
  next.setSelectionRange(at, at);
  return true;
}

/** The bar of a change: what it is, and the verdicts on it. */
function ChangeBar({
  state,
  block,
  isReadOnly,
}: {
  readonly state: ReviewState;
  readonly block: Block;
  readonly isReadOnly: boolean;
}): JSX.Element {
  const words = useWords();
  const shownAt = useRef(performance.now());
  const { change = 0 } = block;
  const decide = (verdict: "accept" | "reject") => (): void => {
    // The buttons of a change that has just taken the place of another one.
    if (performance.now() - shownAt.current < guardTime) return;
    state.act({ type: "review-hunk", verdict, line: block.right.start });
  };
  const label = words("review.change", { number: change + 1, count: state.changes });
  return (
    <div
      class="change-bar"
      role="group"
      aria-label={label}
      tabIndex={-1}
      data-change={change}
      data-line={block.right.start}
    >
      <span class="change-name">{label}</span>
      {isReadOnly ? undefined : (
        <>
          <button type="button" class="text-button" disabled={state.isDeciding} onClick={decide("accept")}>
            {words("review.acceptChange")}
          </button>
          <button type="button" class="text-button" disabled={state.isDeciding} onClick={decide("reject")}>
            {words("review.rejectChange")}
          </button>
        </>
      )}
    </div>
  );
}
