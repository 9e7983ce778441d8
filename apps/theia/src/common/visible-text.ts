/**
 * Characters that show nothing, or change how others are shown. Joiners stay, and a single variation
 * selector: scripts and emoji need them. Text can be hidden in a row of selectors.
 */
const unseen =
  /(?!\p{Join_C}|\p{VS})[\p{Cc}\p{Cf}\p{Cs}\p{DI}\p{Zl}\p{Zp}\u2800]|(?<=\p{VS})\p{VS}|[\u{E0100}-\u{E01EF}]/gu;

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * A text of anybody's on one line, with everything that cannot be seen spelled out: what is shown is what is there. Nobody reads a
 * label to the end of a very long one, and a megabyte would hold the window up.
 */
export function visibleText(text: string): string {
  const shown = text.length > 4_000 ? `${text.slice(0, 4_000)}…` : text;
  return shown.replace(unseen, (one) => named[one] ?? `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}
