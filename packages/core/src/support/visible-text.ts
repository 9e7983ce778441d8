/** Characters that show nothing, or change how others are shown: a terminal obeys them. Joiners stay: scripts and emoji need them. */
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu;

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A text of anybody's on one line, with everything that cannot be seen spelled out: what is shown is what is there. */
export function visibleText(text: string): string {
  return text.replace(unseen, (one) => named[one] ?? `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}
