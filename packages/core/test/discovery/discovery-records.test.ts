import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { shownMode, isMissing } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { processPlace } from "../../src/storage/claim.ts";
import { createDiscoveryRecords } from "../../src/discovery/discovery-records.ts";
import { createNodePlatform } from "../../src/platform/node.ts";
import { isRoot, makeTemporaryMachine, recordIn } from "../storage/temporary-machine.ts";

const modeOf = (path: string): number => lstatSync(path).mode & 0o777;

describe("writing", () => {
  it.skipIf(isMissing("permission bits"))(
    "E01 E02 makes 0600 files in 0700 directories and marks them as its own",
    async () => {
      const { platform, logger, tmp } = makeTemporaryMachine();
      const records = createDiscoveryRecords({ platform, logger });
      expect(await records.write([recordIn(tmp)])).toEqual([]);
      const directory = join(tmp, "gemini", "ide");
      expect([modeOf(join(tmp, "gemini")), modeOf(directory)]).toEqual([0o700, 0o700]);
      expect(readdirSync(directory)).toEqual(["gemini-ide-server-1-2.json"]);
      const path = join(directory, "gemini-ide-server-1-2.json");
      expect(modeOf(path)).toBe(shownMode(0o600));
      expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
        port: 2,
        authToken: "secret",
        patchbay: {
          pid: process.pid,
          start: await platform.process.startMark(process.pid),
          place: await platform.files.readLink(processPlace),
        },
      });
    },
  );

  it.skipIf(isMissing("permission bits"))(
    "E01 never shows another mode to a process that opens whatever appears",
    async () => {
      const { platform, logger, tmp } = makeTemporaryMachine();
      const records = createDiscoveryRecords({ platform, logger });
      await records.write([recordIn(tmp)]);
      const [stop, opened] = [new Int32Array(new SharedArrayBuffer(4)), new Int32Array(new SharedArrayBuffer(4))];
      const directory = join(tmp, "gemini", "ide");
      const worker = new Worker(racingOpens, { eval: true, workerData: { directory, stop, opened } });
      const modes = new Promise<readonly number[]>((resolve, reject) => {
        worker.on("message", resolve);
        worker.on("error", reject);
      });
      for (let round = 0; round < 200 || (round < 20_000 && Atomics.load(opened, 0) < 500); round += 1) {
        await records.write([recordIn(tmp, { content: JSON.stringify({ round, filling: "x".repeat(20_000) }) })]);
      }
      Atomics.store(stop, 0, 1);
      expect(await modes).toEqual([0o600]);
      expect(Atomics.load(opened, 0)).toBeGreaterThanOrEqual(500);
    },
  );

  it("replaces the previous set: what is no longer wanted goes, what is unchanged is not written again", async () => {
    const { platform, logger, tmp } = makeTemporaryMachine();
    const records = createDiscoveryRecords({ platform, logger });
    const [one, two] = [recordIn(tmp), recordIn(tmp, { fileName: "two.json" })];
    await records.write([one, two]);
    const path = join(tmp, "gemini", "ide", one.fileName);
    const inode = lstatSync(path).ino;
    await records.write([one]);
    expect(readdirSync(join(tmp, "gemini", "ide"))).toEqual([one.fileName]);
    expect(lstatSync(path).ino).toBe(inode);
    await records.write([{ ...one, content: '{"port":3}' }]);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ port: 3 });
    expect(lstatSync(path).ino).not.toBe(inode);
  });

  it("takes the last of two records for one file, and makes shared directories once", async () => {
    const { platform, logger, tmp } = makeTemporaryMachine();
    const records = createDiscoveryRecords({ platform, logger });
    const same = Array.from({ length: 5 }, (_, port) => recordIn(tmp, { content: JSON.stringify({ port }) }));
    const others = Array.from({ length: 5 }, (_, index) => recordIn(tmp, { fileName: `${index}.json` }));
    expect(await records.write([...same, ...others])).toEqual([]);
    const directory = join(tmp, "gemini", "ide");
    expect(readdirSync(directory)).toHaveLength(6);
    expect(JSON.parse(readFileSync(join(directory, recordIn(tmp).fileName), "utf8"))).toMatchObject({ port: 4 });
  });

  it("answers calls that pile up with the last one's result, and leaves only the last one's records", async () => {
    const { platform, logger, tmp } = makeTemporaryMachine();
    const records = createDiscoveryRecords({ platform, logger });
    const calls = Array.from({ length: 20 }, (_, port) =>
      records.write([recordIn(tmp, { fileName: `${port}.json`, content: JSON.stringify({ port }) })]),
    );
    expect(await Promise.all(calls)).toEqual(calls.map(() => []));
    expect(readdirSync(join(tmp, "gemini", "ide"))).toEqual(["19.json"]);
  });

  it("leaves nothing behind when it is stopped during a write, and stays ended", async () => {
    const { platform, logger, tmp } = makeTemporaryMachine();
    const records = createDiscoveryRecords({ platform, logger });
    const writing = records.write([recordIn(tmp), recordIn(tmp, { fileName: "two.json" })]);
    await Promise.all([records.remove(), writing]);
    expect(readdirSync(join(tmp, "gemini", "ide"))).toEqual([]);
    await records.write([recordIn(tmp)]);
    await records.verify();
    expect(readdirSync(join(tmp, "gemini", "ide"))).toEqual([]);
  });

  it.each(["lstat", "createExclusive", "rename"] as const)(
    "leaves nothing behind when the process's last moment comes during %s",
    async (step) => {
      let interrupt = (): void => {};
      const node = createNodePlatform();
      const { platform, logger, tmp } = makeTemporaryMachine({
        files: {
          [step]: async (...values: [string, string, number]) => {
            interrupt();
            return Reflect.apply(node.files[step], node.files, values);
          },
        },
      });
      const records = createDiscoveryRecords({ platform, logger });
      await records.write([recordIn(tmp)]);
      interrupt = () => records.removeSync();
      await records.write([recordIn(tmp, { content: '{"port":3}' })]);
      expect(readdirSync(join(tmp, "gemini", "ide"))).toEqual([]);
    },
  );

  it("begins no file after the process's last moment", async () => {
    const created: string[] = [];
    const node = createNodePlatform();
    let interrupt = (): void => {};
    const { platform, logger, tmp } = makeTemporaryMachine({
      files: {
        lstat: async (path) => {
          interrupt();
          return node.files.lstat(path);
        },
        createExclusive: async (path) => void created.push(path),
      },
    });
    const records = createDiscoveryRecords({ platform, logger });
    interrupt = () => records.removeSync();
    await records.write([recordIn(tmp)]);
    expect(created).toEqual([]);
  });

  it("removes synchronously", async () => {
    const { platform, logger, tmp } = makeTemporaryMachine();
    const records = createDiscoveryRecords({ platform, logger });
    await records.write([recordIn(tmp)]);
    records.removeSync();
    records.removeSync();
    expect(readdirSync(join(tmp, "gemini", "ide"))).toEqual([]);
  });

  it("does not remove the record that a successor put under the same name", async () => {
    const { platform, logger, tmp } = makeTemporaryMachine();
    const records = createDiscoveryRecords({ platform, logger });
    await records.write([recordIn(tmp)]);
    const path = join(tmp, "gemini", "ide", recordIn(tmp).fileName);
    const theirs = '{"port":2,"patchbay":{"pid":1,"start":"then"}}';
    writeFileSync(path, theirs);
    await records.remove();
    expect(readFileSync(path, "utf8")).toBe(theirs);
  });
});

