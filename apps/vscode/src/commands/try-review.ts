import { agents, type Companion, createNodePlatform, messageOf } from "@patchbay/core";
import { isInstalled } from "@patchbay/core/diagnosis";
import { startTrial, type TrialEnd } from "@patchbay/core/trial";
import { commands, type Disposable, workspace } from "vscode";
import { l10n } from "@patchbay/languages/spoken";
import { runCommandOf } from "../contributions.mts";
import { inform, warn } from "../surfaces/messages.ts";

/** "Try a Review": a made-up change in the editor's own diff view, for a user who has no agent at hand. */
export function registerTryReview(companion: Companion): Disposable[] {
  const tryReview = async (): Promise<void> => {
    try {
      const trial = await startTrial(companion, createNodePlatform());
      if (trial === undefined) return;
      void inform(
        l10n.t(
          "This is how a change of an agent opens: the file on the left, the proposal on the right. Edit the right side, accept or reject single changes with the round buttons, then press Accept or Reject. No agent is running, and none of your files is touched.",
        ),
      );
      void trial.ended.then(async (end) => await goOn(end));
    } catch (error) {
      void warn(messageOf(error));
    }
  };
  const goOn = async (end: TrialEnd): Promise<void> => {
    const sentence = wordsOf(end);
    if (sentence === undefined) return;
    const again = l10n.t("Try Again");
    const connect = l10n.t("Connect an Agent");
    // Those that are there can be started at once; how to get one is told in the walkthrough.
    const runs = new Map<string, string>();
    if (workspace.isTrusted && (workspace.workspaceFolders ?? []).length > 0) {
      const platform = createNodePlatform();
      for (const agent of agents) {
        const isHere = await isInstalled(platform, agent.program.command);
        if (isHere) runs.set(l10n.t("Run {0}", agent.agentName), runCommandOf(agent));
      }
    }
    const answer = await inform(sentence, ...(runs.size === 0 ? [connect] : runs.keys()), again);
    if (answer === again) await tryReview();
    if (answer === connect) {
      await commands.executeCommand("workbench.action.openWalkthrough", "patchbay.patchbay#start");
    }
    const run = runs.get(answer ?? "");
    if (run !== undefined) await commands.executeCommand(run);
  };
  return [commands.registerCommand("patchbay.tryReview", tryReview)];
}

/** What an agent would do now; undefined where the window ends. */
function wordsOf(end: TrialEnd): string | undefined {
  switch (end.kind) {
    case "accepted": {
      const { taken, proposed, isEdited } = end;
      return isEdited
        ? l10n.t(
            "Accepted. An agent would now write what stood on the right: {0} of its {1} changes, with your edits.",
            taken,
            proposed,
          )
        : l10n.t(
            "Accepted. An agent would now write what stood on the right: {0} of its {1} changes.",
            taken,
            proposed,
          );
    }
    case "rejected":
      return l10n.t("Rejected. An agent would now write nothing, and know that you said no.");
    case "closed":
      return l10n.t("Closed. To an agent in a terminal that is a no: it would now write nothing.");
    case "stopped":
      return undefined;
  }
}
