import { commands, type Disposable, l10n } from "vscode";
import type { Companion } from "@patchbay/core";
import type { DiffViews } from "../diff/diff-views.ts";
import { askModally, inform } from "../surfaces/messages.ts";
import { chooseProposal } from "./chosen-proposal.ts";

/** "Accept Proposal", "Reject Proposal" and both for all. */
export function registerDecideProposal(companion: Companion, views: () => DiffViews | undefined): Disposable[] {
  const one = (command: string, verdict: Verdict): Disposable =>
    commands.registerCommand(command, async (argument?: unknown) => await decide(companion, views, verdict, argument));
  return [
    one("patchbay.acceptProposal", "accept"),
    one("patchbay.rejectProposal", "reject"),
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

async function decideAll(companion: Companion, views: () => DiffViews | undefined, verdict: Verdict): Promise<void> {
  const { proposals } = companion;
  if (proposals.length === 0) {
    void inform(l10n.t("There is no open proposal."));
    return;
  }
  if (proposals.length > 1 && !(await confirmAll(verdict, proposals.length))) return;
  for (const { id } of proposals) await give(companion, views, verdict, id, false);
}

async function confirmAll(verdict: Verdict, count: number): Promise<boolean> {
  const [question, answer] =
    verdict === "accept"
      ? [l10n.t("Accept all {0} open proposals?", count), l10n.t("Accept All")]
      : [l10n.t("Reject all {0} open proposals?", count), l10n.t("Reject All")];
  return (await askModally(question, [answer])) === answer;
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
    await (verdict === "accept" ? companion.accept(id) : companion.reject(id));
  } else if (verdict === "accept") review.accept(fromEditor);
  else review.reject(fromEditor);
}
