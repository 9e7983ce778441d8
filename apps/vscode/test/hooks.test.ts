import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { agentOf, type AgentId, createNodePlatform } from "@patchbay/core";
import { runHook } from "@patchbay/core/hook";
import { createClaudeDriver } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FakeWorkbench } from "./fake-vscode/workbench.ts";
import { modifiedOf, RunningExtension } from "./running-extension.ts";

let window: RunningExtension;
let bench: FakeWorkbench;
let file: string;
let settings: string;

beforeEach(() => {
  window = new RunningExtension();
  ({ bench } = window);
  file = join(window.folder, "one.txt");
  settings = join(window.root, "home", ".claude", "settings.json");
  writeFileSync(file, "one\n");
});

afterEach(async () => await window.end());

/** What the hook of an agent prints. */
async function tell(event: Readonly<Record<string, unknown>>, agent: AgentId = "claude"): Promise<string | undefined> {
  const cwd = window.folder;
  const text = JSON.stringify({ session_id: "s1", cwd, permission_mode: "acceptEdits", ...event });
  return await runHook({ platform: createNodePlatform(), dialect: agentOf(agent), event: text, cwd, limitMs: 50_000 });
}

async function write(content: string): Promise<string | undefined> {
  const tool_input = { file_path: file, content };
  return await tell({ hook_event_name: "PreToolUse", tool_name: "Write", tool_input });
}

describe("a rejection with a reason", () => {
  it("reaches an agent that asks by its hook, and the user is told so", async () => {
    await window.activate();
    const answer = write("two\n");
    const tab = await window.diffTab("Claude Code");
    bench.typed = " use three ";
    await window.run("patchbay.rejectWithReason", modifiedOf(tab));
    expect(await answer).toContain("They say: use three");
    await expect.poll(() => bench.tabs).toEqual([]);
    expect(bench.inputs).toEqual([expect.objectContaining({ prompt: "Claude Code reads your text and goes on." })]);
    expect(bench.notes).toEqual(["Rejected. Claude Code reads your text."]);
    expect(bench.clipboard).toBe("");
  });

  it("needs no text, and none comes from Escape", async () => {
    await window.activate();
    const answer = write("two\n");
    await window.diffTab("Claude Code");
    bench.typed = undefined;
    await window.run("patchbay.rejectWithReason");
    expect(bench.tabs).toHaveLength(1);
    bench.typed = "";
    await window.run("patchbay.rejectWithReason");
    expect(await answer).not.toContain("They say");
  });

  it("stands in the prompt of an agent in a terminal here, and is not sent", async () => {
    await window.activate();
    bench.terminalProcess = process.pid;
    await window.run("patchbay.runClaude");
    const claude = await window.connect(createClaudeDriver);
    const proposal = claude.propose({ path: file, text: "two\n" });
    await window.diffTab("Claude Code");
    bench.typed = "use three\r\nplease";
    await window.run("patchbay.rejectWithReason");
    expect((await proposal.outcome).kind).toBe("rejected");
    expect(bench.terminals[0]?.sent.at(-1)).toBe("\u001b[200~use three please\u001b[201~");
    expect(bench.notes.at(-1)).toContain("is in the prompt of Claude Code");
    expect(bench.clipboard).toBe("");
  });

  it("goes to the clipboard where the agent cannot be told", async () => {
    await window.activate();
    const claude = await window.connect(createClaudeDriver);
    const proposal = claude.propose({ path: file, text: "two\n" });
    await window.diffTab("Claude Code");
    bench.typed = "use three";
    await window.run("patchbay.rejectWithReason");
    expect((await proposal.outcome).kind).toBe("rejected");
    expect(bench.clipboard).toBe("use three");
    expect(bench.shown.at(-1)?.text).toContain("Your text is in the clipboard");
  });
});

describe("the setting of reviews", () => {
  it("is told to the companion, also when it changes", async () => {
    bench.configure("patchbay.reviews", { "*": "never" });
    await window.activate();
    expect(await write("two\n")).toBeUndefined();
    bench.configure("patchbay.reviews", { "*": { paths: ["*.txt"] } });
    const answer = write("two\n");
    await window.run("patchbay.acceptInTitle", modifiedOf(await window.diffTab("Claude Code")));
    expect(await answer).toContain("allow");
  });
});

