import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestPlatform, type TestPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { claude } from "../../src/agents/claude/agent.ts";
import { gemini } from "../../src/agents/gemini/agent.ts";
import { findCompanions } from "../../src/hook-client/run-hook.ts";

function setUp(environment: Readonly<Record<string, string>> = {}): TestPlatform {
  const platform = createTestPlatform({ environment });
  onTestFinished(() => platform.dispose());
  return platform;
}

/** A lock as Patchbay writes it for Claude Code. */
function writeLock(platform: TestPlatform, port: number, folder: string, changes: object = {}): string {
  const directory = join(platform.home, ".claude", "ide");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `${port}.lock`);
  const record = {
    workspaceFolders: [folder],
    authToken: `token-${port}`,
    patchbay: { pid: platform.process.pid },
    ...changes,
  };
  writeFileSync(path, JSON.stringify(record), { mode: 0o600 });
  return path;
}

const portsOf = async (platform: TestPlatform, folder: string = platform.workspace): Promise<readonly number[]> =>
  (await findCompanions(platform, claude, folder)).map(({ port }) => port);

describe("a hook looks for a companion", () => {
  it("in none of the places where there are no records", async () => {
    expect(await portsOf(setUp())).toEqual([]);
  });

  it("that serves the folder, the nearest first", async () => {
    const platform = setUp();
    const inner = join(platform.workspace, "inner");
    mkdirSync(inner);
    writeLock(platform, 4_001, platform.workspace);
    writeLock(platform, 4_002, inner);
    writeLock(platform, 4_003, join(platform.root, "work"));
    writeLock(platform, 4_004, platform.root);
    expect(await portsOf(platform, inner)).toEqual([4_002, 4_001, 4_004]);
    expect(await portsOf(platform)).toEqual([4_001, 4_004]);
  });

  it.each(["4004", "0.4004e4"])("first at the port that its terminal names: %s", async (named) => {
    const platform = setUp({ CLAUDE_CODE_SSE_PORT: named });
    writeLock(platform, 4_001, platform.workspace);
    writeLock(platform, 4_004, platform.root);
    expect(await portsOf(platform)).toEqual([4_004, 4_001]);
  });

  it("of Patchbay that has not ended, in a file of this user", async () => {
    const platform = setUp();
    const { workspace } = platform;
    writeLock(platform, 4_001, workspace, { patchbay: undefined });
    writeLock(platform, 4_002, workspace, { patchbay: { pid: 2 ** 22 - 1 } });
    writeLock(platform, 4_003, workspace, { patchbay: { pid: platform.process.pid, start: "earlier" } });
    writeLock(platform, 4_004, workspace, { authToken: "" });
    writeLock(platform, 4_005, workspace, { workspaceFolders: undefined });
    const elsewhere = writeLock(platform, 4_006, workspace);
    symlinkSync(elsewhere, join(platform.home, ".claude", "ide", "4007.lock"));
    writeFileSync(join(platform.home, ".claude", "ide", "4008.lock"), "{");
    expect(await portsOf(platform)).toEqual([4_006]);
    const others = { ...platform, process: { ...platform.process, uid: platform.process.uid + 1 } };
    expect(await findCompanions(others, claude, workspace)).toEqual([]);
  });

  it("in folders that Gemini CLI's records encode", async () => {
    const platform = setUp();
    const folder = join(platform.workspace, "a:b");
    mkdirSync(folder);
    const directory = join(platform.tmp, "gemini", "ide");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const record = {
      port: 4_001,
      workspacePath: `/elsewhere:${folder.replace(":", "%3A")}`,
      authToken: "token",
      patchbay: { pid: platform.process.pid },
    };
    writeFileSync(join(directory, "gemini-ide-server-1-4001.json"), JSON.stringify(record), { mode: 0o600 });
    expect(await findCompanions(platform, gemini, folder)).toMatchObject([{ port: 4_001, token: "token" }]);
    expect(await findCompanions(platform, gemini, platform.workspace)).toEqual([]);
  });
});
