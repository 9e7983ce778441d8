import { expect, it } from "vitest";
import { decodeText } from "../../src/host/document-texts.ts";

const encodings =
  (...names: string[]) =>
  async (): Promise<readonly string[]> =>
    names;

it("leaves UTF-8 to others", async () => {
  expect(await decodeText(Buffer.from("Grüße"), encodings("latin1"))).toBeUndefined();
});

it.each([
  [[0x63, 0xe9, 0x80], ["latin1"], "c\u00e9\u0080"],
  [[0x80], ["ucs-bom", "utf-8", "cp1252"], "\u20ac"],
  [[0x93, 0xfa], ["cp932"], "日"],
  [[0xff, 0xfe, 0x61, 0x00], [], "a"],
  [[0xfe, 0xff, 0x00, 0x61], [], "a"],
])("reads %j in the first of %j that fits", async (bytes, names, text) => {
  expect(await decodeText(Uint8Array.from(bytes), encodings(...names))).toBe(text);
});

it("says so where none fits", async () => {
  expect(await decodeText(Uint8Array.from([0xff, 0x00]), encodings("unheard-of", "ucs-bom"))).toBeUndefined();
});
