/** Vim's names of encodings that the platform knows by other ones. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^(?:8bit-|2byte-)/u, ""],
  [/^cp(125\d|874)$/u, "windows-$1"],
  [/^cp932$|^sjis$/u, "shift_jis"],
  [/^cp936$|^euc-cn$|^gb2312$/u, "gbk"],
  [/^cp949$/u, "euc-kr"],
  [/^cp950$|^euc-tw$/u, "big5"],
  [/^ucs-2le$/u, "utf-16le"],
  [/^ucs-2$|^utf-16$/u, "utf-16be"],
];

/**
 * The text of a file that is not in UTF-8, as the editor reads it: in the first of its encodings that fits. Undefined where it
 * is UTF-8, or none fits.
 */
export async function decodeText(
  bytes: Uint8Array,
  encodings: () => Promise<readonly string[]>,
): Promise<string | undefined> {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeAs("utf-16le", bytes);
  if (first === 0xfe && second === 0xff) return decodeAs("utf-16be", bytes);
  if (decodeAs("utf-8", bytes) !== undefined) return undefined;
  for (const encoding of await encodings()) {
    const text = decodeAs(encoding, bytes);
    if (text !== undefined) return text;
  }
  return undefined;
}

function decodeAs(encoding: string, bytes: Uint8Array): string | undefined {
  const name = encoding.toLowerCase();
  // To the platform latin1 is windows-1252, in which Vim reads other characters.
  if (name === "latin1" || name === "iso-8859-1") return Buffer.from(bytes).toString("latin1");
  const known = names.reduce((text, [from, to]) => text.replace(from, to), name);
  try {
    return new TextDecoder(known, { fatal: true }).decode(bytes);
  } catch {
    // The platform does not know it, or the file is not in it.
    return undefined;
  }
}
