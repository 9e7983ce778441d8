import type { Companion, ProposalInfo } from "@patchbay/core";
import { commands, type Disposable, env, l10n } from "vscode";
import { askForText, inform, note } from "../surfaces/messages.ts";
import { fileNameOf } from "../surfaces/texts.ts";
import { chooseProposal, tellUnanswered } from "./proposals.ts";

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
  const isTold = readsReasons(companion, proposal);
  const given = await askForText({
    title: l10n.t("Reject {0}", fileNameOf(proposal.path)),
    placeholder: l10n.t("Why? (optional)"),
    prompt: isTold
      ? l10n.t("{0} reads your text and goes on.", agentName)
      : l10n.t("{0} cannot be told why from here: your text goes to the clipboard.", agentName),
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
  await env.clipboard.writeText(reason);
  void inform(
    isRejected
      ? l10n.t("Rejected. Your text is in the clipboard: paste it into the prompt of {0}.", agentName)
      : l10n.t("Your text is in the clipboard."),
  );
}

/** Who asked by a hook waits for the answer, and the reason is part of it. */
function readsReasons({ activities }: Companion, { sessionId }: ProposalInfo): boolean {
  return activities.some(({ owner }) => owner === sessionId);
}
