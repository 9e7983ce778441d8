import { createNodePlatform } from "@patchbay/core";
import { startTrial, type TrialEnd } from "@patchbay/core/trial";
import { l10n } from "@patchbay/languages/spoken";
import { findMissing } from "../health/health-report.ts";
import type { CommandServices } from "./command-actions.ts";

/** What the user may do after the tour. */
export interface TourWays {
  readonly say: (text: string) => void;
  readonly openAgent: (name: string) => Promise<void>;
  readonly showHealth: () => Promise<unknown>;
}

/**
 * `:Patchbay tour`: a made-up change in Vim's own diff mode, for a user who has no agent at hand, and what to do after it. Resolves
 * when the review is open.
 */
export async function tour(services: CommandServices, ways: TourWays): Promise<void> {
  const trial = await startTrial(services.companion, createNodePlatform());
  if (trial === undefined) return;
  ways.say(l10n.t(":w accepts, :q rejects, dp and do decide single changes. Made up: none of your files is touched."));
  void trial.ended.then(async (end) => await goOn(services, ways, end));
}

async function goOn(services: CommandServices, ways: TourWays, end: TrialEnd): Promise<void> {
  const sentence = wordsOf(end);
  if (sentence === undefined) return;
  const commands = services.settings().agents;
  const missing = findMissing(commands);
  const starts = new Map(
    Object.keys(commands)
      .filter((name) => !missing.includes(name))
      .map((name) => [l10n.t("Start {0}", name), name]),
  );
  const [again, quit, howTo] = [l10n.t("Do this again"), l10n.t("Quit"), l10n.t("See how to connect an agent")];
  const choices = [...(starts.size === 0 ? [howTo] : starts.keys()), again, quit];
  const choice = await services.coc.window.showQuickPick(choices, { title: sentence });
  const name = starts.get(choice ?? quit);
  if (name !== undefined) await ways.openAgent(name);
  else if (choice === howTo) await ways.showHealth();
  else if (choice === again) await tour(services, ways);
}

/** What an agent would do now; undefined where the editor ends. */
function wordsOf(end: TrialEnd): string | undefined {
  switch (end.kind) {
    case "accepted":
      return end.isEdited
        ? l10n.t("An agent would now write {0} of its {1} changes, with your edits", end.taken, end.proposed)
        : l10n.t("An agent would now write {0} of its {1} changes", end.taken, end.proposed);
    case "rejected":
    case "closed":
      return l10n.t("An agent would now write nothing");
    case "stopped":
      return undefined;
  }
}
