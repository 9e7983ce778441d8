import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createClaudeDriver, createGeminiDriver } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentOf } from "../../src/agents/catalogue.ts";
import { askHook, type HookReply } from "../../src/endpoint/ask-hook.ts";
import { findCompanions } from "../../src/hook-client/run-hook.ts";
import { createHookLab, editAsClaude, readClaude } from "./hook-lab.ts";

const edit = { old_string: "two", new_string: "2" };

/** Only Linux says which process is at the other end of a connection. */
const tellsPeers = process.platform === "linux";

describe("a change that an agent's hook announces", () => {
  it("is reviewed in a mode in which the agent never asks, and allowed as it is", async () => {
    const { ask, editor, file, companion } = await createHookLab();
    const answer = ask("claude", { tool: "Edit", mode: "acceptEdits", input: { file_path: file, ...edit } });
    const view = await editor.nextView();
    expect(view.request).toMatchObject({
      agentName: "Claude Code",
      path: file,
      kind: "change",
      originalText: "one\ntwo\n",
      proposedText: "one\n2\n",
    });
    expect(companion.activities).toMatchObject([
      { agent: "claude", session: "s1", state: "waiting", waitsFor: [file], owner: companion.proposals[0]?.sessionId },
    ]);
    // Its hook is this process here.
    if (tellsPeers) await expect.poll(() => companion.activities[0]?.processes).toContain(process.ppid);
    view.accept();
    expect(readClaude(await answer)).toEqual({ hookEventName: "PreToolUse", permissionDecision: "allow" });
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
    expect(companion.proposals).toEqual([]);
    expect(companion.activities).toMatchObject([{ state: "working", waitsFor: [] }]);
  });

  it.each([
    ["one\ntwo\n", "one\n2\nand 3\n"],
    ["one\r\ntwo\r\n", "one\r\n2\r\nand 3\r\n"],
    ["\ufeffone\ntwo", "\ufeffone\n2\nand 3"],
  ])("reaches the disk byte for byte as the user wrote it: %j", async (before, wanted) => {
    const { ask, editor, file } = await createHookLab(before);
    const answer = ask("claude", { tool: "Edit", mode: "bypassPermissions", input: { file_path: file, ...edit } });
    const view = await editor.nextView();
    view.type(wanted.replace("\ufeff", ""));
    view.accept();
    const { permissionDecision, updatedInput = {}, additionalContext } = readClaude(await answer);
    expect(permissionDecision).toBe("allow");
    expect(additionalContext).toMatch(/their text, not yours.*and 3/su);
    editAsClaude(file, updatedInput);
    expect(readFileSync(file, "utf8")).toBe(wanted);
  });

  it("is said anew where the file has changed meanwhile, and its own arguments fit it no longer", async () => {
    const { ask, editor, file } = await createHookLab("one\n\ntwo\n");
    const input = { file_path: file, old_string: "one\n\ntwo", new_string: "1\n\n2" };
    const answer = ask("claude", { tool: "Edit", mode: "acceptEdits", input });
    const view = await editor.nextView();
    writeFileSync(file, "1\n\ntwo\n");
    await expect.poll(() => view.originalText).toBe("1\n\ntwo\n");
    view.accept();
    const said = readClaude(await answer);
    expect(said).toMatchObject({ permissionDecision: "allow" });
    editAsClaude(file, said.updatedInput ?? {});
    expect(readFileSync(file, "utf8")).toBe("1\n\n2\n");
  });

  it("is said without an empty text, of which every version makes something else", async () => {
    const { ask, editor, file } = await createHookLab("one\ntwo\nthree\n");
    const input = { file_path: file, old_string: "two", new_string: "" };
    const answer = ask("claude", { tool: "Edit", mode: "acceptEdits", input });
    const view = await editor.nextView();
    expect(view.request.proposedText).toBe("one\nthree\n");
    view.accept();
    editAsClaude(file, readClaude(await answer).updatedInput ?? {});
    expect(readFileSync(file, "utf8")).toBe("one\nthree\n");
  });

  it("tells the model why the user said no", async () => {
    const { ask, editor, file, companion } = await createHookLab();
    const answer = ask("gemini", { tool: "write_file", input: { file_path: file, content: "one\n" } });
    const view = await editor.nextView();
    expect(await companion.reject(view.request.id, "keep the second line")).toBe(true);
    expect(JSON.parse((await answer) ?? "")).toEqual({
      decision: "deny",
      reason: `The user reviewed this change of ${file} in their editor and rejected it. Nothing was written. They say: keep the second line`,
    });
  });

  it("takes a view that was closed for a no", async () => {
    const { ask, editor, file } = await createHookLab();
    const answer = ask("claude", { tool: "Write", input: { file_path: file, content: "one\n" } });
    (await editor.nextView()).closeByUser();
    expect(readClaude(await answer)).toMatchObject({ permissionDecision: "deny" });
  });

  it("has Gemini CLI write the user's text in its own form", async () => {
    const { ask, editor, platform } = await createHookLab();
    const path = join(platform.workspace, "new.txt");
    const answer = ask("gemini", { tool: "write_file", input: { file_path: "new.txt", content: "a\n" } });
    const view = await editor.nextView();
    expect(view.request).toMatchObject({ path, kind: "create" });
    view.type("b\n");
    view.accept();
    expect(JSON.parse((await answer) ?? "")).toEqual({
      decision: "allow",
      hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { file_path: "new.txt", content: "b\n" } },
    });
  });

  it("tells Qwen Code the user's text, and lets exactly that through once", async () => {
    const { ask, editor, file } = await createHookLab();
    const first = ask("qwen", { tool: "write_file", input: { file_path: file, content: "one\n2\n" } });
    const view = await editor.nextView();
    view.type("one\n2!\n");
    view.accept();
    const { permissionDecision, permissionDecisionReason } = readClaude(await first);
    expect(permissionDecision).toBe("deny");
    expect(permissionDecisionReason).toMatch(/wrote this instead.*\none\n2!\n$/su);
    const second = await ask("qwen", { tool: "write_file", input: { file_path: file, content: "one\n2!\n" } });
    expect(readClaude(second)).toEqual({ hookEventName: "PreToolUse", permissionDecision: "allow" });
    expect(editor.views).toHaveLength(1);
  });

  it("keeps the user's text where Qwen Code's model does not write it by the end of its turn, until it does after all", async () => {
    const { ask, tell, editor, file, companion } = await createHookLab();
    const first = ask("qwen", { tool: "write_file", input: { file_path: file, content: "one\n2\n" } });
    const view = await editor.nextView();
    view.type("one\n2!\n");
    view.accept();
    expect(readClaude(await first).permissionDecision).toBe("deny");
    await tell("qwen", { hook_event_name: "Stop" });
    const messages = (): unknown => editor.shownMessages.map(({ message }) => [message.code, message.values["path"]]);
    await expect.poll(messages, { timeout: 5_000 }).toEqual([["not-written", file]]);
    expect(companion.proposals).toMatchObject([{ path: file, state: "kept", keptReason: "not-written" }]);
    expect(await companion.readKeptText(companion.keptTexts[0]?.id ?? "")).toBe("one\n2!\n");
    const second = await ask("qwen", { tool: "write_file", input: { file_path: file, content: "one\n2!\n" } });
    expect(readClaude(second).permissionDecision).toBe("allow");
    writeFileSync(file, "one\n2!\n");
    await expect.poll(() => companion.keptTexts, { timeout: 5_000 }).toEqual([]);
  });

  it("says that the user took all of it back", async () => {
    const { ask, editor, file } = await createHookLab();
    const answer = ask("claude", { tool: "Edit", input: { file_path: file, ...edit } });
    const view = await editor.nextView();
    view.type("one\ntwo\n");
    view.accept();
    expect(readClaude(await answer)).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("took all of it back"),
    });
  });

  it("is refused with a sentence where nobody could see it", async () => {
    const { ask, editor, file, platform } = await createHookLab();
    const missing = await ask("claude", { tool: "Edit", input: { file_path: file, old_string: "x", new_string: "y" } });
    expect(readClaude(missing)).toMatchObject({ permissionDecision: "deny" });
    const path = join(platform.workspace, "a.ipynb");
    writeFileSync(path, "{}");
    const notebook = await ask("claude", { tool: "NotebookEdit", input: { notebook_path: path, new_source: "1" } });
    expect(readClaude(notebook).permissionDecisionReason).toContain("cannot be shown");
    expect(editor.views).toEqual([]);
  });

  it("stands beside another one of the same agent for the same file", async () => {
    const { ask, editor, file } = await createHookLab();
    const first = ask("claude", { tool: "Edit", input: { file_path: file, ...edit } });
    const one = await editor.nextView();
    const second = ask("claude", { tool: "Edit", input: { file_path: file, old_string: "one", new_string: "1" } });
    await expect.poll(() => editor.views.length).toBe(2);
    one.accept();
    expect(readClaude(await first).permissionDecision).toBe("allow");
    editor.views[1]?.reject();
    expect(readClaude(await second).permissionDecision).toBe("deny");
  });
});