describe("a shell command", () => {
  const wantsToRun = async (command: string): Promise<string | undefined> =>
    await tell({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } });
  const questions = (): readonly string[] =>
    bench.shown.flatMap(({ text, items }) => (text.startsWith("May ") ? [`${text} ${items.join(", ")}`] : []));

  it("waits for the user's word in the list of agents, whatever becomes of its notification", async () => {
    bench.configure("patchbay.reviews", { commands: { "*": "ask" } });
    await window.activate();
    // Closed.
    bench.answerNext(() => undefined);
    const answer = wantsToRun("npm run 'a b'\nrm -r dist");
    await expect.poll(questions).toHaveLength(1);
    expect(questions()[0]).toMatch(/^May Claude Code run “\$ npm run 'a b' ↵ rm -r dist” in .*\? Allow, Reject$/u);
    await expect.poll(() => bench.statusBar.text).toBe("$(bell) 1 $(plug) Claude Code");
    const [row, command] = await window.rows("patchbay.connections");
    expect(row).toContain("waits for you: $ npm run 'a b' ↵ rm -r dist");
    expect(command).toContain("$ npm run 'a b' ↵ rm -r dist");
    bench.answerNext(() => "Allow");
    const [entry] = (await bench.trees.get("patchbay.connections")?.getChildren()) ?? [];
    const [node] = (await bench.trees.get("patchbay.connections")?.getChildren(entry)) ?? [];
    const item = await bench.trees.get("patchbay.connections")?.getTreeItem(node);
    await window.run("patchbay.showCommand", ...(item?.command?.arguments ?? []));
    expect(await answer).toContain('"permissionDecision":"allow"');
    expect((await window.rows("patchbay.connections"))[0]).toContain("working");
  });

  it("is not asked about without the setting", async () => {
    await window.activate();
    expect(await wantsToRun("npm test")).toBeUndefined();
    expect(questions()).toEqual([]);
  });
});

describe("the list of agents", () => {
  it("says what each is doing, and leads to its reviews and its terminal", async () => {
    await window.activate();
    bench.terminalProcess = process.ppid;
    const terminal = bench.createTerminal("agent");
    await tell({ hook_event_name: "UserPromptSubmit", prompt: "Count to two" });
    await expect.poll(() => bench.statusBar.text).toContain("Claude Code");
    expect((await window.rows("patchbay.connections"))[0]).toBe("Claude Code working · Count to two");
    const answer = write("two\n");
    await window.diffTab("Claude Code");
    const [row, proposal] = await window.rows("patchbay.connections");
    expect(row).toBe("Claude Code waits for you: one.txt · Count to two");
    expect(proposal).toContain("one.txt");
    await expect
      .poll(() => bench.statusTooltip)
      .toContain(String.raw`Claude Code \(Count to two\)\: waits for you\: one\.txt`);
    await window.run("patchbay.rejectProposal");
    await answer;
    await tell({ hook_event_name: "Stop" });
    expect((await window.rows("patchbay.connections"))[0]).toMatch(/^Claude Code idle since \d.* · Count to two$/u);
    const [entry] = (await bench.trees.get("patchbay.connections")?.getChildren()) ?? [];
    await window.run("patchbay.showTerminal", entry);
    expect(terminal).toMatchObject({ isShown: true });
    await tell({ hook_event_name: "SessionEnd" });
    expect((await window.rows("patchbay.connections"))[0]).toMatch(/ended at \d/u);
  });

  it.each([
    [undefined, 0],
    ["hiddenTerminal", 2],
  ])("tells of what waits and has finished only if the user wants that: %s", async (notify, count) => {
    bench.configure("patchbay.notify", notify);
    await window.activate();
    await tell({ hook_event_name: "UserPromptSubmit", prompt: "Count to two" });
    await expect.poll(() => bench.statusBar.text).toContain("Claude Code");
    const answer = write("two\n");
    await window.diffTab("Claude Code");
    const told = (): readonly string[] =>
      bench.shown.map(({ text }) => text).filter((text) => text.includes("Count to two"));
    await expect.poll(told).toHaveLength(count / 2);
    await window.run("patchbay.rejectProposal");
    await answer;
    await tell({ hook_event_name: "Stop" });
    await expect.poll(() => bench.statusTooltip).toContain("idle");
    await expect.poll(told).toHaveLength(count);
  });
});

