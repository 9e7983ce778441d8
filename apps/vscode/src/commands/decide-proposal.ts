import { commands, type Disposable, l10n } from "vscode";
import type { Companion, ProposalInfo } from "@patchbay/core";
import type { DiffViews } from "../diff/diff-views.ts";
import { fileNameOf } from "../host/file-name.ts";
import { answerQuestion } from "../host/show-message.ts";
import { askModally, inform, warn } from "../surfaces/messages.ts";
import { chooseProposal } from "./chosen-proposal.ts";

/** "Accept Proposal", "Reject Proposal", both for all, and whether one outside of the workspace is shown. */
export function registerDecideProposal(companion: Companion, views: () => DiffViews | undefined): Disposable[] {
  const one = (command: string, verdict: Verdict): Disposable =>
    commands.registerCommand(command, async (argument?: unknown) => await decide(companion, views, verdict, argument));
  return [
    one("patchbay.acceptProposal", "accept"),
    one("patchbay.rejectProposal", "reject"),
    // Stands in place of both where only the terminal can answer: the companion says what becomes of edits.
    one("patchbay.answerInTerminal", "accept"),
    // The same in a tab's title, where VS Code would write the key below the word,
    one("patchbay.acceptInTitle", "accept"),
    one("patchbay.rejectInTitle", "reject"),
    // and beside an entry of the proposals view, where it wants icons.
    one("patchbay.acceptInView", "accept"),
    one("patchbay.rejectInView", "reject"),
    commands.registerCommand("patchbay.acceptAllProposals", async () => {
      await decideAll(companion, views, "accept");
    }),
    commands.registerCommand("patchbay.rejectAllProposals", async () => {
      await decideAll(companion, views, "reject");
    }),
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

type Verdict = "accept" | "reject";

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
 * All that wait for a verdict. What is left of ended reviews has none to get, and what the user has not been shown, because it
 * is outside of the workspace, is not accepted with the others.
 */
async function decideAll(companion: Companion, views: () => DiffViews | undefined, verdict: Verdict): Promise<void> {
  const unseen: readonly ProposalInfo["state"][] =
    verdict === "accept" ? ["kept", "asking", "hidden", "terminal"] : ["kept"];
  const open = companion.proposals.filter(({ state }) => !unseen.includes(state));
  if (open.length === 0) {
    void inform(l10n.t("There is no open proposal."));
    return;
  }
  if (open.length > 1 && !(await confirmAll(verdict, open))) return;
  const ids = open.map(({ id }) => id);
  if (verdict === "accept") await companion.acceptAll(ids);
  else for (const id of ids) await give(companion, views, verdict, id, false);
}

async function confirmAll(verdict: Verdict, open: readonly ProposalInfo[]): Promise<boolean> {
  const count = open.length;
  const [question, answer] =
    verdict === "accept"
      ? [l10n.t("Accept all {0} open proposals?", count), l10n.t("Accept All")]
      : [l10n.t("Reject all {0} open proposals?", count), l10n.t("Reject All")];
  const lines = open.slice(0, listed).map(({ path, agentName }) => `${fileNameOf(path)} ↔ ${agentName}`);
  if (count > listed) lines.push("…");
  return (await askModally(question, [answer], lines)) === answer;
}

async function give(
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
  if (proposal === undefined) void inform(l10n.t("This proposal has been decided already."));
  else if (proposal.standing !== "conflict" && proposal.state !== "terminal") {
    void warn(
      l10n.t("The proposal for {0} could not be decided here. Answer it in the terminal.", fileNameOf(proposal.path)),
    );
  }
}