describe("a change that cannot be reviewed", () => {
  const deep = JSON.parse("[".repeat(500) + "]".repeat(500));

  it.each(["claude", "gemini", "qwen"] as const)("is refused where %s's event is nested too deeply", async (agent) => {
    const { ask, companion, editor, file } = await createHookLab();
    const call = { tool: agent === "claude" ? "Write" : "write_file", mode: "yolo" };
    const input = { file_path: file, content: "new\n", more: deep };
    expect(await ask(agent, { ...call, input })).toMatch(
      /"(?:permissionDecision|decision)":"deny".*could not be shown/u,
    );
    companion.updateSettings({ reviews: { [agent]: "never" } });
    expect(await ask(agent, { ...call, input })).toBeUndefined();
    expect(editor.views).toEqual([]);
  });

  it("is refused where the look at its file fails", async () => {
    const { ask, file, platform } = await createHookLab();
    const { readText } = platform.files;
    platform.files.readText = async (path, limit) => {
      if (path === file) throw Object.assign(new Error("No."), { code: "EACCES" });
      return await readText(path, limit);
    };
    const answer = readClaude(await ask("claude", { tool: "Write", input: { file_path: file, content: "new\n" } }));
    expect(answer).toMatchObject({ permissionDecision: "deny" });
  });
});

