import { createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { claudeChecks } from "../../src/agents/claude/behaviour.ts";
import type { ReadRecord } from "../../src/agents/choice.ts";

/** The doctor (4000) in a terminal of the editor 100; beside it runs the editor 500. All have `/w` open. */
function terminal(environment: Readonly<Record<string, string>>) {
  const platform = createMemoryPlatform({ pid: 4000, ppid: 300, environment });
  platform.process.run(100, 1);
  platform.process.run(300, 100);
  platform.process.run(500, 1);
  return platform;
}

const editor = (pid: number, port: number): ReadRecord => ({
  path: `/home/user/.claude/ide/${port}.lock`,
  port,
  folders: ["/w"],
  pid,
  modifiedMs: 0,
});
const [own, other] = [editor(100, 1001), editor(500, 1005)];

/** What Claude Code takes of these, in a terminal with these variables. */
async function choice(environment: Readonly<Record<string, string>>, ...records: readonly ReadRecord[]) {
  const platform = terminal(environment);
  const { connectsByItself, editorTerminal } = await claudeChecks.readSettings({ platform, folder: "/w" });
  const text = environment["CLAUDE_CODE_SSE_PORT"];
  const namedPort = text === undefined ? undefined : claudeChecks.readPort?.(text);
  return await claudeChecks.choose(records, { platform, folder: "/w", namedPort, connectsByItself, editorTerminal });
}

// Each as the real agent, 2.1.328, met it (tooling/e2e/src/doctor-situations.ts).
describe("the port variable of Claude Code", () => {
  it.each([
    ["9", 9],
    ["9abc", 9],
    ["9.5", 9],
    [" 9", 9],
    ["+9", 9],
    ["09", 9],
    ["0x9", 0],
    ["0.43255e5", 43_255],
    [" .43255E+5", 43_255],
    ["43255.e0", 43_255],
    ["0.43255e4", undefined],
    ["0,043,255", 43_255],
    ["0_043_255", 43_255],
    ["43,255", 43_255],
    ["0,043 255", 0],
    ["43,2555", 43],
    ["abc", undefined],
    ["Infinity", undefined],
  ])("%j is %j", (text, port) => {
    expect(claudeChecks.readPort?.(text)).toBe(port);
  });

  it("has it connect to the only editor of the folder, whatever number it is", async () => {
    expect(await choice({ CLAUDE_CODE_SSE_PORT: "0x9" }, other)).toMatchObject({ kind: "takes" });
    expect(await choice({ CLAUDE_CODE_SSE_PORT: "abc" }, other)).toMatchObject({ kind: "waits" });
  });
});

describe("a terminal that Claude Code takes for an editor's own", () => {
  const variables: readonly (readonly [variable: string, value: string])[] = [
    ["TERM_PROGRAM", "vscode"],
    ["TERM_PROGRAM", "cursor"],
    ["TERM_PROGRAM", "windsurf"],
    ["TERM_PROGRAM", "devin"],
    ["TERMINAL_EMULATOR", "JetBrains-JediTerm"],
    ["CURSOR_TRACE_ID", "1"],
    ["VSCODE_GIT_ASKPASS_MAIN", "/home/user/.cursor-server/askpass-main.js"],
    ["VSCODE_GIT_ASKPASS_MAIN", "/home/user/.windsurf-server/askpass-main.js"],
    ["VSCODE_GIT_ASKPASS_MAIN", "/Applications/Cursor.app/askpass-main.js"],
    ["FORCE_CODE_TERMINAL", "0"],
  ];

  it.each(variables)("by %s=%s has it connect to that editor alone", async (variable, value) => {
    expect(await choice({ [variable]: value }, own)).toMatchObject({ kind: "takes", ranked: [{ record: own }] });
    expect(await choice({ [variable]: value }, other)).toEqual({ kind: "other-terminal", record: other, variable });
    expect(await choice({ [variable]: value }, other, own)).toMatchObject({ kind: "takes", ranked: [{ record: own }] });
  });

  it("leaves it to the port to name another one, if somebody has that port", async () => {
    const named = { TERM_PROGRAM: "vscode", CLAUDE_CODE_SSE_PORT: "1005" };
    expect(await choice(named, other)).toMatchObject({ kind: "takes", ranked: [{ because: "port-variable" }] });
    expect(await choice({ ...named, CLAUDE_CODE_SSE_PORT: "9" }, other)).toMatchObject({ kind: "other-terminal" });
    const told = { TERM_PROGRAM: "vscode", CLAUDE_CODE_AUTO_CONNECT_IDE: "true" };
    expect(await choice(told, other)).toMatchObject({ kind: "other-terminal" });
  });

  it.each([
    ["TERM_PROGRAM", "VSCODE"],
    ["TERM_PROGRAM", "zed"],
    ["TERM_PROGRAM", "codium"],
    ["TERMINAL_EMULATOR", "pycharm"],
    ["TERMINAL_EMULATOR", "jetbrains"],
    ["VSCODE_GIT_ASKPASS_MAIN", "/home/user/.vscode-server/askpass-main.js"],
    ["VSCODE_GIT_ASKPASS_MAIN", "/usr/lib/code/askpass-main.js"],
    ["VSCODE_PID", "1"],
    ["ENABLE_IDE_INTEGRATION", "true"],
  ])("it is not by %s=%s", async (variable, value) => {
    expect(await choice({ [variable]: value }, own)).toMatchObject({ kind: "waits" });
  });
});
