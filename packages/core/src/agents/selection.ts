import type { EditorContext } from "../context/model.ts";

/** What `selection_changed` of Claude Code's protocol carries, and of those that took it over; 0-based. */
export interface SelectionChanged {
  readonly text: string;
  readonly filePath: string;
  readonly fileUrl: string;
  readonly selection: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly line: number; readonly character: number };
    readonly isEmpty: boolean;
  };
}

/** Nothing shared: the only form that clears what the client holds (a null selection does not). */
const nothing: SelectionChanged = {
  text: "",
  filePath: "",
  fileUrl: "",
  selection: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 }, isEmpty: true },
};

export function selectionOf(context: EditorContext): SelectionChanged {
  const active = context.active;
  if (active === undefined) return nothing;
  const { range, text } = active.selection ?? { range: { start: active.cursor, end: active.cursor }, text: "" };
  return {
    text,
    filePath: active.path,
    fileUrl: toFileUri(active.path),
    // A selection whose text may not be shared says no more than that the file is open.
    selection:
      text === ""
        ? { start: active.cursor, end: active.cursor, isEmpty: true }
        : { start: range.start, end: range.end, isEmpty: false },
  };
}

export function encodeSelectionChanged(context: EditorContext): string {
  return JSON.stringify({ jsonrpc: "2.0", method: "selection_changed", params: selectionOf(context) });
}

/** `file://` URI of an absolute path, percent-encoded as RFC 3986 has it. */
export function toFileUri(path: string): string {
  // Elsewhere than on Windows a backslash is a letter like any other.
  const slashed = /^(?:[A-Za-z]:|\\\\)/u.test(path) ? path.replaceAll("\\", "/") : path;
  const rooted = slashed.startsWith("/") ? slashed : `/${slashed}`;
  return `file://${rooted.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * The absolute paths that a `file://` URI, or a plain path, may mean: the one that stands there, as Claude Code writes it,
 * and where that is another one the one with its percent escapes resolved, as other clients mean it. None where it is no path.
 */
export function pathsOfUri(uri: string): readonly string[] {
  const asItIs = withoutScheme(uri);
  if (asItIs === undefined) return [];
  const decoded = withoutScheme(decode(asItIs));
  return decoded === undefined || decoded === asItIs ? [asItIs] : [asItIs, decoded];
}

function withoutScheme(uri: string): string | undefined {
  const path = /^file:\/\//iu.test(uri) ? uri.slice("file://".length) : uri;
  // `file:///C:/a.ts`
  const rooted = /^\/[A-Za-z]:[\\/]/u.test(path) ? path.slice(1) : path;
  return /^(?:\/|[A-Za-z]:[\\/])/u.test(rooted) ? rooted : undefined;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // A percent sign that begins no escape is a letter of the name.
    return path;
  }
}
