import type { PromptBlock } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useWords } from "../../store/use-panel.ts";
import { chipIcon, chipLabel } from "../widgets/chip-words.ts";
import { Icon, IconButton } from "../widgets/icon.tsx";

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
