import { displayWidth } from "@patchbay/core";

/** Narrowing what comes from Vim: it is dynamically typed, and what is not as expected counts as absent. */

export type Shape = Readonly<Record<string, unknown>>;

export function asShape(value: unknown): Shape {
  return isShape(value) ? value : {};
}

export function isShape(value: unknown): value is Shape {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asNumber(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Vim has numbers for truth, Neovim has both. */
export function asBoolean(value: unknown): boolean {
  return value === true || (typeof value === "number" && value !== 0);
}

export function asLines(value: unknown): readonly string[] {
  return asList(value).map(asText);
}

/**
 * Characters that are no text: control characters, which end a command or speak to the terminal, line ends, and those that
 * reorder or hide text. Tabs stay.
 */
const unprintable =
  /(?!\t|\p{VS})[\p{Cc}\p{DI}\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\u2800\ufff9-\ufffb]|(?<=\p{VS})\p{VS}|[\u{e0100}-\u{e01ef}]/gu;

/**
 * A line that is shown somewhere: in a message, a notice, a list, a page or a buffer's name. Whatever comes from a file, an
 * agent or a setting goes through here first. What is no text stands in it as U+FFFD.
 */
export function plainLine(text: string): string {
  return text.replace(unprintable, "\ufffd");
}

/** Followed by blanks, up to so many columns. */
export function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}

/** The same for what users put into 'statusline' and the like, where a percent sign begins an item, which can be code. */
export function plainStatus(text: string): string {
  return plainLine(text).replaceAll("%", "\uff05");
}
