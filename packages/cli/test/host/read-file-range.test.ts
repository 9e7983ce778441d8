import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Range } from "@patchbay/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lineLength, readFileRange } from "../../src/host/open-files.ts";

const limit = 16_384;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "patchbay-range-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, "a.txt");
  writeFileSync(path, text);
  return path;
}

function range(startLine: number, startCharacter: number, endLine: number, endCharacter: number): Range {
  return {
    start: { line: startLine, character: startCharacter },
    end: { line: endLine, character: endCharacter },
  };
}

describe("the text of a range", () => {
  it.each([
    ["one\ntwo\nthree", range(0, 1, 2, 2), "ne\ntwo\nth"],
    ["one\r\ntwo\r\n", range(0, 0, 1, 3), "one\r\ntwo"],
    ["one\ntwo\n", range(1, 1, 1, 2), "w"],
    ["one\n", range(0, 3, 0, 3), ""],
    ["one", range(0, 0, 9, 0), "one"],
    ["é😀x\n", range(0, 1, 0, 3), "😀"],
    ["one\n", range(4, 0, 5, 0), ""],
  ])("of %j from %j", (text, wanted, expected) => {
    expect(readFileRange(file(text), wanted, limit)).toBe(expected);
  });

  it("is that of the whole text, wherever the file is cut for reading", () => {
    const line = `${"é😀".repeat(20_000)}\r`;
    const text = [line, "short", line, ""].join("\n");
    const path = file(text);
    expect(readFileRange(path, range(0, 0, 3, 0), Number.POSITIVE_INFINITY)).toBe(text);
    expect(readFileRange(path, range(2, 3, 2, 60_000), Number.POSITIVE_INFINITY)).toBe(line.slice(3, 60_000));
    expect(readFileRange(path, range(0, 59_999, 2, 1), Number.POSITIVE_INFINITY)).toBe(
      `${line.slice(59_999)}\nshort\né`,
    );
    expect([0, 1, 2, 3, 4].map((index) => lineLength(path, index))).toEqual([60_000, 5, 60_000, 0, 0]);
  });

  it("of a line of a gigabyte is not read as a whole", () => {
    const path = file("");
    truncateSync(path, 1024 ** 3);
    const taken = readFileRange(path, range(0, 0, 0, 1024 ** 3), limit);
    expect(taken.length).toBeGreaterThanOrEqual(limit);
    expect(taken.length).toBeLessThan(10 * limit);
  });

  it("of a line of many megabytes is found at once", () => {
    const path = file("");
    truncateSync(path, 64 * 1024 ** 2);
    expect(lineLength(path, 0)).toBe(64 * 1024 ** 2);
    expect(lineLength(path, 1)).toBe(0);
  });
});
