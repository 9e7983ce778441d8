import { type Companion, conflictEnd, conflictMiddle, conflictStart, type ProposalInfo } from "@patchbay/core";
import { entriesOf, inboxOf, positionIn } from "@patchbay/core/inbox";
import { type Presence, presencesOf } from "@patchbay/core/presences";
import {
  commands,
  type Disposable,
  env,
  Range,
  Selection,
  type TextEditor,
  TextEditorRevealType,
  Uri,
  window,
} from "vscode";
import type { DiffViews } from "../diff/diff-views.ts";
import { activeProposalId } from "../diff/proposal-tabs.ts";
import { proposalIdOf } from "../diff/proposal-uri.ts";
import { answerQuestion } from "../host/messages.ts";
import { l10n } from "@patchbay/languages/spoken";
import { askForText, askModally, choose, inform, note, warn } from "../surfaces/messages.ts";
import { proposerName } from "../surfaces/session-names.ts";
import { fileNameOf, shortPathOf } from "../surfaces/texts.ts";
import { findTerminal, pasteIntoPrompt } from "../terminals/find-terminal.ts";

/** "Accept Proposal", "Reject Proposal", and whether one outside of the workspace is shown. */
export function registerDecideProposal(companion: Companion, views: () => DiffViews | undefined): Disposable[] {
  const one = (command: string, verdict: Verdict): Disposable =>
    commands.registerCommand(command, async (argument?: unknown) => await decide(companion, views, verdict, argument));
  return [
    one("patchbay.acceptProposal", "accept"),
    one("patchbay.rejectProposal", "reject"),
    // Stands in place of both where only the terminal can answer: the companion says what becomes of edits.
    one("patchbay.answerInTerminal", "accept"),
    // The same in a tab's title, where VS Code would write the key below the word.
    one("patchbay.acceptInTitle", "accept"),
    one("patchbay.rejectInTitle", "reject"),
    // The same question stands in a notification, which hides itself.
    commands.registerCommand("patchbay.showOutside", async (argument?: unknown) => {
      const chosen = await chooseProposal(companion, argument);
      if (chosen !== undefined) await companion.reveal(chosen.id);
    }),
    commands.registerCommand("patchbay.hideOutside", async (argument?: unknown) => {
      const chosen = await chooseProposal(companion, argument);
      const proposal = companion.proposals.find(({ id }) => id === chosen?.id);
      if (proposal?.state !== "asking") return;
      answerQuestion("outside-workspace", { agent: proposal.agentName, path: proposal.path }, "Do Not Show");
    }),
  ];
}

/** What the user says to a proposal. */
export type Verdict = "accept" | "reject";

async function decide(
  companion: Companion,
  views: () => DiffViews | undefined,
  verdict: Verdict,
  argument: unknown,
): Promise<void> {
  const chosen = await chooseProposal(companion, argument);
  if (chosen !== undefined) await give(companion, views, verdict, chosen.id, chosen.fromEditor);
}

/** How many proposals a question lists. */
const listed = 12;

/**
 * All of these that wait for a verdict, by default of all. What is left of ended reviews has none to get, and what the user has not
 * been shown, because it is outside of the workspace, or holds, is not accepted with the others.
 */
export async function decideAll(
  companion: Companion,
  views: () => DiffViews | undefined,
  verdict: Verdict,
  among?: readonly string[],
): Promise<void> {
  const unseen: readonly ProposalInfo["state"][] =
    verdict === "accept" ? ["kept", "asking", "hidden", "terminal"] : ["kept"];
  const open = companion.proposals.filter(
    ({ id, state, isHeld }) =>
      among?.includes(id) !== false && !unseen.includes(state) && !(verdict === "accept" && isHeld),
  );
  if (open.length === 0) {
    void inform(l10n.t("No proposals are open."));
    return;
  }
  if (open.length > 1 && !(await confirmAll(companion, verdict, open))) return;
  const ids = open.map(({ id }) => id);
  if (verdict === "accept") await companion.acceptAll(ids);
  else for (const id of ids) await give(companion, views, verdict, id, false);
}

