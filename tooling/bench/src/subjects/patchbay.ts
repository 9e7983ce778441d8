import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCompanion } from "@patchbay/core";
import { createMemoryEditor, createTestPlatform } from "@patchbay/testkit";
import { serveControl } from "./control.ts";

const folder = process.argv.at(-1) ?? process.cwd();
const root = mkdtempSync(join(tmpdir(), "patchbay-bench-"));
const platform = createTestPlatform({ root });
const editor = createMemoryEditor({ folders: [folder], storageDirectory: join(root, "storage") });
const companion = createCompanion({ host: editor, platform });
await companion.start();
const lock = companion.state.kind === "listening" ? `${companion.state.port}.lock` : "";
const record: unknown = JSON.parse(await readFile(join(platform.home, ".claude", "ide", lock), "utf8"));
const token = typeof record === "object" && record !== null && "authToken" in record ? String(record.authToken) : "";

serveControl(Number.parseInt(lock, 10), token, {
  open: (path, text) => editor.openFile(path, text),
  cursor: (line, character) => editor.setCursor({ line, character }),
  select: (bytes) => {
    const end = { line: 0, character: bytes };
    editor.select({ start: { line: 0, character: 0 }, end });
  },
  stop: async () => {
    await companion.stop();
    rmSync(root, { recursive: true, force: true });
  },
});
