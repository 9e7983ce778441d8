import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { vimFindings } from "../../../tooling/scripts/finding-pages.mjs";
import { type Language, type LanguageFile, languages } from "../src/index.ts";
import {
  cocTexts,
  type EnglishText,
  findingTexts,
  inBrowsers,
  messages,
  pageTexts,
  saidTexts,
  vimTexts,
  vscodeTexts,
} from "./english.ts";
import { translated, type Translations, translationsOf } from "./translations.ts";

// What an edition ships: a file for each language without keys, in the order of the English one.

/** The English texts of an edition. */
export interface Parts {
  readonly texts: readonly EnglishText[];
  readonly said: readonly EnglishText[];
  readonly page: readonly EnglishText[];
  readonly findings: readonly EnglishText[];
}

/** The extension for VS Code, in which the page has no reviews and no connection of its own. */
export function vscodeParts(): Parts {
  const page = pageTexts().filter(({ place }) => !inBrowsers.test(place));
  return { texts: withMessages(vscodeTexts()), said: saidTexts(), page, findings: findingTexts() };
}

/** The extension for Theia, whose windows' own texts are apart. */
export function theiaParts(): Parts {
  return { ...panelParts(), findings: findingTexts() };
}

/** The extension for coc.nvim, with its panel, which is a page in a browser. */
export function cocParts(): Parts {
  return { ...panelParts(), texts: withMessages(cocTexts()), findings: findingTexts(vimFindings) };
}

/** Its scripts in Vim, which are told their texts. */
export function vimParts(): Parts {
  return { texts: vimTexts(), said: [], page: [], findings: [] };
}

function withMessages(own: readonly EnglishText[]): readonly EnglishText[] {
  const known = new Set(own.map(({ text }) => text));
  return [...own, ...messages().filter(({ text }) => !known.has(text))];
}

/** An edition whose own texts are English, or elsewhere: what core and the panel say, and the page. */
export function panelParts(): Parts {
  return { texts: messages(), said: saidTexts(), page: pageTexts(), findings: [] };
}

/** What English has in the place of a language: keys to the lists of the others. */
export function englishFile({ texts, said }: Parts): Pick<LanguageFile, "texts" | "said"> {
  return { texts: texts.map(({ text }) => text), said: said.map(({ text }) => text) };
}

export function languageFile(
  language: Language,
  { texts, said, page, findings }: Parts,
  translations: Translations = translationsOf(language),
): LanguageFile {
  const inLanguage = (list: readonly EnglishText[]): readonly string[] =>
    list.map((one) => translated(translations, one));
  return {
    texts: inLanguage(texts),
    said: inLanguage(said),
    page: inLanguage(page),
    findings: inLanguage(findings),
  };
}

/** Writes them all into a folder of an edition's build. */
export async function writeLanguageFiles(directory: string, parts: Parts): Promise<void> {
  await mkdir(directory, { recursive: true });
  const write = async (name: string, value: unknown): Promise<void> =>
    await writeFile(join(directory, `${name}.json.br`), packed(value));
  await write("en", englishFile(parts));
  for (const language of languages) await write(language, languageFile(language, parts));
}

/** Of texts in many languages this leaves a tenth less than what archives do by themselves. */
export function packed(value: unknown): Buffer {
  const params = { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT };
  return brotliCompressSync(JSON.stringify(value), { params });
}
