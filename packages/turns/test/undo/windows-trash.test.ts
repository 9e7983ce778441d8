import type { FileFacts, Files, Platform } from "@patchbay/core";
import { createMemoryPlatform } from "@patchbay/testkit";
import { expect, it } from "vitest";
import { createDiskDoor } from "../../src/undo/disk-door.ts";

const local = "C:\\Users\\u\\AppData\\Local";

/** Entries by the paths of Windows: directories, and files with their texts. */
function windowsWith(entries: Map<string, string | undefined>): Pick<Platform, "files" | "process" | "clock"> {
  const { files, clock } = createMemoryPlatform();
  const { process } = createMemoryPlatform({ platform: "win32", environment: { LOCALAPPDATA: local } });
  const ours: Pick<Files, "lstat" | "realPath" | "makeDirectory" | "rename"> = {
    lstat: async (path) => {
      if (!entries.has(path)) return undefined;
      const kind: FileFacts["kind"] = entries.get(path) === undefined ? "directory" : "file";
      return { kind, uid: 0, mode: 0o600, size: 0, modifiedMs: 0, changedMs: 0, id: path };
    },
    realPath: async (path) => (entries.has(path) ? path : undefined),
    makeDirectory: async (path) => {
      if (entries.has(path)) return "exists";
      if (!entries.has(path.slice(0, path.lastIndexOf("\\")))) throw new Error(`Nothing is above ${path}`);
      entries.set(path, undefined);
      return "created";
    },
    rename: async (from, to) => {
      entries.set(to, entries.get(from));
      entries.delete(from);
    },
  };
  return { files: Object.assign(files, ours), process, clock };
}

it("on Windows, what is removed goes to a directory of ours, and nothing takes the place of what is there", async () => {
  const folders = ["C:", "C:\\Users", "C:\\Users\\u", "C:\\Users\\u\\AppData", local, "C:\\work", "C:\\work\\src"];
  const entries = new Map<string, string | undefined>(folders.map((path) => [path, undefined]));
  const door = createDiskDoor({ platform: windowsWith(entries), folders: ["C:\\work"] });
  for (const text of ["one", "two"]) {
    entries.set("C:\\work\\src\\new.txt", text);
    expect(await door.remove("C:\\work\\src/new.txt")).toBe(true);
  }
  expect(entries.has("C:\\work\\src\\new.txt")).toBe(false);
  const trash = `${local}\\patchbay\\trash`;
  expect([entries.get(`${trash}\\new.txt`), entries.get(`${trash}\\new.txt.2`)]).toEqual(["one", "two"]);
  entries.set("C:\\Users\\u\\a.txt", "theirs");
  expect(await door.remove("C:\\Users\\u\\a.txt")).toBe(false);
});
