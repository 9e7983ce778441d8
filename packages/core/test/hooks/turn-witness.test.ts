import { spawn } from "node:child_process";
import { createClaudeDriver, createGeminiDriver } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import type { TurnWitness } from "../../src/hooks/turn-witness.ts";
import { createHookLab } from "./hook-lab.ts";

/** Writes down what it is told. */
class Notes implements TurnWitness {
  readonly all: string[] = [];
  /** Resolves `ready`. */
  release: () => void = () => {};
  isHeld = false;

  turnBegan: TurnWitness["turnBegan"] = ({ agentName }, prompt) => void this.all.push(`${agentName} began ${prompt}`);
  turnEnded: TurnWitness["turnEnded"] = ({ session }) => void this.all.push(`${session} ended`);
  aboutToWrite: TurnWitness["aboutToWrite"] = ({ agent }, files) =>
    void this.all.push(`${agent} writes ${files.map(({ path }) => path).join()}`);
  aboutToRun: TurnWitness["aboutToRun"] = ({ agent }, command) => void this.all.push(`${agent} runs ${command}`);
  wrote: TurnWitness["wrote"] = ({ agent }) => void this.all.push(`${agent} wrote`);
  accepted: TurnWitness["accepted"] = ({ agent, session }, path, text) => {
    this.all.push(`${agent} may write ${path}: ${text}`);
    this.sessions.push(session);
  };
  /** In which something was accepted. */
  readonly sessions: string[] = [];
  readonly kept: Map<string, string> = new Map();
  notes: NonNullable<TurnWitness["notes"]> = async ({ agent, session }) =>
    Array.from(this.kept, ([id, text]) => ({ id, text })).filter(({ id }) => id.startsWith(`${agent} ${session}`));
  passedOn: NonNullable<TurnWitness["passedOn"]> = (ids) => {
    for (const id of ids) this.kept.delete(id);
  };
  ready: TurnWitness["ready"] = async () => {
    if (this.isHeld) await new Promise<void>((resolve) => void (this.release = resolve));
  };
}

const edit = { old_string: "two", new_string: "2" };

