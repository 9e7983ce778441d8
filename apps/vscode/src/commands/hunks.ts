import type { Companion, ProposalInfo } from "@patchbay/core";
import {
  commands,
  type Disposable,
  Range,
  Selection,
  TextEditorRevealType,
  TextEditorSelectionChangeKind,
  Uri,
  window,
} from "vscode";
import type { DiffViews } from "../diff/diff-views.ts";
import type { ProposalReview } from "../diff/proposal-review.ts";
import { activeProposalId, editorOf } from "../diff/proposal-tabs.ts";
import { originalScheme, proposalIdOf } from "../diff/proposal-uri.ts";
import { l10n } from "@patchbay/languages/spoken";
import { inform, note } from "../surfaces/messages.ts";
import { fileNameOf } from "../surfaces/texts.ts";

/** How long the status bar says how many changes are left, ms. */
const noteMs = 4_000;

/**
 * "Accept Hunk", "Reject Hunk", going from one hunk to the next, and taking the last verdict back. The hunk is the one at the cursor of the
 * right side, or the one whose line number was clicked on.
 */
export function registerHunks(companion: Companion, views: () => DiffViews | undefined): Disposable[] {
  const decide = (command: string, verdict: "accept" | "reject"): Disposable =>
    commands.registerCommand(command, async (argument?: unknown) => {
      const place = await placeOf(companion, views(), argument);
      if (place === undefined) tellNoReview();
      else await give(companion, place, verdict);
    });
  return [
    decide("patchbay.acceptHunk", "accept"),
    decide("patchbay.rejectHunk", "reject"),
    commands.registerCommand("patchbay.nextHunk", async () => await walk(companion, views, 1)),
    commands.registerCommand("patchbay.previousHunk", async () => await walk(companion, views, -1)),
    commands.registerCommand("patchbay.undoHunk", async (argument?: unknown) => {
      const review = reviewOf(views(), argument);
      if (review === undefined) tellNoReview();
      else if (!(await companion.undoHunk(review.request.id))) {
        void inform(l10n.t("There is no verdict on a hunk to undo."));
      }
    }),
  ];
}

/** A line of the right side of a review. */
interface HunkPlace {
  readonly review: ProposalReview;
  /** From 0. */
  readonly line: number;
}

function tellNoReview(): void {
  void inform(l10n.t("Open the proposal first: hunks are decided in its diff."));
}

function reviewOf(views: DiffViews | undefined, argument: unknown): ProposalReview | undefined {
  const id = proposalIdOf(clickedOn(argument)?.uri ?? Uri.file("")) ?? activeProposalId();
  return id === undefined ? undefined : views?.review(id);
}

/** A button of a tab's title is given the document, the menu of line numbers a document and a line as people count. */
function clickedOn(argument: unknown): { readonly uri: Uri; readonly line?: number } | undefined {
  if (argument instanceof Uri) return { uri: argument };
  if (typeof argument !== "object" || argument === null) return undefined;
  if (!("uri" in argument && argument.uri instanceof Uri)) return undefined;
  const isNumbered = "lineNumber" in argument && typeof argument.lineNumber === "number";
  return { uri: argument.uri, ...(isNumbered ? { line: Number(argument.lineNumber) - 1 } : {}) };
}

async function placeOf(
  companion: Companion,
  views: DiffViews | undefined,
  argument: unknown,
): Promise<HunkPlace | undefined> {
  const review = reviewOf(views, argument);
  if (review === undefined) return undefined;
  const clicked = clickedOn(argument);
  if (clicked?.line !== undefined) {
    const isLeft = clicked.uri.scheme === originalScheme;
    return { review, line: isLeft ? await onTheRight(companion, review, clicked.line) : clicked.line };
  }
  const active = window.activeTextEditor;
  if (active?.document.uri.toString() === review.originalUri.toString()) {
    return { review, line: await onTheRight(companion, review, active.selection.active.line) };
  }
  return { review, line: editorOf(review.uri)?.selection.active.line ?? 0 };
}

/** Where the hunk that touches a line of the left side stands on the right one. */
async function onTheRight(companion: Companion, review: ProposalReview, line: number): Promise<number> {
  const hunks = (await companion.hunks(review.request.id)) ?? [];
  // One that only adds lines stands before the line after them.
  const touched = hunks.find(({ left }) => line < Math.max(left.end, left.start + 1)) ?? hunks.at(-1);
  return touched?.right.start ?? 0;
}

