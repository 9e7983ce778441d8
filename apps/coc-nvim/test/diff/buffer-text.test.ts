import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBufferText, readBufferText, toBufferText } from "../../src/diff/buffer-reader.ts";

describe("a text in a Vim buffer", () => {
  it.each([
    ["", [""], "unix", false],
    ["\n", [""], "unix", true],
    ["a", ["a"], "unix", false],
    ["a\n", ["a"], "unix", true],
    ["a\n\n", ["a", ""], "unix", true],
    ["a\r\nb\r\n", ["a", "b"], "dos", true],
    ["a\r\nb", ["a", "b"], "dos", false],
    ["a\r\nb\n", ["a\r", "b"], "unix", true],
    ["a\rb", ["a\rb"], "unix", false],
    ["a\0b\n", ["a\nb"], "unix", true],
  ])("of %j", (text, lines, format, newline) => {
    const buffer = toBufferText(text);
    expect(buffer).toEqual({ lines, format, newline });
    expect(fromBufferText(buffer, text)).toBe(text);
  });

  it("comes back byte for byte, whatever it is", () => {
    const part = fc.constantFrom("a", "é", "😀", "\n", "\r\n", "\r", "\0", "\t", " ");
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => parts.join("")),
        (text) => {
          expect(fromBufferText(toBufferText(text), text)).toBe(text);
        },
      ),
    );
  });

  it("is empty when the user has deleted everything, unless a lone line end was proposed", () => {
    const empty = { lines: [""], format: "unix", newline: true } as const;
    expect(fromBufferText(empty, "one\n")).toBe("");
    expect(fromBufferText(empty, "\n")).toBe("\n");
  });

  it("takes an answer that is none as a review that is gone", () => {
    expect(readBufferText(null)).toBeUndefined();
    expect(readBufferText({ lines: ["a"], format: "mac", newline: 1 })).toEqual({
      lines: ["a"],
      format: "unix",
      newline: true,
    });
  });
});
