import type { FileChange } from "@patchbay/conversations/model";
import { diffLines } from "diff";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useWords } from "../../store/use-panel.ts";
import { visibleText } from "./visible-text.ts";

/** A line of a small diff; `gap` stands for lines that are the same in both. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "gap";
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

export interface SmallDiff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
}

const context = 2;

/** What differs, with two lines around it. Undefined: too much to be compared while somebody waits. */
function smallDiff({ before = "", after = "" }: FileChange): SmallDiff | undefined {
  const parts = diffLines(withoutMark(before), withoutMark(after), { timeout: 40 });
  if (parts === undefined) return undefined;
  const lines: DiffLine[] = [];
  let [left, right, added, removed] = [1, 1, 0, 0];
  for (const [index, { value, added: isAdded, removed: isRemoved }] of parts.entries()) {
    const texts = value.replace(/\n$/u, "").split("\n");
    if (isAdded) {
      for (const text of texts) lines.push({ kind: "added", text, after: right++ });
      added += texts.length;
    } else if (isRemoved) {
      for (const text of texts) lines.push({ kind: "removed", text, before: left++ });
      removed += texts.length;
    } else {
      const head = index === 0 ? 0 : context;
      const tail = index === parts.length - 1 ? 0 : context;
      const isCut = texts.length > head + tail + 1;
      for (const [at, text] of texts.entries()) {
        if (!isCut || at < head || at >= texts.length - tail) {
          lines.push({ kind: "same", text, before: left, after: right });
        } else if (at === head) lines.push({ kind: "gap", text: "" });
        left += 1;
        right += 1;
      }
    }
  }
  return { lines, added, removed };
}

/** Agents tell one of both texts with the byte order mark of the file, and the other without it. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/u, "");
}

/** Longer lines are cut: all of them is in the diff editor. */
const longestLine = 2000;

/** Nothing in it is invisible but how it ends. */
function shownLine(text: string): string {
  const line = visibleText(text.slice(0, longestLine).replace(/\r$/u, ""));
  return text.length > longestLine ? `${line} …` : line;
}

const signs = { same: " ", added: "+", removed: "−", gap: "" } as const;

/** A change as lines. Where the whole is not in `limit` lines, the rest is counted. */
export function DiffView({
  change,
  path,
  limit,
}: {
  readonly change: FileChange;
  readonly path: string;
  readonly limit: number;
}): JSX.Element {
  const words = useWords();
  const diff = useMemo(() => smallDiff(change), [change.before, change.after]);
  if (diff === undefined) return <p class="note">{words("diff.tooLarge")}</p>;
  const shown = diff.lines.slice(0, limit);
  return (
    <DiffLines
      label={words("diff.label", { path })}
      lines={shown}
      rest={diff.lines.length - shown.length}
      isFragment={change.isFragment === true}
    />
  );
}

/** Lines of a diff; `rest` more are counted. */
export function DiffLines({
  label,
  lines,
  rest,
  isFragment = false,
}: {
  readonly label: string;
  readonly lines: readonly DiffLine[];
  readonly rest: number;
  /** Where they belong is not known. */
  readonly isFragment?: boolean;
}): JSX.Element {
  const words = useWords();
  return (
    <div class="diff" tabIndex={0} role="group" aria-label={label} dir="ltr">
      <div class="diff-lines">
        {lines.map(({ kind, text, before, after }, index) => (
          <div key={index} class={`diff-line ${kind}`}>
            <span class="diff-number">{isFragment ? "" : (after ?? before ?? "")}</span>
            <span class="diff-sign" aria-hidden="true">
              {signs[kind]}
            </span>
            {kind === "added" || kind === "removed" ? (
              <span class="sr-only">{words(`diff.${kind}`)}: </span>
            ) : undefined}
            <span class="diff-text">{kind === "gap" ? "⋯" : shownLine(text)}</span>
          </div>
        ))}
        {rest > 0 ? <div class="diff-line gap diff-rest">{words("diff.more", { count: rest })}</div> : undefined}
      </div>
    </div>
  );
}

/** How many lines come and go, e.g. "+3 −1". */
export function DiffCounts({ change }: { readonly change: FileChange }): JSX.Element | undefined {
  const diff = useMemo(() => smallDiff(change), [change.before, change.after]);
  return diff === undefined ? undefined : <LineCounts {...diff} />;
}

/** The same where the lines have been counted. */
export function LineCounts({
  added,
  removed,
}: {
  readonly added: number;
  readonly removed: number;
}): JSX.Element | undefined {
  if (added + removed === 0) return undefined;
  return (
    <span class="counts" dir="ltr">
      {added > 0 ? <span class="count-added">+{added}</span> : undefined}
      {removed > 0 ? <span class="count-removed">−{removed}</span> : undefined}
    </span>
  );
}
