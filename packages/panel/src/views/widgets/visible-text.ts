/**
 * Characters that show nothing, or change how others are shown. Joiners stay, and a single variation
 * selector: scripts and emoji need them. Text can be hidden in a row of selectors.
 */
const unseen =
  /(?!\p{Join_C}|\p{VS})[\p{Cc}\p{Cf}\p{Cs}\p{DI}\p{Zl}\p{Zp}\u2800]|(?<=\p{VS})\p{VS}|[\u{E0100}-\u{E01EF}]/gu;

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const spelled = (one: string): string => named[one] ?? `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`;

/** What a person decides upon, on one line, with everything that cannot be seen spelled out: what is shown is what is there. */
export function visibleLine(text: string): string {
  return text.replace(unseen, spelled);
}

/** The same for a text of several lines: their ends and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(unseen, (one) => (one === "\n" || one === "\t" ? one : spelled(one)));
}

/** Prose, as it is read, but for what would turn its letters around: `exe.jpg` that ends with `gpj.exe`. */
export function unturned(text: string): string {
  return text.replaceAll(/[\u202a-\u202e]/gu, spelled);
}