describe("a place that is not safe", () => {
  it("E04 refuses a link at any level and says what to do", async () => {
    for (const level of [["gemini"], ["gemini", "ide"]]) {
      const { platform, logger, tmp, home } = makeTemporaryMachine();
      if (level.length === 2) mkdirSync(join(tmp, "gemini"), { mode: 0o700 });
      symlinkSync(home, join(tmp, ...level));
      const problems = await createDiscoveryRecords({ platform, logger }).write([recordIn(tmp)]);
      expect(problems).toHaveLength(1);
      expect(problems[0]?.path).toBe(join(tmp, ...level));
      expect(problems[0]?.message).toMatch(/is a symbolic link, which is not followed\. Replace it/);
      expect(readdirSync(home)).toEqual([]);
    }
  });

  it.each([[[".claude"]], [[".claude", "ide"]]])(
    "follows the user's own link at %j of the home, as dotfiles have it",
    async (level) => {
      const { platform, logger, home } = makeTemporaryMachine();
      const elsewhere = join(home, "dotfiles", "agent");
      mkdirSync(elsewhere, { recursive: true, mode: 0o755 });
      if (level.length === 2) mkdirSync(join(home, ".claude"), { mode: 0o755 });
      symlinkSync(elsewhere, join(home, ...level));
      const records = createDiscoveryRecords({ platform, logger });
      const record = recordIn(home, { directories: [".claude", "ide"], fileName: "2.lock" });
      expect(await records.write([record])).toEqual([]);
      expect(readdirSync(join(home, ".claude", "ide"))).toEqual(["2.lock"]);
      expect(modeOf(realpathSync(join(home, ".claude", "ide")))).toBe(shownMode(0o700));
      await records.remove();
      expect(readdirSync(join(home, ".claude", "ide"))).toEqual([]);
    },
  );

  it("E04 follows no link of the home to where, or in where, others can write", async () => {
    const record = (home: string) => recordIn(home, { directories: [".qwen", "ide"], fileName: "2.lock" });
    for (const open of ["home", "beside"] as const) {
      const { platform, logger, home, tmp } = makeTemporaryMachine();
      const elsewhere = join(tmp, "shared", "qwen");
      mkdirSync(elsewhere, { recursive: true, mode: 0o700 });
      symlinkSync(elsewhere, join(home, ".qwen"));
      chmodSync(open === "home" ? home : join(tmp, "shared"), 0o775);
      const problems = await createDiscoveryRecords({ platform, logger }).write([record(home)]);
      expect(problems[0]?.message).toMatch(/is a symbolic link, which is not followed/);
      expect(readdirSync(elsewhere)).toEqual([]);
    }
    const { platform, logger, home } = makeTemporaryMachine();
    symlinkSync(join(home, "nowhere"), join(home, ".qwen"));
    expect(await createDiscoveryRecords({ platform, logger }).write([record(home)])).toHaveLength(1);
  });

  it("E04 replaces a planted link in the record's place and never follows it", async () => {
    const { platform, logger, tmp, home } = makeTemporaryMachine();
    const victim = join(home, ".bashrc");
    writeFileSync(victim, "precious");
    mkdirSync(join(tmp, "gemini", "ide"), { recursive: true, mode: 0o700 });
    const path = join(tmp, "gemini", "ide", recordIn(tmp).fileName);
    symlinkSync(victim, path);
    expect(await createDiscoveryRecords({ platform, logger }).write([recordIn(tmp)])).toEqual([]);
    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(lstatSync(path).isFile()).toBe(true);
  });

  it.skipIf(!isRoot)("E03 refuses a directory of another user (only root can make one here)", async () => {
    for (const level of [["gemini"], ["gemini", "ide"]]) {
      const { platform, logger, tmp, home } = makeTemporaryMachine();
      const directory = join(tmp, ...level);
      mkdirSync(directory, { recursive: true, mode: 0o777 });
      chownSync(directory, 65_534, 65_534);
      const records = createDiscoveryRecords({ platform, logger });
      const lock = recordIn(home, { directories: [".claude", "ide"], fileName: "2.lock" });
      const problems = await records.write([recordIn(tmp), lock]);
      expect(problems.map(({ path }) => path)).toEqual([directory]);
      expect(problems[0]?.message).toMatch(/belongs to another user \(uid 65534\)/);
      expect(readdirSync(directory)).toEqual([]);
      expect(existsSync(join(home, ".claude", "ide", "2.lock"))).toBe(true);
    }
  });

  it.skipIf(isMissing("permission bits"))(
    "E02 narrows own directories: the last level to 0700, a parent so far that others cannot write",
    async () => {
      const { platform, logger, home } = makeTemporaryMachine();
      mkdirSync(join(home, ".claude"));
      chmodSync(join(home, ".claude"), 0o777);
      mkdirSync(join(home, ".claude", "ide"));
      chmodSync(join(home, ".claude", "ide"), 0o755);
      const record = recordIn(home, { directories: [".claude", "ide"] });
      expect(await createDiscoveryRecords({ platform, logger }).write([record])).toEqual([]);
      expect(modeOf(join(home, ".claude"))).toBe(shownMode(0o755));
      expect(modeOf(join(home, ".claude", "ide"))).toBe(shownMode(0o700));
    },
  );

  it("leaves a parent that others may only read as it is", async () => {
    const { platform, logger, home } = makeTemporaryMachine();
    mkdirSync(join(home, ".qwen"));
    chmodSync(join(home, ".qwen"), 0o755);
    await createDiscoveryRecords({ platform, logger }).write([recordIn(home, { directories: [".qwen", "ide"] })]);
    expect(modeOf(join(home, ".qwen"))).toBe(shownMode(0o755));
  });

  it.skipIf(isMissing("permission bits"))(
    "refuses a root in which every user may rename, and accepts a sticky one",
    async () => {
      const { platform, logger, tmp } = makeTemporaryMachine();
      const records = createDiscoveryRecords({ platform, logger });
      chmodSync(tmp, 0o777);
      const [problem] = await records.write([recordIn(tmp)]);
      expect(problem?.message).toContain(`Run: chmod o-w ${tmp}`);
      chmodSync(tmp, 0o1777);
      expect(await records.write([recordIn(tmp)])).toEqual([]);
    },
  );

  it("accepts a root that is itself a link", async () => {
    const { platform, logger, home, tmp } = makeTemporaryMachine();
    const link = join(tmp, "home");
    symlinkSync(home, link);
    const record = recordIn(link, { directories: [".qwen", "ide"], fileName: "2.lock" });
    expect(await createDiscoveryRecords({ platform, logger }).write([record])).toEqual([]);
    expect(existsSync(join(home, ".qwen", "ide", "2.lock"))).toBe(true);
  });

  it("makes a configuration directory that the user named but no agent has made", async () => {
    const { platform, logger, home } = makeTemporaryMachine();
    const root = join(home, "claude-config");
    expect(
      await createDiscoveryRecords({ platform, logger }).write([recordIn(root, { directories: ["ide"] })]),
    ).toEqual([]);
    expect(modeOf(root)).toBe(shownMode(0o700));
  });

  it.each(["", ".", "..", "a/b", "a\\b", "a\u0000b", "C:"])(
    "refuses %j as a level and as a file name",
    async (name) => {
      const { platform, logger, tmp } = makeTemporaryMachine();
      const records = createDiscoveryRecords({ platform, logger });
      expect(await records.write([recordIn(tmp, { directories: ["gemini", name] })])).toHaveLength(1);
      expect(await records.write([recordIn(tmp, { fileName: name })])).toHaveLength(1);
    },
  );

  it("reports a directory in the record's place, leaves no temporary file, and logs each problem once", async () => {
    const { platform, logger, tmp, lines } = makeTemporaryMachine();
    const directory = join(tmp, "gemini", "ide");
    mkdirSync(join(directory, recordIn(tmp).fileName), { recursive: true, mode: 0o700 });
    const records = createDiscoveryRecords({ platform, logger });
    const [problem] = await records.write([recordIn(tmp)]);
    expect(problem?.message).toContain(
      // Windows gives no other reason.
      process.platform === "win32" ? "Give yourself write permission there." : "A directory has that name: remove it.",
    );
    expect(readdirSync(directory)).toEqual([recordIn(tmp).fileName]);
    await records.verify();
    expect(lines.filter((line) => line.startsWith("warn"))).toHaveLength(1);
    rmSync(join(directory, recordIn(tmp).fileName), { recursive: true });
    expect(await records.verify()).toEqual([]);
    expect(lstatSync(join(directory, recordIn(tmp).fileName)).isFile()).toBe(true);
  });

  it("E08 logs no content", async () => {
    const { platform, logger, tmp, lines } = makeTemporaryMachine();
    const records = createDiscoveryRecords({ platform, logger });
    await records.write([recordIn(tmp)]);
    await records.remove();
    expect(lines.join("\n")).not.toContain("secret");
  });
});

