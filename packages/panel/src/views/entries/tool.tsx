import type { FileChange, PlacedEntry, QuestionOutcome, ToolEntry, ToolKind } from "@patchbay/conversations/model";
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
import { answersIn } from "./grouping.ts";

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

/** What was answered when the agent asked for it. */
export const ToolAnswer: Later<{ readonly outcome: QuestionOutcome }> = later();

/** One use of a tool: a line, and below it what it did. Nothing folds by itself. */
export const ToolView: ComponentType<{
  readonly entry: ToolEntry;
  readonly nested: readonly PlacedEntry[] | undefined;
  readonly Nested: ComponentType<{ readonly entries: readonly PlacedEntry[] }>;
}> = pure(({ entry, nested, Nested }) => {
  const words = useWords();
  const [isOpen, setOpen] = useState(false);
  const changes = entry.changes ?? [];
  const outcome = useSelected(({ open }) => answersIn(open?.entries ?? none).outcomes.get(entry.id));
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
          <Title entry={entry} />
          <span class="sr-only">{words(`tool.${entry.state}`)}</span>
          <State entry={entry} outcome={outcome} />
          {hasMore ? <Icon name="chevron" class={`chevron ${isOpen ? "open" : ""}`} /> : undefined}
        </button>
        {outcome === undefined ? undefined : <ToolAnswer outcome={outcome} />}
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

const none: readonly PlacedEntry[] = [];

/** A command is its own title: what the agent calls it says less, and is shown when one points at it. */
function Title({ entry: { tool, title, command } }: { readonly entry: ToolEntry }): JSX.Element {
  const [line = "", ...more] = command?.trim().split("\n") ?? [];
  if (tool !== "execute" || line === "") {
    return (
      <span class="tool-title" dir="auto">
        {visibleLine(title)}
      </span>
    );
  }
  return (
    <code class="tool-title" dir="ltr" title={visibleLine(title)}>
      {visibleLine(line)}
      {more.length === 0 ? "" : " …"}
    </code>
  );
}

/** How it ended, unless the answer beside it says so. */
function State({
  entry: { state },
  outcome,
}: {
  readonly entry: ToolEntry;
  readonly outcome: QuestionOutcome | undefined;
}): JSX.Element | undefined {
  const words = useWords();
  if (state !== "rejected" && state !== "cancelled" && state !== "failed") return undefined;
  const isRefused = outcome?.type === "answered" && !outcome.isAllowed;
  if (state === "rejected" && isRefused) return undefined;
  return (
    <span class="tool-state" aria-hidden="true">
      {words(`tool.${state}`)}
    </span>
  );
}

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
