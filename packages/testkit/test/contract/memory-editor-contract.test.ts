import { existsSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import {
  createMemoryEditor,
  createMemoryEditorControls,
  type EditorHostControls,
  editorHostContract,
} from "../../src/index.ts";

async function create(): Promise<EditorHostControls> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-contract-")));
  const readDisk = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
  const editor = createMemoryEditor({ folders: [folder], readDisk });
  return {
    ...createMemoryEditorControls(editor, folder),
    host: editor,
    settle: async () => await new Promise<void>((resolve) => setImmediate(resolve)),
    setFolders: async (folders) => editor.setFolders(folders),
    setTrusted: async (trusted) => editor.setTrusted(trusted),
  };
}

editorHostContract({ runner: { describe, it }, create });
