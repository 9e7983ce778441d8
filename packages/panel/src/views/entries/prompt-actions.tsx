import type { PromptEntry } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { CopyButton } from "../widgets/copy-button.tsx";
import { IconButton } from "../widgets/icon.tsx";
import { RestoringView } from "./changes-parts.ts";

/** What can be done with a prompt. */
export function PromptActions({ entry, text }: { readonly entry: PromptEntry; readonly text: string }): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const conversation = useSelected((state) => state.open?.id);
  const [isEditing, setEditing] = useState(false);
  const canFork = useSelected((state) => state.open?.capabilities?.forkBefore === true);
  const canRewind = useSelected((state) => state.open?.capabilities?.rewind === true);
  return (
    <div class="entry-actions" role="group" aria-label={words("message.actions")}>
      <CopyButton label={words("message.copy")} text={() => text} />
      <IconButton
        icon="edit"
        label={words(canFork ? "prompt.resend" : "prompt.again")}
        onClick={() => (canFork ? setEditing(true) : panel.emit({ type: "insert", blocks: entry.blocks }))}
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
      <RestoringView prompt={entry.id} />
      {isEditing ? <Resend entry={entry} text={text} onEnd={() => setEditing(false)} /> : undefined}
    </div>
  );
}

/** An earlier prompt in other words. What went with it goes with it again. */
function Resend({
  entry,
  text,
  onEnd,
}: {
  readonly entry: PromptEntry;
  readonly text: string;
  readonly onEnd: () => void;
}): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const area = useRef<HTMLTextAreaElement>(null);
  const conversation = useSelected((state) => state.open?.id);
  const sendWith = useSelected((state) => state.settings?.sendWith) ?? "enter";
  useLayoutEffect(() => area.current?.focus(), []);
  const send = (): void => {
    const written = area.current?.value.trim() ?? "";
    const blocks = entry.blocks.filter(({ type }) => type !== "text");
    if (conversation === undefined || (written === "" && blocks.length === 0)) return;
    const all = written === "" ? blocks : [...blocks, { type: "text", text: written } as const];
    panel.post({ type: "resend", conversation, prompt: entry.id, blocks: all });
    onEnd();
  };
  return (
    <div class="confirmation" role="group" aria-label={words("prompt.resend")}>
      <textarea
        ref={area}
        class="field"
        dir="auto"
        rows={Math.min(10, text.split("\n").length + 1)}
        aria-label={words("prompt.resend")}
        defaultValue={text}
        onKeyDown={(event) => {
          if (event.isComposing || event.keyCode === 229) return;
          const hasModifier = event.ctrlKey || event.metaKey;
          if (event.key === "Escape") onEnd();
          else if (event.key === "Enter" && !event.shiftKey && hasModifier === (sendWith === "ctrl-enter")) {
            event.preventDefault();
            if (!event.repeat) send();
          }
        }}
      />
      <p class="note">{words("prompt.resendNote")}</p>
      <div class="buttons">
        <button type="button" class="button primary" onClick={send}>
          {words("compose.send")}
        </button>
        <button type="button" class="button" onClick={onEnd}>
          {words("list.cancel")}
        </button>
      </div>
    </div>
  );
}
