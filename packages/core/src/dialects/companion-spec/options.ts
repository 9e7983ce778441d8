/** In what members of the Gemini family differ, beside where they look. */
export interface CompanionSpecOptions {
  readonly byteOrderMark: "as-proposed" | "as-on-disk";
  /** Whether an `isError` from openDiff fails the agent's write for good (Gemini) or leaves it to the terminal (Qwen). */
  readonly showFailure: "silent" | "error";
}
