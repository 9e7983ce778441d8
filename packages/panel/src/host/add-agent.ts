import type { AddedAgent, AgentAsk, AgentTrial } from "../messages/index.ts";
import type { PanelEditor } from "./editor.ts";

/** What tries programs, and knows which agents there are. */
export interface AgentTrials {
  tryAgent(command: string, folder: string): Promise<AgentTrial>;
  /** Undefined: the command has no words. */
  added(command: string, name: string): { readonly id: string; readonly agent: AddedAgent } | undefined;
}

/** Adds an agent that the user names by its command. What did not answer is added only if the user says so, having seen why. */
export async function addAgent(editor: PanelEditor, trials: AgentTrials, folder: string): Promise<void> {
  let ask: AgentAsk = { command: "" };
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- One after the other, as the user goes on.
    const wish = await editor.askForAgent(ask);
    if (wish === undefined) return;
    if (wish.kind === "save" && ask.trial !== undefined) {
      const name = wish.name.trim();
      const found = trials.added(ask.command, name);
      // oxlint-disable-next-line no-await-in-loop -- It ends here.
      if (found !== undefined) await editor.saveAgent(found.id, found.agent);
      return;
    }
    const command = wish.kind === "try" ? wish.command.trim() : ask.command;
    const trying = trials.tryAgent(command, folder);
    editor.tryingAgent?.(command, trying);
    // oxlint-disable-next-line no-await-in-loop -- It is asked about what came of it.
    ask = { command, trial: await trying };
  }
}
