import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryPlatform, createTestPlatform } from "@patchbay/testkit";
import { afterAll, describe, expect, it } from "vitest";
import { checkPath, RealDirectories } from "../../src/session/path-check.ts";
import { locateWrite } from "../../src/session/write-target.ts";

const platform = createTestPlatform();
afterAll(() => platform.dispose());
const workspace = platform.workspace;
const outside = join(platform.root, "outside");
mkdirSync(outside);
writeFileSync(join(outside, "victim.txt"), "x");
writeFileSync(join(workspace, "inside.txt"), "hello");
symlinkSync(join(outside, "victim.txt"), join(workspace, "link.txt"));
symlinkSync(outside, join(workspace, "folder-link"));
symlinkSync(join(outside, "nowhere"), join(workspace, "dangling"));

/** Over a Windows machine on which nothing exists. */
const checkOnWindows = (path: string) => {
  const { files } = createMemoryPlatform({ platform: "win32" });
  return checkPath(path, {
    files: Object.assign(files, { realPath: async () => undefined, lstat: async () => undefined }),
    realFolders: async () => ["C:\\ws"],
    isWindows: true,
  });
};

describe.each(["alone", "in a burst"] as const)("checkPath %s", (mode) => {
  const directories = mode === "alone" ? {} : { directories: new RealDirectories(platform) };
  const check = (path: string, folders: readonly string[] = [workspace]) =>
    checkPath(path, { files: platform.files, realFolders: async () => folders, isWindows: false, ...directories });

  it("takes a file of the workspace", async () => {
    expect(await check(join(workspace, "inside.txt"))).toMatchObject({ inside: true, exists: true, size: 5 });
  });

  it("takes a new file in a new folder of the workspace", async () => {
    expect(await check(join(workspace, "new", "file.ts"))).toEqual({
      real: join(workspace, "new", "file.ts"),
      inside: true,
      exists: false,
      size: 0,
      modifiedMs: 0,
    });
  });

  it.each([
    "",
    "relative.ts",
    "./a.ts",
    "/ws/a\0b",
    "\\\\server\\share\\a",
    "//server/share/a",
    `/${"a".repeat(5_000)}`,
    "__proto__",
  ])("D09 refuses %j", async (path) => {
    await expect(check(path)).rejects.toMatchObject({ code: "path-refused" });
  });

  it("D09 refuses to climb out of the workspace", async () => {
    await expect(check(`${workspace}/../outside/victim.txt`)).rejects.toMatchObject({ code: "path-refused" });
    await expect(check(`${workspace}/../outside/new.txt`)).rejects.toMatchObject({ code: "path-refused" });
  });

  it("takes `..` that stays in the workspace", async () => {
    expect(await check(`${workspace}/sub/../inside.txt`)).toMatchObject({ inside: true });
  });

  it("D10 counts a link out of the workspace as outside, also through a folder", async () => {
    expect(await check(join(workspace, "link.txt"))).toMatchObject({ inside: false });
    expect(await check(join(workspace, "folder-link", "new.txt"))).toMatchObject({ inside: false });
    await expect(check(join(workspace, "dangling"))).rejects.toMatchObject({ code: "path-refused" });
  });

  it("does not take a sibling with the same beginning for the workspace", async () => {
    expect(await check(`${workspace}-other/a.ts`)).toMatchObject({ inside: false });
  });

  it("refuses a directory", async () => {
    await expect(check(workspace)).rejects.toMatchObject({ code: "path-refused" });
  });

  it("D10 takes `..` behind a link as the system does", async () => {
    await expect(check(`${workspace}/folder-link/../new.txt`)).rejects.toMatchObject({ code: "path-refused" });
    await expect(check(`${workspace}/folder-link/../outside/victim.txt`)).rejects.toMatchObject({
      code: "path-refused",
    });
  });

  it("D10 refuses what leads through a link that leads nowhere", async () => {
    await expect(check(join(workspace, "dangling", "new.txt"))).rejects.toMatchObject({ code: "path-refused" });
  });

  it("a backslash is a letter like any other outside of Windows", async () => {
    mkdirSync(`${workspace}\\evil`, { recursive: true });
    writeFileSync(`${workspace}\\evil/a.txt`, "x");
    expect(await check(`${workspace}\\evil/a.txt`)).toMatchObject({ inside: false, exists: true });
    expect(await check(`${workspace}\\evil/new.txt`)).toMatchObject({ inside: false, exists: false });
    expect(await check(join(workspace, "odd\\name.txt"))).toMatchObject({ inside: true });
    await expect(check("C:\\ws\\a.txt")).rejects.toMatchObject({ code: "path-refused" });
  });

  it("refuses what cannot be looked at, with the reason and without the path", async () => {
    const long = join(workspace, "a".repeat(300));
    await expect(check(long)).rejects.toMatchObject({
      code: "path-refused",
      message: expect.stringMatching(/ENAMETOOLONG/u),
    });
    rmSync(join(workspace, "loop"), { force: true });
    symlinkSync("loop", join(workspace, "loop"));
    await expect(check(join(workspace, "loop"))).rejects.toMatchObject({ code: "path-refused" });
    const closed = join(workspace, "closed");
    mkdirSync(closed, { recursive: true });
    chmodSync(closed, 0o000);
    const looked = check(join(closed, "a.txt"));
    if (platform.process.uid === 0) expect(await looked).toMatchObject({ inside: true });
    else await expect(looked).rejects.toMatchObject({ code: "path-refused" });
    chmodSync(closed, 0o700);
  });

  it("refuses pipes and devices, and paths below or behind a file", async () => {
    rmSync(join(workspace, "pipe"), { force: true });
    execFileSync("mkfifo", [join(workspace, "pipe")]);
    await expect(check(join(workspace, "pipe"))).rejects.toMatchObject({ code: "path-refused" });
    await expect(check("/dev/null")).rejects.toMatchObject({ code: "path-refused" });
    await expect(check(join(workspace, "inside.txt", "new.txt"))).rejects.toMatchObject({ code: "path-refused" });
    await expect(check(`${workspace}/inside.txt/`)).rejects.toMatchObject({ code: "path-refused" });
  });

  it("sees through magic links of the process file system", async () => {
    expect(await check(`/proc/self/root${workspace}/inside.txt`)).toMatchObject({ inside: true });
    expect(await check(`/proc/self/root${outside}/victim.txt`)).toMatchObject({ inside: false });
  });

  it("takes the root and a folder with a slash at its end as workspace", async () => {
    expect(await check(join(outside, "victim.txt"), ["/"])).toMatchObject({ inside: true });
    expect(await check(join(outside, "new.txt"), ["/"])).toMatchObject({ inside: true });
    expect(await check(join(workspace, "inside.txt"), [`${workspace}/`])).toMatchObject({ inside: true });
  });

  it("knows drives, both slashes and either case of the drive on Windows", async () => {
    expect(await checkOnWindows("c:/ws\\sub/a.ts")).toMatchObject({ inside: true });
    expect(await checkOnWindows("C:\\other\\a.ts")).toMatchObject({ inside: false });
    await expect(checkOnWindows("C:\\ws\\..\\other\\a.ts")).rejects.toMatchObject({ code: "path-refused" });
  });

  it.each([
    "/ws/a.ts",
    "C:a.ts",
    "\\\\?\\C:\\ws\\a.ts",
    "//./C:/ws/a.ts",
    "C:\\ws\\a.ts.",
    "C:\\ws\\a.ts ",
    "C:\\ws\\a.ts::$DATA",
    "C:\\ws\\.. \\a",
  ])("refuses %j on Windows", async (path) => {
    await expect(checkOnWindows(path)).rejects.toMatchObject({ code: "path-refused" });
  });
});

