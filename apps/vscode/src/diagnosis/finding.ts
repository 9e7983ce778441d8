/** One thing that was looked at. */
export interface Finding {
  readonly mark: "good" | "hint" | "problem";
  /** What was found: a whole sentence. */
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
}
