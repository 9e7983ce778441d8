import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AgentId, agentOf, createCompanion } from "@patchbay/core";
import { createMemoryEditor, createTestPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ForegroundEnd, ForegroundProgram } from "../../src/run/foreground.ts";
import { runAgent } from "../../src/run/run-agent.ts";

interface SetUp {
  readonly installed?: boolean;
  readonly end?: ForegroundEnd;
  readonly during?: (program: ForegroundProgram) => void;
}

function setUp({ installed = true, end = { code: 0 }, during }: SetUp = {}) {
  const platform = createTestPlatform({ environment: {} });
  onTestFinished(() => platform.dispose());
  const bin = join(platform.root, "bin");
  mkdirSync(bin);
  const variables: Record<string, string> = { PATH: bin, MINE: "1" };
  const machine = {
    ...platform,
    process: { ...platform.process, environment: (name: string) => variables[name] },
  };
  const told: string[] = [];
  const started: ForegroundProgram[] = [];
  const run = async (agent: AgentId, ...args: readonly string[]): Promise<number> => {
    const program = join(bin, agentOf(agent).program.command);
    if (installed) {
      writeFileSync(program, "#!/bin/sh\n");
      chmodSync(program, 0o755);
    }
    return await runAgent({
      command: { kind: "run", agent, folder: platform.workspace, args },
      platform: machine,
      environment: variables,
      tell: (line) => void told.push(line),
      run: async (started_) => {
        started.push(started_);
        during?.(started_);
        return end;
      },
    });
  };
  const open = async () => {
    const identity = { name: "editor", displayName: "My Editor" };
    const host = createMemoryEditor({ folders: [platform.workspace], identity });
    const companion = createCompanion({ host, platform });
    await companion.start();
    onTestFinished(() => companion.stop());
    return companion;
  };
  return { platform, run, open, told, started, variables };
}

describe.skipIf(process.platform === "win32")("patchbay run", () => {
  it("starts the agent with what the editor puts into its own terminals, and gives its exit code", async () => {
    const { run, open, told, started } = setUp({ end: { code: 3 } });
    const { environment, state } = await open();
    expect(await run("claude", "--model", "opus")).toBe(3);
    expect(started).toMatchObject([
      {
        program: "claude",
        args: ["--permission-mode", "manual", "--model", "opus"],
        environment: { MINE: "1", ENABLE_IDE_INTEGRATION: environment["ENABLE_IDE_INTEGRATION"] },
      },
    ]);
    // Plain, as also its older versions read it.
    const port = state.kind === "listening" ? state.port : 0;
    expect(started[0]?.environment["CLAUDE_CODE_SSE_PORT"]).toBe(String(port));
    expect(started[0]?.environment).not.toHaveProperty("GEMINI_CLI_IDE_SERVER_PORT");
    expect(told).toEqual([expect.stringMatching(/^Claude Code connects to My Editor \(port \d+\)\.$/u)]);
  });

  it("has an agent connect whose variable in this terminal says that it should not", async () => {
    const { run, open, told, started, variables } = setUp();
    variables["CLAUDE_CODE_AUTO_CONNECT_IDE"] = "false";
    await open();
    await run("claude");
    expect(started[0]?.environment).toMatchObject({ CLAUDE_CODE_AUTO_CONNECT_IDE: "true" });
    expect(told).toEqual([expect.stringMatching(/^Claude Code connects to My Editor/u)]);
  });

  it("does not say that an agent connects whose settings say that it should not", async () => {
    const { platform, run, open, told } = setUp();
    const settings = join(platform.home, ".claude", "settings.json");
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, '{ "env": { "CLAUDE_CODE_AUTO_CONNECT_IDE": "false" } }');
    await open();
    await run("claude");
    expect(told.join("\n")).toContain("Claude Code connects to no editor by itself");
    expect(told.join("\n")).not.toContain("connects to My Editor");
  });

  it("gives defaults to an agent that takes them, for as long as it runs", async () => {
    let file = "";
    let held: unknown;
    const { run, open } = setUp({
      during: ({ environment }) => {
        file = environment["QWEN_CODE_SYSTEM_DEFAULTS_PATH"] ?? "";
        held = JSON.parse(readFileSync(file, "utf8"));
      },
    });
    await open();
    expect(await run("qwen")).toBe(0);
    expect(held).toEqual({ ide: { enabled: true, hasSeenNudge: true } });
    expect(existsSync(dirname(file))).toBe(false);
  });

  it("starts nothing where nobody would review, and says what to do", async () => {
    const { platform, run, told, started } = setUp();
    expect(await run("gemini")).toBe(1);
    expect(started).toEqual([]);
    expect(told.join("\n")).toContain(`No running editor has ${platform.workspace} open`);
    expect(told.join("\n")).toContain(`patchbay serve ${platform.workspace}`);
  });

  it("starts no agent whose own files have it look where the editor is not, and says how to see why", async () => {
    const { platform, run, open, told, started } = setUp();
    await open();
    const file = join(platform.home, ".qwen", ".env");
    writeFileSync(file, "QWEN_HOME=~/elsewhere\n");
    expect(await run("qwen")).toBe(1);
    expect(started).toEqual([]);
    expect(told[0]).toMatch(/^Qwen Code does not find My Editor \(port \d+\), which has /u);
    expect(told[1]).toContain(`patchbay doctor --agent qwen ${platform.workspace}`);
    // The others find it.
    expect(await run("claude")).toBe(0);
    rmSync(file);
    expect(await run("qwen")).toBe(0);
  });

  it("does not say that an agent connects that cannot read its settings", async () => {
    const { platform, run, open, told } = setUp();
    await open();
    writeFileSync(join(platform.home, ".qwen", "settings.json"), "{ nonsense");
    await run("qwen");
    expect(told).toEqual([expect.stringMatching(/settings\.json is not valid JSON, so Qwen Code cannot use it/u)]);
  });

  it("says how to get an agent that is not installed", async () => {
    const { run, open, told, started } = setUp({ installed: false });
    await open();
    expect(await run("gemini")).toBe(127);
    expect(started).toEqual([]);
    expect(told.join("\n")).toContain("npm install --global @google/gemini-cli");
  });

  it("says so where a mode of the user's asks nobody, in one line", async () => {
    const { run, open, told, started } = setUp();
    await open();
    await run("qwen", "--yolo");
    expect(started).toMatchObject([{ args: ["--yolo"] }]);
    expect(told).toHaveLength(2);
    expect(told[0]).toMatch(/"--yolo".*patchbay hook install qwen$/u);
  });

  it("says of an agent without its plugin, or that leaves it alone, that nothing is reviewed, and that it connects", async () => {
    const { run, open, told, started } = setUp();
    await open();
    await run("opencode", "--pure");
    expect(started).toMatchObject([{ args: ["--pure"] }]);
    expect(told).toEqual([
      expect.stringContaining("Changes by opencode are not shown in an editor"),
      expect.stringContaining("patchbay hook install opencode"),
      'With "--pure" opencode does without its hook, so you review nothing.',
      expect.stringMatching(/^opencode connects to My Editor/u),
    ]);
  });

  it("says what to type to an agent that was told to leave editors alone", async () => {
    const { platform, run, open, told } = setUp();
    await open();
    mkdirSync(join(platform.home, ".gemini"));
    writeFileSync(join(platform.home, ".gemini", "settings.json"), '{"ide":{"enabled":false}}');
    await run("gemini");
    expect(told.join("\n")).toMatch(/IDE mode is off[\s\S]*\/ide enable/u);
  });
});
