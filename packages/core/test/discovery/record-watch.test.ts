import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDiscoveryRecords, type WriteProblem } from "../../src/discovery/discovery-records.ts";
import { nullLogger } from "../../src/support/logger.ts";
import { makeTemporaryMachine, recordIn } from "../storage/temporary-machine.ts";

const path = "/tmp/gemini/ide/gemini-ide-server-1-2.json";

async function keepInMemory(canWatch = true) {
  const platform = createMemoryPlatform();
  platform.files.canWatch = canWatch;
  const records = createDiscoveryRecords({ platform, logger: nullLogger });
  const heard: (readonly WriteProblem[])[] = [];
  await records.write([recordIn("/tmp")]);
  await records.keep((problems) => heard.push(problems));
  return { platform, records, heard };
}

describe("records that a cleaner deleted", () => {
  it.each([
    ["the file", ["gemini", "ide", "gemini-ide-server-1-2.json"]],
    ["its directory", ["gemini", "ide"]],
    ["the directory above", ["gemini"]],
  ])("are written again within five seconds, also while nothing else happens: %s", async (_what, below) => {
    const { platform, logger, tmp } = makeTemporaryMachine();
    const records = createDiscoveryRecords({ platform, logger });
    onTestFinished(() => records.remove());
    await records.write([recordIn(tmp)]);
    await records.keep(() => {});
    const file = join(tmp, "gemini", "ide", "gemini-ide-server-1-2.json");
    // Twice: what is watched after the first time is another directory.
    for (const _round of ["first", "second"]) {
      rmSync(join(tmp, ...below), { recursive: true });
      await expect.poll(() => existsSync(file), { timeout: 5_000 }).toBe(true);
    }
  });

  it("cost nothing while nothing happens: no timer stands", async () => {
    const { platform, records } = await keepInMemory();
    await platform.clock.advanceAsync(10_000);
    expect(platform.clock.pending).toBe(0);
    platform.files.vanish(path);
    await platform.clock.advanceAsync(5_000);
    expect(platform.files.paths).toContain(path);
    await platform.clock.advanceAsync(10_000);
    expect(platform.clock.pending).toBe(0);
    await records.remove();
  });

  it("are found missing where nothing tells of changes, too", async () => {
    const { platform, records } = await keepInMemory(false);
    platform.files.vanish("/tmp/gemini");
    await platform.clock.advanceAsync(5_000);
    expect(platform.files.paths).toContain(path);
    await records.remove();
    expect(platform.clock.pending).toBe(0);
  });

  it("are watched in a directory that came to be only later", async () => {
    const { platform, records } = await keepInMemory();
    const later = recordIn("/tmp", { directories: ["qwen", "ide"] });
    await records.write([later]);
    platform.files.vanish("/tmp/qwen");
    await platform.clock.advanceAsync(5_000);
    expect(platform.files.paths).toContain("/tmp/qwen/ide/gemini-ide-server-1-2.json");
  });

  it("stay away after the end", async () => {
    const { platform, records } = await keepInMemory();
    await records.remove();
    await records.keep(() => {});
    platform.files.vanish("/tmp/gemini");
    await platform.clock.advanceAsync(5_000);
    expect(platform.files.paths).not.toContain(path);
  });

  it("are not fought for where they cannot be written: the user is told, once for each time", async () => {
    const { platform, heard } = await keepInMemory();
    platform.files.vanish(path);
    platform.files.addDirectory(path);
    await platform.clock.advanceAsync(30_000);
    expect(heard).toHaveLength(1);
    expect(heard[0]?.[0]?.message).toContain("could not be written");
    expect(platform.clock.pending).toBe(0);
  });
});
