import { createNodePlatform } from "@patchbay/core";
import { startTrial, type TrialEnd } from "@patchbay/core/trial";
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
  ways.say(":w accepts, :q rejects, dp and do decide single changes. Made up: none of your files is touched.");
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
      .map((name) => [`Start ${name}`, name]),
  );
  const choices = [...(starts.size === 0 ? [howTo] : starts.keys()), again, quit];
  const choice = await services.coc.window.showQuickPick(choices, { title: sentence });
  const name = starts.get(choice ?? quit);
  if (name !== undefined) await ways.openAgent(name);
  else if (choice === howTo) await ways.showHealth();
  else if (choice === again) await tour(services, ways);
}

const again = "Do this again";
const quit = "Quit";
const howTo = "See how to connect an agent";

/** What an agent would do now; undefined where the editor ends. */
function wordsOf(end: TrialEnd): string | undefined {
  switch (end.kind) {
    case "accepted":
      return `An agent would now write ${end.taken} of its ${end.proposed} changes${end.isEdited ? ", with your edits" : ""}`;
    case "rejected":
    case "closed":
      return "An agent would now write nothing";
    case "stopped":
      return undefined;
  }
}
