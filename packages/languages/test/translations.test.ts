import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { everyText } from "../scripts/every-text.ts";
import { compared, pathOf, translationsOf } from "../scripts/translations.ts";
import { languages } from "../src/index.ts";

const english = everyText();

/** Without what stands for values. */
const wordsOf = (text: string): string => text.replaceAll(/\{\w+\}/gu, "");

/** What is no word of a language: places for values, code, settings, names of variables and products, signs. */
const fixed =
  /\{\w+\}|`[^`]+`|\*\*|patchbay\.[\w.]*\w|\.patchbay\.json|REMOTE_CONTAINERS(?:=true)?|\/(?:ide|config|mcp)\b|Gemini CLI|Qwen Code|Claude Code|Copilot CLI|opencode|Kilo\b|Agent Client Protocol|Patchbay|Theia|VS Code(?: [\d.]+)?|Git\b|@|127\.0\.0\.1|✓|✕|<<<<<<<|=======|>>>>>>>|\.env|\.aside|\{"paths": \["migrations\/\*\*"\]\}/gu;

/** They stand once; how often the name of a product is said again is up to the language. */
const names = /^(?:Patchbay|Git|Theia|@)$/u;

function fixedIn(text: string): readonly string[] {
  const found = Array.from(text.matchAll(fixed), ([one]) => one).filter((one) => !one.startsWith("`Patchbay: "));
  const repeated = found.filter((one) => !names.test(one));
  return [...repeated, ...new Set(found.filter((one) => names.test(one)))].toSorted();
}

/** What some languages say as English does. */
const asInEnglish: Readonly<Record<string, readonly string[]>> = {
  de: [
    "Agent",
    "PROBLEM",
    "Patchbay: tmux",
    "Plan",
    "Details",
    "Code",
    "Code, {language}",
    "Terminal: {0}",
    "{minutes} min {seconds} s",
  ],
  es: [
    "Patchbay: panel",
    "Patchbay: tmux",
    "cursor",
    "No",
    "No: {0}",
    "Plan",
    "Terminal: {0}",
    "{0} min",
    "{count} tokens",
    "{minutes} min {seconds} s",
  ],
  fr: [
    "Agent",
    "Code",
    "Code, {language}",
    "Conversation",
    "Conversations",
    "Effort",
    "Mode",
    "Plan",
    "Session",
    "Suggestions",
    "terminal",
    "1 question",
    "{0} agents",
    "{0} questions",
    "{0} min",
    "{minutes} min {seconds} s",
  ],
  ja: [],
  ko: [],
  "pt-br": ["Patchbay: tmux", "cursor", "Terminal: {0}", "{0} min", "{count} tokens", "{minutes} min {seconds} s"],
  ru: [],
  "zh-cn": [],
};

describe.each(languages)("the texts in %s", (language) => {
  const translations = translationsOf(language);
  const texts = Object.entries(translations).map(([key, text]) => ({
    key,
    text,
    source: key.replace(/ \[[^\]]+\]$/u, ""),
  }));

  it("are complete, and none is there for nothing (`pnpm texts` lists what is missing)", () => {
    expect(compared(translations, english)).toEqual({ missing: [], unused: [] });
  });

  it("stand in order, so that changes of several people meet nowhere else", () => {
    const keys = Object.keys(translations);
    expect(keys).toEqual(keys.toSorted());
    expect(readFileSync(pathOf(language), "utf8")).toBe(`${JSON.stringify(translations, undefined, 2)}\n`);
  });

  it("have the same places for values, the same code and the same names", () => {
    for (const { key, text, source } of texts) expect([key, fixedIn(text)]).toEqual([key, fixedIn(source)]);
  });

  it("call commands what the manifest calls them", () => {
    const titles = english.filter(({ place }) => place.startsWith("manifest/command.")).map(({ text }) => text);
    for (const { key, text, source } of texts) {
      const [, named = ""] = /Patchbay: (\p{Lu}[\p{L} ]*\p{L}…?)/u.exec(source) ?? [];
      const title = titles
        .filter((one) => named.startsWith(one.replace("…", "")))
        .toSorted((a, b) => b.length - a.length)[0];
      if (title === undefined) continue;
      const own = (translations[title] ?? "").replace("…", "");
      expect([key, text.includes(`Patchbay: ${own}`)]).toEqual([key, true]);
    }
  });

  it("are translated", () => {
    const same = texts.filter(({ text, source }) => text === source && /[a-z]{3}/iu.test(wordsOf(source)));
    const others = same.map(({ source }) => source).filter((source) => !asInEnglish[language]?.includes(source));
    expect(others).toEqual([]);
  });

  it("have no blanks at their ends, no two in a row, and end as the English ones end", () => {
    for (const { key, text, source } of texts) {
      expect([key, text]).toEqual([key, text.trim()]);
      expect([key, / {2}/u.test(text)]).toEqual([key, false]);
      const endOf = (one: string): string =>
        /[.:?…]$/u.exec(one.replaceAll("。", ".").replaceAll("：", ":").replaceAll("？", "?"))?.[0] ?? "";
      // Units of time may be abbreviations.
      if (!/^\{0\} (?:d|days|h|min)\b/u.test(source)) expect([key, endOf(text)]).toEqual([key, endOf(source)]);
    }
  });

  it("are about as long as the English ones", () => {
    for (const { key, text, source } of texts) {
      const length = Array.from(text).length;
      expect([key, length <= 2 * source.length + 14]).toEqual([key, true]);
      expect([key, length >= source.length / 8]).toEqual([key, true]);
    }
  });

  it("have the quotes of their language", () => {
    const foreign: Readonly<Record<string, RegExp>> = {
      de: /["“]\p{L}|\p{L}["”]/u,
      es: /["“„]\p{L}|\p{L}["”]/u,
      fr: /["“„']|\p{L}”|[^ \u00A0\u202F] [:;?!»]|« /u,
      ja: /[“”„«»]|"\p{L}/u,
      ko: /[„«»]|"\p{L}/u,
      "pt-br": /[„«»]|"\p{L}/u,
      ru: /["“]\p{L}|\p{L}["”]/u,
      "zh-cn": /[„«»]|\p{Script=Han}["'(),;:?!]|["'(),;:?!]\p{Script=Han}/u,
    };
    const wrong = texts.filter(({ text }) =>
      foreign[language]?.test(
        // What is typed after a colon in Vim stays as it is.
        text.replaceAll(
          /`[^`]*`|(?<![^\s(]):[A-Za-z]+!?|\{".*?\}|"(?:always|asks-itself|never|folders|commands|\*)"/gu,
          "x",
        ),
      ),
    );
    expect(wrong.map(({ text }) => text)).toEqual([]);
  });
});
