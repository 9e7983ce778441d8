import { l10n, Uri } from "vscode";
import type { Companion, ProposalInfo } from "@patchbay/core";
import { activeProposalId } from "../diff/proposal-tabs.ts";
import { proposalIdOf } from "../diff/proposal-uri.ts";
import { shortPathOf } from "../host/file-name.ts";
import { choose, inform } from "../surfaces/messages.ts";

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
  const id = await askForOne(companion.proposals);
  return id === undefined ? undefined : { id, fromEditor: false };
}

async function askForOne(proposals: readonly ProposalInfo[]): Promise<string | undefined> {
  const [only] = proposals;
  if (only === undefined) {
    void inform(l10n.t("There is no open proposal."));
    return undefined;
  }
  if (proposals.length === 1) return only.id;
  const items = proposals.map((proposal) => ({
    label: shortPathOf(proposal.path),
    description: proposal.agentName,
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
