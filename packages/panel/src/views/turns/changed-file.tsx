import type { ChangedFile } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useWords } from "../../store/use-panel.ts";
import { Icon, IconButton } from "../widgets/icon.tsx";
import { baseName, shownPath, useFolders } from "../widgets/paths.ts";
import { PathText } from "../widgets/path-text.tsx";
import { LineCounts } from "../widgets/small-diff.tsx";
import { visibleLine } from "../widgets/visible-text.ts";
import { type FileAction, FileHunks } from "./file-hunks.tsx";

/** There is something of it that nobody has decided. */
export const canKeep = ({ state }: ChangedFile): boolean =>
  state === "applied" || state === "partly" || state === "queued";
export const canUndo = ({ state, obstacle }: ChangedFile): boolean => state !== "undone" && obstacle === undefined;

/** A file of a turn: what was done to it, what has become of that, and its changed lines where they are asked for. */
export function ChangedFileRow({
  turn,
  file,
  isLooked,
  onLook,
  act,
}: {
  readonly turn: string;
  readonly file: ChangedFile;
  readonly isLooked: boolean;
  readonly onLook: (isLooked: boolean) => void;
  readonly act: (action: FileAction, hunk?: string) => void;
}): JSX.Element {
  const words = useWords();
  const { state, canRedo, obstacle, revision } = file;
  return (
    <li>
      <div class={`changed-file ${state === "undone" ? "undone" : ""}`}>
        {revision === undefined ? (
          <Icon name="file" />
        ) : (
          <button
            type="button"
            class="icon-button"
            aria-expanded={isLooked}
            aria-label={words("changes.look")}
            title={words("changes.look")}
            onClick={() => onLook(!isLooked)}
          >
            <Icon name="chevron" class={`chevron ${isLooked ? "open" : ""}`} />
          </button>
        )}
        <FileName file={file} onOpen={() => act("review")} />
        {file.lines === undefined ? undefined : <LineCounts {...file.lines} />}
        <KindBadges file={file} />
        <MarkBadge file={file} />
        {state === "applied" ? undefined : <span class="badge">{words(`changes.${state}`)}</span>}
        <span class="spring" />
        {canKeep(file) && (obstacle === undefined || state !== "applied") ? (
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
      </div>
      {isLooked ? <FileHunks turn={turn} file={file} act={act} /> : undefined}
    </li>
  );
}

/** The name of a file, and the folder that it is in; of one that was moved, where it came from. */
export function FileName({
  file: { path, movedFrom },
  onOpen,
}: {
  readonly file: Pick<ChangedFile, "path" | "movedFrom">;
  /** Absent: it is named only. */
  readonly onOpen?: () => void;
}): JSX.Element {
  const words = useWords();
  const folders = useFolders();
  const shown = shownPath(path, folders);
  const name = <PathText path={baseName(shown)} />;
  const from = movedFrom === undefined ? undefined : visibleLine(shownPath(movedFrom, folders));
  const folder = shown.slice(0, -baseName(shown).length - 1);
  return (
    <>
      {onOpen === undefined ? (
        <span class="change-path" title={visibleLine(shown)}>
          {name}
        </span>
      ) : (
        <button
          type="button"
          class="link change-path"
          title={`${words("changes.open")}: ${visibleLine(shown)}`}
          onClick={onOpen}
        >
          {name}
        </button>
      )}
      {folder === "" && movedFrom === undefined ? undefined : (
        <span class="change-folder" title={from}>
          <PathText path={folder} />
          {movedFrom === undefined ? undefined : (
            <>
              {" ← "}
              <PathText path={shownPath(movedFrom, folders)} />
            </>
          )}
        </span>
      )}
    </>
  );
}

/** What was done to a file besides that its text was changed. */
export function KindBadges({
  file: { kind, isNew, hasMode },
}: {
  readonly file: Pick<ChangedFile, "kind" | "isNew" | "hasMode">;
}): JSX.Element {
  const words = useWords();
  const kinds = [
    ...(isNew === true && kind !== "created" ? (["created"] as const) : []),
    ...(kind === "changed" ? [] : [kind]),
    ...(hasMode === true ? (["mode"] as const) : []),
  ];
  return (
    <>
      {kinds.map((one) => (
        <span key={one} class="badge">
          {words(`changes.${one}`)}
        </span>
      ))}
    </>
  );
}

/** How sure it is that the agent did it. */
function MarkBadge({ file: { mark } }: { readonly file: ChangedFile }): JSX.Element | undefined {
  const words = useWords();
  if (mark === "exact") return undefined;
  return <span class={`badge ${mark === "unknown" ? "warning" : ""}`}>{words(`changes.${mark}`)}</span>;
}
