import type { EditorContext } from "../context/model.ts";
import type { FileStanding } from "../editor-host.ts";
import type { Disposable } from "../support/disposable.ts";

export type { EditorContext };

/** What an agent asks for when it proposes a change. */
export interface ProposalInput {
  /** The exact string received; every message about this proposal repeats it unchanged (docs/protocols/gemini.md: `filePath` must match). */
  readonly path: string;
  /** Whole new text of the file as received. */
  readonly text: string;
  /** The agent's own handle if it has one (Claude's `tab_name`), otherwise the path. */
  readonly handle: string;
}

/** How a proposal ended. Each proposal ends exactly once. */
export type DiffOutcome =
  /** `text` is byte for byte what the agent is to write; `edited` says whether the user changed the proposal. */
  | {
      readonly kind: "accepted";
      readonly text: string;
      readonly edited: boolean;
      /** Sent to the agent instead of `text`, if the agent applies edits rather than whole texts (`DialectEngine.writes`). */
      readonly told?: string;
    }
  /** `reason`: what the user says to the agent, for those that can be told. */
  | { readonly kind: "rejected"; readonly reason?: string }
  /** The user closed the view without a decision; agents treat it as rejected. */
  | { readonly kind: "closed" }
  /** Replaced by a newer proposal of the same agent for the same file. */
  | { readonly kind: "superseded" }
  /** The user answered in the agent's own terminal; `text` is what the view contained. */
  | { readonly kind: "decided-in-terminal"; readonly text: string; readonly edited: boolean }
  /** The agent has exited and will not come back, or has taken its question back. */
  | { readonly kind: "agent-gone" }
  | { readonly kind: "stopped" };

/**
 * Why no agent is waiting for a text of the user: the agent has exited, took its question back, made a newer proposal, was
 * answered in its own terminal without the text, did not receive it although the user had accepted, or received it and did not
 * write it.
 */
export type KeptReason =
  | "agent-exited"
  | "withdrawn"
  | "superseded"
  | "answered-in-terminal"
  | "not-delivered"
  | "not-written";

/**
 * A text of the user that no agent is waiting for. It is kept, across restarts of the editor, until the user saves or
 * discards it, for a week at most.
 */
export interface KeptText {
  /** The id of the proposal that it came from. */
  readonly id: string;
  readonly agentName: string;
  /** The file that it was meant for. */
  readonly path: string;
  readonly reason: KeptReason;
  /** Since when no agent is waiting for it, Unix milliseconds. */
  readonly since: number;
  /** A review still shows it. */
  readonly isShown: boolean;
}

/** The result of saving a kept text to its file. */
export type KeptTextSaving =
  /** Written; `merged`: together with changes made to the file. The text is no longer kept. */
  | { readonly kind: "saved"; readonly merged: boolean }
  /** The file has changed in the same lines: nothing was written, and the text is still kept. */
  | { readonly kind: "conflict" }
  /** Nothing was written, and the text is still kept; `reason` is a sentence. */
  | { readonly kind: "failed"; readonly reason: string };

/**
 * When reviews open by themselves. `always`: as soon as an agent asks; `whenIdle`: once the user has not typed or moved the cursor for
 * 3 s; `onDemand`: never, they are in the list.
 */
export type OpenReviews = "always" | "whenIdle" | "onDemand";

/** Lines by which two texts differ. */
export interface ChangedLines {
  readonly added: number;
  readonly removed: number;
}

/** What users and editors see of a proposal. */
export interface ProposalInfo {
  readonly id: string;
  readonly sessionId: string;
  /** The conversation that asks (`Companion.review`); absent: an agent in a terminal. */
  readonly conversationId?: string;
  readonly agentName: string;
  readonly path: string;
  readonly kind: "create" | "change" | "delete";
  readonly edited: boolean;
  /**
   * `asking`: the user is asked first (outside the workspace); `shown`; `listed`: not opened by itself, because of
   * `CompanionSettings.openReviews`; `hidden`: only the terminal, or the conversation, can answer until it is revealed, or the user
   * holds it (`isHeld`); `away`: the agent is not connected and may reconnect; `terminal`: shown, but the agent's question ended with its connection, so only
   * its terminal can answer, and edits can be applied once it has written; `kept`: the agent will not come back, and a
   * `KeptText` with this id remains.
   */
  readonly state: "asking" | "shown" | "listed" | "hidden" | "away" | "terminal" | "kept";
  readonly standing: FileStanding;
  /** The user has set the review aside (`Companion.hold`): the agent goes on waiting. */
  readonly isHeld: boolean;
  /** When the agent asked, Unix milliseconds. */
  readonly createdAt: number;
  /** What the right side changes in the file, with what the user has typed; undefined until the file was read and compared. */
  readonly lines: ChangedLines | undefined;
  /** The begin of the session's first prompt, if its hook tells. */
  readonly sessionTitle: string | undefined;
  /** What the user says with a rejection is read: the agent asks by its hook, or its conversation can be told. Nobody else can be. */
  readonly readsReasons?: true;
  /** Why no agent waits for it, where it is a `KeptText`. */
  readonly keptReason?: KeptReason;
  /** Counted when a hunk was decided, the file changed, or `Companion.hunks` was asked; undefined before the first time. */
  readonly hunks?: HunkCounts | undefined;
}

