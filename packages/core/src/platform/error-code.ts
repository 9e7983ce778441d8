/**
 * The `code` of a system error such as `ENOENT`, or undefined where the value carries none. Asks for the property and not
 * for the class: an editor may run an extension in a realm of its own, whose `Error` is not the one Node throws.
 */
export function errorCodeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
