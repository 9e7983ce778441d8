import { displayWidth } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { noticeLines } from "../../src/host/vim-messages.ts";

const path = "/home/someone/projects/elsewhere/packages/server/src/index.ts";
const text = `Gemini CLI proposes a change to ${path}, which is outside this workspace. Show it?`;

describe("a notice", () => {
  it("has lines that fit, with the end of a long path", () => {
    expect(noticeLines(text, path, 120)).toEqual([
      "Gemini CLI proposes a change to",
      "…/elsewhere/packages/server/src/index.ts, which is",
      "outside this workspace. Show it?",
    ]);
  });

  it("has shorter lines in a narrow editor", () => {
    const lines = noticeLines(text, path, 50);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(33);
    expect(lines.join(" ")).toContain("…/packages/server/src/index.ts");
  });

  it("ends its lines between characters where a script has no blanks, and begins none with a closing one", () => {
    const japanese =
      "Gemini CLI がこのワークスペースの外にあるファイルの変更を提案しています。表示しますか?（はい、いいえ）";
    const lines = noticeLines(japanese, undefined, 50);
    expect(lines.join("")).toBe(japanese.replace("CLI が", lines[0]?.includes("CLI が") === true ? "CLI が" : "CLIが"));
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(33);
    expect(lines.filter((line) => /^[、。）ー]/u.test(line))).toEqual([]);
    expect(lines.length).toBeGreaterThan(2);
  });

  it("leaves what fits as it is", () => {
    expect(noticeLines("Look at /w/a.txt.", "/w/a.txt", 80)).toEqual(["Look at /w/a.txt."]);
  });
});
