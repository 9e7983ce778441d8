import type { PromptBlock, PromptEntry } from "@patchbay/conversations/model";
import type { ComponentChildren, ComponentType, JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { chipIcon, chipLabel, promptText } from "../widgets/chip-words.ts";
import { Icon } from "../widgets/icon.tsx";
import { shownPath, useFolders } from "../widgets/paths.ts";
import { type Later, later } from "../widgets/later.tsx";
import { pure } from "../widgets/pure.tsx";
import { visibleLine } from "../widgets/visible-text.ts";

/** What can be done with a prompt. */
export const PromptActions: Later<{ readonly entry: PromptEntry; readonly text: string }> = later();

/** What the user sent: their words, and a chip for each thing that went with them. */
export const PromptView: ComponentType<{ readonly entry: PromptEntry }> = pure(({ entry }) => {
  const words = useWords();
  const text = promptText(entry.blocks);
  const chips = entry.blocks.filter(({ type }) => type !== "text");
  return (
    <div class="prompt">
      <h2 class="sr-only">{words("log.you")}</h2>
      {chips.length > 0 ? (
        <ul class="chips">
          {chips.map((block, index) => (
            <li key={index}>
              <PromptChip block={block} />
            </li>
          ))}
        </ul>
      ) : undefined}
      {text === "" ? undefined : <PromptText text={text} />}
      <PromptActions entry={entry} text={text} />
    </div>
  );
});

function PromptChip({ block }: { readonly block: PromptBlock }): JSX.Element {
  const panel = usePanel();
  const folders = useFolders();
  const conversation = useSelected((state) => state.open?.id);
  const content = (
    <>
      {block.type === "image" ? (
        <img class="thumbnail" src={`data:${block.mimeType};base64,${block.data}`} alt="" />
      ) : (
        <Icon name={chipIcon(block)} />
      )}
      <span>{chipLabel(block)}</span>
    </>
  );
  if (block.type === "image" && block.data !== "") return <Picture block={block}>{content}</Picture>;
  const path = block.type === "mention" || block.type === "excerpt" ? block.path : undefined;
  if (path === undefined || conversation === undefined) return <span class="chip">{content}</span>;
  const line = block.type === "mention" || block.type === "excerpt" ? block.lines?.start : undefined;
  return (
    <button
      type="button"
      class="chip"
      title={visibleLine(shownPath(path, folders))}
      onClick={() => panel.post({ type: "open-file", conversation, path, ...(line === undefined ? {} : { line }) })}
    >
      {content}
    </button>
  );
}

/** It is small until somebody wants to see it. */
function Picture({
  block: { mimeType, data, name = "" },
  children,
}: {
  readonly block: Extract<PromptBlock, { readonly type: "image" }>;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="chip" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {children}
      </button>
      {isOpen ? <img class="picture" src={`data:${mimeType};base64,${data}`} alt={name} /> : undefined}
    </>
  );
}

/** Long prompts are folded from the start, never later. */
function PromptText({ text }: { readonly text: string }): JSX.Element {
  const words = useWords();
  const element = useRef<HTMLDivElement>(null);
  const [isLong, setLong] = useState(false);
  const [isFolded, setFolded] = useState(true);
  useLayoutEffect(() => {
    const { current } = element;
    if (current !== null) setLong(current.scrollHeight > current.clientHeight + 4);
  }, [text]);
  return (
    <>
      <div ref={element} class={`prompt-text ${isFolded ? "folded" : ""}`} dir="auto">
        {text}
      </div>
      {isLong ? (
        <button type="button" class="text-button" aria-expanded={!isFolded} onClick={() => setFolded(!isFolded)}>
          {words(isFolded ? "prompt.more" : "prompt.less")}
        </button>
      ) : undefined}
    </>
  );
}
