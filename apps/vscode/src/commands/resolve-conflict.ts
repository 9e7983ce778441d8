import { commands, type Disposable, l10n, Range, Selection, TextEditorRevealType, window } from "vscode";
import { type Companion, conflictStart } from "@patchbay/core";
import type { DiffViews } from "../diff/diff-views.ts";
import { note } from "../surfaces/messages.ts";
import { chooseProposal } from "./chosen-proposal.ts";

/** "Resolve Conflict": goes to the next place where the file has changed in the same lines as the proposal. */
export function registerResolveConflict(companion: Companion, views: () => DiffViews | undefined): Disposable[] {
  return [
    commands.registerCommand("patchbay.showConflict", async (argument?: unknown) => {
      const chosen = await chooseProposal(companion, argument);
      const review = chosen === undefined ? undefined : views()?.review(chosen.id);
      if (review === undefined) return;
      await review.reveal();
      const wanted = review.uri.toString();
      const editor = window.visibleTextEditors.find(({ document }) => document.uri.toString() === wanted);
      if (editor === undefined) return;
      const lines = editor.document.getText().split(/\r\n|\r|\n/u);
      const places = lines.flatMap((line, at) => (line === conflictStart ? [at] : []));
      const next = places.find((at) => at > editor.selection.active.line) ?? places[0];
      if (next === undefined) return;
      editor.selection = new Selection(next, 0, next, 0);
      editor.revealRange(new Range(next, 0, next, 0), TextEditorRevealType.InCenterIfOutsideViewport);
      note(l10n.t("Keep the lines you want, delete the others and the marker lines, then accept."), 15_000);
    }),
  ];
}
