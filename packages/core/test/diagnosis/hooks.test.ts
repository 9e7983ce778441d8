import { createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import type { AgentId } from "../../src/agents/catalogue.ts";
import { diagnose } from "../../src/diagnosis/examine.ts";
import type { Finding } from "../../src/diagnosis/finding.ts";

const folder = "/project/app";
const settingsFile = "/home/user/.claude/settings.json";
const [node, script] = ["/usr/bin/node", "/opt/patch bay/patchbay-hook.cjs"];
const events = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"];

function hooks(command: string, wanted: readonly string[] = events) {
  return Object.fromEntries(wanted.map((event) => [event, [{ hooks: [{ type: "command", command }] }]]));
}

const ours = hooks(`'${node}' '${script}' claude`);

async function found(
  files: Readonly<Record<string, string | object>>,
  agent: AgentId = "claude",
): Promise<readonly Finding[]> {
  const platform = createMemoryPlatform();
  for (const [path, text] of Object.entries({ [node]: "", [script]: "", ...files })) {
    const mode = path === node ? 0o755 : 0o644;
    platform.files.addFile(path, typeof text === "string" ? text : JSON.stringify(text), { mode });
  }
  const findings = await diagnose(platform, { folder, agents: [agent], elsewhere: [] });
  return findings.filter(({ code }) => /hook|policy|never-asks/u.test(code));
}

describe("hooks, examined", () => {
  it("take the place of a mode that asks", async () => {
    expect(await found({ [settingsFile]: {} })).toMatchObject([{ code: "never-asks" }]);
    expect(await found({ [settingsFile]: { hooks: ours } })).toMatchObject([
      { code: "hook-installed", level: "ok", values: { file: settingsFile } },
    ]);
  });

  it("are broken where what they run is gone, or some of them are", async () => {
    const gone = hooks("/gone/node /opt/patchbay-hook.cjs claude");
    expect(await found({ [settingsFile]: { hooks: gone } })).toMatchObject([
      { code: "hook-broken", values: { missing: "/gone/node" } },
      { code: "never-asks" },
    ]);
    const some = hooks(`'${node}' '${script}' claude`, ["PreToolUse"]);
    expect(await found({ [settingsFile]: { hooks: some } })).toMatchObject([
      { code: "hook-broken", values: { missing: undefined } },
      { code: "never-asks" },
    ]);
  });

  it("are turned off by a setting of the agent", async () => {
    expect(await found({ [settingsFile]: { hooks: ours, disableAllHooks: true } })).toMatchObject([
      { code: "hook-off", level: "problem", values: { setting: "disableAllHooks", file: settingsFile } },
      { code: "never-asks" },
    ]);
    const gemini = "/home/user/.gemini/settings.json";
    const geminiEvents = ["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "SessionStart", "SessionEnd"];
    const own = hooks(`${node} '${script}' gemini`, geminiEvents);
    const off = await found({ [gemini]: { hooks: own, hooksConfig: { enabled: false } } }, "gemini");
    expect(off).toMatchObject([{ code: "hook-off", values: { setting: "hooksConfig.enabled", file: gemini } }]);
  });

  it("in the folder's settings need its trust", async () => {
    const file = `${folder}/.claude/settings.local.json`;
    expect(await found({ [settingsFile]: {}, [file]: { hooks: ours } })).toMatchObject([
      { code: "hook-needs-trust", level: "hint", values: { file } },
    ]);
  });

  it("of others are named, where they are about the same tools", async () => {
    const theirs = (matcher: string, command: string) => ({ matcher, hooks: [{ type: "command", command }] });
    const PreToolUse = [...(ours["PreToolUse"] ?? []), theirs("Bash", "a"), theirs("Edit|Read", "b"), theirs("*", "c")];
    expect(await found({ [settingsFile]: { hooks: { ...ours, PreToolUse } } })).toMatchObject([
      { code: "hook-beside-others", values: { commands: ["b", "c"] } },
      { code: "hook-installed" },
    ]);
  });

  it("are missed where the folder wants reviews, and not where they are there", async () => {
    const file = `${folder}/.patchbay.json`;
    const wanted = { reviews: { "*": { paths: ["migrations/**"] } } };
    expect(await found({ [settingsFile]: {}, [file]: wanted })).toMatchObject([
      { code: "never-asks" },
      { code: "policy-without-hook", level: "problem", values: { file } },
    ]);
    const asking = { permissions: { defaultMode: "default" } };
    expect(await found({ [settingsFile]: asking, [file]: wanted })).toMatchObject([
      { code: "policy-without-hook", level: "hint" },
    ]);
    expect(await found({ [settingsFile]: { hooks: ours }, [file]: wanted })).toMatchObject([
      { code: "hook-installed" },
    ]);
    expect(await found({ [settingsFile]: asking, [file]: { reviews: { claude: "asks-itself" } } })).toEqual([]);
    expect(await found({ [settingsFile]: asking, [file]: "{" })).toMatchObject([
      { code: "policy-unclear", level: "problem", values: { file } },
    ]);
  });
});
