import { describe, expect, it } from "vitest";
import { displayWidth } from "@patchbay/core";
import { formatTable } from "../../src/terminal/layout.ts";
import { createPaint, wantsColour } from "../../src/terminal/paint.ts";

describe("tables", () => {
  it("align wide characters and coloured cells", () => {
    const { good } = createPaint(true);
    const lines = formatTable(
      ["name", "state"],
      [
        ["漢字", good("ok")],
        ["a", "✓ DIFFERS"],
      ],
    );
    expect(lines).toEqual(["name  state", "────  ─────────", `漢字  ${good("ok")}`, "a     ✓ DIFFERS"]);
  });

  it("count columns as a terminal does", () => {
    expect([displayWidth("abc"), displayWidth("漢"), displayWidth("👩‍👩‍👧"), displayWidth("é")]).toEqual([3, 2, 2, 1]);
    expect(displayWidth("\u001b[31mred\u001b[0m")).toBe(3);
    expect([displayWidth("ターミナル"), displayWidth("한국어"), displayWidth("「あ」、")]).toEqual([10, 6, 8]);
  });
});

describe("colour", () => {
  it("follows NO_COLOR, FORCE_COLOR and the terminal, in this order", () => {
    expect(wantsColour({}, true)).toBe(true);
    expect(wantsColour({}, false)).toBe(false);
    expect(wantsColour({ NO_COLOR: "1", FORCE_COLOR: "1" }, true)).toBe(false);
    expect(wantsColour({ NO_COLOR: "" }, true)).toBe(true);
    expect(wantsColour({ FORCE_COLOR: "1" }, false)).toBe(true);
    expect(wantsColour({ TERM: "dumb" }, true)).toBe(false);
  });

  it("leaves text alone where it is off", () => {
    expect(createPaint(false).bad("x")).toBe("x");
    expect(createPaint(true).bad("x")).toBe("\u001b[31mx\u001b[0m");
  });
});