describe("verify", () => {
  it("writes again what vanished, with its directories, and touches nothing while all is there", async () => {
    const { platform, logger, tmp } = makeTemporaryMachine();
    const records = createDiscoveryRecords({ platform, logger });
    await records.write([recordIn(tmp)]);
    const path = join(tmp, "gemini", "ide", recordIn(tmp).fileName);
    const inode = lstatSync(path).ino;
    await records.verify();
    expect(lstatSync(path).ino).toBe(inode);
    rmSync(join(tmp, "gemini"), { recursive: true });
    expect(await records.verify()).toEqual([]);
    expect(modeOf(path)).toBe(shownMode(0o600));
  });

  it("writes nothing before the first write and after the end", async () => {
    const { platform, logger, tmp } = makeTemporaryMachine();
    const records = createDiscoveryRecords({ platform, logger });
    await records.verify();
    await records.write([recordIn(tmp)]);
    await records.remove();
    await records.verify();
    expect(readdirSync(join(tmp, "gemini", "ide"))).toEqual([]);
  });

  it.skipIf(isMissing("permission bits"))("writes again what lost its privacy", async () => {
    const { platform, logger, tmp } = makeTemporaryMachine();
    const records = createDiscoveryRecords({ platform, logger });
    await records.write([recordIn(tmp)]);
    const path = join(tmp, "gemini", "ide", recordIn(tmp).fileName);
    chmodSync(path, 0o644);
    await records.verify();
    expect(modeOf(path)).toBe(shownMode(0o600));
  });
});

const racingOpens = `
const { parentPort, workerData } = require("node:worker_threads");
const fs = require("node:fs");
const { directory, stop, opened } = workerData;
const modes = new Set();
while (Atomics.load(stop, 0) === 0) {
  for (const name of fs.readdirSync(directory)) {
    try {
      const file = fs.openSync(directory + "/" + name, "r");
      modes.add(fs.fstatSync(file).mode & 0o777);
      fs.closeSync(file);
      Atomics.add(opened, 0, 1);
    } catch {}
  }
}
parentPort.postMessage([...modes]);
`;
