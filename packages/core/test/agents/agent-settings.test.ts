import { createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it, vi } from "vitest";
import { type AgentSettings, readAgentSettings } from "../../src/diagnosis/examine-editor.ts";
import { parseLooseJson } from "../../src/agents/settings.ts";

type MemoryPlatform = ReturnType<typeof createMemoryPlatform>;

async function settingsOf(platform: MemoryPlatform, agent: string, folder?: string): Promise<AgentSettings> {
  const found = (await readAgentSettings(platform, folder)).find((one) => one.agent === agent);
  if (found === undefined) throw new Error(`Nothing is known of ${agent}.`);
  return found;
}

describe("the agents' own settings", () => {
  it("are their defaults where there are none, or none that can be read", async () => {
    const platform = createMemoryPlatform();
    const defaults = [
      { agent: "gemini", agentName: "Gemini CLI", looksForEditor: "not-yet", asks: true, mode: undefined },
      { agent: "qwen", agentName: "Qwen Code", looksForEditor: "yes", asks: false, mode: undefined },
      { agent: "claude", agentName: "Claude Code", looksForEditor: "yes", asks: false, mode: undefined },
      { agent: "copilot", agentName: "Copilot CLI", looksForEditor: "yes", asks: true, mode: undefined },
      { agent: "codex", agentName: "Codex CLI", looksForEditor: "yes", asks: false, mode: undefined },
      { agent: "pi", agentName: "Pi", looksForEditor: "yes", asks: false, mode: undefined },
      { agent: "opencode", agentName: "opencode", looksForEditor: "yes", contextOff: undefined },
      { agent: "kilo", agentName: "Kilo", looksForEditor: "yes", contextOff: undefined },
    ];
    expect(await readAgentSettings(platform)).toMatchObject(defaults);
    platform.files.addFile("/home/user/.gemini/settings.json", '{ "ide": { "enabled": "yes" } }');
    platform.files.addFile("/home/user/.qwen/settings.json", '{ "tools": ');
    platform.files.addFile("/home/user/.claude/settings.json", '["permissions"]');
    expect(await readAgentSettings(platform)).toMatchObject(defaults);
  });

  it("are read comments and all, and where they are linked to", async () => {
    const platform = createMemoryPlatform();
    platform.files.addFile("/home/user/.gemini/settings.json", '{ "ide": { "enabled": true, }, }');
    platform.files.addFile(
      "/home/user/.qwen/settings.json",
      '{ /* mine */ "url": "http://x", "tools": { "approvalMode": "yolo" } } // end',
    );
    platform.files.addFile("/dotfiles/claude.json", '{ "permissions": { "defaultMode": "acceptEdits" } }');
    platform.files.addLink("/home/user/.claude/settings.json", "/dotfiles/claude.json");
    expect(await settingsOf(platform, "gemini")).toMatchObject({ looksForEditor: "yes" });
    expect(await settingsOf(platform, "qwen")).toMatchObject({ asks: false, mode: "yolo" });
    expect(await settingsOf(platform, "claude")).toMatchObject({ asks: false, mode: "acceptEdits" });
  });

  it("are looked for where the agents were told to keep them", async () => {
    const environment = {
      GEMINI_CLI_HOME: "/elsewhere",
      QWEN_HOME: "/elsewhere/q",
      CLAUDE_CONFIG_DIR: "/elsewhere/c",
      COPILOT_HOME: "/elsewhere/p",
      CODEX_HOME: "/home/user/codex",
      PI_CODING_AGENT_DIR: "~/pi",
      XDG_CONFIG_HOME: "/elsewhere/x",
      XDG_STATE_HOME: "/elsewhere/s",
    };
    const platform = createMemoryPlatform({ environment });
    platform.files.addFile("/elsewhere/.gemini/settings.json", '{ "ide": { "enabled": false } }');
    platform.files.addFile("/elsewhere/q/settings.json", '{ "tools": { "approvalMode": "default" } }');
    platform.files.addFile("/elsewhere/c/settings.json", '{ "permissions": { "defaultMode": "default" } }');
    platform.files.addFile("/elsewhere/c/.claude.json", '{ "diffTool": "terminal" }');
    platform.files.addFile(
      "/elsewhere/p/settings.json",
      '{ "defaultPermissionMode": "allow-all", "ide": { "autoConnect": false, "openDiffOnEdit": false } }',
    );
    platform.files.addFile("/elsewhere/s/opencode/kv.json", '{ "file_context_enabled": false }');
    expect(await readAgentSettings(platform)).toMatchObject([
      { looksForEditor: "no", settingsFile: "/elsewhere/.gemini/settings.json" },
      { asks: true, settingsFile: "/elsewhere/q/settings.json" },
      { asks: true, showsChanges: false, settingsFile: "/elsewhere/c/settings.json" },
      { looksForEditor: "no", asks: false, showsChanges: false, settingsFile: "/elsewhere/p/settings.json" },
      { settingsFile: "/home/user/codex/config.toml" },
      { settingsFile: "/home/user/pi/settings.json" },
      { settingsFile: "/elsewhere/x/opencode/opencode.json", contextOff: "/elsewhere/s/opencode/kv.json" },
      { settingsFile: "/elsewhere/x/kilo/kilo.json", contextOff: undefined },
    ]);
  });

  it("of the folder win over those of the user", async () => {
    const platform = createMemoryPlatform();
    for (const [path, text] of [
      ["/home/user/.gemini/settings.json", '{ "ide": { "enabled": true } }'],
      [
        "/w/.gemini/settings.json",
        '{ "ide": { "enabled": false }, "general": { "defaultApprovalMode": "auto_edit" } }',
      ],
      ["/home/user/.qwen/settings.json", '{ "tools": { "approvalMode": "default" } }'],
      ["/w/.qwen/settings.json", '{ "ide": { "enabled": false }, "tools": { "approvalMode": "plan" } }'],
      ["/home/user/.claude/settings.json", '{ "permissions": { "defaultMode": "plan" } }'],
      ["/w/.claude/settings.json", '{ "permissions": { "defaultMode": "acceptEdits" } }'],
      ["/w/.claude/settings.local.json", '{ "permissions": { "defaultMode": "manual" } }'],
      ["/home/user/.copilot/settings.json", '{ "ide": { "autoConnect": true } }'],
      ["/w/.github/copilot/settings.json", '{ "ide": { "autoConnect": false }, "disableAllHooks": true }'],
    ] as const)
      platform.files.addFile(path, text);
    platform.files.addFile("/home/user/.gemini/trustedFolders.json", '{ "/w": "TRUST_FOLDER" }');
    expect(await readAgentSettings(platform, "/w")).toMatchObject([
      {
        looksForEditor: "no",
        asks: false,
        mode: "auto_edit",
        decidedBy: { looksForEditor: "/w/.gemini/settings.json", mode: "/w/.gemini/settings.json" },
      },
      { looksForEditor: "no", asks: false, mode: "plan", decidedBy: { mode: "/w/.qwen/settings.json" } },
      { asks: true, mode: "manual", decidedBy: { mode: "/w/.claude/settings.local.json" } },
      {
        looksForEditor: "no",
        decidedBy: { looksForEditor: "/w/.github/copilot/settings.json" },
        hooksOff: { setting: "disableAllHooks", file: "/w/.github/copilot/settings.json" },
      },
      { agent: "codex" },
      { agent: "pi" },
      // Nothing in a folder decides about these.
      { agent: "opencode" },
      { agent: "kilo" },
    ]);
    expect(await readAgentSettings(platform)).toMatchObject([
      { looksForEditor: "yes", asks: true, decidedBy: { looksForEditor: "/home/user/.gemini/settings.json" } },
      { looksForEditor: "yes", asks: true, decidedBy: { looksForEditor: undefined } },
      { asks: false, mode: "plan" },
      { looksForEditor: "yes", asks: true, decidedBy: { looksForEditor: "/home/user/.copilot/settings.json" } },
      { agent: "codex" },
      { agent: "pi" },
      { agent: "opencode" },
      { agent: "kilo" },
    ]);
  });

  it("of the folder are put aside by Qwen Code where they are no JSON, and not by Gemini CLI", async () => {
    const platform = createMemoryPlatform();
    const text = '{ "ide": { "enabled": false }, }';
    for (const path of ["/w/.qwen/settings.json", "/w/.gemini/settings.json"]) platform.files.addFile(path, text);
    expect(await settingsOf(platform, "qwen", "/w")).toMatchObject({ looksForEditor: "yes", invalidFiles: [] });
    expect(await settingsOf(platform, "gemini", "/w")).toMatchObject({ invalidFiles: ["/w/.gemini/settings.json"] });
    platform.files.addFile("/w/.qwen/settings.json", "[]");
    expect(await settingsOf(platform, "qwen", "/w")).toMatchObject({ invalidFiles: ["/w/.qwen/settings.json"] });
    platform.files.addFile("/home/user/.qwen/settings.json", text);
    expect((await settingsOf(platform, "qwen")).invalidFiles).toEqual(["/home/user/.qwen/settings.json"]);
  });

  it("of the machine's administrator win over both", async () => {
    const platform = createMemoryPlatform();
    platform.files.addFile("/w/.qwen/settings.json", '{ "tools": { "approvalMode": "default" } }');
    platform.files.addFile("/w/.gemini/settings.json", '{ "ide": { "enabled": true } }');
    platform.files.addFile("/etc/qwen-code/settings.json", '{ "tools": { "approvalMode": "plan" } }');
    platform.files.addFile("/etc/gemini-cli/settings.json", '{ "ide": { "enabled": false } }');
    expect(await settingsOf(platform, "qwen", "/w")).toMatchObject({
      mode: "plan",
      decidedBy: { mode: "/etc/qwen-code/settings.json" },
    });
    expect(await settingsOf(platform, "gemini", "/w")).toMatchObject({
      looksForEditor: "no",
      decidedBy: { looksForEditor: "/etc/gemini-cli/settings.json" },
    });
    platform.files.addFile("/elsewhere.json", '{ "tools": { "approvalMode": "yolo" } }');
    platform.process.setEnvironment("QWEN_CODE_SYSTEM_SETTINGS_PATH", "/elsewhere.json");
    expect(await settingsOf(platform, "qwen", "/w")).toMatchObject({ mode: "yolo" });
  });

  it("of the machine's administrator win in Claude Code, too, those beside the file over it, in the order of their names", async () => {
    const platform = createMemoryPlatform();
    const mode = (name: string): string => `{ "permissions": { "defaultMode": "${name}" } }`;
    platform.files.addFile("/home/user/.claude/settings.json", mode("default"));
    platform.files.addFile("/w/.claude/settings.local.json", mode("default"));
    platform.files.addFile("/etc/claude-code/managed-settings.json", mode("acceptEdits"));
    expect(await settingsOf(platform, "claude", "/w")).toMatchObject({
      asks: false,
      mode: "acceptEdits",
      decidedBy: { mode: "/etc/claude-code/managed-settings.json" },
    });
    platform.files.addFile("/etc/claude-code/managed-settings.d/20-b.json", mode("plan"));
    platform.files.addFile("/etc/claude-code/managed-settings.d/10-a.json", mode("default"));
    platform.files.addFile("/etc/claude-code/managed-settings.d/.30-hidden.json", mode("auto"));
    platform.files.addFile("/etc/claude-code/managed-settings.d/40-note.txt", mode("auto"));
    expect(await settingsOf(platform, "claude", "/w")).toMatchObject({
      mode: "plan",
      decidedBy: { mode: "/etc/claude-code/managed-settings.d/20-b.json" },
    });
  });

  it("of the administrator are found on macOS", async () => {
    const platform = createMemoryPlatform({ platform: "darwin" });
    const path = "/Library/Application Support/ClaudeCode/managed-settings.json";
    platform.files.addFile(path, '{ "permissions": { "defaultMode": "plan" } }');
    expect(await settingsOf(platform, "claude")).toMatchObject({ mode: "plan", decidedBy: { mode: path } });
  });

  it("of the administrator are looked for on Windows", async () => {
    const platform = createMemoryPlatform({ platform: "win32" });
    const lookedFor = vi.spyOn(platform.files, "realPath");
    await settingsOf(platform, "claude");
    expect(lookedFor.mock.calls.flat()).toContain(String.raw`C:\Program Files\ClaudeCode\managed-settings.json`);
  });

  it("may leave the rules of Claude Code to the administrator alone", async () => {
    const platform = createMemoryPlatform();
    platform.files.addFile("/home/user/.claude/settings.json", '{ "permissions": { "ask": ["Edit", "Write"] } }');
    expect(await settingsOf(platform, "claude")).toMatchObject({ asks: true });
    platform.files.addFile("/etc/claude-code/managed-settings.json", '{ "allowManagedPermissionRulesOnly": true }');
    expect(await settingsOf(platform, "claude")).toMatchObject({ asks: false });
    platform.files.addFile(
      "/etc/claude-code/managed-settings.json",
      '{ "allowManagedPermissionRulesOnly": true, "permissions": { "ask": ["Edit", "Write"] } }',
    );
    expect(await settingsOf(platform, "claude")).toMatchObject({ asks: true });
    platform.files.addFile("/etc/claude-code/managed-settings.json", "{}");
    platform.files.addFile("/home/user/.claude/settings.json", '{ "allowManagedPermissionRulesOnly": true }');
    platform.files.addFile("/w/.claude/settings.json", '{ "permissions": { "ask": ["Edit", "Write"] } }');
    expect(await settingsOf(platform, "claude", "/w")).toMatchObject({ asks: true });
  });

  it("may have Claude Code ask about single tools in any mode", async () => {
    const platform = createMemoryPlatform();
    platform.files.addFile("/home/user/.claude/settings.json", '{ "permissions": { "ask": ["Edit", 7] } }');
    expect(await settingsOf(platform, "claude")).toMatchObject({ asks: false });
    platform.files.addFile("/w/.claude/settings.json", '{ "permissions": { "ask": ["Write"] } }');
    expect(await settingsOf(platform, "claude", "/w")).toMatchObject({ asks: true, showsChanges: true });
    platform.files.addFile("/home/user/.claude.json", '{ "diffTool": "terminal" }');
    expect(await settingsOf(platform, "claude", "/w")).toMatchObject({ showsChanges: false });
  });

  it("tell who has declined from who was not asked", async () => {
    const platform = createMemoryPlatform();
    platform.files.addFile("/home/user/.gemini/settings.json", '{ "ide": { "hasSeenNudge": true } }');
    expect(await settingsOf(platform, "gemini")).toMatchObject({ looksForEditor: "no" });
  });

  it.each(["/.dockerenv", "/run/.containerenv"])("with %s: Gemini CLI looks on the container's host", async (mark) => {
    const platform = createMemoryPlatform();
    expect(await settingsOf(platform, "gemini")).toMatchObject({ looksOnContainerHost: false });
    platform.files.addFile(mark, "");
    expect(await settingsOf(platform, "gemini")).toMatchObject({ looksOnContainerHost: true });
    expect(await settingsOf(platform, "claude")).toMatchObject({ looksOnContainerHost: false });
    platform.process.setEnvironment("REMOTE_CONTAINERS", "true");
    expect(await settingsOf(platform, "gemini")).toMatchObject({ looksOnContainerHost: false });
  });
});

describe("settings with comments", () => {
  it("are read as their agents read them", () => {
    expect(parseLooseJson('{ "a": "// no comment, }", /* b */ "b": [1, 2,], // c\n }')).toEqual({
      a: "// no comment, }",
      b: [1, 2],
    });
    expect(parseLooseJson("nonsense")).toBeUndefined();
  });
});
