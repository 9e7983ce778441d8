import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  promises,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shownMode, isMissing } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createNodePlatform } from "../../src/platform/node.ts";
import { createNodeFiles } from "../../src/platform/node-files.ts";

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
    expect(await files.readLink(link)).toBe(file);
    expect(await files.readLink(file)).toBeUndefined();
    expect(await files.readLink(join(directory, "none"))).toBeUndefined();
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
    expect(lstatSync(join(directory, "made")).mode & 0o777).toBe(shownMode(0o700));
  });

  it("creates exclusively: never through a link, never over a file, private from the start", async () => {
    const directory = makeDirectory();
    const [file, link] = [join(directory, "file"), join(directory, "link")];
    await files.createExclusive(file, "text", 0o600);
    expect(lstatSync(file).mode & 0o777).toBe(shownMode(0o600));
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
    writeFileSync(file, "");
    await expect(files.removeDirectory(directory)).rejects.toMatchObject({ code: "ENOTEMPTY" });
    await files.remove(file);
    await files.removeDirectory(directory);
    await files.removeDirectory(directory);
    expect(existsSync(directory)).toBe(false);
  });
});

it.each(["rename", "remove"] as const)("a file that is being read does not fail to %s", async (act) => {
  const directory = makeDirectory();
  const [file, next] = [join(directory, "file"), join(directory, "next")];
  writeFileSync(file, "held");
  writeFileSync(next, "next");
  // Windows refuses to put another file in its place until it is closed.
  const held = openSync(file, "r");
  const done = act === "rename" ? files.rename(next, file) : files.remove(file);
  setTimeout(() => closeSync(held), 100);
  await done;
  await expect.poll(() => readdirSync(directory)).toEqual([act === "rename" ? "file" : "next"]);
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

describe("replacing the text of a file of the user", () => {
  const at = (): string => join(makeDirectory(), "file");

  it.each([
    ["a shorter one", "held", "x"],
    ["a longer one", "held", "much longer than before é 😀"],
    ["an empty one", "held", ""],
    ["the first one of an empty file", "", "text"],
  ])("by %s leaves its mode and its links", async (_what, held, text) => {
    const path = at();
    writeFileSync(path, held, { mode: 0o640 });
    linkSync(path, `${path}-other`);
    expect(await files.replaceText(path, held, text)).toBe("replaced");
    expect(readFileSync(`${path}-other`, "utf8")).toBe(text);
    expect(statSync(path).mode & 0o777).toBe(shownMode(0o640));
  });

  it("that finds no room leaves the file as it was", async () => {
    const path = at();
    const [held, text] = ["what the file held\n", "another text, which is longer\n"];
    writeFileSync(path, held);
    const handle = await promises.open(path);
    const writing = vi.spyOn(Object.getPrototypeOf(handle), "write");
    onTestFinished(() => writing.mockRestore());
    await handle.close();
    const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    // As a disk does that is full at the end of what the file has: so much is written, and then nothing more.
    writing.mockImplementationOnce(async () => {
      writeFileSync(path, text.slice(0, held.length), { flag: "r+" });
      return { bytesWritten: held.length, buffer: Buffer.alloc(0) };
    });
    writing.mockRejectedValueOnce(full);
    await expect(files.replaceText(path, held, text)).rejects.toBe(full);
    expect(readFileSync(path, "utf8")).toBe(held);
  });

  it("happens only while it holds what it held, and never through a link or a pipe", async () => {
    const path = at();
    writeFileSync(path, "hole");
    symlinkSync(path, `${path}-link`);
    execFileSync("mkfifo", [`${path}-pipe`]);
    expect(await files.replaceText(path, "held", "mine")).toBe("stale");
    expect(await files.replaceText(path, "hol", "mine")).toBe("stale");
    expect(await files.replaceText(`${path}-link`, "hole", "mine")).toBe("stale");
    expect(await files.replaceText(`${path}-pipe`, "", "mine")).toBe("stale");
    expect(await files.replaceText(`${path}-none`, "", "mine")).toBe("stale");
    expect(readFileSync(path, "utf8")).toBe("hole");
  });
});

describe.each([
  ["as this system tells", undefined],
  ["where the system does not tell which file a descriptor has", { descriptorLinks: undefined }],
  ["where it should but does not", { descriptorLinks: "/nonexistent/fd" }],
] as const)("reading what was checked, %s", (_name, machine) => {
  const { readReal } = createNodeFiles(machine);
  const makeRealDirectory = (): string => realpathSync(makeDirectory());

  it("returns the bytes up to the limit", async () => {
    const file = join(makeRealDirectory(), "file");
    writeFileSync(file, Buffer.from([0xff, 0, 0xfe]));
    expect(await readReal(file, 3)).toEqual(Buffer.from([0xff, 0, 0xfe]));
    expect(await readReal(file, 2)).toBeUndefined();
  });

  it.skipIf(isMissing("named pipes as files"))(
    "takes only regular files, waits for no pipe, and has no end without a limit",
    async () => {
      const directory = makeRealDirectory();
      const path = (name: string): string => join(directory, name);
      mkdirSync(path("directory"));
      execFileSync("mkfifo", [path("pipe")]);
      const server = createServer().listen(path("socket"));
      onTestFinished(() => void server.close());
      for (const name of ["directory", "pipe", "socket", "none", "none/file"]) {
        expect(await readReal(path(name), 100)).toBeUndefined();
      }
      expect(await readReal("/dev/zero", 100)).toBeUndefined();
      expect(await readReal("/proc/kallsyms", 10)).toBeUndefined();
    },
  );

  it("believes what was found there just before", async () => {
    const file = join(makeRealDirectory(), "file");
    writeFileSync(file, "text");
    const found = await files.lstat(file);
    if (found === undefined) expect.fail("no file");
    expect(await readReal(file, 100, found)).toEqual(Buffer.from("text"));
    expect(await readReal(file, 100, { ...found, kind: "other" })).toBeUndefined();
  });

  it("follows no link, at any level", async () => {
    const directory = makeRealDirectory();
    const path = (name: string): string => join(directory, name);
    mkdirSync(path("outside"));
    writeFileSync(path("outside/file"), "secret");
    symlinkSync(path("outside"), path("inside"));
    symlinkSync(path("outside/file"), path("link"));
    expect(await readReal(path("link"), 100)).toBeUndefined();
    expect(await readReal(path("inside/file"), 100)).toBeUndefined();
    expect(await readReal(path("outside/file"), 100)).toEqual(Buffer.from("secret"));
  });
});

describe.skipIf(isMissing("links without a right"))(
  "reading what was checked, while another process puts a link in its place",
  () => {
    it("never returns what lies elsewhere, and returns what is there", async () => {
      const directory = realpathSync(makeDirectory());
      const path = (name: string): string => join(directory, name);
      for (const [name, text] of [
        ["inside", "own"],
        ["outside", "secret"],
      ] as const) {
        mkdirSync(path(name));
        writeFileSync(path(`${name}/file`), text);
      }
      // The directory is now itself, now a link to the one outside.
      const script = `
      const { renameSync, symlinkSync } = require("node:fs");
      symlinkSync("outside", "link");
      process.stdout.write("ready");
      for (;;) {
        renameSync("inside", "aside"); renameSync("link", "inside");
        renameSync("inside", "link"); renameSync("aside", "inside");
      }`;
      const swapper = spawn(process.execPath, ["-e", script], { cwd: directory, stdio: ["ignore", "pipe", "inherit"] });
      const ended = once(swapper, "exit");
      try {
        await once(swapper.stdout, "data");
        const read = { own: 0, nothing: 0 };
        // Until both were seen, however the system shares out its time.
        for (let round = 0; round < 3_000 || read.own === 0 || read.nothing === 0; round += 1) {
          const bytes = await files.readReal(path("inside/file"), 100);
          const text = bytes === undefined ? "nothing" : Buffer.from(bytes).toString();
          if (text !== "own" && text !== "nothing") expect.fail(`read ${text}`);
          read[text] += 1;
        }
      } finally {
        swapper.kill("SIGKILL");
        await ended;
      }
    });

    it("reads one whole version of a file that is replaced all the time", async () => {
      const file = join(realpathSync(makeDirectory()), "file");
      writeFileSync(file, "first");
      let replaced = false;
      const replacing = createNodeFiles({
        // Asked between the opening and the reading.
        get descriptorLinks() {
          if (!replaced) {
            replaced = true;
            writeFileSync(`${file}.new`, "second");
            renameSync(`${file}.new`, file);
          }
          return process.platform === "linux" ? "/proc/self/fd" : undefined;
        },
      });
      expect(await replacing.readReal(file, 100)).toEqual(Buffer.from("second"));
    });
  },
);

describe("two states of a file", () => {
  it("are told apart although size and time are the same", async () => {
    const directory = makeDirectory();
    const [one, two] = [join(directory, "one"), join(directory, "two")];
    for (const file of [one, two]) {
      writeFileSync(file, "text");
      utimesSync(file, 1, 1);
    }
    const [before, other] = [await files.lstat(one), await files.lstat(two)];
    expect(before?.id).not.toBe(other?.id);
    await expect
      .poll(async () => {
        writeFileSync(one, "next");
        utimesSync(one, 1, 1);
        return (await files.lstat(one))?.changedMs;
      })
      .not.toBe(before?.changedMs);
    expect(await files.lstat(one)).toMatchObject({ size: before?.size, modifiedMs: 1_000, id: before?.id });
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
