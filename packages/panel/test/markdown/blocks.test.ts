import { Lexer } from "marked";
import { describe, expect, it } from "vitest";
import { BlockReader } from "../../src/markdown/blocks.ts";

const texts = [
  "# Title\n\nText with **bold** and `code`.\n\n- one\n- two\n\n  more of two\n- three\n\n1. first\n2. second\n",
  "Before\n\n```ts\nconst a = 1;\n\n# no heading\n```\n\nAfter\n\n    indented\n    code\n\nEnd",
  "| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\n\n> quote\n> goes on\n\nText\n---\n\nLast line\r\nwith returns\r\n\r\nend",
  "A [link][x] and more.\n\n[x]: https://example.com\n\nAgain [link][x].\n\n<div>\nhtml\n</div>\n\n***\n",
  "- [ ] open\n- [x] done\n\n\n\nText\n\n\n```\nnever closed\n",
] as const;

const types = (text: string): readonly string[] =>
  new Lexer().lex(text).flatMap(({ type }) => (type === "space" ? [] : [type]));

describe("the reader of growing Markdown", () => {
  it.each(texts)("reads the same block by block as at once: %j", (text) => {
    const reader = new BlockReader();
    for (let end = 1; end <= text.length; end += 1) reader.read(text.slice(0, end), false);
    const blocks = reader.read(text, true);
    expect(blocks.flatMap(({ token }) => (token.type === "space" ? [] : [token.type]))).toEqual(types(text));
    expect(blocks.every(({ isOpen }) => !isOpen)).toBe(true);
  });

  it.each(texts)("closes nothing but what stands there: %j", (text) => {
    const whole = text.replaceAll("\r\n", "\n");
    const reader = new BlockReader();
    for (let end = 1; end <= text.length; end += 1) {
      const blocks = reader.read(text.slice(0, end), false);
      expect(whole).toContain(blocks.flatMap(({ raw, isOpen }) => (isOpen ? [] : [raw])).join(""));
    }
    const blocks = reader.read(text, true);
    expect(blocks.map(({ raw }) => raw).join("")).toBe(whole);
  });

  it("keeps what has ended as the same objects, and reads only the last block again", () => {
    const reader = new BlockReader();
    const before = reader.read("One.\n\nTwo.\n\nThr", false);
    const after = reader.read("One.\n\nTwo.\n\nThree", false);
    expect(after.slice(0, -1).every((block, index) => block === before[index])).toBe(true);
    expect(after.at(-1)).not.toBe(before.at(-1));
    expect(after.at(-1)).toMatchObject({ isOpen: true, raw: "Three" });
  });

  it("starts over when the text is another one", () => {
    const reader = new BlockReader();
    reader.read("One.\n\nTwo.", false);
    expect(reader.read("Other.\n\nText.", true).map(({ raw }) => raw)).toEqual(["Other.", "\n\n", "Text."]);
  });

  it("knows the links that were defined before", () => {
    const reader = new BlockReader();
    reader.read("[x]: https://example.com\n\nText.\n\nSee ", false);
    const blocks = reader.read("[x]: https://example.com\n\nText.\n\nSee [x].\n\nEnd", false);
    expect(JSON.stringify(blocks)).toContain('"href":"https://example.com"');
  });
});
