const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const wide =
  /\p{Extended_Pictographic}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\uff01-\uff60\u3000-\u303e]/u;
const narrowSymbols = /^[\u00a9\u00ae\u2122\u2139\u2194-\u21aa✓✗]$/u;
// oxlint-disable-next-line no-control-regex -- what Paint puts in
const colour = /\u001b\[\d+m/gu;

/** Columns that a text takes in a terminal; colour sequences take none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text.replace(colour, ""))) {
    width += wide.test(segment) && !narrowSymbols.test(segment) ? 2 : 1;
  }
  return width;
}
