import type { Position } from "@patchbay/core";

/** Where and as whom a driven agent runs. */
export interface AgentDriverOptions {
  /** Working directory of the agent. */
  readonly cwd: string;
  readonly home: string;
  /** What `os.tmpdir()` is for the agent. */
  readonly temporaryDirectory: string;
  /** Variables of the agent's terminal; default: none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether accepted text is written to the file, as the real agents do. Default: true. */
  readonly writesFile?: boolean;
  /** Version that the agent tells. Default: the version whose behaviour is driven. */
  readonly version?: string;
  /** What the agent's walk up the process tree yields. Default: this process. */
  readonly idePid?: number;
}

export type AgentState = "idle" | "connecting" | "connected" | "disconnected";

/** What the agent knows of the editor, in editor terms (0-based) whatever its wire says. */
export interface AgentView {
  /** Most recently focused first; Claude knows one file only. */
  readonly openFiles: readonly string[];
  readonly active?: string;
  readonly cursor?: Position;
  readonly selectedText?: string;
  readonly trusted?: boolean;
}

export interface AgentMention {
  readonly path: string;
  readonly lines?: { readonly start: number; readonly end: number };
}

export interface AgentStatus {
  readonly state: AgentState;
  /** Why the agent is disconnected. */
  readonly problem?: string;
  /** Name of the editor that the agent shows to the user. */
  readonly editorName?: string;
  readonly port?: number;
  readonly tools: readonly string[];
  /** How many context messages came since the agent connected. */
  readonly contexts: number;
  /** Undefined: the agent has been told nothing, or has forgotten it on a disconnect. */
  readonly view?: AgentView;
  readonly mentions: readonly AgentMention[];
  /** How many verdicts came for which nothing waited; the real agents pass over them. */
  readonly unasked: number;
}

export interface AgentEdit {
  readonly path: string;
  /** Whole new text, in the line ends that the model uses (`\n`). */
  readonly text: string;
  /** Which of the agent's tools makes the change. Default: `edit` where the file exists, else `write`. */
  readonly tool?: "edit" | "write";
}

/** How it ended for the agent. */
export type AgentOutcome =
  | {
      readonly kind: "accepted";
      /** What the companion answered. */
      readonly received: string;
      /** What stands in the file afterwards. */
      readonly written: string;
      /** Whether the model is told that the user changed the proposal. */
      readonly userModified: boolean;
      readonly by: "editor" | "terminal";
    }
  | { readonly kind: "rejected"; readonly by: "editor" | "terminal" }
  /** The tool call failed, whatever the user says in the terminal (Gemini's way with `isError`). */
  | { readonly kind: "failed"; readonly message: string }
  /** The agent ended with the question open. */
  | { readonly kind: "lost" };

/** One edit that waits for the user, in the editor and in the agent's own terminal. */
export interface AgentProposal {
  readonly path: string;
  /** Resolves when the companion was asked and, for Gemini and Qwen, has answered; also where it could not be asked. */
  readonly asked: Promise<void>;
  /** Why the editor does not show it; the terminal still asks. */
  readonly refusal: string | undefined;
  readonly outcome: Promise<AgentOutcome>;
  /** The user answers in the agent's terminal. */
  decideInTerminal(verdict: "accept" | "reject"): Promise<AgentOutcome>;
}

/** A coding agent without a model: it speaks as the real one does, and tests say what it wants. */
export interface AgentDriver {
  readonly dialect: "gemini" | "qwen" | "claude";
  readonly agentName: string;
  readonly status: AgentStatus;
  /** Looks for a companion and connects, as at the agent's start or `/ide enable`. Rejects with a sentence where none is found or it refuses. */
  connect(): Promise<void>;
  /** The first status that matches; rejects after `timeoutMs` (default 10,000) with what it was then. */
  until(what: string, matches: (status: AgentStatus) => boolean, timeoutMs?: number): Promise<AgentStatus>;
  propose(edit: AgentEdit): AgentProposal;
  /** Calls any tool of the companion; resolves with its text parts or rejects with its `isError` text. */
  callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
  /** The connection to the companion breaks; the agent goes on as the real one would. */
  cut(how: "clean" | "reset"): void;
  /** The agent ends without a goodbye, as all of them do. Idempotent. */
  end(): Promise<void>;
}
