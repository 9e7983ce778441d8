import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDiscoveryRecords } from "../../src/discovery/discovery-records.ts";
import { createNodeFiles } from "../../src/platform/node-files.ts";
import { makeTemporaryMachine, recordIn, type TemporaryMachine } from "../storage/temporary-machine.ts";

const endedPid = 2 ** 31 - 1;

async function startProcess(): Promise<{ child: ChildProcess; pid: number }> {
  const child = spawn(process.execPath, ["-e", "process.stdout.write('up'); setInterval(() => {}, 1000)"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return { child, pid: child.pid ?? 0 };
}

function placeFor({ tmp }: TemporaryMachine): string {
  const directory = join(tmp, "gemini", "ide");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

async function sweep(machine: TemporaryMachine, owner?: string): Promise<void> {
  const { platform, logger, tmp } = machine;
  const records = createDiscoveryRecords({ platform, logger, ...(owner === undefined ? {} : { owner }) });
  await records.sweepStale([recordIn(tmp), recordIn(tmp, { fileName: "same-place.json" })]);
}

describe("sweeping at start", () => {
  it("E05 removes the record of a run that was killed, not that of a run that lives", async () => {
    const machine = makeTemporaryMachine();
    const module = (path: string): string => JSON.stringify(import.meta.resolve(`../../src/${path}`));
    const child = spawn(process.execPath, [
      "--input-type=module",
      "-e",
      `import { createDiscoveryRecords } from ${module("discovery/discovery-records.ts")};
      import { createNodePlatform } from ${module("platform/node.ts")};
      import { nullLogger } from ${module("support/logger.ts")};
      const records = createDiscoveryRecords({ platform: createNodePlatform(), logger: nullLogger });
      console.log(JSON.stringify(await records.write([${JSON.stringify(recordIn(machine.tmp))}])));
      setInterval(() => {}, 1000);`,
    ]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const [output] = await once(child.stdout, "data");
    expect(String(output).trim()).toBe("[]");
    const directory = placeFor(machine);
    await sweep(machine);
    expect(readdirSync(directory)).toEqual([recordIn(machine.tmp).fileName]);
    child.kill("SIGKILL");
    await once(child, "exit");
    await sweep(machine);
    expect(readdirSync(directory)).toEqual([]);
  });

  it.skipIf(isMissing("facts about processes"))(
    "E05 removes the record of an earlier process that had the id of a living one",
    async () => {
      const machine = makeTemporaryMachine();
      const directory = placeFor(machine);
      const { pid } = await startProcess();
      writeFileSync(join(directory, "1.lock"), JSON.stringify({ patchbay: { pid, start: "another boot-1" } }));
      await sweep(machine);
      expect(readdirSync(directory)).toEqual([]);
    },
  );

  it("removes what an earlier process of the same editor left, even while that process lives", async () => {
    const machine = makeTemporaryMachine();
    const directory = placeFor(machine);
    const { pid } = await startProcess();
    const start = await machine.platform.process.startMark(pid);
    for (const editor of ["vim-1", "vim-2"]) {
      writeFileSync(join(directory, `${editor}.json`), JSON.stringify({ patchbay: { pid, start, editor } }));
    }
    await sweep(machine, "vim-1");
    expect(readdirSync(directory)).toEqual(["vim-2.json"]);
  });

  it("keeps its own process's records: one backend may serve several workspaces", async () => {
    const machine = makeTemporaryMachine();
    const { platform, logger, tmp } = machine;
    await createDiscoveryRecords({ platform, logger, owner: "backend" }).write([recordIn(tmp)]);
    await sweep(machine, "backend");
    expect(readdirSync(placeFor(machine))).toHaveLength(1);
  });

  it("touches no file of another companion, no unreadable one and nothing through a link", async () => {
    const machine = makeTemporaryMachine();
    const directory = placeFor(machine);
    const ended = JSON.stringify({ patchbay: { pid: endedPid } });
    const outside = join(machine.home, "outside.json");
    writeFileSync(outside, ended);
    symlinkSync(outside, join(directory, "link.json"));
    writeFileSync(join(directory, "official.json"), JSON.stringify({ port: 1, pid: endedPid }));
    writeFileSync(join(directory, "broken.json"), '{"patchbay":');
    writeFileSync(join(directory, "not-utf8.json"), Buffer.from([0xff, 0xfe, 0x7b]));
    writeFileSync(join(directory, "other.txt"), ended);
    mkdirSync(join(directory, "directory.json"));
    const before = readdirSync(directory);
    await sweep(machine);
    expect(readdirSync(directory)).toEqual(before);
    expect(existsSync(outside)).toBe(true);
  });

  it.skipIf(isMissing("named pipes as files"))("does not wait for a pipe that nobody writes to", async () => {
    const machine = makeTemporaryMachine();
    const directory = placeFor(machine);
    const made = spawn("mkfifo", [join(directory, "pipe.json")]);
    const [code] = await once(made, "exit");
    expect(code).toBe(0);
    await sweep(machine);
    expect(readdirSync(directory)).toEqual(["pipe.json"]);
  });

  it("removes temporary files of ended processes and forgotten ones, not those being written", async () => {
    const machine = makeTemporaryMachine();
    const directory = placeFor(machine);
    const name = (pid: number): string => `.patchbay-${pid}-${"a".repeat(22)}.tmp`;
    const { pid } = await startProcess();
    for (const each of [endedPid, process.pid, pid]) writeFileSync(join(directory, name(each)), "token");
    utimesSync(join(directory, name(pid)), new Date(), new Date(Date.now() - 7_200_000));
    writeFileSync(join(directory, ".patchbay-notes"), "not ours");
    await sweep(machine);
    expect(readdirSync(directory).sort()).toEqual([name(process.pid), ".patchbay-notes"].sort());
  });

  it.skipIf(isMissing("permission bits"))(
    "looks into no directory that others may write to, and makes none",
    async () => {
      const machine = makeTemporaryMachine();
      await sweep(machine);
      expect(readdirSync(machine.tmp)).toEqual([]);
      const directory = placeFor(machine);
      writeFileSync(join(directory, "1.json"), JSON.stringify({ patchbay: { pid: endedPid } }));
      chmodSync(directory, 0o777);
      await sweep(machine);
      expect(readdirSync(directory)).toEqual(["1.json"]);
    },
  );

  it("goes on after a file that cannot be removed", async () => {
    const machine = makeTemporaryMachine({
      files: {
        readText: async (path, limit) => {
          if (path.endsWith("1.json")) throw Object.assign(new Error("EIO: input/output error"), { code: "EIO" });
          return await createNodeFiles().readText(path, limit);
        },
      },
    });
    const directory = placeFor(machine);
    const text = JSON.stringify({ patchbay: { pid: endedPid } });
    for (const name of ["1.json", "2.json"]) writeFileSync(join(directory, name), text);
    await sweep(machine);
    expect(readdirSync(directory)).toEqual(["1.json"]);
    expect(machine.lines.filter((line) => line.startsWith("warn"))).toHaveLength(1);
  });
});
