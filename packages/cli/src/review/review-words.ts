import type { DiffCloseReason } from "@patchbay/core";
import type { Review } from "../host/review-queue.ts";
import { pathInFolder } from "../serve/path-in-folder.ts";
import { escapeLine } from "../terminal/escape-text.ts";

/** The sentences and prompts of a review; all are safe to print. */

export function reviewPrompt(moreWaiting: number, hasDifftool: boolean): string {
  const more = moreWaiting > 0 ? ` (${moreWaiting} more)` : "";
  return `[a]ccept [r]eject [e]dit${hasDifftool ? " [d]ifftool" : ""} [s]kip [q]uit${more} > `;
}

export function questionPrompt(actions: readonly string[]): string {
  return `${actions.map((label, index) => `[${index + 1}] ${escapeLine(label)}`).join("  ")} > `;
}

export function idlePrompt(waiting: number): string {
  return waiting === 0 ? "patchbay > " : `patchbay (${waiting} skipped: review) > `;
}

/** What follows an accept. */
export function afterAccept(review: Review | undefined, folder: string): string {
  if (review === undefined || !review.agentPresent) return "Accepted. The agent has gone: nobody writes the file.";
  const { agentName, path } = review.request;
  return `Accepted. ${escapeLine(agentName)} writes ${pathInFolder(path, folder)}.`;
}

/** Why a proposal is not asked about any more. */
export function whyWithdrawn({ request }: Review, reason: DiffCloseReason, folder: string): string {
  const agent = escapeLine(request.agentName);
  const name = pathInFolder(request.path, folder);
  switch (reason) {
    case "accepted":
      return `${name} was accepted elsewhere.`;
    case "rejected":
      return `${name} was rejected elsewhere.`;
    case "decided-in-terminal":
      return `${name} was decided in ${agent}'s own terminal.`;
    case "superseded":
      return `${agent} has another proposal for ${name} now.`;
    case "agent-gone":
      return `${agent} has gone; its proposal for ${name} is closed.`;
    case "stopped":
      return `The review of ${name} was stopped.`;
  }
}

/** The warning before the end. */
export function beforeQuit(waiting: number): string {
  return `${waiting === 1 ? "A proposal waits" : `${waiting} proposals wait`} for you. q again rejects and ends.`;
}
