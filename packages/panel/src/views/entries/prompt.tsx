import type { PromptBlock, PromptEntry } from "@patchbay/conversations/model";
import type { ComponentType, JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { CopyButton } from "../widgets/copy-button.tsx";
import { chipIcon, chipLabel, promptText } from "../widgets/chip-words.ts";
import { Icon, IconButton } from "../widgets/icon.tsx";
import { shownPath, useFolders } from "../widgets/paths.ts";
import { pure } from "../widgets/pure.tsx";

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
  const path = block.type === "mention" || block.type === "excerpt" ? block.path : undefined;
  if (path === undefined || conversation === undefined) return <span class="chip">{content}</span>;
  const line = block.type === "mention" || block.type === "excerpt" ? block.lines?.start : undefined;
  return (
    <button
      type="button"
      class="chip"
      title={shownPath(path, folders)}
      onClick={() => panel.post({ type: "open-file", conversation, path, ...(line === undefined ? {} : { line }) })}
    >
      {content}
    </button>
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

function PromptActions({ entry, text }: { readonly entry: PromptEntry; readonly text: string }): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const conversation = useSelected((state) => state.open?.id);
  const canFork = useSelected((state) => state.open?.capabilities?.fork === true);
  const canRewind = useSelected((state) => state.open?.capabilities?.rewind === true);
  return (
    <div class="entry-actions" role="group" aria-label={words("message.actions")}>
      <CopyButton label={words("message.copy")} text={() => text} />
      <IconButton
        icon="edit"
        label={words("prompt.resend")}
        onClick={() => panel.emit({ type: "insert", blocks: entry.blocks })}
      />
      {canFork && conversation !== undefined ? (
        <IconButton
          icon="agent"
          label={words("prompt.fork")}
          onClick={() => panel.post({ type: "fork", conversation, upTo: entry.id })}
        />
      ) : undefined}
      {canRewind && conversation !== undefined ? (
        <IconButton
          icon="undo"
          label={words("prompt.rewind")}
          onClick={() => panel.post({ type: "rewind", conversation, prompt: entry.id, dryRun: true })}
        />
      ) : undefined}
      <RewindConfirmation prompt={entry.id} />
    </div>
  );
}

function RewindConfirmation({ prompt }: { readonly prompt: string }): JSX.Element | undefined {
  const words = useWords();
  const panel = usePanel();
  const folders = useFolders();
  const rewind = useSelected((state) => (state.rewind?.prompt === prompt ? state.rewind : undefined));
  const conversation = useSelected((state) => state.open?.id);
  if (rewind === undefined || conversation === undefined) return undefined;
  const close = (): void => panel.update({ rewind: undefined });
  const canDo = rewind.canRewind && rewind.files.length > 0;
  return (
    <div class="confirmation" role="group" aria-label={words("prompt.rewind")}>
      <p>
        {canDo
          ? words("rewind.ask")
          : rewind.canRewind
            ? words("rewind.nothing")
            : words("rewind.cannot", { reason: rewind.reason ?? "" })}
      </p>
      {canDo ? (
        <>
          <ul class="plain">
            {rewind.files.map((path) => (
              <li key={path}>{shownPath(path, folders)}</li>
            ))}
          </ul>
          <p class="note">{words("rewind.note")}</p>
        </>
      ) : undefined}
      <div class="buttons">
        {canDo ? (
          <button
            type="button"
            class="button primary"
            onClick={() => {
              panel.post({ type: "rewind", conversation, prompt, dryRun: false });
              close();
            }}
          >
            {words("rewind.confirm")}
          </button>
        ) : undefined}
        <button type="button" class="button" onClick={close}>
          {words(canDo ? "list.cancel" : "list.close")}
        </button>
      </div>
    </div>
  );
}
