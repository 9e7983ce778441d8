/** `file://` URI of an absolute path, percent-encoded as RFC 3986 has it. */
export function toFileUri(path: string): string {
  // Elsewhere than on Windows a backslash is a letter like any other.
  const slashed = /^(?:[A-Za-z]:|\\\\)/u.test(path) ? path.replaceAll("\\", "/") : path;
  const rooted = slashed.startsWith("/") ? slashed : `/${slashed}`;
  return `file://${rooted.split("/").map(encodeURIComponent).join("/")}`;
}

/** Absolute path of a `file://` URI, or of a plain path; undefined where it is neither. */
export function fromFileUri(uri: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]+:/iu.test(uri)) return uri.startsWith("/") ? uri : undefined;
  try {
    const url = new URL(uri);
    if (url.protocol !== "file:") return undefined;
    const path = decodeURIComponent(url.pathname);
    return /^\/[A-Za-z]:/u.test(path) ? path.slice(1) : path;
  } catch {
    // Not a URI at all, or with a broken escape: the caller says so.
    return undefined;
  }
}
