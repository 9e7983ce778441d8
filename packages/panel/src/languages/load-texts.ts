import { panelStrings, sentenceMark, type StringKey } from "../strings.ts";

/** The page's texts; a build may hold a translation as a list in the order of the English texts. */
type Texts = Readonly<Record<StringKey, string>> | readonly string[];

/** What is shown for what Patchbay says in conversations, by the English sentence. */
type Sentences = readonly (readonly [english: string, own: string])[];

/** All that the page is sent, of which only the user's language is loaded where a build has each in a part of its own. */
export async function loadPanelTexts(locale: string): Promise<Readonly<Record<string, string>>> {
  switch (languageOf(locale)) {
    case "german": {
      const [texts, sentences] = await Promise.all([import("./de.ts"), import("./sentences-de.ts")]);
      return together(texts.german, sentences.germanSentences);
    }
    case "chinese": {
      const [texts, sentences] = await Promise.all([import("./zh-cn.ts"), import("./sentences-zh-cn.ts")]);
      return together(texts.chinese, sentences.chineseSentences);
    }
    case "english":
      return panelStrings;
  }
}

/** By the name that an editor gives (BCP 47): English where there is no other. */
export function languageOf(locale: string): "german" | "chinese" | "english" {
  const name = locale.toLowerCase();
  if (name === "de" || name.startsWith("de-")) return "german";
  // Traditional Chinese is another script.
  return /^zh(?:$|-cn|-hans|-sg)/u.test(name) ? "chinese" : "english";
}

/** What Patchbay says goes with the texts of the page. */
export function together(texts: Texts, sentences: Sentences): Readonly<Record<string, string>> {
  const keys = Object.keys(panelStrings);
  const byKey = isList(texts) ? Object.fromEntries(keys.map((key, at) => [key, texts[at] ?? ""])) : texts;
  return { ...byKey, ...Object.fromEntries(sentences.map(([english, own]) => [sentenceMark + english, own])) };
}

const isList = (texts: Texts): texts is readonly string[] => Array.isArray(texts);
