/**
 * Characters that move the cursor, change colours, ring, or reorder text (C0, DEL, C1, bidirectional controls, line and
 * paragraph separators, tags): a file's contents or name must never speak to the terminal.
 */
const unsafe =
  // oxlint-disable-next-line no-control-regex -- these are the characters to be found
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** Text of which every line is safe to print; tabs and newlines stay. */
export function escapeText(text: string): string {
  return text.replace(unsafe, (character) => escaped(character));
}

/** Text that is safe to print within a line: newlines and tabs are escaped as well. */
export function escapeLine(text: string): string {
  return escapeText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === "\r") return "\\r";
  if (character === "\u001b") return "\\e";
  return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}
