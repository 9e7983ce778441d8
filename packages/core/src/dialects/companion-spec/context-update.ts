import type { EditorContext } from "../../context/model.ts";

/** The `ide/contextUpdate` notification: 1-based positions, absent fields absent and never null (docs/protocols/gemini.md: one null disconnects the client). */
export function encodeContextUpdate(context: EditorContext): string {
  const openFiles = context.files.map((file) => {
    if (context.active?.path !== file.path) return { path: file.path, timestamp: file.timestamp };
    const { cursor, selection } = context.active;
    return {
      path: file.path,
      timestamp: file.timestamp,
      isActive: true,
      ...(selection === undefined || selection.text === "" ? {} : { selectedText: selection.text }),
      cursor: { line: cursor.line + 1, character: cursor.character + 1 },
    };
  });
  const workspaceState = { openFiles, ...(context.trusted === undefined ? {} : { isTrusted: context.trusted }) };
  return JSON.stringify({ jsonrpc: "2.0", method: "ide/contextUpdate", params: { workspaceState } });
}
