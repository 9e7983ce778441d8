import { describe, expect, it } from "vitest";
import { createMemoryPlatform } from "../../src/index.ts";

describe("files in memory", () => {
  it("creates exclusively, with the mode from the start, for this user", async () => {
    const { files } = createMemoryPlatform({ uid: 1000 });
    await files.makeDirectory("/home/user/private", 0o700);
    await files.createExclusive("/home/user/private/a", "äb", 0o600);
    expect(await files.lstat("/home/user/private/a")).toMatchObject({ kind: "file", uid: 1000, mode: 0o600, size: 3 });
    await expect(files.createExclusive("/home/user/private/a", "", 0o600)).rejects.toMatchObject({ code: "EEXIST" });
    await expect(files.createExclusive("/nowhere/a", "", 0o600)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("renames over a file, lists names and removes", async () => {
    const { files } = createMemoryPlatform();
    await files.createExclusive("/tmp/a.tmp", "new", 0o600);
    files.addFile("/tmp/a", "old");
    await files.rename("/tmp/a.tmp", "/tmp/a");
    expect(await files.list("/tmp")).toEqual(["a"]);
    expect(await files.readText("/tmp/a", 100)).toBe("new");
    expect(await files.readText("/tmp/a", 2)).toBeUndefined();
    await files.remove("/tmp/a");
    await files.remove("/tmp/a");
    expect(await files.list("/tmp")).toEqual([]);
    expect(await files.list("/tmp/none")).toEqual([]);
  });

  it("follows links of directories, never of the entry itself", async () => {
    const { files } = createMemoryPlatform();
    files.addFile("/victim/secret", "s");
    files.addLink("/tmp/link", "/victim");
    files.addLink("/tmp/file-link", "/victim/secret");
    expect(await files.lstat("/tmp/link")).toMatchObject({ kind: "link" });
    expect(await files.readText("/tmp/file-link", 100)).toBeUndefined();
    expect(await files.readText("/tmp/link/secret", 100)).toBe("s");
    expect(await files.realPath("/tmp/link/secret")).toBe("/victim/secret");
    files.addLink("/tmp/loop", "/tmp/loop");
    expect(await files.realPath("/tmp/loop")).toBeUndefined();
    expect(await files.readLink("/tmp/loop")).toBe("/tmp/loop");
    expect(await files.readLink("/victim/secret")).toBeUndefined();
  });

  it("fails as told: one call, a full disk, another user's entry, an entry that vanishes", async () => {
    const { files } = createMemoryPlatform();
    files.failNext("lstat", "EIO", "/tmp/x");
    expect(await files.lstat("/tmp")).toMatchObject({ kind: "directory", mode: 0o1777, uid: 0 });
    await expect(files.lstat("/tmp/x")).rejects.toMatchObject({ code: "EIO" });
    expect(await files.lstat("/tmp/x")).toBeUndefined();
    files.freeBytes = 2;
    await expect(files.createExclusive("/tmp/big", "abc", 0o600)).rejects.toMatchObject({ code: "ENOSPC" });
    await expect(files.chmod("/tmp", 0o700)).rejects.toMatchObject({ code: "EPERM" });
    files.addFile("/tmp/a/b", "");
    files.vanish("/tmp/a");
    expect(await files.lstat("/tmp/a/b")).toBeUndefined();
  });

  it("lets a test act before a call, as another process would", async () => {
    const { files } = createMemoryPlatform();
    files.onBefore((call, path) => {
      if (call === "createExclusive") files.addLink(path, "/home/user/.bashrc", { uid: 1001 });
    });
    await expect(files.createExclusive("/tmp/a", "", 0o600)).rejects.toMatchObject({ code: "EEXIST" });
  });

  it("knows processes that end and whose ids are used again", async () => {
    const { process } = createMemoryPlatform({ pid: 10, ppid: 9 });
    expect([process.isAlive(10), await process.parentOf(10)]).toEqual([true, 9]);
    const before = await process.startMark(10);
    process.end(10);
    expect(process.isAlive(10)).toBe(false);
    process.run(10, 1, "another");
    expect(await process.startMark(10)).not.toBe(before);
  });
});
