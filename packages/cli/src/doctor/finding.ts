import type { AgentId } from "../records/agent-places.ts";

/** One thing the doctor saw. */
export interface Finding {
  /** `problem`: an agent cannot connect or shows no changes because of it; `warning`: it may. */
  readonly level: "ok" | "warning" | "problem";
  /** The agent it is about; undefined: all. */
  readonly agent: AgentId | undefined;
  /** A sentence, without secrets. May hold paths: escape it before printing. */
  readonly text: string;
  /** What to type, where something is to be typed. */
  readonly fix?: string;
}
