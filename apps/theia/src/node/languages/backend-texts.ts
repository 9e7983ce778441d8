import { englishTexts, type LanguageFile, languageOf, type Texts, textsOf } from "@patchbay/languages";
import { unpacked } from "@patchbay/languages/node";
import { agents } from "@patchbay/core/agents";
import { languageFiles } from "./language-files.ts";

/** What English has in the place of a language. */
interface EnglishFile extends Pick<LanguageFile, "texts" | "said"> {
  /** Of the windows' texts, behind `patchbay/`. */
  readonly keys: readonly string[];
}

interface OwnFile extends LanguageFile {
  readonly window: readonly string[];
}

type Files = Readonly<Record<string, string>>;

/** What core and the panel say, and the page, in the language of a window. */
export function backendTexts(locale: string, files: Files = languageFiles): Texts {
  const { english, own } = filesOf(locale, files);
  return english === undefined || own === undefined ? englishTexts : textsOf(english, own);
}

/** By the command of each agent; the build knows no agents. */
const run = "command/run";

/** Every text of a window, by the keys that Theia looks it up with. Messages of core have theirs behind `patchbay/message/`. */
export function windowTexts(locale: string, files: Files = languageFiles): Readonly<Record<string, string>> {
  const { english, own } = filesOf(locale, files);
  if (english === undefined || own === undefined) return {};
  const texts = new Map(english.keys.map((key, index) => [key, own.window[index] ?? ""]));
  const commands = agents.map(({ id, agentName }): [string, string] => [
    `${run}${id.charAt(0).toUpperCase()}${id.slice(1)}`,
    (texts.get(run) ?? "").replace("{agent}", agentName),
  ]);
  const messages = english.texts.map((text, index): [string, string] => [`message/${text}`, own.texts[index] ?? ""]);
  return Object.fromEntries([...texts, ...commands, ...messages].map(([key, text]) => [`patchbay/${key}`, text]));
}

function filesOf(locale: string, files: Files): { readonly english?: EnglishFile; readonly own?: OwnFile } {
  const { en: english, [languageOf(locale) ?? ""]: own } = files;
  const read = <T>(data: string): T => JSON.parse(unpacked(Buffer.from(data, "base64")));
  return english === undefined || own === undefined ? {} : { english: read(english), own: read(own) };
}
