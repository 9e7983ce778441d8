import type { EditorContext } from "../context/model.ts";

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
  | { readonly kind: "accepted"; readonly text: string; readonly edited: boolean }
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

/** What users and editors see of a proposal. */
export interface ProposalInfo {
  readonly id: string;
  readonly sessionId: string;
  readonly agentName: string;
  readonly path: string;
  readonly kind: "create" | "change" | "delete";
  readonly edited: boolean;
  /** `asking`: the user is asked first (outside the workspace); `shown`; `hidden`: only the terminal decides; `kept`: the agent is gone, the text is not. */
  readonly state: "asking" | "shown" | "hidden" | "kept";
}