async function give(companion: Companion, { review, line }: HunkPlace, verdict: "accept" | "reject"): Promise<void> {
  const file = fileNameOf(review.request.path);
  const user = watchUserIn(review.uri);
  const decision = await companion.decideHunk(review.request.id, verdict, line).finally(() => user.dispose());
  switch (decision.kind) {
    case "decided":
      if (decision.next !== undefined && !user.hasMoved) goTo(review, decision.next.start);
      note(l10n.t("Changes left in {0}: {1}", file, decision.left), noteMs);
      return;
    case "ended":
      note(l10n.t("All changes in {0} are decided.", file), noteMs);
      return;
    case "conflict":
      void inform(l10n.t("Resolve the conflict in {0} first.", file));
      return;
    case "none":
      void inform(l10n.t("{0} has no undecided changes. Accept or reject the proposal.", file));
      return;
    case "read-only":
      void inform(l10n.t("{0} takes this proposal only as a whole: accept or reject it.", review.request.agentName));
  }
}

/** Whether the user goes on in a document meanwhile: a cursor that jumps then takes the rest of what is typed elsewhere. */
function watchUserIn(uri: Uri): Disposable & { readonly hasMoved: boolean } {
  let hasMoved = false;
  const watching = window.onDidChangeTextEditorSelection(({ kind, textEditor }) => {
    const isByHand = kind === TextEditorSelectionChangeKind.Keyboard || kind === TextEditorSelectionChangeKind.Mouse;
    if (isByHand && textEditor.document.uri.toString() === uri.toString()) hasMoved = true;
  });
  return {
    get hasMoved() {
      return hasMoved;
    },
    dispose: () => void watching.dispose(),
  };
}

function goTo(review: ProposalReview, line: number): void {
  const editor = editorOf(review.uri);
  if (editor === undefined) return;
  editor.selection = new Selection(line, 0, line, 0);
  editor.revealRange(new Range(line, 0, line, 0), TextEditorRevealType.InCenterIfOutsideViewport);
}

/** To the next hunk below or above the cursor, and from the last one on to the next proposal's first. */
async function walk(companion: Companion, views: () => DiffViews | undefined, by: 1 | -1): Promise<void> {
  const open = companion.proposals.filter(({ state }) => state !== "kept" && state !== "asking");
  if (open.length === 0) {
    void inform(l10n.t("No proposals are open."));
    return;
  }
  const active = activeProposalId();
  const now = open.findIndex(({ id }) => id === active);
  const review = active === undefined ? undefined : views()?.review(active);
  if (review !== undefined && (await goWithin(companion, review, by))) return;
  // Around and back to the one that it began with.
  for (let step = 1; step <= open.length; step += 1) {
    const first = by === 1 ? 0 : open.length - 1;
    const at = now === -1 ? first + by * (step - 1) : now + by * step;
    const proposal = open[(at + open.length) % open.length];
    if (proposal !== undefined && (await enter(companion, views, proposal, by))) return;
  }
  void inform(l10n.t("No proposal has an undecided change."));
}

async function goWithin(companion: Companion, review: ProposalReview, by: 1 | -1): Promise<boolean> {
  const hunks = (await companion.hunks(review.request.id)) ?? [];
  const line = editorOf(review.uri)?.selection.active.line ?? -1;
  const next =
    by === 1 ? hunks.find(({ right }) => right.start > line) : hunks.findLast(({ right }) => right.start < line);
  if (next === undefined) return false;
  goTo(review, next.right.start);
  return true;
}

/** Shows a proposal at its first hunk, or its last; false where it has none. */
async function enter(
  companion: Companion,
  views: () => DiffViews | undefined,
  { id }: ProposalInfo,
  by: 1 | -1,
): Promise<boolean> {
  const hunks = (await companion.hunks(id)) ?? [];
  const hunk = by === 1 ? hunks[0] : hunks.at(-1);
  if (hunk === undefined) return false;
  await companion.reveal(id);
  const review = views()?.review(id);
  if (review !== undefined) goTo(review, hunk.right.start);
  return true;
}
