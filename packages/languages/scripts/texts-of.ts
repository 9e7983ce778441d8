import { englishTexts, type Language, type Texts, textsOf } from "../src/index.ts";
import { englishFile, languageFile, type Parts, panelParts } from "./files.ts";

/** A language as an edition has it that reads the build's files; for tests. */
export function builtTexts(language: Language | "en", parts: Parts = panelParts()): Texts {
  return language === "en" ? englishTexts : textsOf(englishFile(parts), languageFile(language, parts));
}
