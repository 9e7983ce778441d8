import { Range, Uri, window, workspace } from "vscode";
import type { HostDocuments } from "@patchbay/core";
import { openDocumentOf } from "./open-document.ts";

/** Opens a file at a place. See `HostDocuments.open`. */
export const showDocument: HostDocuments["open"] = async ({ path, range, preview, focus }) => {
  const selection =
    range === undefined
      ? undefined
      : new Range(range.start.line, range.start.character, range.end.line, range.end.character);
  await window.showTextDocument(Uri.file(path), {
    preview,
    preserveFocus: !focus,
    ...(selection === undefined ? {} : { selection }),
  });
};

/** Opens a text that has no file, in the language of one. See `HostDocuments.openUntitled`. */
export const showUntitled: NonNullable<HostDocuments["openUntitled"]> = async (text, likePath) => {
  const language = openDocumentOf(likePath)?.languageId;
  const document = await workspace.openTextDocument({
    content: text,
    ...(language === undefined ? {} : { language }),
  });
  await window.showTextDocument(document, { preview: false, preserveFocus: true });
};
