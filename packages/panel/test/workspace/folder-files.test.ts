import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { createFakeClock } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { FolderFiles, type FolderFilesOptions } from "../../src/workspace/folder-files.ts";

const names = ["src/main.ts", "src/deep/er.ts", "dist/out.js", "node_modules/left/pad.js", "notes.txt"];

function folderWith(options: { readonly isGit: boolean }): string {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-files-"));
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), "");
  }
  if (!options.isGit) return folder;
  writeFileSync(join(folder, ".gitignore"), "dist/\nnode_modules/\n");
  execFileSync("git", ["init", "-q"], { cwd: folder });
  return folder;
}

async function listed(folder: string, more: Partial<FolderFilesOptions> = {}): Promise<readonly string[]> {
  const clock = createFakeClock();
  const files = new FolderFiles({ clock, respectsIgnoreFiles: () => true, isTrusted: () => true, ...more });
  return (await files.list(folder)).map((path) => relative(folder, path).replaceAll("\\", "/")).toSorted();
}

describe("the files of a folder", () => {
  it("leave out what Git ignores", async () => {
    expect(await listed(folderWith({ isGit: true }))).toEqual([
      ".gitignore",
      "notes.txt",
      "src/deep/er.ts",
      "src/main.ts",
    ]);
  });

  it("are read from the disk where there is no Git, without packages of others", async () => {
    const expected = ["dist/out.js", "notes.txt", "src/deep/er.ts", "src/main.ts"];
    expect(await listed(folderWith({ isGit: false }))).toEqual(expected);
  });

  it("are read without Git in a folder that nobody trusts", async () => {
    const found = await listed(folderWith({ isGit: true }), { isTrusted: () => false });
    expect(found).toContain("dist/out.js");
    expect(found.some((name) => name.startsWith(".git/"))).toBe(false);
  });

  it("are those that the editor lists, less what Git ignores", async () => {
    const folder = folderWith({ isGit: true });
    const find = async (): Promise<readonly string[]> => [join(folder, "dist/out.js"), join(folder, "src/main.ts")];
    expect(await listed(folder, { find })).toEqual(["src/main.ts"]);
    expect(await listed(folder, { find, respectsIgnoreFiles: () => false })).toEqual(["dist/out.js", "src/main.ts"]);
  });

  it("are read again after a while only", async () => {
    const clock = createFakeClock();
    let reads = 0;
    const find = async (): Promise<readonly string[]> => [String(++reads)];
    const files = new FolderFiles({ clock, find, respectsIgnoreFiles: () => false, isTrusted: () => true });
    await files.list("/one");
    expect(await files.list("/one")).toEqual(["1"]);
    expect(await files.list("/two")).toEqual(["2"]);
    clock.advance(10_001);
    expect(await files.list("/two")).toEqual(["3"]);
  });
});
