import type { EditorContext } from "../context/model.ts";
import type { FileStanding } from "../editor-host.ts";

export type { EditorContext };

/** What an agent asks for when it proposes a change. */
export interface ProposalInput {
  /** Exact string received; echoed unchanged in everything said about this proposal (docs/protocols/gemini.md: `filePath` must match). */
  readonly path: string;
  /** Whole new text of the file as received. */
  readonly text: string;
  /** The agent's own handle where it has one (Claude's `tab_name`); otherwise the path is the handle. */
  readonly handle: string;
}

/** How a proposal ended. Each proposal ends exactly once, in exactly one of these. */
export type DiffOutcome =
  /** `text` is byte for byte what the agent is to write; `edited` says whether the user changed the proposal. */
  | {
      readonly kind: "accepted";
      readonly text: string;
      readonly edited: boolean;
      /** What the agent is told in its place, where it makes edits of what it is told (`DialectEngine.writes`). */
      readonly told?: string;
    }
  | { readonly kind: "rejected" }
  /** The user closed the view without a verdict; agents treat it as rejected. */
  | { readonly kind: "closed" }
  /** A newer proposal of the same agent for the same file took its place. */
  | { readonly kind: "superseded" }
  /** The user answered in the agent's own terminal; `text` is what the view held then. */
  | { readonly kind: "decided-in-terminal"; readonly text: string; readonly edited: boolean }
  /** The owner ended and will not come back. */
  | { readonly kind: "agent-gone" }
  | { readonly kind: "stopped" };

/**
 * Why no agent takes a text of the user any more: its agent has exited, made a newer proposal, was answered in its own
 * terminal without the text, did not get it although the user had accepted, or got it and did not write it.
 */
export type KeptReason = "agent-exited" | "superseded" | "answered-in-terminal" | "not-delivered" | "not-written";

/**
 * A text of the user that no agent takes any more. It is kept, over restarts of the editor too, until the user has saved or
 * discarded it, for a week at most.
 */
export interface KeptText {
  /** The id of the proposal that it came from. */
  readonly id: string;
  readonly agentName: string;
  /** The file that it was meant for. */
  readonly path: string;
  readonly reason: KeptReason;
  /** When it lost its agent, Unix milliseconds. */
  readonly since: number;
  /** A review still shows it. */
  readonly isShown: boolean;
}

/** What became of a kept text that was to be saved to its file. */
export type KeptTextSaving =
  /** The file has it; `merged`: with what was written into the file meanwhile. The text is not kept any more. */
  | { readonly kind: "saved"; readonly merged: boolean }
  /** The file changed in the same lines meanwhile: nothing was written, and the text is still kept. */
  | { readonly kind: "conflict" }
  /** Nothing was written, and the text is still kept; a sentence that says why. */
  | { readonly kind: "failed"; readonly reason: string };

/** What users and editors see of a proposal. */
export interface ProposalInfo {
  readonly id: string;
  readonly sessionId: string;
  readonly agentName: string;
  readonly path: string;
  readonly kind: "create" | "change" | "delete";
  readonly edited: boolean;
  /**
   * `asking`: the user is asked first (outside the workspace); `shown`; `hidden`: only the terminal decides; `away`: the agent
   * is not connected and may come back; `terminal`: shown, but the agent's question died with its connection, so that only its
   * terminal can answer, and edits are offered to be applied once it has written; `kept`: the agent will not come back, and what is left is a `KeptText` of this id.
   */
  readonly state: "asking" | "shown" | "hidden" | "away" | "terminal" | "kept";
  readonly standing: FileStanding;
}

/** First line of a conflict in the right side of a review: what follows stands in the file now. */
export const conflictStart = "<<<<<<< current file";
/** Between both versions. */
export const conflictMiddle = "=======";
/** Last line of a conflict: what stands above it is what was proposed or typed. */
export const conflictEnd = ">>>>>>> proposed change";

/** Whether a text still holds a conflict that `mergeTexts` marked. */
export function hasConflict(text: string): boolean {
  return hasLine(text, conflictStart) || hasLine(text, conflictEnd);
}

function hasLine(text: string, line: string): boolean {
  for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line, at + 1)) {
    const after = text.charAt(at + line.length);
    if ((at === 0 || /[\r\n]/u.test(text.charAt(at - 1))) && /^[\r\n]?$/u.test(after)) return true;
  }
  return false;
}

/** Keys of kept proposals in the private storage begin with it; apart from the store, which is loaded only where there are some. */
export const proposalKeyPrefix = "proposal-";

/**
 * Why an accept does not count. `conflict`: the file has changed in the same lines. `not-written-yet`: an agent has still to write what
 * was accepted for this file before. `changed-unreadable`: the file has changed and cannot be read as text; a second accept counts.
 */
export type AcceptRefusal = "conflict" | "not-written-yet" | "changed-unreadable";
