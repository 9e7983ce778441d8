import type { ChangedFile } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PageHunk, PageView } from "../../messages/changes.ts";
import { useWords } from "../../store/use-panel.ts";
import { type DiffLine, DiffLines } from "../widgets/small-diff.tsx";
import { visibleLine } from "../widgets/visible-text.ts";
import { useChangesMessage } from "./turns.ts";

/** What can be done with a file, or a hunk of it. */
export type FileAction = "review" | "view" | "keep" | "undo" | "redo";

interface HunksProps {
  readonly turn: string;
  readonly file: ChangedFile;
  readonly act: (action: FileAction, hunk?: string) => void;
}

/** The changed lines of a file, each hunk with its verdicts. */
export function FileHunks({ turn, file, act }: HunksProps): JSX.Element | undefined {
  const words = useWords();
  const { path, revision } = file;
  const [found, setFound] = useState<{ readonly view: PageView | undefined } | undefined>(undefined);
  useChangesMessage((message) => {
    if (message.kind === "view" && message.turn === turn && message.path === path) setFound({ view: message.view });
  });
  // What is shown stays until there is something newer.
  useEffect(() => act("view"), [revision]);
  if (found === undefined) return undefined;
  const { hunks, mode, target, more } = found.view ?? { more: 0 };
  return (
    <div class="hunks">
      {mode === undefined ? undefined : (
        <p class="note">
          {words("changes.permissions", { before: mode.before.toString(8), after: mode.after.toString(8) })}
        </p>
      )}
      {target === undefined ? undefined : <TargetNote target={target} />}
      {hunks === undefined && target === undefined && file.kind !== "mode" ? (
        <p class="note">{words("changes.noText")}</p>
      ) : undefined}
      {hunks?.map((hunk) => (
        <Hunk key={hunk.id} hunk={hunk} file={file} act={act} />
      ))}
      {more > 0 ? <p class="note">{words("changes.moreHunks", { count: more })}</p> : undefined}
    </div>
  );
}

function TargetNote({ target: { before, after } }: { readonly target: NonNullable<PageView["target"]> }): JSX.Element {
  const words = useWords();
  const texts = [before, after].filter((text) => text !== undefined).map(visibleLine);
  return <p class="note">{words("changes.target", { target: texts.join(" → ") })}</p>;
}

function Hunk({ hunk, file, act }: Omit<HunksProps, "turn"> & { readonly hunk: PageHunk }): JSX.Element {
  const words = useWords();
  const { id, state, before, after, beforeStart, afterStart, more } = hunk;
  // Lines that are gone are named by where they stood.
  const [start, count] = after.length > 0 ? [afterStart, after.length] : [beforeStart, before.length];
  const title =
    count === 1
      ? words("changes.line", { line: start + 1 })
      : words("changes.lines", { from: start + 1, to: start + count });
  const isWaiting = state === "queued";
  const isOpen = (state === "open" || isWaiting) && file.state !== "undone";
  return (
    <div class={`hunk hunk-${state}`} role="group" aria-label={title}>
      <div class="hunk-head">
        <span class="note">{title}</span>
        {state === "open" ? undefined : <span class="badge">{words(`changes.${state}`)}</span>}
        <span class="spring" />
        {isOpen && file.state !== "accepted" ? (
          <button type="button" class="text-button" onClick={() => act("keep", id)}>
            {words("changes.keep")}
          </button>
        ) : undefined}
        {(isOpen || state === "kept") && file.obstacle === undefined ? (
          <button type="button" class="text-button" onClick={() => act("undo", id)}>
            {words(isWaiting ? "changes.now" : "changes.undo")}
          </button>
        ) : undefined}
        {state === "undone" && file.canRedo ? (
          <button type="button" class="text-button" onClick={() => act("redo", id)}>
            {words("changes.redo")}
          </button>
        ) : undefined}
      </div>
      <DiffLines label={title} lines={linesOf(hunk)} rest={more} />
    </div>
  );
}

function linesOf({ before, after, above, below, beforeStart, afterStart }: PageHunk): readonly DiffLine[] {
  const isMixed = new Set([...before, ...after].map((line) => line.endsWith("\r\n"))).size > 1;
  const shown = (line: string): string => {
    const text = line.replace(/\r?\n$/u, "");
    // Where lines differ in nothing else, it is seen.
    return isMixed && line.endsWith("\r\n") ? `${text}␍` : line.endsWith("\n") || text === "" ? text : line;
  };
  const same = (lines: readonly string[], first: number): readonly DiffLine[] =>
    lines.map((line, index) => ({ kind: "same", text: shown(line), after: first + index + 1 }));
  return [
    ...same(above, afterStart - above.length),
    ...before.map((line, index) => ({ kind: "removed" as const, text: shown(line), before: beforeStart + index + 1 })),
    ...after.map((line, index) => ({ kind: "added" as const, text: shown(line), after: afterStart + index + 1 })),
    ...same(below, afterStart + after.length),
  ];
}