describe("a hook has no opinion", () => {
  it("where sharing is paused, in another folder, of another tool, and where nobody listens", async () => {
    const { ask, tell, companion, editor, file, platform } = await createHookLab();
    const input = { file_path: file, ...edit };
    expect(await ask("claude", { tool: "Bash", input: { command: "ls" } })).toBeUndefined();
    expect(
      await ask("claude", { tool: "Edit", input: { ...input, file_path: join(platform.home, "a") } }),
    ).toBeUndefined();
    expect(await ask("claude", { tool: "Edit", input, cwd: platform.home })).toBeUndefined();
    expect(await tell("claude", { hook_event_name: "PreToolUse" })).toBeUndefined();
    companion.updateSettings({ sharing: false });
    expect(await ask("claude", { tool: "Edit", input })).toBeUndefined();
    companion.updateSettings({ sharing: true, reviews: { claude: "never" } });
    expect(await ask("claude", { tool: "Edit", input })).toBeUndefined();
    await companion.stop();
    expect(await ask("claude", { tool: "Edit", input })).toBeUndefined();
    expect(editor.views).toEqual([]);
  });

  it("of a process that the editor runs itself", async () => {
    const { ask, companion, editor, file, platform } = await createHookLab();
    companion.excludeProcesses((pid) => pid === platform.process.pid);
    expect(await ask("claude", { tool: "Edit", input: { file_path: file, ...edit } })).toBeUndefined();
    expect(editor.views).toEqual([]);
  });

  it("where the agent is connected by its own protocol and asks there, and only there", async () => {
    const { ask, agent, editor, file } = await createHookLab();
    await agent(createClaudeDriver);
    const input = { file_path: file, ...edit };
    expect(await ask("claude", { tool: "Edit", mode: "default", input })).toBeUndefined();
    expect(editor.views).toEqual([]);
    const answer = ask("claude", { tool: "Edit", mode: "acceptEdits", input });
    (await editor.nextView()).accept();
    expect(readClaude(await answer).permissionDecision).toBe("allow");
  });

  it.runIf(tellsPeers)(
    "and says of what was accepted by the other door that its tool has ended without it",
    async () => {
      const { tell, editor, file, agent, companion, platform } = await createHookLab();
      const driver = await agent((options) => createGeminiDriver({ ...options, writesFile: false }));
      // Here agent and hook are one process; a real hook is started by the agent.
      platform.process.parentOf = async () => process.pid;
      await tell("gemini", { hook_event_name: "BeforeAgent", prompt: "Do it" });
      await expect.poll(() => companion.sessions.map(({ pid }) => pid)).not.toContain(undefined);
      const proposal = driver.propose({ path: file, text: "one\n2\n" });
      (await editor.nextView()).accept();
      await proposal.outcome;
      await tell("gemini", { hook_event_name: "AfterAgent" });
      await expect.poll(() => companion.keptTexts, { timeout: 5_000 }).toMatchObject([{ reason: "not-written" }]);
    },
  );

  it("about what the user has just accepted by the other door", async () => {
    const lab = await createHookLab();
    const { platform, file, editor, ask } = lab;
    const driver = await lab.agent((options) => createGeminiDriver({ ...options, writesFile: false }));
    onTestFinished(() => driver.end());
    const proposal = driver.propose({ path: file, text: "one\n2\n" });
    (await editor.nextView()).accept();
    await proposal.outcome;
    const answer = await ask("gemini", { tool: "write_file", input: { file_path: file, content: "one\n2\n" } });
    expect(JSON.parse(answer ?? "")).toEqual({ decision: "allow" });
    expect(editor.views).toHaveLength(1);
    expect(platform.process.pid).toBe(process.pid);
  });
});

