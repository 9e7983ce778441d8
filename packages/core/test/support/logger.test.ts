import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatLogLine } from "../../src/support/logger.ts";

describe("a line of the log", () => {
  it("is the message with its fields", () => {
    expect(formatLogLine("An agent connected", { version: "0.61.0", session: undefined, port: 1 })).toBe(
      "An agent connected version=0.61.0 port=1",
    );
    expect(formatLogLine("Übung 测试 👩‍💻 a\\b")).toBe("Übung 测试 👩‍💻 a\\b");
  });

  it("spells out what would begin another line, or be obeyed by a terminal", () => {
    const version = "1.0\r\n2026-11-22 [info] forged\u2028\u0085x\x1b]0;title\x07\x9b31m\u202eabc\ud800\u0000";
    expect(formatLogLine("An agent connected", { version })).toBe(
      "An agent connected version=1.0\\r\\n2026-11-22 [info] forged\\u{2028}\\u{85}x\\u{1b}]0;title\\u{7}\\u{9b}31m\\u{202e}abc\\u{d800}\\u{0}",
    );
  });

  it("is one line of characters that can be seen, whatever the values are", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, text, (message, value) => {
        expect(formatLogLine(message, { value })).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
