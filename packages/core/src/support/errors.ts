/**
 * The codes a caller can branch on. A code is local to Patchbay; what goes over the wire is decided at the endpoint.
 */
export type PatchbayErrorCode =
  | "invalid-argument"
  | "path-refused"
  | "not-found"
  | "not-installed"
  | "host-failed"
  | "port-unavailable"
  | "record-refused"
  | "storage-failed"
  | "too-large"
  | "excluded"
  | "stopped";

/** The one exception type of core: a stable `code`, a sentence for people, and the cause where there is one. */
export class PatchbayError extends Error {
  readonly code: PatchbayErrorCode;

  constructor(code: PatchbayErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "PatchbayError";
    this.code = code;
  }
}

/** No file is told from a path; the sentence says why. */
export function pathRefused(sentence: string, cause?: unknown): PatchbayError {
  return new PatchbayError("path-refused", sentence, cause === undefined ? {} : { cause });
}

/** The sentence of any thrown value, without its stack: safe to show or to send. */
export function messageOf(error: unknown): string {
  // Not `instanceof`: editors run extensions in realms of their own, with an Error of their own (coc.nvim).
  const message =
    typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"
      ? error.message
      : String(error);
  // Errors that came over an editor's RPC may carry the stack of the other side in their message.
  return message.replace(/\n\s+at\s[^]*$/u, "");
}

/**
 * The `code` of a system error such as `ENOENT`, or undefined where the value carries none. Asks for the property and not
 * for the class: an editor may run an extension in a realm of its own, whose `Error` is not the one Node throws.
 */
export function errorCodeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
