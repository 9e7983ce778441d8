import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { MemoryEditor } from "../editor/memory-editor.ts";
import type { DiffControls, EditorHostControls } from "./contract-case.ts";

/** The user of a memory editor that stands for an edition's own: all but the host, and how a change gets to that host. */
export type MemoryEditorControls = Omit<EditorHostControls, "host" | "settle" | "setFolders" | "setTrusted">;

/** Hands and eyes in a memory editor with one workspace folder, which is removed in the end. */
export function createMemoryEditorControls(editor: MemoryEditor, folder: string): MemoryEditorControls {
  return {
    folder,
    writeDisk: async (path, text) => writeFileSync(path, text),
    readDisk: async (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
    openFile: async (path) => editor.openFile(path),
    focusFile: async (path) => editor.focusFile(path),
    closeFile: async (path) => editor.closeFile(path),
    setCursor: async (position) => editor.setCursor(position),
    select: async (range) => editor.select(range),
    makeDirty: async (path, text) => editor.makeDirty(path, text),
    focusTerminal: async () => {
      editor.focus = "terminal";
    },
    focusedElement: async () => editor.focus,
    questionsAsked: () => 0,
    failNextOpen: () => editor.fail("diffs.open"),
    diff: (id) => createDiffControls(editor, id),
    answerNextMessage: (action) => editor.messages.answerWith("contract", action),
    messagesSeen: async () => editor.messages.open.map(({ text }) => text),
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

function createDiffControls(editor: MemoryEditor, id: string): DiffControls {
  const view = editor.views.findLast((candidate) => candidate.request.id === id);
  return {
    isShown: async () => view?.isOpen === true,
    leftText: async () => view?.originalText ?? "",
    rightText: async () => view?.text ?? "",
    type: async (text) => view?.type(text),
    undo: async () => view?.undo(),
    accept: async () => view?.accept(),
    reject: async () => view?.reject(),
    close: async () => view?.closeByUser(),
  };
}
