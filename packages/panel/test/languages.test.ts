import { describe, expect, it } from "vitest";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { germanSentences } from "../src/languages/sentences-de.ts";
import { chineseSentences } from "../src/languages/sentences-zh-cn.ts";
import { loadPanelTexts, panelStrings, panelStringsIn, panelTextsIn, saidIn } from "../src/messages/index.ts";

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

  it.each(["de-AT", "zh-Hans", "fr"])("of %s is the same where it is loaded by itself", async (locale) => {
    expect(await loadPanelTexts(locale)).toEqual(panelTextsIn(locale));
  });
});

describe("what Patchbay says in conversations", () => {
  it("is shown in the user's language, also where it has values, and a sentence in a sentence", () => {
    const german = saidIn(panelTextsIn("de"));
    expect(german("The agent starts over: it does not remember the messages above.")).toContain("beginnt neu");
    expect(german("Your text for /w/a (1).txt was not written. It is kept here.")).toBe(
      "Ihr Text für /w/a (1).txt wurde nicht geschrieben. Er bleibt hier erhalten.",
    );
    expect(german("The conversation goes on, but cannot be saved. The disk is full: free some space.")).toBe(
      "Die Unterhaltung geht weiter, kann aber nicht gespeichert werden. Der Datenträger ist voll: Schaffen Sie Platz.",
    );
    const switching =
      "Yes, and switch to “Edit freely” for this session. Changes files without asking; asks for commands.";
    expect(german(switching)).toBe(
      "Ja, und in dieser Sitzung zu „Frei ändern“ wechseln. Ändert Dateien, ohne zu fragen; fragt vor Befehlen.",
    );
    expect(german("Yes, and don't ask again")).toBe("Yes, and don't ask again");
    expect(german("Overloaded: {0} $& try again")).toBe("Overloaded: {0} $& try again");
    expect(saidIn(panelTextsIn("en"))("The conversation is saved again.")).toBe("The conversation is saved again.");
  });

  it("is what the sources say, with the same values in every language", () => {
    const packages = join(import.meta.dirname, "..", "..");
    const source = ["conversations/src", "core/src/storage", "panel/src/host"]
      .flatMap((folder) =>
        readdirSync(join(packages, folder), { recursive: true, encoding: "utf8" })
          .filter((file) => file.endsWith(".ts"))
          .map((file) => readFileSync(join(packages, folder, file), "utf8")),
      )
      .join("\n");
    expect(chineseSentences.map(([english]) => english)).toEqual(germanSentences.map(([english]) => english));
    for (const [english, own] of [...germanSentences, ...chineseSentences]) {
      const parts = english.split(/\{\d\}|\. (?=Install|Update)/u).map((part) => part.trim().replace(/:$/u, ""));
      expect(parts.filter((part) => !source.includes(part))).toEqual([]);
      expect([english, placesOf(own)]).toEqual([english, placesOf(english)]);
    }
  });
});

function placesOf(sentence: string): readonly string[] {
  return Array.from(sentence.matchAll(/\{\d\}/gu), ([place]) => place).toSorted();
}
