import type { FileChange, LineRange, Location } from "./changes.ts";
import type { Question, QuestionOutcome } from "./questions.ts";

/**
 * What a conversation consists of, in the order in which it is shown. Every entry is an upsert by its id: whichever message of an
 * agent comes first creates it, later ones replace it (docs/protocols/acp.md: a permission may come before its tool call).
 */
export type Entry =
  | PromptEntry
  | MessageEntry
  | ThoughtEntry
  | ToolEntry
  | PlanEntry
  | QuestionEntry
  | NoticeEntry
  | TurnEndEntry;

interface EntryBase {
  /** Unique within its conversation and stable across reloads. */
  readonly id: string;
  /** When it first appeared, Unix milliseconds. */
  readonly at: number;
  /** The id of the tool call that started the subagent that this belongs to. */
  readonly parent?: string;
}

/** What the user sent. */
export interface PromptEntry extends EntryBase {
  readonly kind: "prompt";
  readonly blocks: readonly PromptBlock[];
}

/** A part of a prompt. Nothing is sent that the user cannot see in it. */
export type PromptBlock =
  | { readonly type: "text"; readonly text: string }
  /** A file or folder by its path; the agent reads it itself. */
  | { readonly type: "mention"; readonly path: string; readonly lines?: LineRange }
  /** Text that is not on disk as it is here: an unsaved buffer, a selection, a terminal's output, problems. */
  | {
      readonly type: "excerpt";
      readonly title: string;
      readonly path?: string;
      readonly lines?: LineRange;
      readonly text: string;
    }
  /** `data` is Base64. */
  | { readonly type: "image"; readonly mimeType: string; readonly data: string; readonly name?: string };

/** What the agent says, as Markdown. */
export interface MessageEntry extends EntryBase {
  readonly kind: "message";
  readonly text: string;
  /** False while more may be appended. */
  readonly isComplete: boolean;
}

/** What the agent thinks, as Markdown. */
export interface ThoughtEntry extends EntryBase {
  readonly kind: "thought";
  readonly text: string;
  readonly isComplete: boolean;
}

/** Kinds of tools as the Agent Client Protocol names them. */
export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "subagent"
  | "other";

/**
 * `waiting`: a question about it is open. `rejected`: the user said no. `cancelled`: the turn ended before it did. The last four
 * are final.
 */
export type ToolState = "pending" | "waiting" | "running" | "done" | "failed" | "rejected" | "cancelled";

/** One use of a tool by the agent. */
export interface ToolEntry extends EntryBase {
  readonly kind: "tool";
  readonly tool: ToolKind;
  /** The agent's own name of the tool, e.g. `Bash`. */
  readonly name: string;
  /** What it is about, for people, e.g. `Edit src/a.ts`. */
  readonly title: string;
  readonly state: ToolState;
  /** The whole command of a shell, never shortened. */
  readonly command?: string;
  /** Any other input, as indented JSON. */
  readonly input?: string;
  /** Text that the tool returned, at most `outputLimit` characters of its end. */
  readonly output?: string;
  /** How many characters were left out before `output`. */
  readonly outputOmitted?: number;
  readonly changes?: readonly FileChange[];
  /** Files that it reads or writes. */
  readonly locations?: readonly Location[];
}

/** Characters of a tool's output that are kept (1 MiB): a build may print for hours. */
export const outputLimit = 1_048_576;

/** What the agent means to do; replaced as a whole with each update. */
export interface PlanEntry extends EntryBase {
  readonly kind: "plan";
  readonly steps: readonly PlanStep[];
}

export interface PlanStep {
  readonly text: string;
  readonly state: "pending" | "running" | "done";
}

/** A question of the agent to the user. It stays in the conversation with its answer. */
export interface QuestionEntry extends EntryBase {
  readonly kind: "question";
  readonly question: Question;
  /** Absent while it is open. */
  readonly outcome?: QuestionOutcome;
}

/** Something that Patchbay or the agent's program has to say about the conversation itself, as plain text. */
export interface NoticeEntry extends EntryBase {
  readonly kind: "notice";
  readonly level: "info" | "warning" | "error";
  readonly text: string;
  /** More for those who look, e.g. the last lines that the program wrote, without secrets. */
  readonly detail?: string;
  /** What the user can do about it. */
  readonly action?: "restart" | "sign-in" | "retry" | "install";
}

/** The end of a turn. */
export interface TurnEndEntry extends EntryBase {
  readonly kind: "turn-end";
  /** The prompt that began it; absent where an earlier version, or the agent, has told of it. */
  readonly prompt?: string;
  readonly reason: TurnEndReason;
  /** How long the turn took, ms. */
  readonly durationMs?: number;
  /** What the session had used by then; tokens are those of the turn. */
  readonly usage?: Usage;
  /** Of this turn alone, in the currency of `usage`. */
  readonly cost?: number;
}

/** `refused`: the model would not go on. `limit`: of tokens or of requests. `exited`: the agent's process ended. */
export type TurnEndReason = "done" | "stopped" | "refused" | "limit" | "failed" | "exited";

/** What was used; what an agent does not report is absent. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Tokens that the context holds now, and at most. */
  readonly contextTokens?: number;
  readonly contextSize?: number;
  /** Of the whole session, in `currency`. */
  readonly cost?: number;
  /** ISO 4217, e.g. `USD`. */
  readonly currency?: string;
}
