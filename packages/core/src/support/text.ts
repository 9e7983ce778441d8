/**
 * Characters that show nothing, or change how others are shown: a terminal obeys them. Joiners stay, and a single variation
 * selector: scripts and emoji need them. Text can be hidden in a row of selectors.
 */
const unseen =
  /(?!\p{Join_C}|\p{VS})[\p{Cc}\p{Cf}\p{Cs}\p{DI}\p{Zl}\p{Zp}\u2800]|(?<=\p{VS})\p{VS}|[\u{E0100}-\u{E01EF}]/gu;

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Most texts: V8 forgets what it has made of the expression above after a while, and to make it anew takes a millisecond. */
const plain = /^[ -~]*$/;

/** A text of anybody's on one line, with everything that cannot be seen spelled out: what is shown is what is there. */
export function visibleText(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(unseen, (one) => named[one] ?? `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}

const highSurrogateStart = 0xd800;
const lowSurrogateStart = 0xdc00;
const surrogateEnd = 0xe000;

/**
 * The longest prefix of `text` that is at most `limitBytes` of UTF-8, cut on a whole code point and never inside a
 * surrogate pair. Never looks at more than `limitBytes` code units, whatever the length of the text.
 */
export function limitText(text: string, limitBytes: number): string {
  // Three bytes per code unit is the most UTF-8 takes.
  if (text.length * 3 <= limitBytes) return wellFormed(text);
  let bytes = 0;
  let index = 0;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    const isPair = isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1));
    const width = isPair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    if (bytes + width > limitBytes) break;
    bytes += width;
    index += isPair ? 2 : 1;
  }
  return wellFormed(text.slice(0, index));
}

const longestTitleBytes = 200;

/** What a session is about, in lists: the first line of what an agent says of it, cut; undefined: nothing. */
export function titleOf(text: string): string | undefined {
  const line = text.trim().split("\n")[0] ?? "";
  return line === "" ? undefined : limitText(line, longestTitleBytes);
}

/** Replaces lone surrogates, which no agent can decode, by U+FFFD. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

function isHighSurrogate(unit: number): boolean {
  return unit >= highSurrogateStart && unit < lowSurrogateStart;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= lowSurrogateStart && unit < surrogateEnd;
}

// To make it takes milliseconds, and most programs show no columns.
let segmenter: Intl.Segmenter | undefined;
const wide =
  /\p{Extended_Pictographic}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303e\u30fb\u30fc\uff01-\uff60\uffe0-\uffe6]/u;
const narrowSymbols = /^[\u00a9\u00ae\u2122\u2139\u2194-\u21aa✓✗]$/u;
// oxlint-disable-next-line no-control-regex -- what colours a text in a terminal
const colour = /\u001b\[\d+m/gu;

/** Columns that a text takes in a terminal; colour sequences take none. */
export function displayWidth(text: string): number {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let width = 0;
  for (const { segment } of segmenter.segment(text.replace(colour, ""))) {
    width += wide.test(segment) && !narrowSymbols.test(segment) ? 2 : 1;
  }
  return width;
}
