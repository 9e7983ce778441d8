import { type HostDocuments, limitText, LoadOnce, PatchbayError } from "@patchbay/core";
import { utf16ToByte } from "../context/visual-selection.ts";
import { asBoolean } from "../vim/shape.ts";
import type { CocServices } from "../vim/vim.ts";
import type { DocumentTextsOptions } from "./document-texts.ts";

export interface VimDocumentsOptions extends DocumentTextsOptions {
  readonly coc: Pick<CocServices, "lines">;
}

/** Opening, reading, changing and saving files in the editor for agents that ask for it, and for reviews. */
export function createVimDocuments(options: VimDocumentsOptions): HostDocuments {
  const { vim, coc, editors } = options;
  // Whoever only starts the editor does not pay for it.
  const texts = new LoadOnce(async () => {
    const { createDocumentTexts } = await import("./document-texts.ts");
    return createDocumentTexts(options);
  });
  return {
    open: async ({ path, range, focus }) => {
      const line = range === undefined ? 0 : range.start.line + 1;
      const number = editors.bufferOf(path)?.number;
      const text = range === undefined || number === undefined ? "" : (coc.lines(number)?.[range.start.line] ?? "");
      const column = range === undefined ? 0 : utf16ToByte(text, range.start.character) + 1;
      if (!asBoolean(await vim.call("patchbay#show", [path, line, column, focus ? 1 : 0]))) {
        throw new PatchbayError("host-failed", "The editor is in the middle of a command; try again.");
      }
    },
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
