/** One thing the doctor saw. */
export interface Finding {
  /** `problem`: an agent cannot connect or shows no changes because of it; `warning`: it may. */
  readonly level: "ok" | "warning" | "problem";
  /** Id of the agent that it is about; undefined: all. */
  readonly agent: string | undefined;
  /** A sentence, without secrets. May hold paths: escape it before printing. */
  readonly text: string;
  /** What to type, where something is to be typed. */
  readonly fix?: string;
}
