import { describe, expect, it } from "vitest";
import { HeldText } from "../../src/diff/proposal-texts.ts";

describe("a held text", () => {
  it.each([
    ["a short one", "one\ntwo é \u{1f600}\n"],
    ["an empty one", ""],
    ["a long one, all ASCII", "a line\n".repeat(200_000)],
    ["a long one of one byte for each unit but one", `${"a line\n".repeat(200_000)}é`],
    [
      "a long one, with pairs and halves of pairs where pieces meet",
      `x${"\u{1f600}".repeat(1_200_000)}\ud83d\nend\ude00`,
    ],
  ])("is the bytes of %s", async (_name, text) => {
    for (const marked of [false, true]) {
      const held = new HeldText(text, marked);
      const bytes = await held.bytes();
      expect(Buffer.compare(bytes, Buffer.from(marked ? `\uFEFF${text}` : text))).toBe(0);
      expect(held.size).toBe(bytes.byteLength);
      expect(held.text()).toBe(text);
    }
  });

  it("leaves room for other work while it encodes a long one", async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      pending = setImmediate(count);
    };
    let pending = setImmediate(count);
    await new HeldText("é line\n".repeat(1_000_000), false).bytes();
    clearImmediate(pending);
    expect(turns).toBeGreaterThan(3);
  });
});
