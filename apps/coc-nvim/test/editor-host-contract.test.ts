import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type DiffControls, type EditorHostControls, editorHostContract } from "@patchbay/testkit";
import { describe, it } from "vitest";
import { toBufferText } from "../src/diff/buffer-reader.ts";
import { createHostUnderTest, type HostUnderTest } from "./simulated/create-host.ts";

function hands(test: HostUnderTest, id: string): DiffControls {
  const { vim } = test;
  return {
    isShown: async () => vim.review(id) !== undefined,
    leftText: async () => vim.review(id)?.left ?? "",
    // The one text a lone line end and an empty text cannot be told apart in is not asked for here.
    rightText: async () => vim.rightText(id, ""),
    type: async (text) => vim.type(id, toBufferText(text)),
    accept: async () => vim.accept(id),
    reject: async () => vim.reject(id),
    close: async () => vim.reject(id),
    // `:wall` is told by Vim to nobody: see autoload/patchbay/review.vim.
    autosave: async () => {},
  };
}

async function create(): Promise<EditorHostControls> {
  const test = createHostUnderTest();
  const { vim, parts, folder } = test;
  return {
    host: parts.host,
    folder,
    writeDisk: async (path, text) => writeFileSync(path, text),
    readDisk: async (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
    openFile: async (path) => vim.openFile(path),
    focusFile: async (path) => vim.focusFile(path),
    closeFile: async (path) => vim.closeFile(path),
    setCursor: async (position) => vim.setCursor(position),
    select: async (range) => vim.select(range),
    makeDirty: async (path, text) => vim.makeDirty(path, text),
    focusTerminal: async () => vim.focusTerminal(),
    focusedElement: async () => vim.focus,
    questionsAsked: () => 0,
    failNextOpen: () => {
      vim.failNextOpen = true;
    },
    diff: (id) => hands(test, id),
    settle: async () => await new Promise<void>((resolve) => setImmediate(resolve)),
    setFolders: async (folders) => vim.setFolders(folders),
    answerNextMessage: (action) => {
      vim.clickNext = action;
      // Nobody answers: the user lets it pass.
      if (action === undefined) setImmediate(() => parts.questions.dismissAll());
    },
    dispose: async () => test.dispose(),
  };
}

editorHostContract({ runner: { describe, it }, create });
