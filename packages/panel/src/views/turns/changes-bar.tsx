import type { ChangedFile, TurnChanges, TurnEndEntry } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { Icon } from "../widgets/icon.tsx";
import { ChangedFileRow, canKeep, canUndo } from "./changed-file.tsx";
import type { FileAction } from "./file-hunks.tsx";
import { newestTurn, turnEndedBy, useTurns } from "./turns.ts";

const actions = ["review", "keep", "undo", "redo"] as const;
type Action = (typeof actions)[number];

/** What the newest turn did to the files, as long as it is the newest of all. */
export function ChangesBar({ conversation }: { readonly conversation: string }): JSX.Element | undefined {
  const changes = useTurns(newestTurn);
  return changes === undefined ? undefined : <Bar key={changes.turn} conversation={conversation} changes={changes} />;
}

/** What an earlier turn did, below it. */
export function TurnBar({ entry }: { readonly entry: TurnEndEntry }): JSX.Element | undefined {
  const conversation = useSelected(({ open }) => open?.id);
  const changes = useTurns((open) => turnEndedBy(open, entry));
  if (changes === undefined || conversation === undefined) return undefined;
  return <Bar conversation={conversation} changes={changes} />;
}

function Bar({
  conversation,
  changes: { turn, files, more },
}: {
  readonly conversation: string;
  readonly changes: TurnChanges;
}): JSX.Element | undefined {
  const words = useWords();
  const panel = usePanel();
  const [isOpen, setOpen] = useState(false);
  /** Files of which the changed lines are shown. */
  const [looked, setLooked] = useState<ReadonlySet<string>>(new Set());
  if (files.length + more === 0) return undefined;
  const act = (action: Action): void => panel.post({ type: "changes", conversation, turn, action });
  const actOn = ({ path }: ChangedFile, action: FileAction, hunk?: string): void =>
    panel.post({ type: "changes", conversation, turn, action, path, ...(hunk === undefined ? {} : { hunk }) });
  const canUndoAny = files.some((file) => canUndo(file) && file.state !== "kept");
  const can: Readonly<Record<Action, boolean>> = {
    review: files.length > 0,
    keep: files.some((file) => canKeep(file) && file.obstacle === undefined),
    undo: canUndoAny,
    redo: !canUndoAny && files.some(({ canRedo }) => canRedo),
  };
  const title = words("changes.title", { count: files.length + more });
  return (
    <section class="changes" aria-label={title}>
      <div class="changes-head">
        <button type="button" class="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="chevron" class={`chevron ${isOpen ? "open" : ""}`} />
          <span class="tool-title">{title}</span>
        </button>
        {actions
          .filter((action) => can[action])
          .map((action) => (
            <button key={action} type="button" class="text-button" onClick={() => act(action)}>
              {words(`changes.${action}All`)}
            </button>
          ))}
      </div>
      {isOpen ? (
        <div class="changes-body">
          <ul class="plain changes-files">
            {files.map((file) => (
              <ChangedFileRow
                key={file.path}
                turn={turn}
                file={file}
                isLooked={looked.has(file.path)}
                onLook={(isLooked) => {
                  const others = Array.from(looked).filter((path) => path !== file.path);
                  setLooked(new Set(isLooked ? [...others, file.path] : others));
                }}
                act={(action, hunk) => actOn(file, action, hunk)}
              />
            ))}
          </ul>
          {more > 0 ? <p class="note">{words("changes.more", { count: more })}</p> : undefined}
        </div>
      ) : undefined}
    </section>
  );
}
