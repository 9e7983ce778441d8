import type { HookSettings } from "./hook-settings.ts";

/** The arguments of a tool. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/**
 * What an agent says to a command of the user's that it runs before its tools and around its turns, and what it takes as an answer
 * (docs/decisions/0007-hooks.md). Loaded with the first call of such a command.
 */
export interface AgentHook {
  /** What an event says; undefined where it is none that matters. */
  read(event: unknown): HookEvent | undefined;
  /** What the command prints. */
  encode(verdict: HookVerdict): string;
  readonly settings: HookSettings;
}

export type HookEvent =
  | (HookSource & { readonly kind: "session-began" | "session-ended" | "turn-ended" })
  | (HookSource & { readonly kind: "turn-began"; readonly prompt: string })
  | (HookSource & { readonly kind: "write" } & HookWrite)
  | (HookSource & { readonly kind: "command" } & HookCommand);

export interface HookSource {
  /** The agent's own name for its session. */
  readonly session: string;
  /** Where the agent works; undefined where it does not say. */
  readonly cwd: string | undefined;
}

/** A tool that is about to write. */
export interface HookWrite {
  /** Whether the agent is in a mode in which it asks by itself; undefined where it does not say. */
  readonly asks: boolean | undefined;
  /** One for each file. */
  readonly changes: readonly HookChange[];
}

/** A tool that is about to run a shell command. */
export interface HookCommand {
  /** The agent asks about it by itself, whatever the hook says. */
  readonly asks: boolean;
  readonly command: string;
  /** Where it runs, as the agent names it; undefined: where the agent works. */
  readonly directory: string | undefined;
}

export interface HookChange {
  /** As the agent names it: absolute, or in the folder where it works. */
  readonly path: string;
  /**
   * The whole file after the tool, byte for byte as the agent writes it; undefined where the tool would refuse, or that cannot
   * be told. `before` is the file on disk with its byte order mark; undefined where there is none.
   */
  textAfter(before: string | undefined): string | undefined;
  /**
   * Arguments with which the tool makes exactly `wanted` of the file; undefined where none can, or the agent takes no others than its
   * own.
   */
  argumentsFor(before: string | undefined, wanted: string): ToolArguments | undefined;
  /** What the agent makes of its own arguments is known from one version only: others are sent where there are some. */
  readonly isDelicate: boolean;
}

export type HookVerdict =
  | { readonly kind: "allow" }
  /** Yes, with other arguments; `note`: what the model reads of it, where the agent passes it on. */
  | { readonly kind: "allow-changed"; readonly arguments: ToolArguments; readonly note: string }
  /** No; the model reads why. */
  | { readonly kind: "deny"; readonly reason: string }
  /** Nothing was asked, at the begin of a turn; the model reads the note with the prompt. */
  | { readonly kind: "told"; readonly note: string };

/** A member of an event that came as JSON; undefined where it is no text. */
export function textOf(value: unknown, name: string): string | undefined {
  const found = memberOf(value, name);
  return typeof found === "string" ? found : undefined;
}

/** A member of an event that came as JSON. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** The arguments of the tool that an event is about. */
export function argumentsOf(event: unknown): ToolArguments {
  const found = memberOf(event, "tool_input");
  return typeof found === "object" && found !== null && !Array.isArray(found) ? { ...found } : {};
}

/** The text that a tool puts into its file, as its arguments say it; undefined where that is not one text. */
export function newTextOf(given: ToolArguments): string | undefined {
  const edits = memberOf(given, "edits");
  return (
    textOf(given, "content") ??
    textOf(given, "new_string") ??
    (Array.isArray(edits) ? textOf(edits[0], "new_string") : undefined)
  );
}

/** Where an event comes from; undefined where it does not name its session. */
export function sourceOf(event: unknown): HookSource | undefined {
  const session = textOf(event, "session_id");
  if (session === undefined || session === "" || session.length > longestName) return undefined;
  return { session, cwd: textOf(event, "cwd") };
}

const longestName = 200;
