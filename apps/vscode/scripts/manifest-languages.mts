import { type Language, languages } from "../../../packages/languages/src/index.ts";
import { translated, type Translations, translationsOf } from "../../../packages/languages/scripts/translations.ts";
import { manifestIn } from "./manifest-texts.mts";
import type { Texts } from "./write-contributions.mts";

/** What is packed of the manifest and its texts: `manifest` is its JSON, `files` have a name each. */
export interface PackedManifest {
  readonly manifest: string;
  readonly files: ReadonlyMap<string, string>;
}

/**
 * The manifest and a file of its texts for each language, as VS Code reads them. The keys are short ones: a file has all of them
 * again, and in the archive each file is compressed by itself. What a language says as English does is left to the English file.
 */
export function manifestInLanguages(
  manifest: string,
  texts: Texts,
  speak: (language: Language) => Translations = translationsOf,
): PackedManifest {
  const short = new Map(Object.keys(texts).map((key, index) => [key, index.toString(36)]));
  const packed = (own: Texts): string =>
    JSON.stringify(Object.fromEntries(Object.entries(own).map(([key, text]) => [short.get(key) ?? key, text])));
  const files = languages.map((language): [string, string] => {
    const translations = speak(language);
    const own = manifestIn(language, texts, (text, key) =>
      translated(translations, { text, place: `manifest/${key}` }),
    );
    const others = Object.entries(own).filter(([key, text]) => text !== texts[key]);
    return [`package.nls.${language}.json`, packed(Object.fromEntries(others))];
  });
  return {
    manifest: manifest.replaceAll(/"%([^%"]+)%"/gu, (_place, key: string) => `"%${short.get(key) ?? key}%"`),
    files: new Map([["package.nls.json", packed(texts)], ...files]),
  };
}
