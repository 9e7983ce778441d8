import type { FileHunk, FileView } from "@patchbay/conversations/model";
import * as z from "zod/mini";

/**
 * Of the reviews that are shown in pages, where no editor shows them. Texts are in UTF-16 units, with the line ends that they have. A
 * review is at one revision, which each change of a text makes greater.
 */
export type ReviewMessage =
  /** All that wait for the user, and what was accepted and is not written. */
  | {
      readonly type: "reviews";
      readonly reviews: readonly ReviewInfo[];
      readonly unwritten: readonly UnwrittenInfo[];
    }
  /** Both sides as they are. */
  | {
      readonly type: "review";
      readonly id: string;
      readonly revision: number;
      readonly left: string;
      readonly right: string;
      /** `asked`: the page asks for it, or is to show it; `verdict`: a verdict on a hunk; `file`: the file under review has changed. */
      readonly cause: "asked" | "verdict" | "file";
      /** The user has asked for it: it comes to the front. */
      readonly isRevealed: boolean;
    }
  /** The right side was edited in a page, which makes the revision greater by one: in this one by the edit that it named so, or in another one. */
  | {
      readonly type: "review-edited";
      readonly id: string;
      readonly revision: number;
      readonly edit: ReviewEdit | number;
    }
  | { readonly type: "review-ended"; readonly id: string; readonly as: ReviewEnd }
  /** What the page asked for was not done. */
  | { readonly type: "review-refused"; readonly id: string; readonly reason: ReviewRefusal }
  | PastMessage;

/** About one review. */
export type OneReviewMessage = Extract<ReviewMessage, { readonly id: string }>;

/** Of what is already written, to be looked at where no editor shows it. */
export type PastMessage =
  /** It comes to the front. `turn`: its files, of which the page asks for the sides; else the sides of a tool's one change are there. */
  | { readonly type: "past"; readonly turn?: string; readonly paths: readonly string[]; readonly sides?: PastSides }
  /** What the page has asked for with `sides`. */
  | { readonly type: "past-sides"; readonly turn: string; readonly sides: PastSides };

/** A file before and after. Neither text is there where none can be shown. */
export interface PastSides extends Pick<FileView, "mode" | "target"> {
  readonly path: string;
  /** Absent: there was no file. */
  readonly before?: string;
  /** Absent: there is no file any more. */
  readonly after?: string;
  /** Both are parts of the file, and where they belong is not known. */
  readonly isFragment?: boolean;
  /** What can be kept and undone, from top to bottom; absent: nothing can, and the page compares both sides itself. */
  readonly hunks?: readonly PastHunk[];
}

export interface PastHunk extends Pick<FileHunk, "id" | "state"> {
  /** In lines that end with a line feed, from 0; the end is not included. */
  readonly left: { readonly start: number; readonly end: number };
  readonly right: { readonly start: number; readonly end: number };
}

/** The units from `start` on, before `end`, are replaced. */
export interface ReviewEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text that was accepted and that its agent has not written. */
export interface UnwrittenInfo {
  /** Of its review, which may be shown. */
  readonly id: string;
  readonly agentName: string;
  readonly path: string;
}

/** What is shown of a review besides its texts. */
export interface ReviewInfo {
  readonly id: string;
  /** The conversation that asks; absent: an agent in a terminal. */
  readonly conversation?: string;
  readonly agentName: string;
  readonly path: string;
  readonly kind: "create" | "change" | "delete";
  readonly standing: "unchanged" | "merged" | "conflict";
  /** The left side has unsaved text of an editor. */
  readonly isUnsaved: boolean;
  readonly isReadOnly: boolean;
  /** False: the agent has exited, and an accept reaches nobody. */
  readonly isAgentPresent: boolean;
  /** Only the agent's own terminal can answer. */
  readonly isDecidedInTerminal: boolean;
  /** What the user says with a rejection is read. */
  readonly readsReasons: boolean;
  /** How many verdicts on hunks hold. */
  readonly decided: number;
}

const reviewEnds = ["accepted", "rejected", "decided-in-terminal", "superseded", "agent-gone", "stopped"] as const;

export type ReviewEnd = (typeof reviewEnds)[number];

const reviewRefusals = ["changed", "conflict", "read-only", "none", "failed"] as const;

/** `changed`: it is not what the page shows any more. `none`: there is no such hunk, or nothing to take back. */
export type ReviewRefusal = (typeof reviewRefusals)[number];

const hunkStates = ["open", "kept", "undone", "queued"] as const;

const reviewInfo: z.ZodMiniType<ReviewInfo> = z.object({
  id: z.string(),
  conversation: z.exactOptional(z.string()),
  agentName: z.string(),
  path: z.string(),
  kind: z.enum(["create", "change", "delete"]),
  standing: z.enum(["unchanged", "merged", "conflict"]),
  isUnsaved: z.boolean(),
  isReadOnly: z.boolean(),
  isAgentPresent: z.boolean(),
  isDecidedInTerminal: z.boolean(),
  readsReasons: z.boolean(),
  decided: z.number(),
});

const span = z.object({ start: z.number(), end: z.number() });

const pastSides: z.ZodMiniType<PastSides> = z.object({
  path: z.string(),
  before: z.exactOptional(z.string()),
  after: z.exactOptional(z.string()),
  isFragment: z.exactOptional(z.boolean()),
  hunks: z.exactOptional(z.array(z.object({ id: z.string(), state: z.enum(hunkStates), left: span, right: span }))),
  mode: z.exactOptional(z.object({ before: z.number(), after: z.number() })),
  target: z.exactOptional(z.object({ before: z.exactOptional(z.string()), after: z.exactOptional(z.string()) })),
});

/** Parses what the host says of reviews. */
export const reviewMessageSchema: z.ZodMiniType<ReviewMessage> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("reviews"),
    reviews: z.array(reviewInfo),
    unwritten: z.array(z.object({ id: z.string(), agentName: z.string(), path: z.string() })),
  }),
  z.object({
    type: z.literal("review"),
    id: z.string(),
    revision: z.number(),
    left: z.string(),
    right: z.string(),
    cause: z.enum(["asked", "verdict", "file"]),
    isRevealed: z.boolean(),
  }),
  z.object({
    type: z.literal("review-edited"),
    id: z.string(),
    revision: z.number(),
    edit: z.union([z.number(), z.object({ start: z.number(), end: z.number(), text: z.string() })]),
  }),
  z.object({ type: z.literal("review-ended"), id: z.string(), as: z.enum(reviewEnds) }),
  z.object({ type: z.literal("review-refused"), id: z.string(), reason: z.enum(reviewRefusals) }),
  z.object({
    type: z.literal("past"),
    turn: z.exactOptional(z.string()),
    paths: z.array(z.string()),
    sides: z.exactOptional(pastSides),
  }),
  z.object({ type: z.literal("past-sides"), turn: z.string(), sides: pastSides }),
]);
