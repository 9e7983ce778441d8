import { type HostDocuments, limitText, LoadOnce } from "@patchbay/core";
import { asBoolean } from "../vim/shape.ts";
import type { DocumentTextsOptions } from "./document-texts.ts";

/** Opening, reading, changing and saving files in the editor for agents that ask for it, and for reviews. */
export function createVimDocuments(options: DocumentTextsOptions): HostDocuments {
  const { vim, editors } = options;
  // Whoever only starts the editor does not pay for it.
  const texts = new LoadOnce(async () => {
    const { createDocumentTexts } = await import("./document-texts.ts");
    return createDocumentTexts(options);
  });
  return {
    open: async (request) => await (await texts.get()).open(request),
    isDirty: (path) => editors.bufferOf(path)?.modified,
    save: async (path) => {
      const buffer = editors.bufferOf(path);
      if (buffer === undefined) return false;
      const saved = asBoolean(await vim.call("patchbay#save", [buffer.number]));
      if (saved) editors.noteModified(buffer.number, false);
      return saved;
    },
    readText: async (path, limitBytes) => {
      const text = await (await texts.get()).upToDateText(path);
      return text === undefined ? undefined : limitText(text, limitBytes);
    },
    unsavedText: async (path) => await (await texts.get()).unsavedText(path),
    onDidChangeUnsaved: editors.onDidChangeUnsaved,
    decodeFile: async (path, bytes) => await (await texts.get()).decodeFile(path, bytes),
    reload: async (path, heldText) => await (await texts.get()).reload(path, heldText),
    write: async (path, heldText, text) => await (await texts.get()).write(path, heldText, text),
    languageId: (path) => {
      const type = editors.bufferOf(path)?.type;
      return type === undefined || type === "" ? undefined : type;
    },
  };
}