describe("a change that was accepted when the hook asked", () => {
  it("is not asked for again when the agent then asks by its own protocol", async () => {
    const { ask, agent, editor, file } = await createHookLab();
    const driver = await agent();
    const answer = ask("gemini", { tool: "write_file", input: { file_path: file, content: "one\n2\n" } });
    (await editor.nextView()).accept();
    expect(JSON.parse((await answer) ?? "")).toEqual({ decision: "allow" });
    expect(await driver.propose({ path: file, text: "one\n2\n" }).outcome).toMatchObject({ kind: "accepted" });
    expect(readFileSync(file, "utf8")).toBe("one\n2\n");
    expect(editor.views).toHaveLength(1);
    // Once: the next one is another question.
    writeFileSync(file, "one\ntwo\n");
    driver.propose({ path: file, text: "one\n2\n" });
    await expect.poll(() => editor.views.length).toBe(2);
  });

  it("is asked for where the agent then asks for something else", async () => {
    const { ask, agent, editor, file } = await createHookLab();
    const driver = await agent();
    const answer = ask("gemini", { tool: "write_file", input: { file_path: file, content: "one\n2\n" } });
    (await editor.nextView()).accept();
    await answer;
    driver.propose({ path: file, text: "one\n3\n" });
    await expect.poll(() => editor.views.length).toBe(2);
  });
});

