import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  cocParts,
  englishFile,
  languageFile,
  panelParts,
  vimParts,
  vscodeParts,
  writeLanguageFiles,
} from "../scripts/files.ts";
import { builtTexts } from "../scripts/texts-of.ts";
import { translated, translationsOf } from "../scripts/translations.ts";
import { englishTexts, filled, languageOf, languages, templateOf } from "../src/index.ts";
import { readTexts } from "../src/node.ts";

describe("the language", () => {
  it.each([
    ["de", "de"],
    ["de-AT", "de"],
    ["zh-Hans", "zh-cn"],
    ["zh-CN", "zh-cn"],
    ["zh-TW", undefined],
    ["zh-Hant-HK", undefined],
    ["pt-BR", "pt-br"],
    ["pt", "pt-br"],
    ["ja-JP", "ja"],
    ["den", undefined],
    ["en-US", undefined],
    ["", undefined],
  ])("of %j is %j", (locale, language) => {
    expect(languageOf(locale)).toBe(language);
  });
});

describe("a text", () => {
  it("has its values in its places, by number or by name, and nothing else", () => {
    expect(filled("{0} of {1}", [1, "two"])).toBe("1 of two");
    expect(filled("{agent} and {path}", { agent: "{path}", path: "$&" })).toBe("{path} and $&");
    expect(filled("{0} {1} {agent}", ["x"])).toBe("x {1} {agent}");
    expect(filled("{constructor} {length}", [])).toBe("{constructor} {length}");
  });

  it("is known by the sentence of which it was made", () => {
    const templates = ["{agent} has ended.", "{path} has ended."];
    expect(templateOf("a has ended.", { path: "a" }, templates)).toBe("{path} has ended.");
    expect(templateOf("a has ended!", { path: "a" }, templates)).toBeUndefined();
  });

  it("means in one place what is said of that place", () => {
    const translations = { Plan: "Plan", "Plan [said]": "Planen", Empty: "" };
    expect(translated(translations, { text: "Plan", place: "plan.title" })).toBe("Plan");
    expect(translated(translations, { text: "Plan", place: "said" })).toBe("Planen");
    expect(translated(translations, { text: "Empty", place: "x" })).toBe("Empty");
  });
});

describe("the files of a build", () => {
  let directory = "";

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "patchbay-languages-"));
    await writeLanguageFiles(directory, panelParts());
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each(languages)("say in %s what its translators wrote", (language) => {
    const read = readTexts(directory, language);
    expect(read).toEqual(builtTexts(language));
    const translations = translationsOf(language);
    for (const [english, own] of read.texts) expect(own).toBe(translations[english]);
    expect(read.page).toHaveLength(panelParts().page.length);
  });

  it.each([panelParts(), vscodeParts(), cocParts(), vimParts()])("have lists of the same length", (parts) => {
    const { texts, said } = englishFile(parts);
    const findings = parts.findings.map(({ text }) => text);
    expect(new Set(texts).size).toBe(texts.length);
    for (const language of languages) {
      const own = languageFile(language, parts);
      expect([own.texts.length, own.said.length]).toEqual([texts.length, said.length]);
      expect(own.findings).toEqual(findings.map((text) => translationsOf(language)[text]));
    }
  });

  it("are English where there is no such language, no file, or a damaged one", () => {
    expect(readTexts(directory, "en")).toBe(englishTexts);
    expect(readTexts(join(directory, "nowhere"), "de")).toBe(englishTexts);
    const path = join(directory, "de.json.br");
    const whole = readFileSync(path);
    for (const damaged of [whole.subarray(0, 100), brotliCompressSync('{"texts":[')]) {
      writeFileSync(path, damaged);
      expect(readTexts(directory, "de")).toBe(englishTexts);
    }
  });
});
