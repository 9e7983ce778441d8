import type { Dialect } from "@patchbay/core";

// What package.json calls what it has for each agent. The script that writes it imports these names as well, and without a
// bundler: hence the ending, as the package is a CommonJS one.

/** The command that starts an agent, e.g. `patchbay.runGemini`. */
export function runCommandOf({ id }: Pick<Dialect, "id">): string {
  return `patchbay.run${id.charAt(0).toUpperCase()}${id.slice(1)}`;
}

/** The settings of an agent, below `patchbay.`. */
export interface AgentSettingNames {
  readonly command: string;
  /** Whether the agent is told to ask; undefined: it asks by default, or never, and is told nothing. */
  readonly asking: string | undefined;
}

export function settingNamesOf({ id, asking }: Pick<Dialect, "id" | "asking">): AgentSettingNames {
  const own = `agents.${id}`;
  const isTold = asking !== undefined && !asking.isDefault;
  return { command: `${own}.command`, asking: isTold ? `${own}.${asking.setting}` : undefined };
}

/** The value of `asking` that leaves the agent to its own settings. */
export const asConfigured = "asConfigured";
