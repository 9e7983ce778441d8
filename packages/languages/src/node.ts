import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { englishTexts, type LanguageFile, languageOf, type Texts, textsOf } from "./index.ts";

/** The user's language from the folder that the build has written; of the others nothing is read. */
export function readTexts(directory: string, locale: string): Texts {
  const language = languageOf(locale);
  if (language === undefined) return englishTexts;
  const read = (name: string): LanguageFile => JSON.parse(unpacked(readFileSync(join(directory, `${name}.json.br`))));
  try {
    return textsOf(read("en"), read(language));
  } catch {
    // Run from the sources, or damaged: better in English than not at all.
    return englishTexts;
  }
}

/** The text of a language as the build has compressed it. */
export function unpacked(data: Uint8Array): string {
  return brotliDecompressSync(data).toString();
}
