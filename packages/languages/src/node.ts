import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { englishTexts, type LanguageFile, languageOf, type Texts, textsOf } from "./index.ts";

/** The user's language from the folder that the build has written; of the others nothing is read. */
export function readTexts(directory: string, locale: string): Texts {
  const language = languageOf(locale);
  if (language === undefined) return englishTexts;
  const read = (name: string): LanguageFile =>
    JSON.parse(brotliDecompressSync(readFileSync(join(directory, `${name}.json.br`))).toString());
  try {
    return textsOf(read("en"), read(language));
  } catch {
    // Run from the sources, or damaged: better in English than not at all.
    return englishTexts;
  }
}
