import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFakeClock, shownMode, isMissing } from "@patchbay/testkit";
import { createPrivateStorage, type PrivateStorage } from "../../src/storage/private-storage.ts";
import type { StorageBound } from "../../src/storage/storage-room.ts";
import { createNodePlatform } from "../../src/platform/node.ts";
import type { Files } from "../../src/platform/platform.ts";
import { isRoot, makeTemporaryMachine, type TemporaryMachine } from "./temporary-machine.ts";

function openStorage(
  { platform, logger, home }: TemporaryMachine,
  options: { readonly bounds?: readonly StorageBound[]; readonly maximumValueBytes?: number } = {},
): { readonly storage: PrivateStorage; readonly directory: string } {
  const directory = join(home, "state", "patchbay");
  return { storage: createPrivateStorage({ platform, logger, directory, ...options }), directory };
}

describe("keeping values", () => {
  it("keeps them 0600 in directories that it makes 0700", async () => {
    const { storage, directory } = openStorage(makeTemporaryMachine());
    expect(await storage.read("endpoint")).toBeUndefined();
    expect(await storage.list("")).toEqual([]);
    expect(await storage.locate("endpoint")).toBeUndefined();
    await storage.write("endpoint", '{"a":"ü\\u0000"}');
    expect(await storage.read("endpoint")).toBe('{"a":"ü\\u0000"}');
    const modes = [join(directory, ".."), directory, join(directory, "endpoint.json")].map(
      (path) => lstatSync(path).mode,
    );
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o700, 0o600].map(shownMode));
    expect(readdirSync(directory)).toEqual(["endpoint.json"]);
    expect(await storage.locate("endpoint")).toBe(join(directory, "endpoint.json"));
    await storage.remove("endpoint");
    await storage.remove("endpoint");
    expect(await storage.read("endpoint")).toBeUndefined();
  });

  it("lists keys by prefix, oldest first", async () => {
    const { storage, directory } = openStorage(makeTemporaryMachine());
    for (const [index, key] of ["draft-b", "draft-a", "endpoint"].entries()) {
      await storage.write(key, key);
      utimesSync(join(directory, `${key}.json`), 1, 1_000 + index);
    }
    expect(await storage.list("draft-")).toEqual(["draft-b", "draft-a"]);
  });

  it("lets the latest of many calls win, and answers a read with it", async () => {
    const { storage, directory } = openStorage(makeTemporaryMachine());
    const writes = Array.from({ length: 50 }, (_, index) => storage.write("draft", `text ${index}`));
    expect(await storage.read("draft")).toBe("text 49");
    await Promise.all(writes);
    await Promise.all([storage.write("draft", "more"), storage.remove("draft")]);
    expect(await storage.read("draft")).toBeUndefined();
    expect(readdirSync(directory)).toEqual([]);
  });

  it("makes its directory again when that vanished", async () => {
    const { storage, directory } = openStorage(makeTemporaryMachine());
    await storage.write("draft", "one");
    rmSync(join(directory, ".."), { recursive: true });
    await storage.write("draft", "two");
    expect(await storage.read("draft")).toBe("two");
  });

  it("looks at its directory once in a row of reads and before each write, and at the levels above every five seconds", async () => {
    const machine = makeTemporaryMachine();
    const clock = createFakeClock();
    const looked: string[] = [];
    const files: Files = {
      ...machine.platform.files,
      lstat: async (path) => {
        looked.push(path);
        return await machine.platform.files.lstat(path);
      },
    };
    const { storage, directory } = openStorage({ ...machine, platform: { ...machine.platform, clock, files } });
    const above = join(directory, "..");
    const looksDuring = async (work: () => Promise<unknown>): Promise<readonly boolean[]> => {
      looked.length = 0;
      await work();
      return [looked.includes(directory), looked.includes(above)];
    };
    expect(await looksDuring(() => storage.write("one", "1"))).toEqual([true, true]);
    expect(await looksDuring(() => storage.write("two", "2"))).toEqual([true, false]);
    expect(await looksDuring(() => storage.read("one"))).toEqual([false, false]);
    expect(await looksDuring(() => storage.list(""))).toEqual([false, false]);
    clock.advance(100);
    expect(await looksDuring(() => storage.read("two"))).toEqual([true, false]);
    expect(await looksDuring(() => storage.remove("two"))).toEqual([true, false]);
    clock.advance(5_000);
    expect(await looksDuring(() => storage.write("three", "3"))).toEqual([true, true]);
  });

  it.skipIf(isMissing("permission bits")).each([
    ["could look into it", 0o755, ["one.json", "two.json"]],
    ["could write to it", 0o777, ["one.json.aside", "two.json"]],
  ])("notices at its next write that others %s, however short a time after the last", async (_what, mode, names) => {
    const { storage, directory } = openStorage(makeTemporaryMachine());
    await storage.write("one", "1");
    chmodSync(directory, mode);
    await storage.write("two", "2");
    expect(lstatSync(directory).mode & 0o777).toBe(shownMode(0o700));
    expect(readdirSync(directory).toSorted()).toEqual(names);
  });

  it("writes through no link that took the place of its directory since the last write", async () => {
    const { storage, directory } = openStorage(makeTemporaryMachine());
    await storage.write("one", "1");
    renameSync(directory, `${directory}-elsewhere`);
    symlinkSync(`${directory}-elsewhere`, directory);
    await expect(storage.write("two", "2")).rejects.toMatchObject({ code: "storage-failed" });
    expect(readdirSync(`${directory}-elsewhere`)).toEqual(["one.json"]);
  });

  it("sweeps temporary files of ended runs before its first write", async () => {
    const { storage, directory } = openStorage(makeTemporaryMachine());
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(join(directory, `.patchbay-${2 ** 31 - 1}-${"a".repeat(22)}.tmp`), "text");
    await storage.write("draft", "one");
    expect(readdirSync(directory)).toEqual(["draft.json"]);
  });

  it.each(["", "../x", "a/b", ".hidden", "a b", "ü", "x".repeat(201)])("refuses %j as a key", async (key) => {
    const { storage } = openStorage(makeTemporaryMachine());
    const refused = { name: "PatchbayError", code: "invalid-argument" };
    await expect(storage.read(key)).rejects.toMatchObject(refused);
    await expect(storage.write(key, "")).rejects.toMatchObject(refused);
    await expect(storage.remove(key)).rejects.toMatchObject(refused);
  });

  it("counts UTF-8 bytes when it refuses what is too large", async () => {
    const { storage } = openStorage(makeTemporaryMachine(), { maximumValueBytes: 8 });
    await storage.write("draft", "🙂🙂");
    await storage.write("draft", "éééé");
    await expect(storage.write("draft", "🙂🙂x")).rejects.toMatchObject({ code: "too-large" });
    await expect(storage.write("draft", "ééééé")).rejects.toMatchObject({ code: "too-large" });
    expect(await storage.read("draft")).toBe("éééé");
  });

  it("writes what comes in pieces bit by bit, and leaves the old value where they become too many", async () => {
    const { storage } = openStorage(makeTemporaryMachine(), { maximumValueBytes: 8 });
    await storage.write("draft", { pieces: () => ["🙂", "éé"] });
    expect(await storage.read("draft")).toBe("🙂éé");
    await expect(storage.write("draft", { pieces: () => ["🙂", "éé", "x"] })).rejects.toMatchObject({
      code: "too-large",
    });
    expect(await storage.read("draft")).toBe("🙂éé");
    expect(await storage.list("")).toEqual(["draft"]);
  });
});

