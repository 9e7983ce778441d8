/** Besides English, by the names that VS Code and Theia have for them. */
export const languages = ["de", "es", "fr", "ja", "ko", "pt-br", "ru", "zh-cn"] as const;

export type Language = (typeof languages)[number];

/** By the name that an editor or a system gives (BCP 47). Undefined: English. */
export function languageOf(locale: string): Language | undefined {
  const name = locale.toLowerCase();
  // Traditional Chinese is another script.
  if (/^zh(?:$|-cn|-hans|-sg)/u.test(name)) return "zh-cn";
  // Portuguese is read on both sides of the ocean.
  const meant = /^pt(?:$|-)/u.test(name) ? "pt-br" : name;
  return languages.find((one) => meant === one || meant.startsWith(`${one}-`));
}

/** One language as the build writes it. Each list stands in the order of the English one, which is in a file of its own. */
export interface LanguageFile {
  /** What the program itself says. */
  readonly texts: readonly string[];
  /** What Patchbay says in conversations, which the page shows. */
  readonly said: readonly string[];
  /** The page's own texts, in the order of their keys. English ones are in the program. */
  readonly page: readonly string[];
  /** What findings of a diagnosis mean, in the order in which `explainFinding` of core has it. English ones are in the program. */
  readonly findings: readonly string[];
}

/** One language, ready to look things up: English texts with those of the user. Without any it is English. */
export interface Texts {
  readonly texts: ReadonlyMap<string, string>;
  readonly said: ReadonlyMap<string, string>;
  readonly page: readonly string[];
  readonly findings: readonly string[];
}

export const englishTexts: Texts = { texts: new Map(), said: new Map(), page: [], findings: [] };

export function textsOf(english: Pick<LanguageFile, "texts" | "said">, own: LanguageFile): Texts {
  const { page, findings } = own;
  return { texts: paired(english.texts, own.texts), said: paired(english.said, own.said), page, findings };
}

function paired(english: readonly string[], own: readonly string[]): ReadonlyMap<string, string> {
  return new Map(english.map((text, index) => [text, own[index] ?? text]));
}

/** What stands in a place. */
export type Value = string | number | boolean;

/** A value for each place: `{0}` by its number, `{name}` by its name. A place without a value stays. */
export function filled(text: string, values: readonly Value[] | Readonly<Record<string, Value>>): string {
  const byName = new Map<string, Value>(Object.entries(values));
  return text.replaceAll(/\{(\w+)\}/gu, (place, name: string) => String(byName.get(name) ?? place));
}

/**
 * The sentence with places of which this one was made. All are tried, since a value may be a word that the sentence has anyway,
 * such as the name of an agent.
 */
export function templateOf(
  text: string,
  values: Readonly<Record<string, string>>,
  templates: Iterable<string>,
): string | undefined {
  for (const template of templates) if (filled(template, values) === text) return template;
  return undefined;
}
