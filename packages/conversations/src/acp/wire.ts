import type { Location, PlanStep, SlashCommand, ToolKind, Usage } from "../model/index.ts";

/** What agents say, whatever version of the protocol it came in. `undefined` is what was not said. */

/** What an agent is and can do. */
export interface Initialized {
  readonly protocolVersion: number;
  readonly agentName: string | undefined;
  readonly agentVersion: string | undefined;
  readonly signIn: readonly SignInOffer[];
  readonly loadsSessions: boolean;
  readonly takesImages: boolean;
  readonly takesResources: boolean;
  /** MCP servers that are reached over HTTP may be passed to it. */
  readonly takesHttpServers: boolean;
  /** What it can do with sessions beside new and load: `list`, `resume`, `fork`, `close`, `delete`. */
  readonly sessionActions: ReadonlySet<string>;
}

export interface SignInOffer {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  /** It is our agent's own command with other arguments, in a terminal. */
  readonly args: readonly string[] | undefined;
  /** It is a command of its own, in a terminal. */
  readonly command: readonly string[] | undefined;
}

/** A session that was opened. `load` and `resume` have no id of their own to tell. */
export interface Opened extends Offers {
  readonly sessionId: string | undefined;
}

/** What can be chosen: two generations, of which agents send one or both. */
export interface Offers {
  readonly modes: Selection | undefined;
  readonly models: Selection | undefined;
  readonly options: readonly ConfigOption[] | undefined;
}

export interface Selection {
  readonly current: string;
  readonly values: readonly SelectionValue[];
}

export interface SelectionValue {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  /** Tokens that a model's context holds, where the agent says it. */
  readonly contextSize: number | undefined;
}

export interface ConfigOption {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly category: string | undefined;
  readonly current: string | boolean;
  /** Undefined: on or off. */
  readonly values: readonly SelectionValue[] | undefined;
}

/** What an agent tells of its session. */
export type Heard =
  | { readonly kind: "text"; readonly chunk: TextChunk }
  | { readonly kind: "tool"; readonly isNew: boolean; readonly call: ToolFields }
  | { readonly kind: "plan"; readonly steps: readonly PlanStep[] }
  | { readonly kind: "commands"; readonly commands: readonly SlashCommand[] }
  | { readonly kind: "mode"; readonly modeId: string }
  | { readonly kind: "options"; readonly options: readonly ConfigOption[] }
  | { readonly kind: "title"; readonly title: string }
  | { readonly kind: "usage"; readonly usage: Usage };

/** A piece of a message. It may be empty: one agent sends its usage with such a piece. */
export interface TextChunk {
  readonly speaker: "agent" | "thought" | "user";
  readonly text: string;
  readonly messageId: string | undefined;
  readonly usage: Usage | undefined;
}

/** What is known of a use of a tool: each message tells a part, and the newest counts. */
export interface ToolFields {
  readonly id: string;
  readonly title: string | undefined;
  readonly kind: ToolKind | undefined;
  /** It leaves a mode, such as the one in which an agent only plans. */
  readonly isModeSwitch: boolean;
  readonly status: "pending" | "in_progress" | "completed" | "failed" | undefined;
  readonly content: readonly ToolContent[] | undefined;
  readonly locations: readonly Location[] | undefined;
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly meta: Meta;
}

/** What the protocol leaves to agents. */
export type Meta = Readonly<Record<string, unknown>>;

export type ToolContent =
  | { readonly type: "text"; readonly text: string }
  | DiffContent
  /** Output of a terminal of the agent's own. */
  | { readonly type: "terminal"; readonly terminalId: string };

/** A change. Some agents send parts of the file, some say `""` and others nothing for a file that is not there yet. */
export interface DiffContent {
  readonly type: "diff";
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
}

/** An agent asks whether it may go on. */
export interface PermissionRequest {
  readonly call: ToolFields;
  readonly options: readonly PermissionOption[];
}

export interface PermissionOption {
  readonly id: string;
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
}

/** An agent wants a file. Lines count from 1. */
export interface ReadRequest {
  readonly path: string;
  readonly line: number | undefined;
  readonly limit: number | undefined;
}

export interface WriteRequest {
  readonly path: string;
  readonly text: string;
}

/** An agent asks for values by a form, described as a JSON Schema of one object. */
export interface ElicitationRequest {
  readonly message: string;
  readonly toolId: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
}

/** How a turn ended. */
export interface PromptResult {
  readonly stopReason: string;
  readonly usage: Usage | undefined;
}

/** A session that the agent has kept. */
export interface StoredSession {
  readonly sessionId: string;
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  /** Unix milliseconds. */
  readonly updatedAt: number | undefined;
}

/** A page of sessions; `nextCursor` asks for more. */
export interface StoredSessions {
  readonly sessions: readonly StoredSession[];
  readonly nextCursor: string | undefined;
}