describe("the end of a hook", () => {
  it("is not a reload of the editor: the review goes on, with what the user has typed", async () => {
    const { ask, build, companion, editor, file } = await createHookLab();
    const answer = ask("claude", { tool: "Edit", mode: "acceptEdits", input: { file_path: file, ...edit } });
    (await editor.nextView()).type("one\nmine\n");
    await companion.stop({ reload: true });
    const next = build();
    await next.companion.start();
    await expect.poll(() => next.companion.proposals).toMatchObject([{ state: "shown" }]);
    const [open] = next.companion.proposals;
    expect(await next.companion.accept(open?.id ?? "")).toBe(true);
    const { permissionDecision, updatedInput = {} } = readClaude(await answer);
    expect(permissionDecision).toBe("allow");
    editAsClaude(file, updatedInput);
    expect(readFileSync(file, "utf8")).toBe("one\nmine\n");
    expect(next.companion.keptTexts).toEqual([]);
  });

  it.each(["claude", "gemini", "qwen"] as const)("is a no for %s when the editor is closed for good", async (agent) => {
    const { ask, companion, editor, file } = await createHookLab();
    const input = { file_path: file, content: "new\n" };
    const answer = ask(agent, { tool: agent === "claude" ? "Write" : "write_file", input, mode: "yolo" });
    await editor.nextView();
    await companion.stop();
    expect(await answer).toMatch(
      /"(?:permissionDecision|decision)":"deny".*The editor went away before the user decided/u,
    );
  });

  it("is a no for a command that the user was asked about, when the editor is closed for good", async () => {
    const { companion, platform } = await createHookLab();
    companion.updateSettings({ reviews: { commands: "ask" } });
    const [found] = await findCompanions(platform, agentOf("claude"), platform.workspace);
    const event = JSON.stringify({
      session_id: "s1",
      cwd: platform.workspace,
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "make" },
    });
    const { port = 0, token = "" } = found ?? {};
    const reply = await new Promise<HookReply>((resolve) => {
      const onWaiting = (): void => void companion.stop();
      void askHook({ port, token, event, pid: 1, limitMs: 50_000, onWaiting }).then(resolve);
    });
    const output = reply.kind === "refused" ? undefined : reply.output;
    expect(readClaude(output)).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("The editor went away"),
    });
  });

  it("is near where an editor does not come back: its agent is told no, and what the user has typed is kept", async () => {
    const { ask, build, companion, editor, file } = await createHookLab();
    const answer = ask("claude", { tool: "Edit", input: { file_path: file, ...edit } });
    (await editor.nextView()).type("one\nmine\n");
    await companion.stop({ reload: true });
    const { permissionDecision, permissionDecisionReason: reason } = readClaude(await answer);
    expect(permissionDecision).toBe("deny");
    expect(reason).toContain("The editor went away before the user decided");
    const next = build();
    await next.companion.start();
    await next.companion.restored;
    expect(next.companion.proposals).toMatchObject([{ state: "kept" }]);
    expect(next.companion.keptTexts).toMatchObject([{ path: file, reason: "agent-exited" }]);
  }, 30_000);

  it.runIf(tellsPeers)("is seen where its agent was killed while the user is asked, and while it works", async () => {
    const agent = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    onTestFinished(() => void agent.kill("SIGKILL"));
    const lab = await createHookLab();
    const { ask, tell, companion, editor, file, platform } = lab;
    const { parentOf } = platform.process;
    platform.process.parentOf = async (pid) => (pid === process.pid ? agent.pid : await parentOf(pid));
    await tell("claude", { hook_event_name: "SessionStart" });
    await tell("claude", { hook_event_name: "UserPromptSubmit", prompt: "Do it" });
    const answer = ask("claude", { tool: "Edit", input: { file_path: file, ...edit } });
    (await editor.nextView()).type("one\nmine\n");
    agent.kill("SIGKILL");
    // Nobody may read it. But were the agent alive after all, it would write nothing.
    expect(readClaude(await answer).permissionDecision).toBe("deny");
    expect(companion.activities).toMatchObject([{ session: "s1", state: "ended", waitsFor: [] }]);
    expect(companion.keptTexts).toMatchObject([{ path: file, reason: "agent-exited" }]);
  });

  it("is the end of its agent's question: what the user typed is kept", async () => {
    const { askUntil, companion, editor, file } = await createHookLab();
    const gone = new AbortController();
    const asked = askUntil({ tool: "Edit", input: { file_path: file, ...edit } }, gone.signal).catch(() => {});
    const view = await editor.nextView();
    view.type("one\nmine\n");
    gone.abort();
    await asked;
    await expect.poll(() => companion.keptTexts).toMatchObject([{ path: file, reason: "withdrawn" }]);
    expect(companion.activities).toMatchObject([{ state: "working", waitsFor: [] }]);
  });

  it("closes a review that nobody has touched", async () => {
    const { askUntil, companion, editor, file } = await createHookLab();
    const gone = new AbortController();
    const asked = askUntil({ tool: "Edit", input: { file_path: file, ...edit } }, gone.signal).catch(() => {});
    const view = await editor.nextView();
    gone.abort();
    await asked;
    await editor.ended(view);
    expect(companion.proposals).toEqual([]);
    expect(companion.keptTexts).toEqual([]);
  });
});

describe("what a session is doing", () => {
  it("is told by its turns, with the first prompt as its title", async () => {
    const { tell, companion, platform } = await createHookLab();
    let changes = 0;
    companion.onDidChangeActivities(() => void (changes += 1));
    expect(await tell("claude", { hook_event_name: "SessionStart" })).toBeUndefined();
    expect(companion.activities).toMatchObject([{ agent: "claude", state: "idle", title: undefined }]);
    await tell("claude", { hook_event_name: "UserPromptSubmit", prompt: "Count to two\nplease" });
    expect(companion.activities).toMatchObject([
      { session: "s1", folder: platform.workspace, state: "working", title: "Count to two" },
    ]);
    await tell("claude", { hook_event_name: "Stop" });
    await tell("claude", { hook_event_name: "UserPromptSubmit", prompt: "Again" });
    expect(companion.activities).toMatchObject([{ state: "working", title: "Count to two" }]);
    await tell("gemini", { hook_event_name: "AfterAgent" });
    expect(companion.activities).toMatchObject([{ agent: "claude" }, { agent: "gemini", state: "idle" }]);
    await tell("claude", { hook_event_name: "SessionEnd" });
    expect(companion.activities).toMatchObject([{ agent: "gemini" }, { agent: "claude", state: "ended" }]);
    expect(changes).toBe(6);
  });
});
