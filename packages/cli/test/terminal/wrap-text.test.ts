import { describe, expect, it } from "vitest";
import { helpText } from "../../src/help.ts";
import { displayWidth } from "@patchbay/core";
import { fitEnd, wrapText } from "../../src/terminal/layout.ts";
import { createPaint } from "../../src/terminal/paint.ts";

const topics = [undefined, "serve", "env", "status", "run", "hook", "doctor"];

describe("text in a narrow terminal", () => {
  it("breaks between words, under the text", () => {
    expect(wrapText("  one two three", 10)).toBe("  one two\n  three");
  });

  it("keeps a second column, or puts it under the first where there is no room", () => {
    expect(wrapText("a  accept the change", 12)).toBe("a  accept\n   the\n   change");
    expect(wrapText("open <file>  show agents a file", 16)).toBe("open <file>\n    show agents\n    a file");
  });

  it("leaves a word whole, colours uncounted, and lines that fit as they are", () => {
    const paint = createPaint(true);
    expect(wrapText("/a/very/long/path/to/a/file is kept", 10)).toBe("/a/very/long/path/to/a/file\nis kept");
    expect(wrapText(`${paint.bad("one two")} three`, 13)).toBe(`${paint.bad("one two")} three`);
    expect(wrapText("漢字 漢字 漢字", 10)).toBe("漢字 漢字\n漢字");
    expect(wrapText("as  it is", undefined)).toBe("as  it is");
    expect(wrapText("a sentence about the file that is called a  b.txt and more", 50)).toBe(
      "a sentence about the file that is called a  b.txt\nand more",
    );
  });

  it.each([40, 45, 60, 80])("shows every help text in %i columns", (columns) => {
    for (const topic of topics) {
      const wide = wrapText(helpText(topic), columns)
        .split("\n")
        .filter((line) => displayWidth(line) > columns);
      expect(wide).toEqual([]);
    }
  });

  it.each(topics)("breaks the help text of %s only where the terminal ends, not within a sentence", (topic) => {
    const sentences = helpText(topic)
      .split("\n")
      .filter((line) => /^[A-Za-z-]/u.test(line) && !line.startsWith("Usage:"));
    expect(sentences.filter((line) => !/[.:]$/u.test(line))).toEqual([]);
  });

  it("shows the end of a path that is too long", () => {
    expect(fitEnd("src/a.ts", 8)).toBe("src/a.ts");
    expect(fitEnd("some/where/src/a.ts", 8)).toBe("…rc/a.ts");
  });
});
