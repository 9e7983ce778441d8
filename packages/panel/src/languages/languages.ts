import { panelStrings, type StringKey } from "../strings.ts";
import { german } from "./de.ts";
import { sentencesIn } from "./sentences.ts";
import { chinese } from "./zh-cn.ts";

/** All that the page is sent: its texts, and what Patchbay says in conversations. */
export function panelTextsIn(locale: string): Readonly<Record<string, string>> {
  const texts = panelStringsIn(locale);
  if (texts === german) return { ...texts, ...sentencesIn("german") };
  return texts === chinese ? { ...texts, ...sentencesIn("chinese") } : texts;
}

/** The page's texts by the language that an editor names (BCP 47), English where there is no other. */
export function panelStringsIn(locale: string): Readonly<Record<StringKey, string>> {
  const name = locale.toLowerCase();
  if (name === "de" || name.startsWith("de-")) return german;
  // Traditional Chinese is another script.
  if (/^zh(?:$|-cn|-hans|-sg)/u.test(name)) return chinese;
  return panelStrings;
}
