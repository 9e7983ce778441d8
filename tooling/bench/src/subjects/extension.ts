import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { memoryNow, serveControl } from "./control.ts";
import { createExtensionContext } from "./extension-context.ts";
import { moveToPrivateHome, readRecord } from "./private-home.ts";
import { loadStandIn } from "./stand-in.ts";

// Runs any VS Code extension that is a companion of Gemini CLI, as it is built and shipped, on a stand-in for VS Code:
// `extension.ts <folder of the extension> <workspace folder>`.

const [extensionFolder = "", folder = ""] = process.argv.slice(-2);
// Newer than the declarations of Node here.
const threadCpuUsage: (before?: object) => NodeJS.CpuUsage = Reflect.get(process, "threadCpuUsage");
const home = moveToPrivateHome();
// Nobody is asked for updates: that would be the network's time.
Reflect.set(globalThis, "fetch", () => Promise.reject(new Error("There is no network here.")));

const { openFakeWindow, Position, Uri } = await loadStandIn();
const window = openFakeWindow();
window.folders = [folder];
const manifest: { readonly main: string } = JSON.parse(readFileSync(join(extensionFolder, "package.json"), "utf8"));
const context = createExtensionContext({ fileUri: Uri.file, home: home.root, extensionFolder, manifest });

const before = memoryNow();
const require = createRequire(import.meta.url);
const beforeLoad = performance.now();
const extension: { activate(context: unknown): Promise<void>; deactivate?(): Promise<void> } = require(
  join(extensionFolder, manifest.main),
);
const loadMs = performance.now() - beforeLoad;
const scripts = join(extensionFolder, manifest.main, "..");
const loadedCode = sizeOf(Object.keys(require.cache).filter((file) => file.startsWith(`${scripts}/`)));
const cpuBefore = threadCpuUsage();
const beforeActivation = performance.now();
await extension.activate(context);
const activationMs = performance.now() - beforeActivation;
const { user, system } = threadCpuUsage(cpuBefore);
const after = memoryNow();
const start = {
  loadMs,
  activationMs,
  activationCpuMs: (user + system) / 1_000,
  addedRss: after.rss - before.rss,
  addedHeap: after.heap - before.heap,
  loadedCode,
  wholeCode: sizeOf(scriptsBelow(scripts)),
  home: join(home.root, "home"),
  temporaryDirectory: join(home.root, "tmp"),
};

serveControl(
  readRecord(home),
  {
    open: async (path, text) => {
      writeFileSync(path, text);
      await window.showFile(Uri.file(path));
    },
    cursor: (line, character) => window.select(new Position(line, character), new Position(line, character)),
    select: (line, character) => window.select(new Position(0, 0), new Position(line, character)),
    reviews: async (count) => {
      while (window.tabs.length !== count) await new Promise((resolve) => setTimeout(resolve, 1));
    },
    stop: async () => {
      await extension.deactivate?.();
      for (const part of context.subscriptions) part.dispose();
      home.remove();
    },
  },
  start,
);

function sizeOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** Without the panel of ours, which other companions do not have. */
function scriptsBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.c?js$/u.test(name) && !/^(?:panel-|page[\\/])/u.test(name))
    .map((name) => join(directory, name));
}
