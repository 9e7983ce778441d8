import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryEditor, createTestPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSessionHost } from "../../src/host/index.ts";

function createLab() {
  const { root, workspace, files, clock, dispose } = createTestPlatform();
  onTestFinished(dispose);
  const opened = join(root, "opened");
  symlinkSync(workspace, opened);
  for (const name of ["a.txt", ".env", "private/b.txt"]) {
    mkdirSync(join(workspace, name, ".."), { recursive: true });
    writeFileSync(join(workspace, name), "text\n");
  }
  writeFileSync(join(root, "outside.txt"), "text\n");
  symlinkSync(join(workspace, ".env"), join(workspace, "settings.txt"));
  symlinkSync(join(workspace, "private"), join(workspace, "public"));
  symlinkSync(join(root, "outside.txt"), join(workspace, "link.txt"));
  const host = createMemoryEditor({ folders: [opened] });
  // As a pattern of the user's: relative to the folder that is open.
  const isShared = (path: string): boolean => !path.startsWith(join(opened, "private"));
  const session = createSessionHost({ host, files, clock, isShared, isWindows: false });
  return { root, opened, locate: session.locate };
}

describe("a path that an agent names", () => {
  it("is judged by where it leads, and is shared by both of its names", async () => {
    const { root, opened, locate } = createLab();
    const inside = { isInside: true, isShared: true };
    expect(await locate(join(opened, "a.txt"))).toEqual(inside);
    expect(await locate(join(opened, "new.txt"))).toEqual(inside);
    expect(await locate(join(opened, "link.txt"))).toEqual({ isInside: false, isShared: true });
    expect(await locate(join(root, "outside.txt"))).toEqual({ isInside: false, isShared: true });
    for (const hidden of [".env", "settings.txt", "private/b.txt", "public/b.txt"]) {
      expect(await locate(join(opened, hidden)), hidden).toEqual({ isInside: true, isShared: false });
    }
  });

  it("is refused where it is no file, or climbs out of the workspace", async () => {
    const { opened, locate } = createLab();
    await expect(locate(`${opened}/../outside.txt`)).rejects.toThrow("leaves the workspace");
    await expect(locate(join(opened, "private"))).rejects.toThrow("not a regular file");
    await expect(locate("a.txt")).rejects.toThrow("relative");
  });
});

describe("a text that is written for an agent", () => {
  it("keeps the byte order mark of its file on disk, and is in an open document without it", async () => {
    const { workspace, files, clock, dispose } = createTestPlatform();
    onTestFinished(dispose);
    const path = join(workspace, "a.txt");
    const host = createMemoryEditor({ folders: [workspace] });
    const session = createSessionHost({ host, files, clock, isShared: () => true, isWindows: false });
    for (const text of ["two\n", "\uFEFFtwo\n"]) {
      writeFileSync(path, "\uFEFFone\n");
      await session.writeText(path, text);
      expect(readFileSync(path, "utf8")).toBe("\uFEFFtwo\n");
    }
    await session.writeText(join(workspace, "new.txt"), "\uFEFFnew\n");
    expect(readFileSync(join(workspace, "new.txt"), "utf8")).toBe("\uFEFFnew\n");
    const written: string[] = [];
    const open = createSessionHost({
      host: Object.create(host, {
        documents: {
          value: {
            readText: async () => "one\n",
            isDirty: () => false,
            write: async (_path: string, _held: string, text: string) => {
              written.push(text);
              return "written";
            },
          },
        },
      }),
      files,
      clock,
      isShared: () => true,
      isWindows: false,
    });
    await open.writeText(path, "\uFEFFtwo\n");
    expect(written).toEqual(["two\n"]);
  });
});

it.each([
  { what: "through a link", open: "opened/Caf\u00e9.txt", named: "workspace/Caf\u00e9.txt" },
  { what: "in another case", open: "workspace/Caf\u00e9.txt", named: "workspace/CAF\u00c9.txt" },
  { what: "with another form of its accent", open: "workspace/Caf\u00e9.txt", named: "workspace/Cafe\u0301.txt" },
])(
  "a file that is open unsaved, and that an agent names $what, is read and written in its editor",
  async ({ open, named }) => {
    const { root, workspace, files, clock, dispose } = createTestPlatform({ system: "macos" });
    onTestFinished(dispose);
    symlinkSync(workspace, join(root, "opened"));
    writeFileSync(join(workspace, "Caf\u00e9.txt"), "one\n");
    const host = createMemoryEditor({ folders: [workspace] });
    const session = createSessionHost({ host, files, clock, isShared: () => true, isWindows: false });
    host.openFile(join(root, open), "one\n");
    host.makeDirty(join(root, open), "unsaved\n");
    expect(await session.readText(join(root, named))).toBe("unsaved\n");
    await session.writeText(join(root, named), "the agent's\n");
    expect(await host.documents.readText(join(root, open), 100)).toBe("the agent's\n");
    expect(readFileSync(join(workspace, "Caf\u00e9.txt"), "utf8")).toBe("one\n");
  },
);
