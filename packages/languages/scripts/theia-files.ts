import { languages } from "../src/index.ts";
import { theiaTexts } from "./english.ts";
import { englishFile, languageFile, packed, theiaParts } from "./files.ts";
import { translated, translationsOf } from "./translations.ts";

/** What the backend for Theia has in it, compressed and in Base64: each language, and `en` with the keys to the lists of the others. */
export function theiaFiles(): Readonly<Record<string, string>> {
  const parts = theiaParts();
  const windows = theiaTexts();
  const keys = windows.map(({ place }) => place.replace("theia/", ""));
  const own = languages.map((language): [string, string] => {
    const translations = translationsOf(language);
    const window = windows.map((one) => translated(translations, one));
    return [language, text({ window, ...languageFile(language, parts) })];
  });
  return { en: text({ keys, ...englishFile(parts) }), ...Object.fromEntries(own) };
}

const text = (value: unknown): string => packed(value).toString("base64");
