import type { PromptBlock } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { chipIcon, chipLabel } from "../widgets/chip-words.ts";
import { Icon, IconButton } from "../widgets/icon.tsx";
import { isBusy } from "./composer.tsx";
import { type Suggestion, suggestionId } from "./use-suggestions.ts";

/** What goes with the message: each can be taken out, and the selection be left out. */
export function ComposerChips({
  chips,
  selection,
  isSelectionOn,
  onRemove,
  onToggleSelection,
}: {
  readonly chips: readonly PromptBlock[];
  readonly selection: PromptBlock | undefined;
  readonly isSelectionOn: boolean;
  readonly onRemove: (index: number) => void;
  readonly onToggleSelection: () => void;
}): JSX.Element | undefined {
  const words = useWords();
  if (chips.length === 0 && selection === undefined) return undefined;
  return (
    <ul class="chips">
      {selection === undefined ? undefined : (
        <li>
          <button
            type="button"
            class={`chip selection ${isSelectionOn ? "" : "off"}`}
            aria-pressed={isSelectionOn}
            title={words(isSelectionOn ? "compose.selectionOn" : "compose.selectionOff")}
            onClick={onToggleSelection}
          >
            <Icon name={chipIcon(selection)} />
            <span>{chipLabel(selection)}</span>
          </button>
        </li>
      )}
      {chips.map((block, index) => (
        <li key={index}>
          <span class="chip removable">
            {block.type === "image" ? (
              <img class="thumbnail" src={`data:${block.mimeType};base64,${block.data}`} alt="" />
            ) : (
              <Icon name={chipIcon(block)} />
            )}
            <span>{chipLabel(block)}</span>
            <IconButton
              icon="close"
              label={words("compose.remove", { name: chipLabel(block) })}
              onClick={() => onRemove(index)}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Stands above the text, which keeps the focus. */
export function Suggestions({
  id,
  items,
  active,
  onPick,
}: {
  readonly id: string;
  readonly items: readonly Suggestion[];
  readonly active: number;
  readonly onPick: (index: number) => void;
}): JSX.Element {
  const words = useWords();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const one = list.current?.children[active];
    if (one instanceof HTMLElement) one.scrollIntoView({ block: "nearest" });
  }, [active, items]);
  return (
    <div
      class="popup popup-above suggestions"
      id={id}
      role="listbox"
      aria-label={words("compose.suggestions")}
      ref={list}
    >
      {items.map(({ id: key, name, description, icon }, index) => (
        <div
          key={key}
          id={suggestionId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          class={`popup-item ${index === active ? "active" : ""}`}
          // The text keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(index)}
          onKeyDown={undefined}
        >
          {icon === undefined ? undefined : <Icon name={icon} />}
          <span class="suggestion-name">{name}</span>
          <span class="suggestion-note">{description}</span>
        </div>
      ))}
    </div>
  );
}

/** Prompts that wait for their turn. One can be taken back while nothing else is being written. */
export function Queue({
  conversation,
  isEmpty,
}: {
  readonly conversation: string;
  readonly isEmpty: boolean;
}): JSX.Element | undefined {
  const words = useWords();
  const panel = usePanel();
  const isRunning = useSelected(({ open }) => isBusy(open?.state.kind));
  const queue = useSelected((state) => state.open?.queue) ?? [];
  const list = useRef<HTMLOListElement>(null);
  /** What the user has moved: its place in the document is another one, and the focus would be lost on the way. */
  const moved = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const index = queue.findIndex(({ id }) => id === moved.current);
    moved.current = undefined;
    if (index >= 0) list.current?.children[index]?.querySelector("button")?.focus();
  }, [queue]);
  if (queue.length === 0) return undefined;
  return (
    <section class="queue" aria-label={words("queue.title")}>
      <ol ref={list}>
        {queue.map(({ id, blocks }, index) => (
          <li key={id}>
            <span class="queue-mark" aria-hidden="true">
              {index + 1}
            </span>
            <span class="queue-text" dir="auto">
              {blocks.map(chipLabel).join(" · ")}
            </span>
            <span class="queue-actions">
              {index === 0 ? undefined : (
                <IconButton
                  icon="chevron"
                  class="queue-earlier"
                  label={words("queue.earlier")}
                  onClick={() => {
                    moved.current = id;
                    panel.post({ type: "queue", conversation, id, action: "earlier" });
                  }}
                />
              )}
              <IconButton
                icon="arrowUp"
                label={words(isRunning ? "queue.now" : "compose.send")}
                onClick={() => panel.post({ type: "queue", conversation, id, action: "send-now" })}
              />
              <IconButton
                icon="edit"
                label={words(isEmpty ? "queue.edit" : "queue.editLater")}
                isDisabled={!isEmpty}
                onClick={() => {
                  panel.post({ type: "queue", conversation, id, action: "edit" });
                  panel.emit({ type: "insert", blocks, before: queue.slice(index + 1).map((one) => one.id) });
                }}
              />
              <IconButton
                icon="close"
                label={words("queue.remove")}
                onClick={() => panel.post({ type: "queue", conversation, id, action: "remove" })}
              />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
