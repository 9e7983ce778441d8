import { commands, type Disposable } from "vscode";
import type { Companion } from "@patchbay/core";
import { answerQuestion } from "../host/show-message.ts";
import { chooseProposal } from "./chosen-proposal.ts";

/** The answers to "outside of the workspace", from the list: the notification with the same question hides itself. */
export function registerOutside(companion: Companion): Disposable[] {
  return [
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
