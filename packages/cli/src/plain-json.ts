import { escapeText } from "./terminal/escape-text.ts";

/** Pretty JSON that is safe to print: what would speak to a terminal stands as `\u` escapes, which mean the same. */
export function plainJson(value: unknown): string {
  return Array.from(JSON.stringify(value, undefined, 2), (character) =>
    character === "\n" || escapeText(character) === character ? character : unicodeEscape(character),
  ).join("");
}

function unicodeEscape(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }).join("");
}
