import { englishTexts, filled, type Texts, type Value } from "./index.ts";

// The language of the process. Editors' own ways (`l10n` of VS Code) look texts up by whole English sentences in a file that repeats
// them for each language; ours are lists, which the build makes of the files that translators write. coc.nvim has no way at all.

let spoken: Texts = englishTexts;

/** From now on everything is said in this language. */
export function useTexts(texts: Texts): void {
  spoken = texts;
}

/** What is said now. */
export const textsInUse = (): Texts => spoken;

export const l10n = {
  /** The text in the user's language, with its values: `{0}` by their numbers, or one object of values by their names. */
  t: (text: string, ...values: readonly Value[] | readonly [Readonly<Record<string, Value>>]): string => {
    const own = spoken.texts.get(text) ?? text;
    return filled(own, isNamed(values) ? values[0] : values);
  },
} as const;

const isNamed = (
  values: readonly Value[] | readonly [Readonly<Record<string, Value>>],
): values is readonly [Readonly<Record<string, Value>>] => typeof values[0] === "object";