describe("when keeping fails", () => {
  it("leaves the old value in place, says so with a code, and works again afterwards", async () => {
    let full = false;
    const { files } = createNodePlatform();
    const machine = makeTemporaryMachine({
      files: {
        createExclusive: (path, data, mode) =>
          full
            ? Promise.reject(Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" }))
            : files.createExclusive(path, data, mode),
      },
    });
    const { storage } = openStorage(machine);
    await storage.write("draft", "old");
    full = true;
    const failure = await storage.write("draft", "new").catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "PatchbayError", code: "storage-failed" });
    expect(failure).toHaveProperty("message", expect.stringContaining("The disk is full: free some space."));
    expect(await storage.read("draft")).toBe("old");
    full = false;
    await storage.write("draft", "new");
    expect(await storage.read("draft")).toBe("new");
    expect(machine.lines.filter((line) => line.startsWith("warn"))).toHaveLength(1);
  });

  it.each(["list", "lstat", "createExclusive", "realPath"] as const)(
    "keeps everything again after one moment in which the system had no descriptor left for %s",
    async (call) => {
      const { files } = createNodePlatform();
      let isOut = true;
      const failing = new Proxy(files, {
        get: (target, name) => {
          if (name !== call || !isOut) return Reflect.get(target, name);
          return () => Promise.reject(Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" }));
        },
      });
      const machine = makeTemporaryMachine();
      const platform = { ...machine.platform, files: failing };
      const bounds = [{ prefix: "draft-", maximumBytes: 10_000 }];
      const { storage, directory } = openStorage({ ...machine, platform }, { bounds });
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      writeFileSync(join(directory, `.patchbay-${2 ** 31 - 1}-${"a".repeat(22)}.tmp`), "text");
      await storage.write("draft-1", "one").catch(() => {});
      isOut = false;
      await storage.write("draft-1", "two");
      expect(await storage.read("draft-1")).toBe("two");
      expect(readdirSync(directory)).toEqual(["draft-1.json"]);
    },
  );

  it.skipIf(!isRoot || process.platform !== "linux")(
    "leaves the old value and no temporary file on a disk that is really full (needs the right to mount)",
    async ({ skip }) => {
      const machine = makeTemporaryMachine();
      const mounting = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs", machine.home]);
      if (mounting.status !== 0) return skip(`a small disk cannot be mounted here: ${String(mounting.stderr)}`);
      onTestFinished(() => void execFileSync("umount", [machine.home]));
      const { storage, directory } = openStorage(machine);
      await storage.write("draft", "old");
      await expect(storage.write("draft", "x".repeat(200_000))).rejects.toMatchObject({ code: "storage-failed" });
      expect(await storage.read("draft")).toBe("old");
      expect(readdirSync(directory)).toEqual(["draft.json"]);
      await storage.write("draft", "x".repeat(20_000));
      expect(readFileSync(join(directory, "draft.json"), "utf8")).toHaveLength(20_000);
    },
  );

  it("refuses a directory that is a link, and a link in a value's place", async () => {
    const machine = makeTemporaryMachine();
    const { storage, directory } = openStorage(machine);
    mkdirSync(join(machine.home, "state"), { mode: 0o700 });
    symlinkSync(machine.tmp, directory);
    const calls = [
      () => storage.read("endpoint"),
      () => storage.write("endpoint", "x"),
      () => storage.list(""),
      () => storage.remove("endpoint"),
    ];
    const message = expect.stringContaining("symbolic link");
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "storage-failed", message });
    rmSync(directory);
    await storage.write("endpoint", "x");
    writeFileSync(join(machine.tmp, "victim"), "victim");
    rmSync(join(directory, "endpoint.json"));
    symlinkSync(join(machine.tmp, "victim"), join(directory, "endpoint.json"));
    expect(await storage.read("endpoint")).toBeUndefined();
    await storage.write("endpoint", "y");
    expect(readFileSync(join(machine.tmp, "victim"), "utf8")).toBe("victim");
  });
});

