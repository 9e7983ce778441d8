import type { ChangedFile } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PageHunk, PageView } from "../../messages/changes.ts";
import type { DocumentMessage } from "../../messages/from-page.ts";
import { useWords } from "../../store/use-panel.ts";
import { type DiffLine, DiffLines } from "../widgets/small-diff.tsx";
import { visibleLine } from "../widgets/visible-text.ts";
import { HunkBadge, HunkVerdicts } from "./hunk-verdicts.tsx";
import { useChangesMessage } from "./turns.ts";

/** What can be done with a file, or a hunk of it. */
export type FileAction = Extract<DocumentMessage, { readonly type: "changes" }>["action"];

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
  const { hunks, target, more } = found.view ?? { more: 0 };
  return (
    <div class="hunks">
      <FactNotes {...found.view} />
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

/** What a turn did to a file besides its text. */
export function FactNotes({ mode, target }: Pick<PageView, "mode" | "target">): JSX.Element {
  const words = useWords();
  const targets = [target?.before, target?.after].filter((text) => text !== undefined).map(visibleLine);
  return (
    <>
      {mode === undefined ? undefined : (
        <p class="note">
          {words("changes.permissions", { before: mode.before.toString(8), after: mode.after.toString(8) })}
        </p>
      )}
      {target === undefined ? undefined : (
        <p class="note">{words("changes.target", { target: targets.join(" → ") })}</p>
      )}
    </>
  );
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
  return (
    <div class={`hunk hunk-${state}`} role="group" aria-label={title}>
      <div class="hunk-head">
        <span class="note">{title}</span>
        <HunkBadge state={state} />
        <span class="spring" />
        <HunkVerdicts id={id} state={state} file={file} act={act} />
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
