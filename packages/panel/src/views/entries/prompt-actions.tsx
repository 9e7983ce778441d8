import type { PromptEntry } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { CopyButton } from "../widgets/copy-button.tsx";
import { IconButton } from "../widgets/icon.tsx";
import { shownPath, useFolders } from "../widgets/paths.ts";

/** What can be done with a prompt. */
export function PromptActions({ entry, text }: { readonly entry: PromptEntry; readonly text: string }): JSX.Element {
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

/** What would be restored before it is, and whether it is wanted. */
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
