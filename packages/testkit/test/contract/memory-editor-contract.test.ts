import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import {
  createMemoryEditor,
  type DiffControls,
  type EditorHostControls,
  editorHostContract,
  type MemoryEditor,
} from "../../src/index.ts";

function createDiffControls(editor: MemoryEditor, id: string): DiffControls {
  const view = editor.views.find((candidate) => candidate.request.id === id);
  return {
    isShown: async () => view?.isOpen === true,
    leftText: async () => view?.originalText ?? "",
    rightText: async () => view?.text ?? "",
    type: async (text) => view?.type(text),
    accept: async () => view?.accept(),
    reject: async () => view?.reject(),
    close: async () => view?.closeByUser(),
  };
}

async function create(): Promise<EditorHostControls> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-contract-")));
  const readDisk = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
  const editor = createMemoryEditor({ folders: [folder], readDisk });
  return {
    host: editor,
    folder,
    writeDisk: async (path, text) => writeFileSync(path, text),
    readDisk: async (path) => readDisk(path),
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
    answerUnsaved: (answer) => {
      editor.whenDirty = answer;
    },
    failNextOpen: () => editor.fail("diffs.open"),
    diff: (id) => createDiffControls(editor, id),
    settle: async () => await new Promise<void>((resolve) => setImmediate(resolve)),
    setFolders: async (folders) => editor.setFolders(folders),
    setTrusted: async (trusted) => editor.setTrusted(trusted),
    answerNextMessage: (action) => editor.messages.answerWith("contract", action),
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

editorHostContract({ runner: { describe, it }, create });
