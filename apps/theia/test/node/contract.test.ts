import { existsSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryEditorControls, type EditorHostControls, editorHostContract } from "@patchbay/testkit";
import { describe, it } from "vitest";
import { createTestBackend, settle } from "../support/backend.ts";
import { SimulatedWindow } from "../support/simulated-window.ts";

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
    ...createMemoryEditorControls(editor, folder),
    host: companion.host,
    makeDirty: async (path, text) => {
      editor.makeDirty(path, text);
      await settle();
    },
    settle,
    setFolders: async (folders) => void (await window.attach(service, { roots: folders })),
    setTrusted: async (trusted) => void (await window.attach(service, { trusted })),
  };
}

editorHostContract({ runner: { describe, it }, create });