describe("whoever follows the turns", () => {
  it.each([
    ["claude", "UserPromptSubmit", "Bash", "PostToolUse", "Stop", "Claude Code"],
    ["gemini", "BeforeAgent", "run_shell_command", "AfterTool", "AfterAgent", "Gemini CLI"],
    ["qwen", "UserPromptSubmit", "run_shell_command", "PostToolUse", "Stop", "Qwen Code"],
  ] as const)("hears of %s's turn from its begin to its end", async (agent, began, tool, after, ended, name) => {
    const notes = new Notes();
    const { tell, ask } = await createHookLab(undefined, notes);
    await tell(agent, { hook_event_name: began, prompt: "Do it" });
    await ask(agent, { tool, input: { command: "make" } });
    await tell(agent, { hook_event_name: after, tool_name: tool });
    await tell(agent, { hook_event_name: ended });
    await tell(agent, { hook_event_name: "SessionEnd" });
    expect(notes.all).toEqual([`${name} began Do it`, `${agent} runs make`, `${agent} wrote`, "s1 ended", "s1 ended"]);
  });

  it("hears of a write once it is allowed, and of none that is rejected", async () => {
    const notes = new Notes();
    const { ask, editor, file } = await createHookLab(undefined, notes);
    const input = { file_path: file, ...edit };
    const first = ask("claude", { tool: "Edit", mode: "acceptEdits", input });
    (await editor.nextView()).reject();
    await first;
    expect(notes.all).toEqual([]);
    const second = ask("claude", { tool: "Edit", mode: "acceptEdits", input });
    (await editor.nextView()).accept();
    await second;
    // What was accepted is reviewed already.
    expect(notes.all).toEqual([`claude may write ${file}: one\n2\n`, `claude writes ${file}`]);
    expect(notes.sessions).toEqual(["s1"]);
  });

  it("has the agent wait until the file as it was is in hand", async () => {
    const notes = new Notes();
    notes.isHeld = true;
    const { ask, editor, file } = await createHookLab(undefined, notes);
    let isAnswered = false;
    const answer = ask("claude", { tool: "Edit", mode: "acceptEdits", input: { file_path: file, ...edit } });
    void answer.then(() => (isAnswered = true));
    (await editor.nextView()).accept();
    await expect.poll(() => notes.all.at(-1)).toBe(`claude writes ${file}`);
    expect(isAnswered).toBe(false);
    notes.release();
    expect(await answer).toContain("allow");
  });

  it("hears of what is accepted by an agent's own protocol, before the agent has it", async () => {
    const notes = new Notes();
    const lab = await createHookLab(undefined, notes);
    const driver = await lab.agent((options) => createGeminiDriver({ ...options, writesFile: false }));
    onTestFinished(() => driver.end());
    notes.isHeld = true;
    const proposal = driver.propose({ path: lab.file, text: "one\n2\n" });
    let isAnswered = false;
    void proposal.outcome.then(() => (isAnswered = true));
    (await lab.editor.nextView()).accept();
    await expect.poll(() => notes.all).toEqual([`gemini writes ${lab.file}`, `gemini may write ${lab.file}: one\n2\n`]);
    expect(isAnswered).toBe(false);
    notes.release();
    expect(await proposal.outcome).toMatchObject({ kind: "accepted" });
  });

  it("hears that an agent without hooks has left", async () => {
    const notes = new Notes();
    const lab = await createHookLab(undefined, notes);
    const driver = await lab.agent(createClaudeDriver);
    const [session] = lab.companion.sessions;
    await driver.end();
    await expect.poll(() => notes.all).toEqual([`${session?.id} ended`]);
  });

  it("hears that an agent was killed, and of nothing that it asked the user about then", async () => {
    const agent = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    onTestFinished(() => void agent.kill("SIGKILL"));
    const notes = new Notes();
    const { ask, tell, companion, editor, file, platform } = await createHookLab(undefined, notes);
    companion.updateSettings({ reviews: { commands: "ask" } });
    const { parentOf } = platform.process;
    platform.process.parentOf = async (pid) => (pid === process.pid ? agent.pid : await parentOf(pid));
    await tell("claude", { hook_event_name: "SessionStart" });
    await tell("claude", { hook_event_name: "UserPromptSubmit", prompt: "Do it" });
    const write = ask("claude", { tool: "Edit", input: { file_path: file, ...edit } });
    const command = ask("claude", { tool: "Bash", input: { command: "make" } });
    await editor.nextView();
    await expect.poll(() => companion.commands?.all).toHaveLength(1);
    agent.kill("SIGKILL");
    await expect.poll(() => companion.commands?.all, { timeout: 10_000 }).toEqual([]);
    await Promise.all([write, command]);
    expect(notes.all).toEqual(["Claude Code began Do it", "s1 ended"]);
  });

  it.each([
    ["claude", "UserPromptSubmit"],
    ["gemini", "BeforeAgent"],
    ["qwen", "UserPromptSubmit"],
  ] as const)("says what %s is to hear with the next prompt of that session, once", async (agent, began) => {
    const notes = new Notes();
    notes.kept.set(`${agent} s1 a`, "The user took back a.txt.");
    notes.kept.set(`${agent} s1 b`, "And b.txt.");
    notes.kept.set(`${agent} s2`, "Not for this one.");
    const { tell } = await createHookLab(undefined, notes);
    const prompt = { hook_event_name: began, prompt: "Go on" };
    expect(await tell(agent, prompt)).toContain("The user took back a.txt.\\nAnd b.txt.");
    expect(await tell(agent, prompt)).toBeUndefined();
    expect(Array.from(notes.kept.keys())).toEqual([`${agent} s2`]);
  });

  it("hears of what is accepted in a conversation as its agent's, whose turn it is by the conversation's id", async () => {
    const notes = new Notes();
    const lab = await createHookLab(undefined, notes);
    const { outcome } = await lab.companion.review({
      conversation: { id: "c1", agent: "gemini", agentName: "Gemini CLI" },
      path: lab.file,
      text: "one\n2\n",
      isEditable: true,
    });
    (await lab.editor.nextView()).accept();
    expect(await outcome).toMatchObject({ kind: "accepted" });
    expect(notes.all).toEqual([`gemini writes ${lab.file}`, `gemini may write ${lab.file}: one\n2\n`]);
  });
});
