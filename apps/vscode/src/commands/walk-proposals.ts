import { commands, type Disposable, l10n } from "vscode";
import type { Companion } from "@patchbay/core";
import { activeProposalId } from "../diff/proposal-tabs.ts";
import { inform } from "../surfaces/messages.ts";
import { chooseProposal } from "./chosen-proposal.ts";

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
  const { proposals } = companion;
  if (proposals.length === 0) {
    void inform(l10n.t("There is no open proposal."));
    return;
  }
  const active = activeProposalId();
  const now = proposals.findIndex(({ id }) => id === active);
  const first = by === 1 ? 0 : proposals.length - 1;
  const next = now === -1 ? first : (now + by + proposals.length) % proposals.length;
  const proposal = proposals[next];
  if (proposal !== undefined) await companion.reveal(proposal.id);
}
