import type { ChangedFile } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { Icon, IconButton } from "../widgets/icon.tsx";
import { baseName, shownPath, useFolders } from "../widgets/paths.ts";
import { PathText } from "../widgets/path-text.tsx";
import { LineCounts } from "../widgets/small-diff.tsx";
import { visibleLine } from "../widgets/visible-text.ts";

const actions = ["review", "keep", "undo", "redo"] as const;
type Action = (typeof actions)[number];

/** There is something of it that nobody has decided. */
const isOpenFile = ({ state }: ChangedFile): boolean => state === "applied" || state === "partly" || state === "queued";
const canUndo = ({ state, obstacle }: ChangedFile): boolean => state !== "undone" && obstacle === undefined;

/** What the newest turn that changed files did to them. */
export function ChangesBar({ conversation }: { readonly conversation: string }): JSX.Element | undefined {
  const words = useWords();
  const panel = usePanel();
  const [isOpen, setOpen] = useState(false);
  const changes = useSelected(({ open }) => open?.turns.at(-1));
  if (changes === undefined || changes.files.length === 0) return undefined;
  const { turn, files, more } = changes;
  const act = (action: Action, path?: string): void =>
    panel.post({ type: "changes", conversation, turn, action, ...(path === undefined ? {} : { path }) });
  const canUndoAny = files.some((file) => canUndo(file) && file.state !== "kept");
  const can: Readonly<Record<Action, boolean>> = {
    review: true,
    keep: files.some((file) => isOpenFile(file) && file.obstacle === undefined),
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
        <>
          <ul class="plain changes-files">
            {files.map((file) => (
              <ChangedFileRow key={file.path} file={file} act={(action) => act(action, file.path)} />
            ))}
          </ul>
          {more > 0 ? <p class="note">{words("changes.more", { count: more })}</p> : undefined}
        </>
      ) : undefined}
    </section>
  );
}

function ChangedFileRow({
  file,
  act,
}: {
  readonly file: ChangedFile;
  readonly act: (action: Action) => void;
}): JSX.Element {
  const words = useWords();
  const folders = useFolders();
  const { path, kind, movedFrom, mark, state, lines, canRedo, obstacle } = file;
  const shown = shownPath(path, folders);
  const from = movedFrom === undefined ? undefined : visibleLine(shownPath(movedFrom, folders));
  return (
    <li class={state === "undone" ? "undone" : undefined}>
      <Icon name="file" />
      <button
        type="button"
        class="link change-path"
        title={`${words("changes.open")}: ${visibleLine(shown)}`}
        onClick={() => act("review")}
      >
        <PathText path={baseName(shown)} />
      </button>
      <span class="change-folder">
        <PathText path={shown.slice(0, -baseName(shown).length - 1)} />
      </span>
      {lines === undefined ? undefined : <LineCounts {...lines} />}
      {kind === "changed" ? undefined : (
        <span class="badge" title={from}>
          {words(`changes.${kind}`)}
        </span>
      )}
      {mark === "exact" ? undefined : (
        <span class={`badge ${mark === "unknown" ? "warning" : ""}`}>{words(`changes.${mark}`)}</span>
      )}
      {state === "applied" ? undefined : <span class="badge">{words(`changes.${state}`)}</span>}
      <span class="spring" />
      {isOpenFile(file) && (obstacle === undefined || state !== "applied") ? (
        <IconButton icon="check" label={words("changes.keep")} onClick={() => act("keep")} />
      ) : undefined}
      {state === "undone" ? undefined : (
        <IconButton
          icon="undo"
          label={obstacle ?? words(state === "queued" ? "changes.now" : "changes.undo")}
          isDisabled={obstacle !== undefined}
          onClick={() => act("undo")}
        />
      )}
      {canRedo ? (
        <IconButton icon="undo" class="mirrored" label={words("changes.redo")} onClick={() => act("redo")} />
      ) : undefined}
    </li>
  );
}