async function confirmAll(companion: Companion, verdict: Verdict, open: readonly ProposalInfo[]): Promise<boolean> {
  const count = open.length;
  const [question, answer] =
    verdict === "accept"
      ? [l10n.t("Accept all {0} open proposals?", count), l10n.t("Accept All")]
      : [l10n.t("Reject all {0} open proposals?", count), l10n.t("Reject All")];
  const lines = open.slice(0, listed).map((one) => `${fileNameOf(one.path)} ↔ ${proposerName(companion, one)}`);
  if (count > listed) lines.push("…");
  return (await askModally(question, [answer], lines)) === answer;
}

/** Gives a verdict by the proposal's view or, where it has none, to the companion itself, which looks at the file once more. */
export async function give(
  companion: Companion,
  views: () => DiffViews | undefined,
  verdict: Verdict,
  id: string,
  fromEditor: boolean,
): Promise<void> {
  const review = views()?.review(id);
  if (review === undefined) {
    // Not in a view: only the companion knows it.
    const isDone = await (verdict === "accept" ? companion.accept(id) : companion.reject(id));
    if (!isDone) tellUnanswered(companion, id);
  } else if (!(verdict === "accept" ? review.accept(fromEditor) : review.reject(fromEditor))) {
    tellUnanswered(companion, id);
  }
}

/** A verdict that could not be given is told; why an accept does not count yet, the companion says itself. */
function tellUnanswered(companion: Companion, id: string): void {
  const proposal = companion.proposals.find((one) => one.id === id);
  if (proposal === undefined) void inform(l10n.t("This proposal has already been decided."));
  else if (proposal.standing !== "conflict" && proposal.state !== "terminal") {
    void warn(
      l10n.t(
        "The proposal for {0} could not be accepted or rejected here. Answer in the agent's terminal.",
        fileNameOf(proposal.path),
      ),
    );
  }
}

/** What a command was called on, in whichever way: a tab's button, an entry of the proposals view, or nothing. */
export interface ChosenProposal {
  readonly id: string;
  /** Called from the diff editor: the user's focus is there. */
  readonly fromEditor: boolean;
}

/** Something of ours that stands for a proposal in a view. */
export interface ProposalEntry {
  readonly proposalId: string;
}

/** The proposal that a command is about; asks where it could be several. */
export async function chooseProposal(companion: Companion, argument: unknown): Promise<ChosenProposal | undefined> {
  if (argument instanceof Uri) {
    const id = proposalIdOf(argument);
    if (id !== undefined) return { id, fromEditor: true };
  }
  if (isProposalEntry(argument)) return { id: argument.proposalId, fromEditor: false };
  const active = activeProposalId();
  if (active !== undefined) return { id: active, fromEditor: true };
  const id = await askForOne(companion);
  return id === undefined ? undefined : { id, fromEditor: false };
}

async function askForOne(companion: Companion): Promise<string | undefined> {
  const { proposals } = companion;
  const [only] = proposals;
  if (only === undefined) {
    void inform(l10n.t("No proposals are open."));
    return undefined;
  }
  if (proposals.length === 1) return only.id;
  const items = proposals.map((proposal) => ({
    label: shortPathOf(proposal.path),
    description: [proposerName(companion, proposal), proposal.sessionTitle]
      .filter((part) => part !== undefined)
      .join(" · "),
    id: proposal.id,
  }));
  return (await choose(items, l10n.t("Which proposal?")))?.id;
}

