import {
  commands,
  type Disposable,
  l10n,
  Range,
  Selection,
  type TextEditor,
  TextEditorRevealType,
  window,
} from "vscode";
import { type Companion, conflictEnd, conflictMiddle, conflictStart } from "@patchbay/core";
import type { DiffViews } from "../diff/diff-views.ts";
import { choose, inform } from "../surfaces/messages.ts";
import { chooseProposal } from "./chosen-proposal.ts";

/** A place in which the file and the proposal differ, in lines of the right side. */
interface Conflict {
  readonly start: number;
  readonly middle: number;
  readonly end: number;
}

/** "Resolve Conflict": goes to the next place where the file has changed in the same lines as the proposal, and asks. */
export function registerResolveConflict(companion: Companion, views: () => DiffViews | undefined): Disposable[] {
  return [
    commands.registerCommand("patchbay.showConflict", async (argument?: unknown) => {
      const chosen = await chooseProposal(companion, argument);
      const review = chosen === undefined ? undefined : views()?.review(chosen.id);
      if (review === undefined) return;
      await review.reveal();
      const wanted = review.uri.toString();
      const editor = window.visibleTextEditors.find(({ document }) => document.uri.toString() === wanted);
      if (editor !== undefined) await resolve(editor);
    }),
  ];
}

async function resolve(editor: TextEditor): Promise<void> {
  const { document } = editor;
  const lines = document.getText().split(/\r\n|\r|\n/u);
  const all = findConflicts(lines);
  const conflict = all.find(({ end }) => end >= editor.selection.active.line) ?? all[0];
  if (conflict === undefined) {
    void inform(l10n.t("Delete what is left of the conflict's marker lines, then accept."));
    return;
  }
  const { start, middle, end } = conflict;
  editor.selection = new Selection(start, 0, start, 0);
  editor.revealRange(new Range(start, 0, end, 0), TextEditorRevealType.InCenterIfOutsideViewport);
  const theirs = lines.slice(start + 1, middle);
  const ours = lines.slice(middle + 1, end);
  const choices = [
    { label: l10n.t("Take the Proposed Lines"), keep: ours },
    { label: l10n.t("Keep the File's Lines"), keep: theirs },
    { label: l10n.t("Take Both"), keep: [...theirs, ...ours] },
    { label: l10n.t("Edit by Hand"), description: l10n.t("Delete the marker lines, then accept"), keep: undefined },
  ];
  const { version } = document;
  const keep = (await choose(choices, l10n.t("The file has changed in lines {0} to {1}", start + 1, end + 1)))?.keep;
  if (keep === undefined || document.version !== version) return;
  await editor.edit((edit) => edit.replace(new Range(start, 0, end + 1, 0), keep.map((line) => `${line}\n`).join("")));
}

function findConflicts(lines: readonly string[]): readonly Conflict[] {
  const found: Conflict[] = [];
  let start = -1;
  let middle = -1;
  for (const [at, line] of lines.entries()) {
    if (line === conflictStart) [start, middle] = [at, -1];
    else if (line === conflictMiddle && start >= 0 && middle < 0) middle = at;
    else if (line === conflictEnd && middle >= 0) {
      found.push({ start, middle, end: at });
      [start, middle] = [-1, -1];
    }
  }
  return found;
}