describe("bounded groups", () => {
  it("drop the oldest values for room, tell it, and leave other keys alone", async () => {
    const dropped: string[] = [];
    const machine = makeTemporaryMachine();
    const bound = { prefix: "draft-", maximumBytes: 25, onDidDrop: (key: string) => void dropped.push(key) };
    const { storage, directory } = openStorage(machine, { bounds: [bound] });
    await storage.write("endpoint", "x".repeat(100));
    for (const [index, key] of ["draft-1", "draft-2", "draft-3"].entries()) {
      await storage.write(key, "x".repeat(10));
      if (key !== "draft-3") utimesSync(join(directory, `${key}.json`), 1, 1_000 + index);
    }
    expect(dropped).toEqual(["draft-1"]);
    expect(await storage.list("")).toEqual(["draft-2", "endpoint", "draft-3"]);
    await storage.write("draft-4", "x".repeat(25));
    expect(dropped).toEqual(["draft-1", "draft-2", "draft-3"]);
    await expect(storage.write("draft-5", "x".repeat(26))).rejects.toMatchObject({ code: "too-large" });
    expect(await storage.read("draft-4")).toHaveLength(25);
  });

  it("never drop the value just written, even if the clock went back", async () => {
    const { storage, directory } = openStorage(makeTemporaryMachine(), {
      bounds: [{ prefix: "draft-", maximumBytes: 15 }],
    });
    await storage.write("draft-1", "x".repeat(10));
    const later = Date.now() / 1_000 + 3_600;
    utimesSync(join(directory, "draft-1.json"), later, later);
    await storage.write("draft-2", "x".repeat(10));
    expect(await storage.list("draft-")).toEqual(["draft-2"]);
  });

  /** A storage that counts how often its directory is looked through. */
  const counting = () => {
    const { files } = createNodePlatform();
    let lists = 0;
    const machine = makeTemporaryMachine({
      files: {
        list: (path) => {
          lists += 1;
          return files.list(path);
        },
      },
    });
    const { storage } = openStorage(machine, { bounds: [{ prefix: "draft-", maximumBytes: 10_000 }] });
    return { storage, lists: () => lists };
  };

  it("are looked through once, not with every value", async () => {
    const { storage, lists } = counting();
    await storage.write("draft-0", "x");
    const before = lists();
    for (let index = 0; index < 20; index += 1) await storage.write(`draft-${index}`, "x".repeat(10));
    expect(lists()).toBe(before);
  });

  it("are looked through once where the first values come together, too", async () => {
    const { storage, lists } = counting();
    await storage.write("endpoint", "x");
    const before = lists();
    const keys = Array.from({ length: 20 }, (_, index) => `draft-${index}`);
    await Promise.all(keys.map((key) => storage.write(key, "x".repeat(10))));
    expect(lists()).toBe(before + 1);
  });

  it("never drop a value that is being written", async () => {
    const { files } = createNodePlatform();
    const held: (() => void)[] = [];
    let holding = false;
    const machine = makeTemporaryMachine({
      files: {
        createExclusive: async (path, data, mode) => {
          if (holding && typeof data === "string" && data.startsWith("y"))
            await new Promise<void>((resolve) => held.push(resolve));
          return files.createExclusive(path, data, mode);
        },
      },
    });
    const { storage } = openStorage(machine, { bounds: [{ prefix: "draft-", maximumBytes: 30 }] });
    await storage.write("draft-old", "x".repeat(10));
    holding = true;
    const typing = storage.write("draft-old", "y".repeat(4));
    const typedOn = storage.write("draft-old", "y".repeat(5));
    await storage.write("draft-new", "x".repeat(25));
    await expect.poll(() => held.length, { timeout: 4_000 }).toBe(1);
    holding = false;
    for (const release of held) release();
    await Promise.all([typing, typedOn]);
    expect(await storage.read("draft-old")).toBe("yyyyy");
    expect(await storage.read("draft-new")).toHaveLength(25);
  });
});

