import { existsSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createMemoryEditor, createMemoryEditorControls, editorHostContract } from "@patchbay/testkit";

// An editor in memory stands here for yours: put your own EditorHost and the user's hands in your editor in its place.
editorHostContract({
  runner: { describe, it },
  create: async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "my-editor-")));
    const readDisk = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
    const editor = createMemoryEditor({ folders: [folder], readDisk });
    return {
      ...createMemoryEditorControls(editor, folder),
      host: editor,
      settle: async () => await new Promise<void>((resolve) => setImmediate(resolve)),
      setFolders: async (folders) => editor.setFolders(folders),
      setTrusted: async (trusted) => editor.setTrusted(trusted),
    };
  },
});
