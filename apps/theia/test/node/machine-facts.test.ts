import { createMemoryPlatform } from "@patchbay/testkit";
import { expect, it } from "vitest";
import { readMachineFacts } from "../../src/node/machine-facts.ts";

const unknown = {
  looksOnHost: false,
  geminiIdeMode: undefined,
  qwenApprovalMode: undefined,
  claudePermissionMode: undefined,
};

it("reads what decides from the agents' own settings, comments and all", async () => {
  const platform = createMemoryPlatform();
  platform.files.addFile("/home/user/.gemini/settings.json", '{ "ide": { "enabled": true } }');
  platform.files.addFile(
    "/home/user/.qwen/settings.json",
    '{ /* mine */ "url": "http://x", "tools": { "approvalMode": "yolo" } } // end',
  );
  platform.files.addFile("/dotfiles/claude.json", '{ "permissions": { "defaultMode": "acceptEdits" } }');
  platform.files.addLink("/home/user/.claude/settings.json", "/dotfiles/claude.json");
  expect(await readMachineFacts(platform)).toEqual({
    looksOnHost: false,
    geminiIdeMode: true,
    qwenApprovalMode: "yolo",
    claudePermissionMode: "acceptEdits",
  });
});

it("looks where the agents were told to keep their settings", async () => {
  const environment = { GEMINI_CLI_HOME: "/elsewhere", QWEN_HOME: "/elsewhere/q", CLAUDE_CONFIG_DIR: "/elsewhere/c" };
  const platform = createMemoryPlatform({ environment });
  platform.files.addFile("/elsewhere/.gemini/settings.json", '{ "ide": { "enabled": false } }');
  platform.files.addFile("/elsewhere/q/settings.json", '{ "tools": { "approvalMode": "default" } }');
  platform.files.addFile("/elsewhere/c/settings.json", '{ "permissions": { "defaultMode": "default" } }');
  expect(await readMachineFacts(platform)).toEqual({
    looksOnHost: false,
    geminiIdeMode: false,
    qwenApprovalMode: "default",
    claudePermissionMode: "default",
  });
});

it("knows nothing of settings that are missing, broken or of another shape, and does not fail", async () => {
  const platform = createMemoryPlatform();
  expect(await readMachineFacts(platform)).toEqual(unknown);
  platform.files.addFile("/home/user/.gemini/settings.json", '{ "ide": { "enabled": "yes" } }');
  platform.files.addFile("/home/user/.qwen/settings.json", '{ "tools": ');
  platform.files.addFile("/home/user/.claude/settings.json", '["permissions"]');
  expect(await readMachineFacts(platform)).toEqual(unknown);
});

it.each(["/.dockerenv", "/run/.containerenv"])("sees by %s that Gemini CLI will look on the host", async (mark) => {
  const platform = createMemoryPlatform();
  platform.files.addFile(mark, "");
  expect((await readMachineFacts(platform)).looksOnHost).toBe(true);
  platform.process.setEnvironment("REMOTE_CONTAINERS", "true");
  expect((await readMachineFacts(platform)).looksOnHost).toBe(false);
});
