/**
 * Vim counts columns in bytes of UTF-8, agents and coc in UTF-16 code units.
 *
 * @param line the whole line
 * @param byteOffset 0-based; past the end it is the end, inside a character it is the character's start
 */
export function byteToUtf16(line: string, byteOffset: number): number {
  let bytes = 0;
  let index = 0;
  while (index < line.length) {
    const size = utf8Size(line, index);
    if (bytes + size.bytes > byteOffset) break;
    bytes += size.bytes;
    index += size.units;
  }
  return index;
}

/** Where the character that starts at or holds `index` ends, composing characters that Vim keeps with it included. */
export function characterEnd(line: string, index: number): number {
  if (index >= line.length) return line.length;
  let end = index + utf8Size(line, index).units;
  while (end < line.length && isComposing(line, end)) end += utf8Size(line, end).units;
  return end;
}

/** The inverse, for telling Vim a column: bytes before a UTF-16 index. */
export function utf16ToByte(line: string, index: number): number {
  let bytes = 0;
  let at = 0;
  while (at < Math.min(index, line.length)) {
    const size = utf8Size(line, at);
    bytes += size.bytes;
    at += size.units;
  }
  return bytes;
}

function utf8Size(line: string, index: number): { readonly bytes: number; readonly units: number } {
  const code = line.codePointAt(index) ?? 0;
  if (code < 0x80) return { bytes: 1, units: 1 };
  if (code < 0x800) return { bytes: 2, units: 1 };
  if (code < 0x10000) return { bytes: 3, units: 1 };
  return { bytes: 4, units: 2 };
}

function isComposing(line: string, index: number): boolean {
  return /^\p{M}/u.test(line.slice(index, index + 2));
}
