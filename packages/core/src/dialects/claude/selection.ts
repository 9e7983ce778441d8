import type { EditorContext } from "../../context/model.ts";
import { toFileUri } from "./file-uri.ts";

/** What `selection_changed` carries, 0-based. */
export interface ClaudeSelection {
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
const nothing: ClaudeSelection = {
  text: "",
  filePath: "",
  fileUrl: "",
  selection: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 }, isEmpty: true },
};

export function selectionOf(context: EditorContext): ClaudeSelection {
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