function isProposalEntry(argument: unknown): argument is ProposalEntry {
  return (
    typeof argument === "object" &&
    argument !== null &&
    "proposalId" in argument &&
    typeof argument.proposalId === "string"
  );
}

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
    void inform(l10n.t("Delete the remaining conflict markers, then accept."));
    return;
  }
  const { start, middle, end } = conflict;
  editor.selection = new Selection(start, 0, start, 0);
  editor.revealRange(new Range(start, 0, end, 0), TextEditorRevealType.InCenterIfOutsideViewport);
  const theirs = lines.slice(start + 1, middle);
  const ours = lines.slice(middle + 1, end);
  const choices = [
    { label: l10n.t("Use Proposed Lines"), keep: ours },
    { label: l10n.t("Keep File's Lines"), keep: theirs },
    { label: l10n.t("Use Both Versions"), keep: [...theirs, ...ours] },
    { label: l10n.t("Edit by Hand"), description: l10n.t("Delete the conflict markers, then accept"), keep: undefined },
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

/** "Next Proposal", "Previous Proposal" and going to one from a list. */
export function registerWalkProposals(companion: Companion): Disposable[] {
  return [
    commands.registerCommand("patchbay.nextProposal", async () => await step(companion, 1)),
    commands.registerCommand("patchbay.previousProposal", async () => await step(companion, -1)),
    commands.registerCommand("patchbay.revealProposal", async (argument?: unknown) => {
      const chosen = await chooseProposal(companion, argument);
      if (chosen !== undefined) await companion.reveal(chosen.id);
    }),
  ];
}

async function step(companion: Companion, by: 1 | -1): Promise<void> {
  const { proposals, sessions, activities } = companion;
  if (proposals.length === 0) {
    void inform(l10n.t("No proposals are open."));
    return;
  }
  const inbox = inboxOf(proposals, sessions, activities);
  const position = positionIn(inbox, activeProposalId() ?? "");
  const next = by === 1 ? position?.next : position?.previous;
  const id = next ?? entriesOf(inbox).at(by === 1 ? 0 : -1)?.id;
  if (id !== undefined) await companion.reveal(id);
}

/** "Reject with Reason…": Enter rejects, with or without a text; Escape leaves the review as it is. */
export function registerRejectWithReason(companion: Companion): Disposable[] {
  return [
    commands.registerCommand("patchbay.rejectWithReason", async (argument?: unknown) => {
      await rejectWithReason(companion, argument);
    }),
  ];
}

async function rejectWithReason(companion: Companion, argument: unknown): Promise<void> {
  const chosen = await chooseProposal(companion, argument);
  const proposal = companion.proposals.find(({ id }) => id === chosen?.id);
  if (proposal === undefined) return;
  const { agentName } = proposal;
  const isTold = proposal.readsReasons === true;
  const presence = presencesOf(companion).find(({ proposals }) => proposals.some(({ id }) => id === proposal.id));
  const hasTerminal = presence !== undefined && (await findTerminal(presence.processes)) !== undefined;
  const elsewhere = hasTerminal
    ? l10n.t("Your text goes into the prompt of {0} in its terminal, and is not sent.", agentName)
    : l10n.t("{0} cannot be told why from here: your text goes to the clipboard.", agentName);
  const given = await askForText({
    title: l10n.t("Reject {0}", fileNameOf(proposal.path)),
    placeholder: l10n.t("Why? (optional)"),
    prompt: isTold ? l10n.t("{0} reads your text and goes on.", agentName) : elsewhere,
  });
  if (given === undefined) return;
  const reason = given.trim();
  const isRejected = await companion.reject(proposal.id, reason === "" ? undefined : reason);
  if (!isRejected) tellUnanswered(companion, proposal.id);
  if (reason === "") return;
  if (isRejected && isTold) {
    note(l10n.t("Rejected. {0} reads your text.", agentName), 5_000);
    return;
  }
  if (isRejected && presence !== undefined && (await pasteOnceFree(companion, presence, reason))) {
    note(l10n.t("Rejected. Your text is in the prompt of {0}: press Enter there to send it.", agentName), 8_000);
    return;
  }
  await env.clipboard.writeText(reason);
  void inform(
    isRejected
      ? l10n.t("Rejected. Your text is in the clipboard: paste it into the prompt of {0}.", agentName)
      : l10n.t("Your text is in the clipboard."),
  );
}

/** How long an agent takes to close its question and show its prompt again, ms. */
const promptBackMs = 500;

/** Into the agent's own terminal, once its question is gone from there. */
async function pasteOnceFree(companion: Companion, { id }: Presence, text: string): Promise<boolean> {
  await new Promise<void>((resolve) => setTimeout(resolve, promptBackMs));
  const presence = presencesOf(companion).find((one) => one.id === id);
  return presence !== undefined && (await pasteIntoPrompt(presence, text));
}
