import { describe, expect, it } from "vitest";
import { vscodeParts } from "../../../../packages/languages/scripts/files.ts";
import { markdownText, shortened, shownText, terminalText } from "../../src/surfaces/texts.ts";
import { hostileNames, iconsIn, linksIn, unseenIn } from "../hostile-names.ts";

const templates = vscodeParts().texts.map(({ text }) => text);

/** Every sentence of the edition and of core, with a name from outside in each of its places. */
function sentencesWith(name: string): readonly string[] {
  return templates.map((template) => template.replaceAll(/\{\w+\}/gu, () => name));
}

describe("what comes from outside", () => {
  it.each(hostileNames)("never becomes a link, an icon or an invisible sign in any sentence: %j", (name) => {
    for (const sentence of sentencesWith(name)) {
      const shown = shownText(sentence);
      expect([linksIn(shown), iconsIn(shown)]).toEqual([[], []]);
      expect(unseenIn(shown.replaceAll("\u2060", ""))).toEqual([]);
    }
  });

  it("is not put together into a link from two places either", () => {
    const sentence = "{0} proposes a change to {1}.".replace("{0}", "[Gemini").replace("{1}", "](command:x)");
    expect(linksIn(shownText(sentence))).toEqual([]);
  });

  it.each(hostileNames)("means nothing in Markdown: %j", (name) => {
    const escaped = markdownText(name);
    // What is left without the escaped marks are letters, digits, blanks.
    expect(escaped.replaceAll(/\\[!-/:-@[-`{-~]/gu, "")).not.toMatch(/[!-/:-@[-`{-~]/u);
    expect(unseenIn(escaped)).toEqual([]);
  });

  it("is shown as it is", () => {
    for (const name of ["/ws/[id]/(group)/$x & <b>.tsx", "/ws/日本語 ü 👩‍👧.txt", "/ws/קובץ.txt", "C:\\ws\\a.txt"]) {
      expect(shownText(name).replaceAll("\u2060", "")).toBe(name);
    }
    expect(shownText("a\u202Etxt.exe\n")).toBe("a\\u{202e}txt.exe\\n");
  });

  it("goes into a terminal only where it is a line and no keys", () => {
    expect(terminalText("src/one two.txt")).toBe("src/one two.txt");
    for (const name of ["a\nrm -rf ~", "a\u001B[A", "a\u0003", "a\r", "a\u0090"])
      expect(terminalText(name)).toBeUndefined();
  });

  it("is shortened in its middle, so that a question stays in sight", () => {
    const long = shortened(`/ws/${"a".repeat(5_000)}/one.txt`);
    expect(long.length).toBeLessThan(250);
    expect(long).toMatch(/^\/ws\/a+…a+\/one\.txt$/u);
  });
});
