import { describe, expect, it } from "vitest";
import { TextBeforeSave } from "../../src/diff/saving.ts";

const trim = [{ text: "", rangeLength: 2 }];
const newline = [{ text: "\n", rangeLength: 0 }];
const typed = [{ text: " ", rangeLength: 0 }];

describe("the text before save participants", () => {
  it("is the text itself when nothing happened right before", () => {
    const text = new TextBeforeSave("one");
    text.noteChange("one  ", typed, 0);
    expect(text.textOf("one  ", 1000)).toBe("one  ");
  });

  it("goes back over trimmed blanks and added newlines", () => {
    const text = new TextBeforeSave("one");
    text.noteChange("one  ", typed, 0);
    text.noteChange("one", trim, 1000);
    text.noteChange("one\n", newline, 1001);
    expect(text.textOf("one\n", 1002)).toBe("one  ");
  });

  it("does not take a typed blank for a participant's, however quick the save is", () => {
    const text = new TextBeforeSave("one");
    text.noteChange("one ", typed, 990);
    text.noteChange("one", trim, 1000);
    expect(text.textOf("one", 1001)).toBe("one ");
  });

  it("never takes away what is more than blanks", () => {
    const text = new TextBeforeSave("one");
    text.noteChange("", [{ text: "", rangeLength: 3 }], 1000);
    expect(text.textOf("", 1001)).toBe("");
  });

  it("leaves changes alone that lie further back", () => {
    const text = new TextBeforeSave("one  ");
    text.noteChange("one", trim, 0);
    expect(text.textOf("one", 1000)).toBe("one");
  });
});