describe("a storage that is found open to others", () => {
  const claimed = async (machine: TemporaryMachine, told: string[] = []) => {
    const directory = join(machine.home, "storage");
    const storage = createPrivateStorage({ ...machine, directory, onDidSetAside: (place) => told.push(place) });
    await storage.claim({ pid: process.pid });
    return { storage, directory };
  };

  it.skipIf(isMissing("permission bits")).each([0o777, 0o770, 0o1777])(
    "is not used as it is where its directory was %o",
    async (mode) => {
      const machine = makeTemporaryMachine();
      const { storage, directory } = await claimed(machine);
      await storage.write("endpoint", "token");
      await storage.write("draft", "typed");
      await storage.release();
      chmodSync(directory, mode);
      const told: string[] = [];
      const again = await claimed(machine, told);
      expect(await again.storage.read("endpoint")).toBeUndefined();
      expect(await again.storage.list("")).toEqual([]);
      expect(readFileSync(join(directory, "draft.json.aside"), "utf8")).toBe("typed");
      expect(told).toEqual([directory]);
      expect(lstatSync(directory).mode & 0o7777).toBe(shownMode(0o700));
      await again.storage.write("endpoint", "new");
      expect(await again.storage.read("endpoint")).toBe("new");
      expect(told).toHaveLength(1);
    },
  );

  it.skipIf(isMissing("permission bits")).each([0o644, 0o660, 0o602])(
    "has no value of which the file was %o",
    async (mode) => {
      const machine = makeTemporaryMachine();
      const { storage, directory } = await claimed(machine);
      await storage.write("endpoint", "token");
      await storage.write("draft", "typed");
      chmodSync(join(directory, "endpoint.json"), mode);
      expect(await storage.list("")).toEqual(["draft"]);
      expect(await storage.read("endpoint")).toBeUndefined();
      expect(await storage.read("draft")).toBe("typed");
      await storage.write("endpoint", "new");
      expect(await storage.read("endpoint")).toBe("new");
    },
  );

  it("is used where others could only see its names", async () => {
    const machine = makeTemporaryMachine();
    const { storage, directory } = await claimed(machine);
    await storage.write("draft", "typed");
    await storage.release();
    chmodSync(directory, 0o755);
    expect(await (await claimed(machine)).storage.read("draft")).toBe("typed");
  });
});