/** Lines of a text from `start` on, before `end`; from 0. Empty: a place between lines, before line `start`. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/** Lines of the left side of a review that are others on the right side. */
export interface Hunk {
  readonly left: LineSpan;
  readonly right: LineSpan;
}

/** How many hunks of a review are to be decided, and how many verdicts on hunks hold. */
export interface HunkCounts {
  readonly undecided: number;
  readonly accepted: number;
  readonly rejected: number;
}

/** What became of a verdict on one hunk. */
export type HunkDecision =
  /** `left`: how many hunks are to be decided; `next`: the next one below, or the last one above, on the right side. */
  | { readonly kind: "decided"; readonly left: number; readonly next: LineSpan | undefined }
  /** That verdict decided the proposal, or the proposal was over. */
  | { readonly kind: "ended" }
  /** The right side has a conflict, which is resolved first. */
  | { readonly kind: "conflict" }
  /** No such proposal, no hunk in it, or the editor could not show the verdict: nothing was changed. */
  | { readonly kind: "none" }
  /** The agent does not take an edited text: only the whole proposal can be decided. */
  | { readonly kind: "read-only" };

/** First line of a conflict in the right side of a review; the file's current lines follow. */
export const conflictStart = "<<<<<<< current file";
/** Between both versions. */
export const conflictMiddle = "=======";
/** Last line of a conflict; the proposed or typed lines precede it. */
export const conflictEnd = ">>>>>>> proposed change";

/** Whether a text still contains a conflict that `mergeTexts` marked. */
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

/** Prefix of the keys of stored proposals in the private storage. Kept apart from their store, which is loaded only if there are some. */
export const proposalKeyPrefix = "proposal-";

/**
 * Why an accept was refused. `conflict`: the file has changed in the same lines. `not-written-yet`: an agent still has to write
 * an earlier accepted change to this file. `changed-unreadable`: the file has changed and cannot be read as text; a second accept
 * counts. `changed-read-only`: the file has changed, and the agent will write what it likes; a second accept counts.
 * `conflict-read-only`: the same with changes in the same lines, which nobody can resolve here.
 */
export type AcceptRefusal =
  | "conflict"
  | "not-written-yet"
  | "changed-unreadable"
  | "changed-read-only"
  | "conflict-read-only";

/** PORT: carries an outcome to the session that asked. */
export interface OutcomeCarrier {
  /**
   * Hands over to the owner's connection; undefined when the owner is not here now. `onDelivered` runs once the agent
   * has it; at once for agents that are not told. Disposing takes it back. `sentAs` is the event id under which it was
   * sent before, 0 for none: an owner that says it has that event is not told again.
   */
  carry(owner: CarriedTo, outcome: DiffOutcome, onDelivered: () => void): CarriedOutcome | undefined;
  /** Whether a stream to the session is open now. */
  isReachable(sessionId: string): boolean;
  /** Since when a session that is not reachable has been away, on the monotonic clock; undefined where it is not known at all. */
  awaySince(sessionId: string): number | undefined;
}

/** Whose outcome it is. */
export interface CarriedTo {
  readonly sessionId: string;
  readonly path: string;
  readonly sentAs: number;
}

export interface CarriedOutcome extends Disposable {
  /** 0 where it was not sent yet. */
  readonly eventId: number;
  /** Whether its reader has taken all of it. Until then whoever carries it has the text, in bounded memory or on disk. */
  readonly isTaken: boolean;
}
