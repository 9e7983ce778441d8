/** A terminal in which an agent runs: a tmux pane, or the integrated terminal of an editor. */
export interface Terminal {
  /** What the screen shows now, one line per row. */
  screen(): Promise<string>;
  /** Types text as a person would. */
  type(text: string): Promise<void>;
  /** Presses one key. */
  press(key: TerminalKey): Promise<void>;
}

export type TerminalKey = "Enter" | "Escape" | "Down" | "Up" | "Control+C" | "Control+U";
