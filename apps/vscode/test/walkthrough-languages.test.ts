import { languages } from "@patchbay/languages";
import { describe, expect, it } from "vitest";
import { translated, translationsOf } from "../../../packages/languages/scripts/translations.ts";
import { pageIn, walkthroughPages, walkthroughUnits } from "../scripts/walkthrough-texts.mts";

/** A page without the blanks that line up its tables. */
const plain = (page: string): string =>
  page.replaceAll(/ +\|/gu, " |").replaceAll(/\| +/gu, "| ").replaceAll(/-{3,}/gu, "---");

describe("the pages of the walkthrough", () => {
  it("are taken apart into what is said, without pictures, commands, keys and names", () => {
    const units = walkthroughUnits();
    expect(units).toContain("which files are open, at most ten of them,");
    expect(units).toContain("go to the panel, and back");
    expect(units.filter((unit) => /^[|`!-]|\]\(|^(?:Alt|Ctrl)\+\S+$|^Gemini CLI$/u.test(unit))).toEqual([]);
  });

  it("are put together again as they were", () => {
    for (const page of walkthroughPages().values()) expect(plain(pageIn(page, (text) => text))).toBe(plain(page));
  });

  it.each(languages)("have in %s every line in its place", (language) => {
    const translations = translationsOf(language);
    for (const page of walkthroughPages().values()) {
      const own = pageIn(page, (text) => translated(translations, { text, place: "walkthrough" }));
      const shape = (text: string): readonly string[] =>
        text.split("\n").map((line) => `${/^(?:!\[|- |\||)/u.exec(line)?.[0] ?? ""}${line.split("|").length}`);
      expect(shape(own)).toEqual(shape(page));
      expect(own.match(/\]\([^)]+\)/gu)).toEqual(page.match(/\]\([^)]+\)/gu));
      expect(own).not.toBe(page);
    }
  });
});
