import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { presencesOf, shownCommand } from "../../src/hooks/presences.ts";
import { createHookLab, readClaude } from "./hook-lab.ts";

const run = (command: string) => ({ tool: "Bash", mode: "bypassPermissions", input: { command } });

async function setUp() {
  const lab = await createHookLab();
  lab.companion.updateSettings({ reviews: { commands: { "*": "ask" } } });
  return lab;
}

describe("a shell command", () => {
  it("is nobody's business where the user has not said so", async () => {
    const { ask, editor, companion } = await createHookLab();
    expect(await ask("claude", run("npm test"))).toBeUndefined();
    expect(await ask("gemini", { tool: "run_shell_command", input: { command: "npm test" } })).toBeUndefined();
    expect(editor.shownMessages).toEqual([]);
    expect(companion.commands?.all).toEqual([]);
  });

  it("waits for the user where they want it, is shown with its folder, and runs after a yes", async () => {
    const { ask, editor, companion, platform } = await setUp();
    const answer = ask("claude", run("npm test"));
    const { message, answer: say } = await editor.messages.next("agent-command");
    expect(message).toMatchObject({
      text: `May Claude Code run “$ npm test” in ${platform.workspace}?`,
      actions: ["Allow", "Reject"],
      values: { agent: "Claude Code", folder: platform.workspace, command: "$ npm test" },
    });
    expect(presencesOf(companion)).toMatchObject([
      { state: "waiting", waitsFor: [], commands: [{ command: "npm test", folder: platform.workspace }] },
    ]);
    say("Allow");
    expect(readClaude(await answer)).toEqual({ hookEventName: "PreToolUse", permissionDecision: "allow" });
    expect(presencesOf(companion)).toMatchObject([{ state: "working", commands: [] }]);
  });

  it("names the folder that the agent gives the command", async () => {
    const { ask, editor, platform } = await setUp();
    const answer = ask("gemini", { tool: "run_shell_command", input: { command: "ls", dir_path: "deep" } });
    const { message, answer: say } = await editor.messages.next("agent-command");
    expect(message.values["folder"]).toBe(join(platform.workspace, "deep"));
    say("Reject");
    expect(JSON.parse((await answer) ?? "")).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("rejected it. It was not run."),
    });
  });

  it("is not decided by a message that is closed: it waits in the list, from where it is asked or answered again", async () => {
    const { ask, editor, companion } = await setUp();
    let isSettled = false;
    const answer = ask("claude", run("rm -r dist")).finally(() => (isSettled = true));
    const first = await editor.messages.next("agent-command");
    first.answer(undefined);
    const [question] = companion.commands?.all ?? [];
    await expect.poll(() => editor.messages.open).toEqual([]);
    expect(companion.commands?.show(question?.id ?? "")).toBe(true);
    await expect.poll(() => editor.messages.open.length).toBe(1);
    expect(isSettled).toBe(false);
    expect(companion.commands?.answer(question?.id ?? "", "reject", "keep dist")).toBe(true);
    expect(readClaude(await answer)).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason:
        "The user was asked about this command in their editor and rejected it. It was not run. They say: keep dist",
    });
    // What was asked has been answered: the message goes, and the list is empty.
    expect(editor.messages.open).toEqual([]);
    expect(companion.commands?.all).toEqual([]);
    expect(companion.commands?.answer(question?.id ?? "", "allow")).toBe(false);
  });

  it("of any length can be allowed only once all of it has been shown", async () => {
    const { ask, editor } = await setUp();
    const command = `echo ok${" ".repeat(300)}\nrm -r ~`;
    const answer = ask("claude", run(command));
    const { message, answer: say } = await editor.messages.next("agent-command");
    expect(message.actions).toEqual(["Show Whole Command", "Reject"]);
    say("Show Whole Command");
    await expect.poll(() => editor.untitled.map(({ text }) => text)).toEqual([command]);
    await expect.poll(() => editor.messages.open.map(({ actions }) => actions)).toEqual([["Allow", "Reject"]]);
    editor.shownMessages.at(-1)?.answer("Allow");
    expect(readClaude(await answer)).toMatchObject({ permissionDecision: "allow" });
  });

  it("waits no longer once its agent has gone", async () => {
    const { askUntil, editor, companion } = await setUp();
    const gone = new AbortController();
    const asked = askUntil(run("npm test"), gone.signal).catch(() => undefined);
    await editor.messages.next("agent-command");
    gone.abort();
    await asked;
    await expect.poll(() => companion.commands?.all).toEqual([]);
    expect(editor.messages.open).toEqual([]);
  });

  it("is the agent's own question where that comes in any case", async () => {
    const { ask, editor } = await setUp();
    const call = { tool: "run_shell_command", mode: "default", input: { command: "ls" } };
    expect(await ask("qwen", call)).toBeUndefined();
    const answer = ask("qwen", { ...call, mode: "yolo" });
    (await editor.messages.next("agent-command")).answer("Allow");
    expect(readClaude(await answer)).toMatchObject({ permissionDecision: "allow" });
  });

  it("is asked about where the repository wants it and the user has said nothing, but never against their word", async () => {
    const { ask, editor, platform, companion } = await createHookLab();
    writeFileSync(join(platform.workspace, ".patchbay.json"), '{"reviews":{"commands":{"claude":"ask"}}}');
    const answer = ask("claude", run("npm test"));
    (await editor.messages.next("agent-command")).answer("Allow");
    expect(readClaude(await answer)).toMatchObject({ permissionDecision: "allow" });
    companion.updateSettings({ reviews: { commands: { "*": "never" } } });
    expect(await ask("claude", run("npm test"))).toBeUndefined();
  });
});

it("is one line, every character of which is seen", () => {
  expect(shownCommand("  echo a\r\nrm b\u202e\u0000\u200b\u{e0041} ")).toBe(
    "$ echo a ↵ rm b\\u{202e}\\u{0}\\u{200b}\\u{e0041}",
  );
  expect(shownCommand("rm\u00a0x\u3164y\u{e0101}\ufe01\ud83dz\u2800")).toBe(
    "$ rm\\u{a0}x\\u{3164}y\\u{e0101}\\u{fe01}\\u{d83d}z\\u{2800}",
  );
});
