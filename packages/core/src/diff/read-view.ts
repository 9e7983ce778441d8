import type { Clock } from "../platform/platform.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { Proposal } from "./proposal.ts";
import { within } from "./within.ts";

/** How long an editor may take to say what a view holds, ms; one that never answers must hold up neither an agent nor the end. */
const answerMs = 2_000;

/** Takes the view's text into the proposal; the last known text stays when the editor cannot say it. */
export async function readView(proposal: Proposal, clock: Clock, logger: Logger): Promise<string> {
  if (proposal.view !== undefined) {
    try {
      const text = await currentText(proposal, clock);
      proposal.noteText(text);
      return text;
    } catch (error) {
      logger.warn("The text of a review could not be read", { proposal: proposal.id, reason: messageOf(error) });
    }
  }
  return proposal.draft ?? proposal.shownText;
}

/** The text of the proposal's view. Rejects where there is none or the editor cannot say it. */
export async function currentText({ view }: Proposal, clock: Clock): Promise<string> {
  if (view === undefined) throw new PatchbayError("host-failed", "The proposal is not shown.");
  return within(answerMs, clock, view.currentText());
}
