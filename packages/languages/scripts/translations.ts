import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Language } from "../src/index.ts";
import { type EnglishText, texts } from "./english.ts";

/** What translators write: English texts with their own. `text [place]` holds for one place alone. */
export type Translations = Readonly<Record<string, string>>;

export const pathOf = (language: Language): string => join(texts, `${language}.json`);

export function translationsOf(language: Language): Translations {
  const path = pathOf(language);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}

/** The key of a text that means something of its own in one place. */
export const placedKey = ({ text, place }: EnglishText): string => `${text} [${place}]`;

/** The translation, or the English text where there is none yet. */
export function translated(translations: Translations, { text, place }: EnglishText): string {
  return [translations[placedKey({ text, place })], translations[text]].find((one) => (one ?? "") !== "") ?? text;
}

/** What a language lacks, and what it has for nothing any more. */
export function compared(
  translations: Translations,
  english: readonly EnglishText[],
): { readonly missing: readonly string[]; readonly unused: readonly string[] } {
  const keys = new Set(english.flatMap((one) => [one.text, placedKey(one)]));
  return {
    missing: Array.from(new Set(english.map(({ text }) => text))).filter((text) => (translations[text] ?? "") === ""),
    unused: Object.keys(translations).filter((key) => !keys.has(key)),
  };
}
