import { Uri, workspace } from "vscode";
import { openDocumentOf } from "../host/open-document.ts";

/** Whether files are read as UTF-8 without guessing, so that bytes from the disk may be decoded here. */
export function readsUtf8(uri: Uri, languageId?: string): boolean {
  const files = workspace.getConfiguration("files", languageId === undefined ? uri : { uri, languageId });
  const encoding = files.get<string>("encoding", "utf8");
  return (encoding === "utf8" || encoding === "utf8bom") && !files.get<boolean>("autoGuessEncoding", false);
}

/**
 * What stands in a file now, in the user's encoding. The disk is asked first: after an agent's write VS Code's own
 * document is behind for some hundred milliseconds, and a second proposal would be compared with the text before the first.
 */
export async function readOriginalText(path: string): Promise<string> {
  const uri = Uri.file(path);
  if (readsUtf8(uri, openDocumentOf(path)?.languageId)) {
    const text = decodeUtf8(await workspace.fs.readFile(uri));
    if (text !== undefined) return text;
  }
  return (await workspace.openTextDocument(uri)).getText();
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Another encoding: VS Code knows how to find out.
    return undefined;
  }
}
