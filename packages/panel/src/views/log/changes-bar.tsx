import type { ChangedFile, TurnChanges } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { Icon, IconButton } from "../widgets/icon.tsx";
import { baseName, shownPath, useFolders } from "../widgets/paths.ts";
import { PathText } from "../widgets/path-text.tsx";
import { visibleLine } from "../widgets/visible-text.ts";

/** What the newest turn that changed files did to them. */
export function ChangesBar({ conversation }: { readonly conversation: string }): JSX.Element | undefined {
  const words = useWords();
  const panel = usePanel();
  const [isOpen, setOpen] = useState(false);
  const changes = useSelected(({ open }) => open?.turns.at(-1));
  if (changes === undefined || changes.files.length === 0) return undefined;
  const { turn, files } = changes;
  const canUndo = files.some(({ state, obstacle }) => state === "applied" && obstacle === undefined);
  const act = (action: "review" | "undo") => (): void => panel.post({ type: "changes", conversation, turn, action });
  return (
    <section class="changes" aria-label={words("changes.title", { count: files.length })}>
      <div class="changes-head">
        <button type="button" class="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="chevron" class={`chevron ${isOpen ? "open" : ""}`} />
          <span class="tool-title">{words("changes.title", { count: files.length })}</span>
        </button>
        <button type="button" class="text-button" onClick={act("review")}>
          {words("changes.review")}
        </button>
        {canUndo ? (
          <button type="button" class="text-button" onClick={act("undo")}>
            {words("changes.undoAll")}
          </button>
        ) : undefined}
      </div>
      {isOpen ? (
        <>
          <ul class="plain changes-files">
            {files.map((file) => (
              <ChangedFileRow key={file.path} conversation={conversation} changes={changes} file={file} />
            ))}
          </ul>
          {changes.ranCommands ? <p class="note">{words("changes.commands")}</p> : undefined}
        </>
      ) : undefined}
    </section>
  );
}

function ChangedFileRow({
  conversation,
  changes: { turn },
  file: { path, kind, state, isAsked, obstacle },
}: {
  readonly conversation: string;
  readonly changes: TurnChanges;
  readonly file: ChangedFile;
}): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const shown = shownPath(path, useFolders());
  const isApplied = state === "applied";
  return (
    <li class={isApplied ? undefined : "undone"}>
      <Icon name="file" />
      <button
        type="button"
        class="link change-path"
        title={`${words("changes.open")}: ${visibleLine(shown)}`}
        onClick={() => panel.post({ type: "changes", conversation, turn, action: "review", path })}
      >
        <PathText path={baseName(shown)} />
      </button>
      <span class="change-folder">
        <PathText path={shown.slice(0, -baseName(shown).length - 1)} />
      </span>
      {kind === "changed" ? undefined : <span class="badge">{words(`changes.${kind}`)}</span>}
      {isAsked ? undefined : <span class="badge warning">{words("changes.unasked")}</span>}
      {isApplied ? undefined : <span class="badge">{words("changes.undone")}</span>}
      <span class="spring" />
      <IconButton
        icon={isApplied ? "undo" : "check"}
        label={obstacle ?? words(isApplied ? "changes.undo" : "changes.redo")}
        isDisabled={obstacle !== undefined}
        onClick={() => panel.post({ type: "changes", conversation, turn, action: isApplied ? "undo" : "redo", path })}
      />
    </li>
  );
}
