import type { Companion, ProposalInfo } from "@patchbay/core";
import { type Presence, presencesOf } from "@patchbay/core/presences";
import { commands, type Disposable, env } from "vscode";
import { l10n } from "../surfaces/l10n.ts";
import { askForText, inform, note } from "../surfaces/messages.ts";
import { findTerminal } from "../terminals/find-terminal.ts";
import { pasteIntoPrompt } from "../terminals/prompt.ts";
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

/** Who asked by a hook waits for the answer, and the reason is part of it. */
function readsReasons({ activities }: Companion, { sessionId }: ProposalInfo): boolean {
  return activities.some(({ owner }) => owner === sessionId);
}

/** How long an agent takes to close its question and show its prompt again, ms. */
const promptBackMs = 500;

/** Into the agent's own terminal, once its question is gone from there. */
async function pasteOnceFree(companion: Companion, { id }: Presence, text: string): Promise<boolean> {
  await new Promise<void>((resolve) => setTimeout(resolve, promptBackMs));
  const presence = presencesOf(companion).find((one) => one.id === id);
  return presence !== undefined && (await pasteIntoPrompt(presence, text));
}
