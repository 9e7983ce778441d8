import { panelStrings, type StringKey } from "../strings.ts";
import { german } from "./de.ts";
import { languageOf, together } from "./load-texts.ts";
import { germanSentences } from "./sentences-de.ts";
import { chineseSentences } from "./sentences-zh-cn.ts";
import { chinese } from "./zh-cn.ts";

/** All that the page is sent: its texts, and what Patchbay says in conversations. */
export function panelTextsIn(locale: string): Readonly<Record<string, string>> {
  const texts = panelStringsIn(locale);
  if (texts === german) return together(german, germanSentences);
  return texts === chinese ? together(chinese, chineseSentences) : texts;
}

/** The page's texts by the language that an editor names (BCP 47), English where there is no other. */
export function panelStringsIn(locale: string): Readonly<Record<StringKey, string>> {
  return { german, chinese, english: panelStrings }[languageOf(locale)];
}
