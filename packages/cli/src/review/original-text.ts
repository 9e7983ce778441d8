import { readFile, stat } from "node:fs/promises";

/** What is on disk now, for the left side of a diff. */
export type OriginalText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing" }
  /** Cannot be shown as text; `why` completes "the file on disk …". */
  | { readonly kind: "unreadable"; readonly why: string };

const limitBytes = 64 * 1024 * 1024;

/** Reads a file for comparison; its byte order mark is left out, as it is in proposals. */
export async function readOriginal(path: string): Promise<OriginalText> {
  try {
    const { size } = await stat(path);
    if (size > limitBytes) return { kind: "unreadable", why: `has ${size} bytes, too many to compare` };
    const bytes = await readFile(path);
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return { kind: "unreadable", why: "is not UTF-8 text" };
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
    return { kind: "unreadable", why: `cannot be read (${code === "" ? "unknown error" : code})` };
  }
}
