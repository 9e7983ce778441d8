/** Gives text a colour, or leaves it as it is. */
export interface Paint {
  added(text: string): string;
  removed(text: string): string;
  place(text: string): string;
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

const colours = { added: 32, removed: 31, place: 36, strong: 1, faint: 2, good: 32, bad: 31 } as const;

/** Colours as SGR sequences. `enabled` false: none (NO_COLOR, not a terminal). */
export function createPaint(enabled: boolean): Paint {
  const colour = (code: number) => (text: string) => (enabled ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    added: colour(colours.added),
    removed: colour(colours.removed),
    place: colour(colours.place),
    strong: colour(colours.strong),
    faint: colour(colours.faint),
    good: colour(colours.good),
    bad: colour(colours.bad),
  };
}

/** Whether to colour: https://no-color.org, then FORCE_COLOR, then whether it is a terminal. */
export function wantsColour(environment: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const { NO_COLOR: none, FORCE_COLOR: force, TERM: term } = environment;
  if (none !== undefined && none !== "") return false;
  if (force !== undefined && force !== "" && force !== "0") return true;
  return isTerminal && term !== "dumb";
}
