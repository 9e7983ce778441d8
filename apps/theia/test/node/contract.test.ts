import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DiffControls, type EditorHostControls, editorHostContract } from "@patchbay/testkit";
import { describe, it } from "vitest";
import { createTestBackend, settle } from "../support/backend.ts";
import { SimulatedWindow } from "../support/simulated-window.ts";

function createDiffControls(window: SimulatedWindow, id: string): DiffControls {
  const view = window.editor.views.findLast((candidate) => candidate.request.id === id);
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

/** The backend's host with one window attached to it. */
async function create(): Promise<EditorHostControls> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-theia-")));
  const readDisk = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
  const backend = createTestBackend();
  const window = new SimulatedWindow({ windowId: "one", roots: [folder], readDisk });
  const service = backend.connect(window);
  await window.attach(service);
  const [companion] = backend.companions;
  if (companion === undefined) throw new Error("no companion was made");
  const { editor } = window;
  return {
    host: companion.host,
    folder,
    writeDisk: async (path, text) => writeFileSync(path, text),
    readDisk: async (path) => readDisk(path),
    openFile: async (path) => editor.openFile(path),
    focusFile: async (path) => editor.focusFile(path),
    closeFile: async (path) => editor.closeFile(path),
    setCursor: async (position) => editor.setCursor(position),
    select: async (range) => editor.select(range),
    makeDirty: async (path, text) => {
      editor.makeDirty(path, text);
      await settle();
    },
    focusTerminal: async () => {
      editor.focus = "terminal";
    },
    focusedElement: async () => editor.focus,
    questionsAsked: () => 0,
    answerUnsaved: (answer) => {
      editor.whenDirty = answer;
    },
    failNextOpen: () => editor.fail("diffs.open"),
    diff: (id) => createDiffControls(window, id),
    settle,
    setFolders: async (folders) => void (await window.attach(service, { roots: folders })),
    setTrusted: async (trusted) => void (await window.attach(service, { trusted })),
    answerNextMessage: (action) => editor.messages.answerWith("contract", action),
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

editorHostContract({ runner: { describe, it }, create });
