import { describe, expect, it } from "vitest";
import { findRunningEditors, readPresences } from "../../src/diagnosis/running-editors.ts";
import { createHookLab } from "../hooks/hook-lab.ts";

async function setUp() {
  const lab = await createHookLab();
  const { platform } = lab;
  const read = async () => await readPresences(platform, await findRunningEditors(platform));
  return { ...lab, read };
}

describe("what agents do, asked from outside", () => {
  it("is told of hooks and of sessions, each under its own agent", async () => {
    const { tell, read, agent } = await setUp();
    expect(await read()).toEqual([]);
    await tell("claude", { hook_event_name: "UserPromptSubmit", prompt: "Count to two\nand more" });
    await agent();
    await expect.poll(async () => (await read()).length).toBe(2);
    expect(await read()).toMatchObject([
      { agent: "gemini", agentName: "Gemini CLI", state: "connected", waitsFor: [] },
      { agent: "claude", agentName: "Claude Code", state: "working", title: "Count to two", waitsFor: [] },
    ]);
  });

  it("names what a session waits for", async () => {
    const { ask, read, companion, platform } = await setUp();
    const path = `${platform.workspace}/new.txt`;
    const answer = ask("claude", { tool: "Write", input: { file_path: path, content: "new\n" } });
    await expect
      .poll(async () => await read())
      .toMatchObject([{ agent: "claude", state: "waiting", waitsFor: [path] }]);
    const [proposal] = companion.proposals;
    await companion.reject(proposal?.id ?? "");
    await answer;
    expect(await read()).toMatchObject([{ state: "working", waitsFor: [] }]);
  });
});