describe("the hook of an agent", () => {
  it("is entered into its settings once the user has seen the change, and leaves no trace there", async () => {
    const before = '{\n  "theme": "mine",\n  "model": "opus"\n}\n';
    mkdirSync(join(window.root, "home", ".claude"));
    writeFileSync(settings, before);
    mkdirSync(join(window.root, "extension", "dist"), { recursive: true });
    writeFileSync(join(window.root, "extension", "dist", "patchbay-hook.cjs"), "// the program");
    await window.activate();
    bench.chosen = "Claude Code";
    const showDiff = bench.showDiff.bind(bench);
    let atQuestion: string | undefined;
    bench.showDiff = async (...args) => {
      await showDiff(...args);
      atQuestion = readFileSync(settings, "utf8");
    };
    await window.run("patchbay.installHook");
    expect(atQuestion).toBe(before);
    expect(bench.executed).toContain("vscode.diff");
    expect(bench.tabs).toEqual([]);
    expect(readFileSync(settings, "utf8")).toContain(`"theme": "mine"`);
    expect(readFileSync(settings, "utf8")).toContain("patchbay-hook.cjs' claude");
    expect(readFileSync(join(window.root, "home", ".patchbay", "patchbay-hook.cjs"), "utf8")).toBe("// the program");
    expect(bench.shown.at(-1)?.text).toBe("The hook of Claude Code is installed. Restart it where it runs.");
    await window.run("patchbay.removeHook");
    expect(readFileSync(settings, "utf8")).toBe(before);
  });

  it("is said to be run only once the user trusts it, where the agent asks", async () => {
    mkdirSync(join(window.root, "home", ".codex"));
    mkdirSync(join(window.root, "extension", "dist"), { recursive: true });
    writeFileSync(join(window.root, "extension", "dist", "patchbay-hook.cjs"), "// the program");
    await window.activate();
    bench.chosen = "Codex CLI";
    await window.run("patchbay.installHook");
    expect(bench.shown.at(-1)?.text).toContain("Codex CLI asks at its next start whether you trust this hook");
  });

  it("is put right with the start of the editor where what it runs has gone", async () => {
    mkdirSync(join(window.root, "home", ".claude"));
    const place = join(window.root, "home", ".patchbay", "patchbay-hook.cjs");
    const hooks = [{ hooks: [{ type: "command", command: `'/gone/node' '${place}' claude` }] }];
    const events = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"];
    writeFileSync(settings, JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, hooks])) }));
    mkdirSync(join(window.root, "extension", "dist"), { recursive: true });
    writeFileSync(join(window.root, "extension", "dist", "patchbay-hook.cjs"), "// the program");
    await window.activate();
    await expect.poll(() => readFileSync(settings, "utf8"), { timeout: 10_000 }).not.toContain("/gone/node");
    expect(readFileSync(settings, "utf8")).toContain("patchbay-hook.cjs' claude");
    expect(readFileSync(place, "utf8")).toBe("// the program");
  });

  it("is not entered where the user thinks better of it", async () => {
    mkdirSync(join(window.root, "home", ".claude"));
    await window.activate();
    const offered = bench.picks;
    Object.defineProperty(bench, "chosen", {
      get: () => (offered.some(({ label }) => label === "Cancel") ? "Cancel" : "Claude Code"),
    });
    await window.run("patchbay.installHook");
    expect(existsSync(settings)).toBe(false);
    expect(bench.notes).toEqual(["Nothing was written."]);
    expect(bench.tabs).toEqual([]);
  });
});
