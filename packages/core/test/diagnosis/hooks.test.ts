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

/** What Codex CLI 0.171.0 remembers of hooks with this command and 3 seconds each. */
const codexHashes = {
  pre_tool_use: "56261555564947463ba7cc8a2cd035ad77b368b86ec59a437d63805f2f22bbf3",
  permission_request: "800e66d32edf4fcf71b7c15f7207a3bfdd3d6459af25d288abc1a7574ff226eb",
  post_tool_use: "a4b449fadaffe1257e783da5a0fb72212cfc22bc478247c503d1541e5f4f4b86",
  session_start: "e03e10f0e72b8e0b1abdefaedaa0133962433d469dbdc23f9111a32c27edd48f",
  session_end: "0e2abfe05cdf2b864b79871ef4323a9a30fe1884fc96a20bd08303e72b226235",
  user_prompt_submit: "e83908657a9e252909fbdc61f678cf462a964f6c48b0acfac5618bf85903df77",
  stop: "fa7cb916fffa3e429eaf338f5f5b80ec5a821599b5d5fe732b0a1126adc2f117",
};

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

  it("of Codex CLI run once its user trusts each of them, as it remembers that", async () => {
    const home = "/home/user/.codex";
    const file = `${home}/hooks.json`;
    const own = (timeout: number) => {
      const one = { hooks: [{ type: "command", command: `'${node}' '${script}' codex`, timeout }] };
      const matchers: Readonly<Record<string, string>> = {
        PreToolUse: "apply_patch|Bash",
        PostToolUse: "apply_patch|Bash",
        PermissionRequest: "apply_patch",
      };
      const groups = [...events, "PermissionRequest"].map((event) => {
        const matcher = matchers[event];
        return [event, [matcher === undefined ? one : { matcher, ...one }]];
      });
      return Object.fromEntries(groups);
    };
    const examined = async (config: string, hooksOfFile = own(3)) =>
      await found({ [file]: { hooks: hooksOfFile }, [`${home}/config.toml`]: config }, "codex");
    const trusts = (hashes: Readonly<Record<string, string>>, more = ""): string =>
      Object.entries(hashes)
        .map(([event, hash]) => `[hooks.state."${file}:${event}:0:0"]\n${more}trusted_hash = "sha256:${hash}"\n`)
        .join("\n");
    const untrusted = [{ code: "hook-untrusted", level: "problem", values: { file } }];
    const { stop, ...others } = codexHashes;
    expect(await examined('model = "x"\n')).toMatchObject(untrusted);
    expect(await examined(trusts(codexHashes))).toMatchObject([{ code: "hook-installed" }]);
    expect(await examined(trusts(codexHashes).replaceAll('"', "'"))).toMatchObject([{ code: "hook-installed" }]);
    expect(await examined(trusts(codexHashes, "enabled = false\n"))).toMatchObject(untrusted);
    expect(await examined(trusts(others))).toMatchObject(untrusted);
    // One that has changed is another one.
    expect(await examined(trusts(codexHashes), own(4))).toMatchObject(untrusted);
    const off = `${trusts({ ...others, stop })}[features]\nhooks = false\n`;
    expect(await examined(off)).toMatchObject([{ code: "hook-off" }]);
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
