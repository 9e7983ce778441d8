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
