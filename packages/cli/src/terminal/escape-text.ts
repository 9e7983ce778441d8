/**
 * Characters that move the cursor, change colours, ring, reorder text or cannot be seen (C0, DEL, C1, bidirectional and
 * invisible controls, fillers, selectors in a row, line and paragraph separators, tags): a file's contents or name must never
 * speak to the terminal, or hold what is not seen there.
 */
const unsafe =
  // oxlint-disable-next-line no-control-regex -- these are the characters to be found
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|(?!\p{Join_C}|\p{VS})[\p{DI}\u2800]|(?<=\p{VS})\p{VS}|[\u{e0100}-\u{e01ef}]/gu;
// oxlint-disable-next-line no-control-regex -- what Paint puts in, and nothing else of its kind
const colours = /(?<colour>\u001b\[(?:0|1|2|31|32|36)m)/gu;

/** Text of which every line is safe to print; tabs and newlines stay. */
export function escapeText(text: string): string {
  return text.replace(unsafe, (character) => escaped(character));
}

/** Text that is safe to print within a line: newlines and tabs are escaped as well. */
export function escapeLine(text: string): string {
  return escapeText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/**
 * The last step of everything that is written to a terminal: only Paint's own colours get through. What comes from a file, an
 * agent or a setting is escaped where it is put into a sentence already; this is for the one that was forgotten.
 */
export function terminalSafe(text: string): string {
  return text
    .split(colours)
    .map((part, index) => (index % 2 === 1 ? part : escapeText(part)))
    .join("");
}

/**
 * The last step of all JSON that is printed, which may be read in a terminal, too: what could speak to it stands as an escape of JSON's
 * own, which means the same. In JSON such characters are in texts and nowhere else.
 */
export function terminalSafeJson(json: string): string {
  return json.replace(unsafe, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
}

/** A value as JSON that is safe to print, indented with spaces where that is asked for. */
export function safeJson(value: unknown, indent?: number): string {
  return terminalSafeJson(JSON.stringify(value, undefined, indent));
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === "\r") return "\\r";
  if (character === "\u001b") return "\\e";
  return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}

/** A path or value as one word of a POSIX shell. */
export function quoteWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
