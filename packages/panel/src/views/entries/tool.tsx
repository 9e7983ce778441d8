import type { FileChange, PlacedEntry, ToolEntry, ToolKind } from "@patchbay/conversations/model";
import type { ComponentType, JSX } from "preact";
import { useState } from "preact/hooks";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { Icon, type IconName } from "../widgets/icon.tsx";
import { type Later, later } from "../widgets/later.tsx";
import { baseName, shownPath, useFolders } from "../widgets/paths.ts";
import { pure } from "../widgets/pure.tsx";
import { PathText } from "../widgets/path-text.tsx";
import { visibleLine } from "../widgets/visible-text.ts";
import { DiffCounts, DiffView } from "../widgets/diff-parts.ts";
import { CommandFiles } from "./changes-parts.ts";

const icons: Readonly<Record<ToolKind, IconName>> = {
  read: "file",
  edit: "edit",
  delete: "trash",
  move: "file",
  search: "search",
  execute: "terminal",
  think: "thought",
  fetch: "globe",
  subagent: "agent",
  other: "tool",
};

/** Lines of a change that stand in the conversation; the rest is in the diff editor. */
const diffLimit = 24;

/** What it was asked and what it said, once somebody opens it. */
export const ToolDetails: Later<{ readonly entry: ToolEntry }> = later();

/** One use of a tool: a line, and below it what it did. Nothing folds by itself. */
export const ToolView: ComponentType<{
  readonly entry: ToolEntry;
  readonly nested: readonly PlacedEntry[] | undefined;
  readonly Nested: ComponentType<{ readonly entries: readonly PlacedEntry[] }>;
}> = pure(({ entry, nested, Nested }) => {
  const words = useWords();
  const [isOpen, setOpen] = useState(false);
  const changes = entry.changes ?? [];
  const hasMore =
    entry.command !== undefined || entry.input !== undefined || entry.output !== undefined || nested !== undefined;
  return (
    <div class={`tool tool-${entry.state}`}>
      <div class="tool-line">
        <button
          type="button"
          class="tool-head"
          aria-expanded={hasMore ? isOpen : undefined}
          disabled={!hasMore}
          onClick={() => setOpen(!isOpen)}
        >
          <StateIcon entry={entry} />
          <span class="tool-title" dir="auto">
            {visibleLine(entry.title)}
          </span>
          <span class="sr-only">{words(`tool.${entry.state}`)}</span>
          {entry.state === "rejected" || entry.state === "cancelled" || entry.state === "failed" ? (
            <span class="tool-state" aria-hidden="true">
              {words(`tool.${entry.state}`)}
            </span>
          ) : undefined}
          {hasMore ? <Icon name="chevron" class={`chevron ${isOpen ? "open" : ""}`} /> : undefined}
        </button>
      </div>
      {changes.map((change) => (
        <Change key={change.path} entry={entry} change={change} />
      ))}
      {entry.tool === "execute" ? <CommandFiles id={entry.id} /> : undefined}
      {isOpen ? <ToolDetails entry={entry} /> : undefined}
      {nested === undefined ? undefined : (
        <div class="nested">{isOpen ? <Nested entries={nested} /> : <NestedLatest count={nested.length} />}</div>
      )}
    </div>
  );
});

function StateIcon({ entry: { tool, state } }: { readonly entry: ToolEntry }): JSX.Element {
  if (state === "running" || state === "pending") return <span class="spinner" aria-hidden="true" />;
  if (state === "failed") return <Icon name="error" class="state-failed" />;
  if (state === "waiting") return <Icon name="question" class="state-waiting" />;
  return <Icon name={icons[tool]} />;
}

function NestedLatest({ count }: { readonly count: number }): JSX.Element {
  const words = useWords();
  return <p class="note">{words("tool.subagent", { count })}</p>;
}

function Change({ entry, change }: { readonly entry: ToolEntry; readonly change: FileChange }): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const folders = useFolders();
  const conversation = useSelected((state) => state.open?.id);
  const path = shownPath(change.path, folders);
  const isSettled = entry.state === "done";
  return (
    <div class={`change ${isSettled ? "" : "change-open"}`}>
      <div class="change-head">
        <button
          type="button"
          class="link change-path"
          title={visibleLine(path)}
          onClick={() => conversation && panel.post({ type: "open-file", conversation, path: change.path })}
        >
          <PathText path={baseName(path)} />
        </button>
        <span class="change-folder">
          <PathText path={path.slice(0, -baseName(path).length - 1)} />
        </span>
        {change.before === undefined && change.isFragment !== true ? (
          <span class="badge">{words("diff.created")}</span>
        ) : undefined}
        {change.after === undefined ? <span class="badge">{words("diff.deleted")}</span> : undefined}
        <DiffCounts change={change} />
        <button
          type="button"
          class="text-button"
          onClick={() =>
            conversation && panel.post({ type: "open-diff", conversation, entry: entry.id, path: change.path })
          }
        >
          {words("diff.open")}
        </button>
      </div>
      {entry.state === "waiting" ? undefined : <DiffView change={change} path={path} limit={diffLimit} />}
    </div>
  );
}
