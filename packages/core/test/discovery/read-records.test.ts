import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryPlatform, createTestPlatform, type MemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { gemini } from "../../src/agents/gemini/agent.ts";
import { findRunningEditors } from "../../src/diagnosis/running-editors.ts";
import { readRecord, readTrustedRecords } from "../../src/discovery/read-records.ts";
import { findCompanions } from "../../src/hook-client/run-hook.ts";
import { createNodePlatform } from "../../src/platform/node.ts";
import { maximumRecordBytes } from "../../src/storage/claim.ts";

const stranger = 2_000;
const name = "gemini-ide-server-4000-4001.json";
const path = `/tmp/gemini/ide/${name}`;

/** A machine on which an editor of this user has left its record for Gemini CLI. */
function setUp(): MemoryPlatform {
  const platform = createMemoryPlatform();
  platform.files.addDirectory("/work");
  platform.files.addDirectory("/tmp/gemini/ide", { mode: 0o700 });
  platform.files.addFile(path, recordOf(platform, "own"), { mode: 0o600 });
  return platform;
}

const recordOf = ({ process }: MemoryPlatform, token: string): string =>
  JSON.stringify({ port: 4_001, workspacePath: "/work", authToken: token, patchbay: { pid: process.pid } });

/** To whom a hook would tell what is in the folder. */
const told = async (platform: MemoryPlatform): Promise<readonly string[]> =>
  (await findCompanions(platform, gemini, "/work")).map(({ token }) => token);

const seen = async (platform: MemoryPlatform): Promise<readonly (string | undefined)[]> =>
  (await findRunningEditors(platform)).flatMap(({ records }) => records.map(({ token }) => token));

describe("whoever reads records", () => {
  it("reads those of this user", async () => {
    expect(await told(setUp())).toEqual(["own"]);
    expect(await seen(setUp())).toEqual(["own"]);
  });

  it("believes none that a stranger swaps at any moment", async () => {
    for (const read of [told, seen]) {
      // One run tells how many steps there are; then the swap comes before each of them.
      const steps = await countSteps(read);
      expect(steps).toBeGreaterThan(3);
      for (let at = 1; at <= steps; at += 1) {
        const platform = setUp();
        let step = 0;
        platform.files.onBefore(() => {
          step += 1;
          if (step !== at) return;
          platform.files.vanish(path);
          platform.files.addFile(path, recordOf(platform, "theirs"), { uid: stranger });
        });
        expect(await read(platform), `step ${at}`).not.toContain("theirs");
      }
    }
  });

  it.each<readonly [string, (files: MemoryPlatform["files"]) => void]>([
    ["another user's directory", (files) => files.addDirectory("/tmp/gemini/ide", { uid: stranger, mode: 0o755 })],
    ["one below another user's", (files) => files.addDirectory("/tmp/gemini", { uid: stranger, mode: 0o755 })],
    ["one that others may write to", (files) => files.addDirectory("/tmp/gemini/ide", { mode: 0o777 })],
    ["one that a group may write to", (files) => files.addDirectory("/tmp/gemini", { mode: 0o770 })],
    ["a temporary directory in which all may rename", (files) => files.addDirectory("/tmp", { uid: 0, mode: 0o777 })],
    [
      "where a link leads",
      (files) => {
        files.addDirectory("/tmp/other/ide", { mode: 0o700 });
        files.addFile(`/tmp/other/ide/${name}`, recordOf(createMemoryPlatform(), "own"), { mode: 0o600 });
        files.vanish("/tmp/gemini");
        files.addLink("/tmp/gemini", "/tmp/other");
      },
    ],
  ])("tells nothing to a record in %s", async (_place, change) => {
    const platform = setUp();
    change(platform.files);
    expect(await told(platform)).toEqual([]);
    const records = (await findRunningEditors(platform)).flatMap((editor) => editor.records);
    expect(records.filter(({ isTrusted }) => isTrusted)).toEqual([]);
  });

  it("reads in a directory of the system's, and in a shared one that keeps what is whose", async () => {
    const platform = setUp();
    platform.files.addDirectory("/tmp/gemini", { uid: 0, mode: 0o1777 });
    expect(await told(platform)).toEqual(["own"]);
  });

  it("believes no record that others may write into", async () => {
    const platform = setUp();
    platform.files.addFile(path, recordOf(platform, "own"), { mode: 0o666 });
    expect(await told(platform)).toEqual([]);
  });

  it("asks no owner where the system has none", async () => {
    const platform = createMemoryPlatform({ uid: -1 });
    platform.files.addDirectory("/work");
    platform.files.addDirectory("/tmp/gemini/ide", { uid: 0, mode: 0o700 });
    platform.files.addFile(path, recordOf(platform, "own"), { uid: 0, mode: 0o600 });
    expect(await told(platform)).toEqual(["own"]);
  });
});

async function countSteps(read: (platform: MemoryPlatform) => Promise<unknown>): Promise<number> {
  const platform = setUp();
  let steps = 0;
  platform.files.onBefore(() => {
    steps += 1;
  });
  await read(platform);
  return steps;
}

describe("on a real disk", () => {
  function makeDirectory(): string {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-read-")));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    return root;
  }

  it("a pipe, a link, a directory and a text without end are no records", async () => {
    const root = makeDirectory();
    const platform = createNodePlatform();
    const record = join(root, "1.json");
    writeFileSync(record, "{}", { mode: 0o600 });
    symlinkSync(record, join(root, "2.json"));
    mkdirSync(join(root, "3.json"));
    writeFileSync(join(root, "4.json"), " ".repeat(maximumRecordBytes + 1));
    execFileSync("mkfifo", [join(root, "5.json")]);
    expect(await readRecord(platform, record)).toMatchObject({ path: record, text: "{}", facts: { mode: 0o600 } });
    for (const number of [2, 3, 4, 5, 6])
      expect(await readRecord(platform, join(root, `${number}.json`)), `${number}`).toBeUndefined();
  });

  it("a directory is looked at where its root really is", async () => {
    const platform = createTestPlatform();
    onTestFinished(() => platform.dispose());
    const elsewhere = makeDirectory();
    const root = join(platform.root, "linked");
    symlinkSync(elsewhere, root);
    mkdirSync(join(elsewhere, "ide"), { mode: 0o700 });
    writeFileSync(join(elsewhere, "ide", "1.lock"), "{}", { mode: 0o600 });
    const place = { root, directories: ["ide"], pattern: /\.lock$/u, isRead: true };
    const read = async (): Promise<readonly string[]> =>
      (await readTrustedRecords(platform, place)).map((one) => one.path);
    expect(await read()).toEqual([join(elsewhere, "ide", "1.lock")]);
    chmodSync(elsewhere, 0o777);
    expect(await read()).toEqual([]);
  });
});