describe("locateWrite on Windows", () => {
  const locate = (path: string) => {
    const { files } = createMemoryPlatform({ platform: "win32" });
    return locateWrite(path, {
      files: Object.assign(files, { realPath: async () => undefined, lstat: async () => undefined }),
      realFolders: async () => ["C:\\ws"],
      isWindows: true,
    });
  };

  it.each([
    "C:\\ws\\a.txt",
    "c:/ws/./b/../a.txt",
    "C:\\ws\\\\a.txt",
    "C:/ws/none/..\\a.txt",
    "C:\\other\\..\\ws\\a.txt",
  ])("finds %s in the workspace", async (path) => {
    expect(await locate(path)).toMatchObject({ inside: true });
  });

  it.each(["C:\\ws\\..\\a.txt", "D:\\ws\\a.txt"])("finds %s outside", async (path) => {
    expect(await locate(path)).toMatchObject({ inside: false });
  });

  it.each([
    "\\\\localhost\\C$\\ws\\a.txt",
    "\\\\?\\C:\\ws\\a.txt",
    "//?/C:/ws/a.txt",
    "\\ws\\a.txt",
    "C:ws\\a.txt",
    "C:\\ws\\a.txt.",
    "C:\\ws\\a.txt ",
    "C:\\ws\\a.txt::$DATA",
    "C:\\ws.\\a.txt",
  ])("does not say where %j is", async (path) => {
    await expect(locate(path)).rejects.toMatchObject({ code: "path-refused" });
  });
});
