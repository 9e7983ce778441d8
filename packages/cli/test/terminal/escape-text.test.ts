import { describe, expect, it } from "vitest";
import { escapeLine, escapeText, safeJson, terminalSafe } from "../../src/terminal/escape-text.ts";
import { createPaint } from "../../src/terminal/paint.ts";

describe("text that is shown in a terminal", () => {
  it("never moves the cursor, colours, rings or sets the title", () => {
    const hostile = "\u001b[2J\u001b]0;title\u0007\u009b31m\u0008\u007f\r";
    expect(escapeText(hostile)).toBe("\\e[2J\\e]0;title\\x07\\x9b31m\\x08\\x7f\\r");
  });

  it("never reorders text or hides in it", () => {
    expect(escapeText("a\u202eb\u2066c\u200fd\u2028e\ufefff\u{e0041}")).toBe(
      "a\\u{202e}b\\u{2066}c\\u{200f}d\\u{2028}e\\u{feff}f\\u{e0041}",
    );
  });

  it("hides no text in fillers, or in a row of variation selectors", () => {
    expect(escapeText("a\u3164b\u115fc\u034fd\u2800e\ufe01\ufe02\ufe03f\u{e0101}")).toBe(
      "a\\u{3164}b\\u{115f}c\\u{34f}d\\u{2800}e\ufe01\\u{fe02}\\u{fe03}f\\u{e0101}",
    );
  });

  it("keeps what is harmless: tabs, newlines, emoji with joiners and selectors, other scripts", () => {
    const text = "\tone\n👩‍👩‍👧 ❤\ufe0f é 漢字 עברית";
    expect(escapeText(text)).toBe(text);
  });

  it("has neither newline nor tab within a line", () => {
    expect(escapeLine("a\nb\tc")).toBe("a\\nb\\tc");
  });
});

describe("the last step before a terminal", () => {
  it("lets only the program's own colours through", () => {
    const paint = createPaint(true);
    const painted = [paint.added("a"), paint.removed("b"), paint.place("c"), paint.strong("d"), paint.faint("e")].join(
      "",
    );
    expect(terminalSafe(`${painted}\n\t${paint.good("f")}${paint.bad("g")}`)).toBe(
      `${painted}\n\t${paint.good("f")}${paint.bad("g")}`,
    );
    expect(terminalSafe("\u001b[2J\u001b[8mhidden\u001b]0;t\u0007\u009b31m")).toBe(
      "\\e[2J\\e[8mhidden\\e]0;t\\x07\\x9b31m",
    );
  });

  it("leaves no control character and none that turns text, in lines and in JSON", () => {
    const ranges = [
      [0x00, 0x08],
      [0x0b, 0x1f],
      [0x7f, 0x9f],
      [0x061c, 0x061c],
      [0x200e, 0x200f],
      [0x202a, 0x202e],
      [0x2066, 0x2069],
    ] as const;
    for (const [first, last] of ranges) {
      for (let code = first; code <= last; code += 1) {
        const character = String.fromCodePoint(code);
        const name = code.toString(16).padStart(4, "0");
        expect(terminalSafe(`a${character}b`), name).toMatch(/^a\\[\w{}]+b$/u);
        // oxlint-disable-next-line no-control-regex -- nothing else may be left
        expect(safeJson([character]), name).toMatch(/^\["[\u0020-\u007e]+"\]$/u);
        expect(JSON.parse(safeJson([character]))).toEqual([character]);
        expect(safeJson([String.fromCharCode(code)]), name).toMatch(new RegExp(`\\\\u${name}|\\\\[bfnrt]`, "u"));
      }
    }
  });

  it("writes JSON that means the same and says nothing to a terminal", () => {
    const value = { text: "\u001b[2J\u009b\u202e\u{e0041}é" };
    expect(safeJson(value)).toBe('{"text":"\\u001b[2J\\u009b\\u202e\\udb40\\udc41é"}');
    expect(JSON.parse(safeJson(value))).toEqual(value);
  });
});
