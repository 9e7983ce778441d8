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

  it("leaves what fits as it is", () => {
    expect(noticeLines("Look at /w/a.txt.", "/w/a.txt", 80)).toEqual(["Look at /w/a.txt."]);
  });
});
