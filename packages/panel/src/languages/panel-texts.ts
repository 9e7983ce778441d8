import type { Texts } from "@patchbay/languages";
import { panelStrings, type Said, saidIn, sentenceMark, type StringKey } from "../strings.ts";

/** The page's texts in the user's language. */
export function panelStringsIn({ page }: Texts): Readonly<Record<StringKey, string>> {
  const own = Object.keys(panelStrings).flatMap((key, index) => {
    const text = page[index];
    return text === undefined ? [] : [[key, text] as const];
  });
  return { ...panelStrings, ...Object.fromEntries(own) };
}

/** All that the page is sent: its texts, and what Patchbay says in conversations. */
export function panelTextsIn(texts: Texts): Readonly<Record<string, string>> {
  return { ...panelStringsIn(texts), ...marked(texts.said) };
}

/**
 * How a host says the panel's sentences itself, and core's, whose values are in them. What an edition says of its own has its values
 * apart, by numbers: nothing that comes from elsewhere is to be taken for it.
 */
export function hostSaysIn({ texts, said }: Texts): Said {
  const sentences = Array.from(texts).filter(([english]) => !/\{\d/u.test(english));
  return saidIn(marked(new Map([...sentences.map(numbered), ...said])));
}

/** Values by their places in the English sentence instead of by their names. */
function numbered([english, own]: readonly [english: string, own: string]): readonly [string, string] {
  const place = /\{(\w+)\}/gu;
  const names = Array.from(english.matchAll(place), ([, name]) => name);
  let count = 0;
  return [
    english.replaceAll(place, () => `{${count++}}`),
    own.replaceAll(place, (_place, name: string) => `{${names.indexOf(name)}}`),
  ];
}

function marked(sentences: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from(sentences, ([english, own]) => [sentenceMark + english, own]));
}
