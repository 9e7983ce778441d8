import { createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { claude } from "../../src/agents/claude/agent.ts";
import type { Dialect, DiscoveryFacts } from "../../src/agents/dialect.ts";
import { gemini } from "../../src/agents/gemini/agent.ts";
import { qwen } from "../../src/agents/qwen/agent.ts";
import type { LocalSocketAddress } from "../../src/platform/platform.ts";

function factsOf(
  folders: readonly string[],
  changes: {
    readonly pids?: readonly number[];
    readonly inContainer?: boolean;
    readonly socket?: LocalSocketAddress;
  } = {},
): DiscoveryFacts {
  const platform = createMemoryPlatform({ pid: 11 });
  return {
    address: { kind: "tcp", port: 4321 },
    socket: changes.socket,
    token: "token",
    folders,
    realFolders: folders,
    identity: { name: "memory", displayName: "Memory", version: "1.0.0", pids: changes.pids ?? [11, 7] },
    platform,
    environment: (name) => platform.process.environment(name),
    temporaryDirectory: "/tmp",
    homeDirectory: "/home/user",
    inContainer: changes.inContainer ?? false,
  };
}

const workspacePath = (dialect: Dialect, folders: readonly string[]): unknown[] =>
  dialect
    .records(factsOf(folders))
    .map((record): unknown => Reflect.get(Object(JSON.parse(record.content)), "workspacePath"));

describe("discovery records", () => {
  it("name all roots, with spaces and percent signs as they are", () => {
    const folders = ["/ws/a b", "/ws/100%25"];
    expect(workspacePath(gemini, folders)).toEqual(["/ws/a b:/ws/100%25", "/ws/a b:/ws/100%25"]);
    expect(new Set(workspacePath(qwen, folders))).toEqual(new Set(["/ws/a b:/ws/100%25"]));
  });

  it("keep a root whole that has the delimiter in its name", () => {
    const folders = ["/ws/a:b", "/ws/c"];
    expect(workspacePath(gemini, folders)[0]).toBe("/ws/a%3Ab:/ws/c");
    expect(workspacePath(qwen, folders)[0]).toBe('["/ws/a:b","/ws/c"]');
    expect(gemini.environment(factsOf(folders))).toMatchObject({ GEMINI_CLI_IDE_WORKSPACE_PATH: "/ws/a%3Ab:/ws/c" });
    expect(qwen.environment(factsOf(folders))).toMatchObject({
      QWEN_CODE_IDE_WORKSPACE_PATH: '["/ws/a:b","/ws/c"]',
    });
  });

  it("without a folder, only Claude's record is written: an empty path would match every directory of the others", () => {
    expect(gemini.records(factsOf([]))).toEqual([]);
    expect(qwen.records(factsOf([]))).toEqual([]);
    expect(claude.records(factsOf([])).map((record) => JSON.parse(record.content))).toMatchObject([
      { workspaceFolders: [], transport: "ws" },
    ]);
    expect(gemini.environment(factsOf([]))).toEqual({});
    expect(qwen.environment(factsOf([]))).toEqual({});
  });

  it("in a container have Gemini CLI look beside itself, and not on the container's host", () => {
    expect(gemini.environment(factsOf(["/ws"], { inContainer: true }))).toMatchObject({ REMOTE_CONTAINERS: "true" });
    expect(gemini.environment(factsOf(["/ws"]))).not.toHaveProperty("REMOTE_CONTAINERS");
  });

  it("stand under every announced process, and under our own where none is", () => {
    const names = (pids: readonly number[]): readonly string[] =>
      gemini.records(factsOf(["/ws"], { pids })).map((record) => record.fileName);
    expect(names([11, 7, 7, 0])).toEqual(["gemini-ide-server-11-4321.json", "gemini-ide-server-7-4321.json"]);
    expect(names([])).toEqual(["gemini-ide-server-11-4321.json"]);
  });
});
