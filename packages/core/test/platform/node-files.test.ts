import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNodePlatform } from "../../src/platform/node.ts";

const { files } = createNodePlatform();

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "patchbay-files-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe("facts", () => {
  it("describe the entry itself", async () => {
    const directory = makeDirectory();
    const [file, link, pipe] = [join(directory, "file"), join(directory, "link"), join(directory, "pipe")];
    writeFileSync(file, "four");
    chmodSync(file, 0o640);
    symlinkSync(file, link);
    execFileSync("mkfifo", [pipe]);
    chmodSync(directory, 0o1777);
    expect(await files.lstat(file)).toMatchObject({ kind: "file", mode: 0o640, size: 4, uid: process.getuid?.() });
    expect((await files.lstat(file))?.modifiedMs).toBeCloseTo(Date.now(), -4);
    expect(await files.lstat(link)).toMatchObject({ kind: "link" });
    expect(await files.lstat(pipe)).toMatchObject({ kind: "other" });
    expect(await files.lstat(directory)).toMatchObject({ kind: "directory", mode: 0o1777 });
    expect(await files.lstat(join(directory, "none"))).toBeUndefined();
    expect(await files.lstat(join(file, "below-a-file"))).toBeUndefined();
    expect(await files.realPath(link)).toBe(await files.realPath(file));
    expect(await files.realPath(join(directory, "none"))).toBeUndefined();
    expect([...(await files.list(directory))].sort()).toEqual(["file", "link", "pipe"]);
    expect(await files.list(join(directory, "none"))).toEqual([]);
  });
});

describe("making", () => {
  it("gives directories and files their mode whatever the umask", async () => {
    const directory = makeDirectory();
    const script = `
      import { createNodePlatform } from ${JSON.stringify(import.meta.resolve("../../src/platform/node.ts"))};
      process.umask(0o777);
      const { files } = createNodePlatform();
      console.log(await files.makeDirectory("made", 0o700), await files.makeDirectory("made", 0o755));
    `;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: directory,
      encoding: "utf8",
    });
    expect(output).toBe("created exists\n");
    expect(lstatSync(join(directory, "made")).mode & 0o777).toBe(0o700);
  });

  it("creates exclusively: never through a link, never over a file, private from the start", async () => {
    const directory = makeDirectory();
    const [file, link] = [join(directory, "file"), join(directory, "link")];
    await files.createExclusive(file, "text", 0o600);
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
    await expect(files.createExclusive(file, "other", 0o600)).rejects.toMatchObject({ code: "EEXIST" });
    symlinkSync(join(directory, "target"), link);
    await expect(files.createExclusive(link, "other", 0o600)).rejects.toMatchObject({ code: "EEXIST" });
    expect(readdirSync(directory).sort()).toEqual(["file", "link"]);
    expect(readFileSync(file, "utf8")).toBe("text");
  });

  it("removes what is there and forgives what is not", async () => {
    const directory = makeDirectory();
    const file = join(directory, "file");
    writeFileSync(file, "");
    await files.remove(file);
    await files.remove(file);
    files.removeSync(file);
    files.removeSync(directory);
    expect(readdirSync(directory)).toEqual([]);
    await expect(files.remove(directory)).rejects.toHaveProperty("code");
  });
});

describe("reading text", () => {
  it("returns the whole text up to the limit, byte order mark included", async () => {
    const file = join(makeDirectory(), "file");
    writeFileSync(file, "\uFEFFé🙂");
    expect(await files.readText(file, 9)).toBe("\uFEFFé🙂");
    expect(await files.readText(file, 8)).toBeUndefined();
    writeFileSync(file, "");
    expect(await files.readText(file, 0)).toBe("");
  });

  it("reads files whose size the system does not tell", async () => {
    expect(await files.readText("/proc/self/status", 100_000)).toContain("Name:");
    expect(await files.readText("/proc/self/status", 10)).toBeUndefined();
  });

  it("refuses what is not UTF-8", async () => {
    const file = join(makeDirectory(), "file");
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
      writeFileSync(file, Buffer.from(bytes));
      expect(await files.readText(file, 100)).toBeUndefined();
    }
  });

  it("takes only regular files, and waits for no pipe", async () => {
    const directory = makeDirectory();
    const path = (name: string): string => join(directory, name);
    writeFileSync(path("file"), "text");
    symlinkSync(path("file"), path("link"));
    mkdirSync(path("directory"));
    execFileSync("mkfifo", [path("pipe")]);
    const server = createServer().listen(path("socket"));
    onTestFinished(() => void server.close());
    for (const name of ["link", "directory", "pipe", "socket", "none", "file/none"]) {
      expect(await files.readText(path(name), 100)).toBeUndefined();
    }
    expect(await files.readText("/dev/zero", 100)).toBeUndefined();
  });
});

describe("a byte order mark", () => {
  it("is seen in a regular file, also through a link, and nowhere else", async () => {
    const directory = makeDirectory();
    const path = (name: string): string => join(directory, name);
    writeFileSync(path("with"), "\uFEFFtext");
    writeFileSync(path("without"), "text");
    writeFileSync(path("short"), Buffer.from([0xef, 0xbb]));
    symlinkSync(path("with"), path("link"));
    execFileSync("mkfifo", [path("pipe")]);
    const found = await Promise.all(
      ["with", "link", "without", "short", "pipe", "none", "."].map((name) =>
        files.startsWithByteOrderMark(path(name)),
      ),
    );
    expect(found).toEqual([true, true, false, false, false, false, false]);
  });
});
