import { type DiffCloseReason, displayWidth, type HostMessage } from "@patchbay/core";
import type { Review } from "../host/review-queue.ts";
import { nameOf, pathInFolder } from "../host/open-files.ts";
import { fitEnd } from "../terminal/layout.ts";
import { escapeLine, escapeText } from "../terminal/escape-text.ts";

/** The sentences and prompts of a review; all are safe to print. */

export interface ReviewKeys {
  /** As people read it. */
  readonly name: string;
  /** Proposals that wait beside this one. */
  readonly more: number;
  readonly hasDifftool: boolean;
  /** The agent will not come back: what is left is the user's own text. */
  readonly isKept: boolean;
  readonly columns: number | undefined;
}

/** The file and the keys; where there is little room, the keys alone are letters. */
export function reviewPrompt({ name, more, hasDifftool, isKept, columns = 200 }: ReviewKeys): string {
  const waiting = more > 0 ? ` (${more} more)` : "";
  const words = ` ${isKept ? "[w]rite [r]emove" : "[a]ccept [r]eject [p]atch"} [e]dit [v]iew${hasDifftool ? " [d]ifftool" : ""} [s]kip [q]uit [?]${waiting} > `;
  const room = columns - displayWidth(words) - 1;
  if (room >= Math.min(displayWidth(name) + 1, 24)) return `${fitEnd(name, room - 1)}:${words}`;
  const letters = ` [${isKept ? "w,r" : "a,r,p"},e,v,${hasDifftool ? "d," : ""}s,q,?]${waiting} > `;
  // At least a few letters to type a command in.
  return `${fitEnd(name, Math.max(8, columns - displayWidth(letters) - 6))}${letters}`;
}

/** Keys that are an answer without Enter. */
export function reviewKeys(hasDifftool: boolean, isKept: boolean): string {
  return `${isKept ? "awr" : "arp"}ev${hasDifftool ? "d" : ""}sqh?`;
}

export function reviewHelp({ request }: Review, folder: string, difftool: string | undefined, isKept: boolean): string {
  const agent = request.isTrial === true ? "an agent" : escapeLine(request.agentName);
  const name = nameOf(request, folder);
  const first = isKept
    ? `w  write your text to ${name}, merged with the changes made there\nr  remove: discard your text`
    : `a  accept: ${agent} writes ${name}\nr  reject: nothing is written; type r and why, then Enter, to tell ${agent}\np  patch: decide hunk by hunk, as in git add -p`;
  return `Keys, without Enter:
${first}
e  edit the proposal in $VISUAL or $EDITOR; accepting uses what you save
v  view the whole change, in $PAGER if it is long
${difftool === undefined ? "" : "d  open it in the difftool; accepting uses what you save\n"}s  skip it for now; type review to come back to it
q  quit; asks again if proposals are waiting
?  this help
Or type a command and press Enter: accept all [folder], reject all [folder], review <number>, proposals, open, close, mention, sessions, kept.`;
}

/** What can be typed as a line, as far as Tab completes it. */
export const lineCommands: readonly string[] = [
  "accept all",
  "reject all",
  "review",
  "proposals",
  "open ",
  "close ",
  "mention ",
  "sessions",
  "commands",
  "kept",
  "help",
  "quit",
];

export function questionPrompt(actions: readonly string[]): string {
  return `${actions.map((label, index) => `[${index + 1}] ${escapeLine(label)}`).join("  ")} > `;
}

/** `waiting` proposals that are to be shown next, and `skipped` ones. */
export function idlePrompt(waiting: number, skipped: number): string {
  if (waiting > 0) return `patchbay (${waiting} waiting) > `;
  return skipped === 0 ? "patchbay > " : `patchbay (${skipped} skipped: review) > `;
}

/** A proposal that came while the user is busy with something else. */
export function announcement({ request }: Review, waiting: number, folder: string): string {
  const what = `${escapeLine(request.agentName)} ${verbs[request.kind]} ${nameOf(request, folder)}`;
  return `${what}: ${waiting === 1 ? "it is waiting for you." : `${waiting} proposals are waiting.`}`;
}

export const verbs = {
  create: "wants to create",
  change: "wants to change",
  delete: "wants to empty or delete",
} as const;

/** What is left of a review whose agent will not come back. */
export function keptSentence({ request }: Review, folder: string): string {
  const name = nameOf(request, folder);
  return `${escapeLine(request.agentName)} is no longer waiting for this. Your text is kept: w writes it to ${name}, r discards it.`;
}

/** What follows the user's own verdict. */
export function afterVerdict(
  { request, agentPresent }: Review,
  verdict: "accepted" | "rejected",
  folder: string,
): string {
  // What an agent would do now is told by whoever began the trial.
  if (request.isTrial === true) return verdict === "accepted" ? "Accepted." : "Rejected.";
  if (verdict === "rejected") return "Rejected. Nothing is written.";
  if (!agentPresent) return "Accepted, but the agent has exited, so the file was not changed.";
  return `Accepted. ${escapeLine(request.agentName)} writes ${nameOf(request, folder)}.`;
}

/** What to do about a conflict; `name` is safe to print. */
export function conflictSentence(name: string): string {
  return `${name} has changed in the same lines. Both versions are between <<<<<<< and >>>>>>>. Press e, keep what is right, then accept.`;
}

/** The file under review has changed while it was shown. */
export function followed({ request, standing }: Review, folder: string): string {
  const name = nameOf(request, folder);
  return standing === "conflict" ? `${name} has changed in the same lines.` : `${name} has changed. The proposal now:`;
}

/** Why a proposal is not asked about any more. */
export function whyWithdrawn({ request }: Review, reason: DiffCloseReason, folder: string): string {
  const agent = escapeLine(request.agentName);
  const name = nameOf(request, folder);
  switch (reason) {
    case "accepted":
      return `${name} was accepted.`;
    case "rejected":
      return `${name} was rejected.`;
    case "decided-in-terminal":
      return `${name} was answered in ${agent}'s terminal.`;
    case "superseded":
      return `${agent} has another proposal for ${name} now.`;
    case "agent-gone":
      return `${agent} was interrupted or has exited; its proposal for ${name} is closed.`;
    case "stopped":
      return `The review of ${name} was stopped.`;
  }
}

/** The warning before the end. */
export function beforeQuit(waiting: number): string {
  return `${waiting === 1 ? "A proposal is waiting. Press q again to reject it" : `${waiting} proposals are waiting. Press q again to reject them`} and quit.`;
}

/** A message to the user, with the file in it as people read it. */
export function questionSentence(message: HostMessage, folder: string): string {
  const { code, text, values } = message;
  const { path = "" } = values;
  if (code === "not-accepted-conflict") return `Not accepted: ${conflictSentence(pathInFolder(path, folder))}`;
  return escapeText(path === "" ? text : text.replaceAll(path, () => pathInFolder(path, folder)));
}

/** Keys that are an answer to a question without Enter. */
export function questionKeys(actions: readonly string[]): string {
  return actions.length < 10 ? actions.map((_, index) => String(index + 1)).join("") : "";
}

export function noEditedText({ request }: Review): string {
  return `${escapeLine(request.agentName)} does not take an edited text: accept or reject it as it is.`;
}
