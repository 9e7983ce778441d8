import type { SettingsPlace } from "./settings.ts";

/** How long an agent waits for its hook, s: a review takes as long as its user. The hook answers a minute earlier. */
export const hookPatienceSeconds = 3_600;

/** How an agent is told of a hook in its settings. */
export interface HookSettings {
  /** The file of the user, or of the folder. */
  file(place: SettingsPlace, scope: HookScope): string;
  /** What is entered under `hooks`, by event. */
  readonly entries: readonly HookEntry[];
  /** The agent ignores a file with comments or trailing commas, all of it. */
  readonly isStrict: boolean;
  /** What its user has to do beside, as a sentence; undefined: nothing. */
  readonly consent: string | undefined;
}

export type HookScope = "user" | "project";

export interface HookEntry {
  readonly event: string;
  /** Of tools that write; absent for events of turns. */
  readonly matcher?: string;
  /** The tool that runs shell commands. */
  readonly commandTool?: string;
  /** In the unit of the agent. */
  readonly timeout: number;
}
