import { type TextDocument, Uri, workspace } from "vscode";
import { openDocumentOf } from "./open-document.ts";

/** Whether files are read as UTF-8 without guessing, so that bytes from the disk may be decoded by anyone. */
export function readsUtf8(uri: Uri, languageId?: string): boolean {
  const files = workspace.getConfiguration("files", languageId === undefined ? uri : { uri, languageId });
  const encoding = files.get<string>("encoding", "utf8");
  return (encoding === "utf8" || encoding === "utf8bom") && !files.get<boolean>("autoGuessEncoding", false);
}

/** The text of a file's bytes as the user's settings have it read; undefined where that is plain UTF-8. */
export async function decodeFile(path: string, bytes: Uint8Array): Promise<string | undefined> {
  const uri = Uri.file(path);
  if (readsUtf8(uri, openDocumentOf(path)?.languageId)) return undefined;
  // Older versions cannot decode for others; their documents are some hundred milliseconds behind the disk.
  return decodes(workspace)
    ? await workspace.decode(bytes, { uri })
    : (await workspace.openTextDocument(uri)).getText();
}

interface Decoder {
  decode(content: Uint8Array, options: { readonly uri: Uri }): PromiseLike<string>;
}

function decodes(api: object): api is Decoder {
  return "decode" in api && typeof api.decode === "function";
}

/** Whether the user wants documents changed when they are saved: then a save that nobody asked for would change what is typed. */
export function changesOnSave({ uri, languageId }: Pick<TextDocument, "uri" | "languageId">): boolean {
  const files = workspace.getConfiguration("files", { uri, languageId });
  const editor = workspace.getConfiguration("editor", { uri, languageId });
  const actions: unknown = editor.get("codeActionsOnSave");
  return (
    ["trimTrailingWhitespace", "insertFinalNewline", "trimFinalNewlines"].some((name) => files.get(name) === true) ||
    editor.get("formatOnSave") === true ||
    (typeof actions === "object" && actions !== null && Object.keys(actions).length > 0)
  );
}
