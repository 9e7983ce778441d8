import { describe, expect, it } from "vitest";
import { panelStrings, panelStringsIn } from "../src/messages/index.ts";

const placeholders = (text: string): readonly string[] =>
  Array.from(text.matchAll(/\{\w+\}/gu), ([whole]) => whole).toSorted((a, b) => a.localeCompare(b));

describe.each(["de", "zh-cn"])("the texts in %s", (locale) => {
  const texts: Readonly<Record<string, string>> = panelStringsIn(locale);

  it("are all there, each with the values of the English one", () => {
    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(panelStrings).toSorted());
    for (const [key, english] of Object.entries(panelStrings)) {
      expect([key, placeholders(texts[key] ?? "")]).toEqual([key, placeholders(english)]);
      expect(texts[key]?.trim()).not.toBe("");
    }
  });

  it("are translated", () => {
    const same = Object.entries(panelStrings).filter(
      ([key, english]) => texts[key] === english && /[a-z]{3}/iu.test(english.replaceAll(/\{\w+\}/gu, "")),
    );
    // Words that German has from English.
    expect(
      same
        .map(([, english]) => english)
        .filter((one) => !/^(?:Plan|Details|Code.*|Input)$/u.test(one) && one !== "{minutes} min {seconds} s"),
    ).toEqual([]);
  });
});

describe("the language", () => {
  it.each([
    ["de-AT", "Senden"],
    ["zh-Hans", "发送"],
    ["zh-TW", "Send"],
    ["fr", "Send"],
  ])("of %s", (locale, text) => {
    expect(panelStringsIn(locale)["compose.send"]).toBe(text);
  });
});
