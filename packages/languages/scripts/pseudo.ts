import { everyText } from "./every-text.ts";
import type { Translations } from "./translations.ts";

// A language that nobody speaks: English that can be read, with other letters, longer by two fifths, and in brackets. What is cut off,
// or is not in brackets, is found by looking.

const letters: Readonly<Record<string, string>> = {
  a: "á",
  b: "ƀ",
  c: "ç",
  d: "ð",
  e: "é",
  f: "ƒ",
  g: "ĝ",
  h: "ĥ",
  i: "î",
  j: "ĵ",
  k: "ķ",
  l: "ļ",
  m: "ɱ",
  n: "ñ",
  o: "ô",
  p: "þ",
  q: "ɋ",
  r: "ŕ",
  s: "š",
  t: "ţ",
  u: "û",
  v: "ṽ",
  w: "ŵ",
  x: "ẋ",
  y: "ý",
  z: "ž",
  A: "Å",
  C: "Ç",
  D: "Ð",
  E: "É",
  I: "Î",
  N: "Ñ",
  O: "Ö",
  P: "Þ",
  R: "Ŕ",
  S: "Š",
  T: "Ţ",
  U: "Û",
};

/** What must stay as it is: places for values, code, and what a command is called by. */
const kept = /\{[^}]*\}|`[^`]*`|\*\*|\/\w+\b|patchbay\.[\w.]+/gu;

export function pseudo(text: string): string {
  const parts = text.split(kept);
  const between = Array.from(text.matchAll(kept), ([one]) => one);
  const spelled = parts.map((part) => part.replaceAll(/[a-zA-Z]/gu, (letter) => letters[letter] ?? letter));
  const whole = spelled.map((part, index) => part + (between[index] ?? "")).join("");
  const more = Math.ceil(text.length * 0.4);
  return `⟦${whole}${" ẋýž".repeat(Math.ceil(more / 4)).slice(0, more)}⟧`;
}

/** Every text in it. */
export function pseudoTranslations(): Translations {
  return Object.fromEntries(everyText().map(({ text }) => [text, pseudo(text)]));
}
