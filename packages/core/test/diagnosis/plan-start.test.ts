import { createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import type { AgentId } from "../../src/agents/catalogue.ts";
import { planStart, type StartPlan } from "../../src/diagnosis/plan-start.ts";

const folder = "/project/app";
const node = "/usr/bin/node";
const script = "/opt/patchbay/patchbay-hook.cjs";

function setUp(files: Readonly<Record<string, string>> = {}, environment: Readonly<Record<string, string>> = {}) {
  const platform = createMemoryPlatform({ environment });
  for (const [path, text] of Object.entries(files))
    platform.files.addFile(path, text, { mode: path === node ? 0o755 : 0o644 });
  return (agent: AgentId, ...args: readonly string[]): Promise<StartPlan> =>
    planStart(platform, { agent, folder, args });
}

const events: Readonly<Partial<Record<AgentId, readonly string[]>>> = {
  gemini: ["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "SessionStart", "SessionEnd"],
  qwen: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"],
  claude: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"],
  copilot: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"],
  // It has a file of ours in place of entries.
  codex: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"],
  pi: [],
};

function hooked(agent: AgentId): Readonly<Record<string, string>> {
  const group = { hooks: [{ type: "command", command: `${node} ${script} ${agent}` }] };
  const hooks = Object.fromEntries((events[agent] ?? []).map((event) => [event, [group]]));
  return { [`/home/user/.${agent}/settings.json`]: JSON.stringify({ hooks }), [node]: "", [script]: "" };
}

describe("the start of an agent", () => {
  it("is in the mode that asks, before the user's own arguments", async () => {
    const start = setUp();
    expect(await start("claude", "--model", "opus")).toMatchObject({
      args: ["--permission-mode", "manual", "--model", "opus"],
      unreviewedBy: undefined,
      isUntold: false,
    });
    expect((await start("qwen")).args).toEqual(["--approval-mode", "default"]);
  });

  it.each<[AgentId, readonly string[], string | undefined]>([
    ["gemini", ["--approval-mode", "plan"], undefined],
    ["gemini", ["--approval-mode=yolo"], "--approval-mode=yolo"],
    ["gemini", ["--approval-mode", "auto_edit"], "--approval-mode auto_edit"],
    ["gemini", ["-m", "x", "-y"], "-y"],
    ["gemini", ["-p", "do it"], "-p"],
    ["qwen", ["do it"], "do it"],
    ["claude", ["--permission-mode", "default"], undefined],
    ["claude", ["--dangerously-skip-permissions"], "--dangerously-skip-permissions"],
    ["claude", ["--print", "do it"], "--print"],
  ])("of %s with %j leaves the mode to the user, and says where nobody is asked", async (agent, args, unreviewedBy) => {
    const files = { "/home/user/.gemini/settings.json": '{"ide":{"enabled":true}}' };
    expect(await setUp(files)(agent, ...args)).toMatchObject({ args, unreviewedBy });
    expect(await setUp({ ...files, ...hooked(agent) })(agent, ...args)).toMatchObject({ unreviewedBy: undefined });
  });

  it("is in the user's own mode where the hook reviews in every mode", async () => {
    expect((await setUp(hooked("claude"))("claude")).args).toEqual([]);
    // What it runs is gone: it reviews nothing.
    const { [script]: _gone, ...broken } = hooked("claude");
    expect((await setUp(broken)("claude")).args).toEqual(["--permission-mode", "manual"]);
  });

  it("is in the mode that asks where the user has it do without its hook, and says where there is none", async () => {
    expect(await setUp(hooked("claude"))("claude", "--bare")).toMatchObject({
      args: ["--permission-mode", "manual", "--bare"],
      hooklessBy: undefined,
    });
    for (const [agent, argument] of [
      ["opencode", "--pure"],
      ["kilo", "--pure"],
      ["pi", "-ne"],
    ] as const) {
      expect(await setUp()(agent, argument)).toMatchObject({ args: [argument], hooklessBy: argument });
      expect((await setUp()(agent, "--", argument)).hooklessBy).toBeUndefined();
      expect((await setUp()(agent)).hooklessBy).toBeUndefined();
    }
  });

  it("names the hook that is not installed where nothing else shows changes", async () => {
    const code = "hook-not-installed";
    expect((await setUp()("kilo")).findings).toEqual([{ code, level: "hint", agents: ["kilo"], values: {} }]);
    expect((await setUp()("pi")).findings).toMatchObject([{ code, level: "problem" }]);
    expect((await setUp()("claude")).findings).toEqual([]);
  });

  it("names settings that are no JSON, by which it ends or asks what to do", async () => {
    const file = "/home/user/.qwen/settings.json";
    expect((await setUp({ [file]: "{ nonsense" })("qwen")).findings).toEqual([
      { code: "settings-not-json", level: "problem", agents: ["qwen"], values: { file } },
    ]);
  });

  it("has Qwen Code's defaults below those that its user's own .env names", async () => {
    const start = setUp({
      "/home/user/.qwen/.env": "QWEN_CODE_SYSTEM_DEFAULTS_PATH=/etc/own.json",
      "/etc/own.json": '{ "ui": { "theme": "Own" } }',
    });
    const { defaults } = await start("qwen");
    expect(JSON.parse(defaults?.text ?? "")).toEqual({
      ui: { theme: "Own" },
      ide: { enabled: true, hasSeenNudge: true },
    });
  });

  it("takes what stands behind -- for text", async () => {
    expect(await setUp()("claude", "--", "-p")).toMatchObject({
      args: ["--permission-mode", "manual", "--", "-p"],
      unreviewedBy: undefined,
    });
  });

  it("turns on the IDE mode of an agent that nobody has told, unless the user has a prompt of their own", async () => {
    const mode = ["--approval-mode", "default"];
    expect(await setUp()("gemini")).toMatchObject({ args: [...mode, "-i", "/ide enable"], isUntold: false });
    expect(await setUp()("gemini", "fix it")).toMatchObject({ args: [...mode, "fix it"], isUntold: true });
    expect(await setUp()("gemini", "-i", "fix it")).toMatchObject({ isUntold: true });
    // The value of an option that is known is no prompt.
    expect(await setUp()("gemini", "--approval-mode", "yolo")).toMatchObject({
      args: ["-i", "/ide enable", "--approval-mode", "yolo"],
    });
    const told = setUp({ "/home/user/.gemini/settings.json": '{"ide":{"enabled":true}}' });
    expect(await told("gemini")).toMatchObject({ args: mode, isUntold: false, findings: [] });
  });

  it("leaves an IDE mode off that the user has turned off, and says so", async () => {
    const file = "/home/user/.gemini/settings.json";
    const plan = await setUp({ [file]: '{"ide":{"enabled":false}}' })("gemini");
    expect(plan.args).toEqual(["--approval-mode", "default"]);
    expect(plan.findings).toMatchObject([{ code: "editor-mode-off", values: { file } }]);
  });

  it("has defaults below all settings, with the administrator's own in them", async () => {
    const variable = "QWEN_CODE_SYSTEM_DEFAULTS_PATH";
    const defaultsOf = async (text?: string, environment = {}, path = "/etc/qwen-code/system-defaults.json") =>
      (await setUp(text === undefined ? {} : { [path]: text }, environment)("qwen")).defaults;
    const ide = { enabled: true, hasSeenNudge: true };
    const parsed = (found: StartPlan["defaults"]): unknown => JSON.parse(found?.text ?? "null");
    expect((await defaultsOf())?.variable).toBe(variable);
    expect(parsed(await defaultsOf())).toEqual({ ide });
    expect(parsed(await defaultsOf('{"a":1, /* b */ "ide":{"enabled":false}}'))).toEqual({
      a: 1,
      ide: { enabled: false, hasSeenNudge: true },
    });
    const elsewhere = "/srv/defaults.json";
    expect(parsed(await defaultsOf('{"a":2}', { [variable]: elsewhere }, elsewhere))).toEqual({ a: 2, ide });
    expect(await defaultsOf("not JSON")).toBeUndefined();
    expect(await defaultsOf('{"ide":true}')).toBeUndefined();
    expect((await setUp()("gemini")).defaults).toBeUndefined();
  });
});
