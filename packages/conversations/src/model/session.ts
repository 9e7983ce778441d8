import type { Entry, Usage } from "./entries.ts";

/**
 * What a session is doing. `waiting`: a question is open. `retrying`: the provider failed, and the agent tries again. `signed-out`:
 * the agent needs its own sign-in first. `ended`: its process is not running; the conversation can be continued.
 */
export type SessionState =
  | { readonly kind: "starting" }
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly since: number }
  | { readonly kind: "waiting"; readonly since: number }
  | {
      readonly kind: "retrying";
      readonly attempt: number;
      readonly limit?: number;
      /** When the next attempt is made, Unix milliseconds. */
      readonly nextAt: number;
      readonly reason: string;
    }
  | { readonly kind: "signed-out"; readonly methods: readonly SignInMethod[] }
  | { readonly kind: "ended"; readonly reason?: string };

/** A way to sign in: always the agent's own. */
export interface SignInMethod {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** Run in a terminal; absent: the agent must be started in a terminal and asked there. */
  readonly command?: readonly string[];
}

/** Something of the session that the user can choose: its mode, model, effort and whatever else the agent offers. */
export interface SessionOption {
  readonly id: string;
  /** `mode` says when the agent asks; `model` and `effort` what thinks. */
  readonly category: "mode" | "model" | "effort" | "other";
  readonly name: string;
  readonly description?: string;
  readonly value: string | boolean;
  /** Absent: on or off. */
  readonly values?: readonly OptionValue[];
}

export interface OptionValue {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /**
   * For modes: `always` asks before it writes files, and before commands; `sometimes` before some of it; `never` before nothing, which is
   * explained where it is chosen. Not set where it refuses instead, or where nothing is known.
   */
  readonly asks?: "always" | "sometimes" | "never";
}

/** A slash command of the agent's; sent as ordinary text. */
export interface SlashCommand {
  /** Without the slash; may contain spaces. */
  readonly name: string;
  readonly description: string;
  /** What may follow it. */
  readonly argumentHint?: string;
}

/** What a session can do, found out by asking the agent, never by its version. */
export interface SessionCapabilities {
  readonly images: boolean;
  /** Excerpts are sent as such; else as fenced text. */
  readonly excerpts: boolean;
  /** What the user makes of a change in the diff reaches the disk. */
  readonly editableChanges: boolean;
  /** A rejection may say why. */
  readonly rejectionMessages: boolean;
  /** The reason is a prompt of the user's: the agent's question takes none. A turn that goes on is stopped for it. */
  readonly rejectsByPrompt?: boolean;
  readonly fork: boolean;
  /** A fork may remember what was before a prompt, and nothing else. */
  readonly forkBefore: boolean;
  readonly rewind: boolean;
  /** Continues an earlier session with its memory. */
  readonly resume: boolean;
  /** It tells of itself when it is asked: `AgentFacts`. */
  readonly facts?: boolean;
  /** It asks about all tools of a message before the first of them runs. No view needs to know. */
  readonly asksAhead?: boolean;
}

/** What a running agent tells of itself. What it does not tell is absent. Names are the agent's own. */
export interface AgentFacts {
  /** Whose account it works on. */
  readonly account?: string;
  /** The subscription, as the vendor names it. */
  readonly plan?: string;
  readonly limits?: readonly PlanLimit[];
  readonly context?: ContextUse;
  readonly servers?: readonly McpServer[];
}

/** How much of a plan's window is used up. `model`: the window of a week is for that model alone. */
export interface PlanLimit {
  readonly window: "5-hours" | "7-days";
  readonly model?: string;
  /** From 0 to 1. */
  readonly used: number;
  /** Unix milliseconds. */
  readonly resetsAt?: number;
}

/** What fills the model's context, in tokens. */
export interface ContextUse {
  readonly used: number;
  readonly size: number;
  readonly parts: readonly { readonly name: string; readonly tokens: number }[];
}

/** An MCP server of the agent's. Its command, address and headers are left out: they may hold secrets. */
export interface McpServer {
  readonly name: string;
  readonly state: "connected" | "failed" | "needs-auth" | "pending" | "disabled";
  /** How many tools it offers. */
  readonly tools?: number;
  /** Why it is not connected. */
  readonly error?: string;
  /** False: it cannot be switched off or connected again. */
  readonly canChange: boolean;
}

export type McpServerChange = "reconnect" | "enable" | "disable";

/** Something that the agent goes on with beside its turns, also between them. It ends with the agent. */
export interface BackgroundTask {
  readonly id: string;
  readonly kind: "subagent" | "command" | "other";
  /** In the agent's words. */
  readonly title: string;
  /** Unix milliseconds. */
  readonly since: number;
}

/** What a driver tells. Each is an upsert: the newest one counts. */
export type SessionUpdate =
  | { readonly type: "state"; readonly state: SessionState }
  | { readonly type: "entry"; readonly entry: Entry }
  /** Text is appended to a message, a thought or a tool's output; one that was not there yet is made. */
  | {
      readonly type: "append";
      readonly id: string;
      readonly to: "message" | "thought" | "output";
      readonly text: string;
      readonly parent?: string;
    }
  | { readonly type: "options"; readonly options: readonly SessionOption[] }
  | { readonly type: "commands"; readonly commands: readonly SlashCommand[] }
  | { readonly type: "usage"; readonly usage: Usage }
  /** All that goes on in the background. */
  | { readonly type: "tasks"; readonly tasks: readonly BackgroundTask[] }
  | { readonly type: "title"; readonly title: string }
  /** The agent's own id of the session; it may change (Claude's `/clear`). */
  | { readonly type: "session"; readonly sessionId: string }
  /** A file was changed. `isAsked`: the user was asked first. */
  | { readonly type: "file-changed"; readonly path: string; readonly toolId?: string; readonly isAsked: boolean };