describe("the claim of a run", () => {
  const marker = { pid: process.pid, start: "now" };
  const claimIn = (directory: string): string => join(directory, "run.claim");

  it("is held by one, until it gives it back", async () => {
    const machine = makeTemporaryMachine();
    const start = await machine.platform.process.startMark(process.pid);
    const own = { pid: process.pid, ...(start === undefined ? {} : { start }) };
    const directory = join(machine.home, "storage");
    const build = (): PrivateStorage => createPrivateStorage({ ...machine, directory });
    const [one, two] = [build(), build()];
    expect(await one.claim(own)).toBe(true);
    expect(await two.claim(own)).toBe(false);
    await two.release();
    expect(await two.claim(own)).toBe(false);
    await one.release();
    expect(await two.claim(own)).toBe(true);
    expect(await two.list("")).toEqual([]);
  });

  it.each([
    ["a process that has ended", { pid: 2 ** 31 - 2 }],
    ["an earlier process of the same number", { pid: process.pid, start: "long ago" }],
    ["an earlier process of the same editor window", { pid: process.ppid, editor: "window" }],
  ])("is taken over from %s", async (who, holder) => {
    // Windows does not tell when a process began.
    if (who.endsWith("number") && isMissing("facts about processes")) return;
    const machine = makeTemporaryMachine();
    const directory = join(machine.home, "storage");
    mkdirSync(directory, { mode: 0o700 });
    writeFileSync(claimIn(directory), JSON.stringify({ patchbay: holder }));
    const storage = createPrivateStorage({ ...machine, directory });
    expect(await storage.claim({ ...marker, editor: "window" })).toBe(true);
    await storage.release();
    expect(existsSync(claimIn(directory))).toBe(false);
  });

  it("is not taken over while it is being written", async () => {
    const machine = makeTemporaryMachine();
    const directory = join(machine.home, "storage");
    mkdirSync(directory, { mode: 0o700 });
    writeFileSync(claimIn(directory), "");
    const storage = createPrivateStorage({ ...machine, directory });
    expect(await storage.claim(marker)).toBe(false);
    const old = new Date(Date.now() - 60_000);
    utimesSync(claimIn(directory), old, old);
    expect(await storage.claim(marker)).toBe(true);
  });

  it("has one winner where many ask at once", async () => {
    const machine = makeTemporaryMachine();
    const directory = join(machine.home, "storage");
    const start = await machine.platform.process.startMark(process.pid);
    const own = { pid: process.pid, ...(start === undefined ? {} : { start }) };
    const all = await Promise.all(
      Array.from({ length: 8 }, () => createPrivateStorage({ ...machine, directory }).claim(own)),
    );
    expect(all.filter(Boolean)).toHaveLength(1);
  });
});
