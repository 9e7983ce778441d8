import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { agentOf, toDisposable } from "@patchbay/core";
import { runHook } from "@patchbay/core/hook";
import {
  createClaudeDriver,
  createGeminiDriver,
  createQwenDriver,
  createTestPlatform,
  type TestPlatform,
} from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ServeCommand } from "../../src/command-line.ts";
import { serve } from "../../src/serve/serve.ts";
import { serveAsJson } from "../../src/serve/serve-as-json.ts";
import { serveInTerminal } from "../../src/serve/serve-in-terminal.ts";
import { createPaint } from "../../src/terminal/paint.ts";

let platform: TestPlatform;
let input: PassThrough;
let written: string;
let abort: AbortController;
let output: PassThrough;
let running: Promise<void> | undefined;

const plainCommand: ServeCommand = {
  kind: "serve",
  folder: "",
  demo: false,
  json: false,
  difftool: undefined,
  port: undefined,
  open: ["a.txt:1-2"],
  moreFolders: [],
  problems: false,
  reviews: undefined,
};

function where(): { cwd: string; home: string; temporaryDirectory: string } {
  return { cwd: platform.workspace, home: platform.home, temporaryDirectory: platform.tmp };
}

function common(): { folder: string; platform: TestPlatform; signal: AbortSignal } {
  return { folder: platform.workspace, platform, signal: abort.signal };
}

async function seen(part: string): Promise<void> {
  await expect.poll(() => written, { timeout: 10_000 }).toContain(part);
}

beforeEach(() => {
  platform = createTestPlatform();
  writeFileSync(join(platform.workspace, "a.txt"), "one\ntwo\nthree\n");
  abort = new AbortController();
  input = new PassThrough();
  output = new PassThrough();
  written = "";
  output.on("data", (chunk) => {
    written += String(chunk);
  });
});

afterEach(async () => {
  abort.abort();
  await running;
  running = undefined;
  platform.dispose();
});

/** What Claude Code's hook prints before a command. */
async function wantsToRun(command: string): Promise<string | undefined> {
  return await beforeTool("Bash", { command });
}

/** What Claude Code's hook prints before it changes a file. */
async function wantsToWrite(name: string): Promise<string | undefined> {
  return await beforeTool("Write", { file_path: join(platform.workspace, name), content: `new ${name}\n` });
}

async function beforeTool(tool: string, toolInput: Readonly<Record<string, string>>): Promise<string | undefined> {
  const cwd = platform.workspace;
  const event = JSON.stringify({
    session_id: "s1",
    cwd,
    hook_event_name: "PreToolUse",
    permission_mode: "bypassPermissions",
    tool_name: tool,
    tool_input: toolInput,
  });
  return await runHook({ platform, dialect: agentOf("claude"), event, cwd, limitMs: 50_000 });
}

function commandIn({ commands }: Readonly<Record<string, unknown>>): { readonly id: unknown } {
  const [first]: readonly unknown[] = Array.isArray(commands) ? commands : [];
  return typeof first === "object" && first !== null && "id" in first ? first : { id: undefined };
}

describe("patchbay serve in a terminal", () => {
  function start(command: Partial<ServeCommand> = {}, options: { readonly others?: readonly string[] } = {}): void {
    running = serveInTerminal({
      ...common(),
      command: { ...plainCommand, ...command },
      streams: { input, output },
      paint: createPaint(false),
      environment: {},
      others: [],
      suspend: () => {},
      onDidContinue: () => toDisposable(() => {}),
      ...options,
    });
  }

  it("says where it serves and how to get there, and tells who comes and what they see", async () => {
    start();
    await seen("Agents see lines 1 to 2 of a.txt as selected.");
    await seen("patchbay run gemini");
    await seen("patchbay run qwen\n");
    const agent = createGeminiDriver(where());
    await agent.connect();
    await agent.until("the selection", ({ view }) => view?.selectedText === "one\ntwo");
    await seen("Gemini CLI 0.61.0 has connected.");
    input.write("sessions\n");
    await seen("Agents see: a.txt (active, 7 characters selected)");
    input.write("open a.txt:3\n");
    await seen("Agents see line 3 of a.txt.");
    await agent.until("the other line", ({ view }) => view?.cursor?.line === 2 && view.selectedText === undefined);
    input.write("close a.txt\n");
    await seen("Agents no longer see a.txt.");
    await agent.until("nothing open", ({ view }) => view?.openFiles.length === 0);
    await agent.end();
  });

  it("reviews a proposal, and the agent writes what was accepted", async () => {
    start();
    await seen("patchbay > ");
    const agent = createClaudeDriver(where());
    await agent.connect();
    const path = join(platform.workspace, "a.txt");
    const proposal = agent.propose({ path, text: "ONE\ntwo\nthree\n" });
    await seen("Claude Code wants to change a.txt  +1 -1");
    await seen("[a]ccept");
    // The question came by itself: an answer at once would be taken for one to the question before.
    const answered = (): string => {
      input.write("a\n");
      return written;
    };
    await expect.poll(answered, { timeout: 10_000, interval: 100 }).toContain("Accepted.");
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", userModified: false });
    expect(readFileSync(path, "utf8")).toBe("ONE\ntwo\nthree\n");
    await agent.end();
    await seen("Claude Code 2.1.328 has disconnected.");
  });

  it("asks about a shell command; Enter leaves it waiting, and it can be asked about again", async () => {
    writeFileSync(join(platform.workspace, ".patchbay.json"), '{"reviews":{"commands":{"*":"ask"}}}');
    start();
    await seen("patchbay > ");
    const answer = wantsToRun("npm test");
    await seen("May Claude Code run “$ npm test” in");
    input.write("\n");
    await expect.poll(() => written.endsWith("patchbay > ")).toBe(true);
    input.write("commands\n");
    await seen("1  Claude Code: $ npm test");
    input.write("commands 1\n");
    const answered = (): string => {
      input.write("Allow\n");
      return written;
    };
    await seen("[1] Allow  [2] Reject");
    await expect.poll(() => answered(), { timeout: 10_000, interval: 300 }).toMatch(/Unknown command "Allow"/u);
    expect(await answer).toContain('"permissionDecision":"allow"');
  });

  it("reviews by hook only what the folder's file names, where the user wants only that", async () => {
    writeFileSync(join(platform.workspace, ".patchbay.json"), '{"reviews":{"*":{"paths":["locked/**"]}}}');
    start({ reviews: "asks-itself" });
    await seen("patchbay > ");
    expect(await wantsToWrite("free.txt")).toBeUndefined();
    const answer = wantsToWrite("locked/b.txt");
    await seen(`Claude Code wants to create ${join("locked", "b.txt")}`);
    await seen("[a]ccept");
    const answered = (): string => {
      input.write("a\n");
      return written;
    };
    await expect.poll(answered, { timeout: 10_000, interval: 100 }).toContain("Accepted.");
    expect(await answer).toContain('"permissionDecision":"allow"');
  });

  it("reviews nothing by hook where the user wants that, whatever the folder's file says", async () => {
    writeFileSync(join(platform.workspace, ".patchbay.json"), '{"reviews":{"*":"always"}}');
    start({ reviews: "never" });
    await seen("patchbay > ");
    expect(await wantsToWrite("free.txt")).toBeUndefined();
  });

  it("keeps no text of what holds secrets by convention among the changes of agents", async () => {
    start({ reviews: "never" });
    await seen("patchbay > ");
    for (const name of [".env", "server.key", "open.txt"]) {
      writeFileSync(join(platform.workspace, name), `TEXT OF ${name}\n`);
      await wantsToWrite(name);
    }
    input.write("quit\n");
    await running;
    const state = join(platform.home, ".local", "state");
    const kept = readdirSync(state, { recursive: true, withFileTypes: true, encoding: "utf8" })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
    expect(kept.join("\n").match(/TEXT OF .*/gu)).toEqual(["TEXT OF open.txt"]);
    expect(kept.join("\n")).toContain("server.key");
  });

  it("ends on quit, and leaves no record", async () => {
    start();
    await seen("patchbay > ");
    input.write("quit\n");
    await running;
    expect(await platform.files.list(join(platform.home, ".claude", "ide"))).toEqual([]);
    expect(await platform.files.list(join(platform.tmp, "gemini", "ide"))).toEqual([]);
  });

  it("ends when its input ends, and when it is told to", async () => {
    start();
    await seen("patchbay > ");
    input.end();
    await running;
    input = new PassThrough();
    written = "";
    start();
    await seen("patchbay > ");
    abort.abort();
    await running;
  });

  it("keeps its port for the next time, and listens where it is told", async () => {
    const port = async (): Promise<string> => {
      await seen("on port");
      return /on port (?<port>\d+)/u.exec(written)?.groups?.["port"] ?? "";
    };
    start();
    const first = await port();
    input.write("quit\n");
    await running;
    input = new PassThrough();
    written = "";
    start();
    expect(await port()).toBe(first);
    input.write("quit\n");
    await running;
    input = new PassThrough();
    written = "";
    start({ port: Number(first) });
    expect(await port()).toBe(first);
  });

  it("says what it does not know", async () => {
    start({ open: ["none.txt"] });
    await seen("File not found: none.txt.");
    await seen("patchbay > ");
    input.write(
      "dance\nproposals\nsessions\nreview 3\nmention a.txt:1-2\nmention none.txt\nclose b.txt\nopen\nopen a.txt:9\nopen .\nkept\nhelp\n",
    );
    await seen('Unknown command "dance"');
    await seen("No proposals are waiting.");
    await seen("No agent is connected.");
    await seen("No connected agent supports @-mentions");
    await seen("File not found: none.txt.");
    await seen("b.txt was not open.");
    await seen("Which file? Type: open <file[:line[-line]]>");
    await seen("a.txt has only 3 lines.");
    await seen("is not a file.");
    await seen("No texts are kept.");
    await seen("show agents a file");
  });

  it("tells that another editor serves the folder, and how to choose", async () => {
    start({}, { others: ["VS Code (port 7)"] });
    await seen("VS Code (port 7) has this folder open too");
    await seen("patchbay env --port ");
  });

  it("tells who never asks, who is away and who is back", async () => {
    start();
    await seen("patchbay > ");
    const agent = createQwenDriver(where());
    await agent.connect();
    await seen('If you see no changes: Qwen Code\'s tools.approvalMode is "auto"');
    await agent.until("a context", ({ contexts }) => contexts === 1);
    agent.cut("clean");
    await seen("Qwen Code is away.");
    await seen("Qwen Code is back.");
    await agent.end();
  });

  it("puts mentions into Claude Code's prompt", async () => {
    start();
    await seen("patchbay > ");
    const agent = createClaudeDriver(where());
    await agent.connect();
    await agent.until("a context", ({ contexts }) => contexts > 0);
    input.write("mention a.txt:2-3\n");
    await seen("Put lines 2 to 3 of a.txt into one agent's prompt.");
    const { mentions } = await agent.until("the mention", (status) => status.mentions.length > 0);
    expect(mentions).toEqual([{ path: join(platform.workspace, "a.txt"), lines: { start: 1, end: 2 } }]);
    await agent.end();
  });
});

describe("patchbay serve without a terminal", () => {
  it("fails with what to type, and plays no demonstration that nobody asked for", async () => {
    const command = { ...plainCommand, folder: platform.workspace };
    await expect(serve(command, { input, output })).rejects.toThrow("There is no terminal to review changes in.");
    expect(written).toBe("");
  });

  it("names a folder that is not there", async () => {
    const command = { ...plainCommand, folder: join(platform.root, "none") };
    await expect(serve(command, { input, output })).rejects.toThrow("Folder not found");
  });
});

describe("patchbay serve --json", () => {
  function events(name: string): readonly Record<string, unknown>[] {
    return written
      .split("\n")
      .filter(Boolean)
      .map((line): Record<string, unknown> => JSON.parse(line))
      .filter((event) => event["event"] === name);
  }

  async function event(name: string): Promise<Record<string, unknown>> {
    await expect.poll(() => events(name).length, { timeout: 10_000 }).toBeGreaterThan(0);
    return events(name)[0] ?? {};
  }

  function tell(command: unknown): void {
    input.write(`${JSON.stringify(command)}\n`);
  }

  beforeEach(async () => {
    running = serveAsJson({ ...common(), command: { ...plainCommand, json: true }, input, output });
    await event("listening");
  });

  it("lets a program decide, with edits", async () => {
    const agent = createGeminiDriver(where());
    await agent.connect();
    await event("sessions");
    const path = join(platform.workspace, "a.txt");
    const proposal = agent.propose({ path, text: "ONE\n" });
    const { id, text, kind } = await event("proposal");
    expect([text, kind]).toEqual(["ONE\n", "change"]);
    tell({ command: "edit", id, text: "mine\n" });
    tell({ command: "accept", id });
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", written: "mine\n" });
    expect(await event("ended")).toMatchObject({ id, how: "accepted" });
    await agent.end();
  });

  it("asks about a shell command, and a program answers it from its list or as a question", async () => {
    writeFileSync(join(platform.workspace, ".patchbay.json"), '{"reviews":{"commands":{"*":"ask"}}}');
    const first = wantsToRun("npm test");
    expect(await event("message")).toMatchObject({ code: "agent-command", actions: ["Allow", "Reject"] });
    const { id } = commandIn(await event("commands"));
    tell({ command: "reject-command", id, reason: "use pnpm" });
    expect(await first).toContain("They say: use pnpm");
    expect(await event("withdrawn")).toMatchObject({ id: 1 });
    const second = wantsToRun("pnpm test");
    await expect.poll(() => events("message").length).toBe(2);
    tell({ command: "answer", id: 2, action: "Allow" });
    expect(await second).toContain('"permissionDecision":"allow"');
    await expect.poll(() => events("commands").at(-1)).toMatchObject({ commands: [] });
    tell({ command: "allow-command", id });
    expect(await event("error")).toMatchObject({ message: `No command ${String(id)} waits.` });
  });

  it("tells what was accepted and is not written, and no longer once it is", async () => {
    const agent = createClaudeDriver({ ...where(), writesFile: false });
    await agent.connect();
    const path = join(platform.workspace, "a.txt");
    const proposal = agent.propose({ path, text: "ONE\n" });
    const { id } = await event("proposal");
    tell({ command: "accept", id });
    await proposal.outcome;
    await agent.end();
    expect(await event("not-written")).toMatchObject({ id, agent: "Claude Code", path });
    expect(await event("message")).toMatchObject({ code: "not-written", actions: ["Save to File", "Show"] });
    expect(await event("kept")).toMatchObject({ texts: [{ id, reason: "not-written" }] });
    tell({ command: "read-kept", id });
    expect(await event("kept-text")).toMatchObject({ id, text: "ONE\n" });
    writeFileSync(path, "ONE\n");
    await expect.poll(() => events("kept").at(-1)).toMatchObject({ texts: [] });
    expect(await event("withdrawn")).toBeDefined();
    expect(events("not-written")).toHaveLength(1);
  });

  it("says whether an agent reads why its proposal was rejected", async () => {
    const agent = createClaudeDriver(where());
    await agent.connect();
    const proposal = agent.propose({ path: join(platform.workspace, "a.txt"), text: "ONE\n" });
    const { id } = await event("proposal");
    tell({ command: "reject", id, reason: "use two" });
    expect(await proposal.outcome).toMatchObject({ kind: "rejected" });
    expect(await event("reason")).toMatchObject({ id, agent: "Claude Code", reason: "use two", told: false });
    await agent.end();
  });

  it("ends with the program that reads it, and tells the agent", async () => {
    const agent = createGeminiDriver(where());
    await agent.connect();
    const proposal = agent.propose({ path: join(platform.workspace, "a.txt"), text: "ONE\n" });
    await event("proposal");
    output.destroy(new Error("write EPIPE"));
    await running;
    expect(await proposal.outcome).toMatchObject({ kind: "rejected" });
    expect(readdirSync(join(platform.tmp, "gemini", "ide"))).toEqual([]);
    await agent.end();
  });

  it("puts lines into the prompt of an agent that takes them, and says where there is none", async () => {
    tell({ command: "mention", file: "a.txt:2-3" });
    expect(await event("error")).toMatchObject({
      message: "No connected agent supports @-mentions (Claude Code, opencode and Kilo do).",
    });
    const agent = createClaudeDriver(where());
    await agent.connect();
    tell({ command: "mention", file: "a.txt:2-3" });
    await agent.until("the mention", ({ mentions }) => mentions.length > 0);
    expect(agent.status.mentions).toEqual([{ path: join(platform.workspace, "a.txt"), lines: { start: 1, end: 2 } }]);
    await agent.end();
  });

  it("tells a program that the file has changed under a proposal, and loses neither change", async () => {
    const agent = createGeminiDriver(where());
    await agent.connect();
    const path = join(platform.workspace, "a.txt");
    const proposal = agent.propose({ path, text: "ONE\ntwo\nthree\n" });
    const { id, original, standing } = await event("proposal");
    expect([original, standing]).toEqual(["one\ntwo\nthree\n", "unchanged"]);
    writeFileSync(path, "one\ntwo\nTHREE\n");
    expect(await event("changed")).toMatchObject({
      id,
      original: "one\ntwo\nTHREE\n",
      text: "ONE\ntwo\nTHREE\n",
      standing: "merged",
    });
    tell({ command: "accept-all" });
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", written: "ONE\ntwo\nTHREE\n" });
    expect(await event("ended")).toMatchObject({ id, how: "accepted" });
    await agent.end();
  });

  it("refuses a conflict until it is resolved", async () => {
    const agent = createGeminiDriver(where());
    await agent.connect();
    const path = join(platform.workspace, "a.txt");
    const proposal = agent.propose({ path, text: "ONE\ntwo\nthree\n" });
    const { id } = await event("proposal");
    writeFileSync(path, "1\ntwo\nthree\n");
    expect(await event("changed")).toMatchObject({ id, standing: "conflict" });
    tell({ command: "accept", id });
    expect(await event("message")).toMatchObject({ code: "not-accepted-conflict", actions: [] });
    expect(events("ended")).toEqual([]);
    tell({ command: "edit", id, text: "1 ONE\ntwo\nthree\n" });
    tell({ command: "accept", id });
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", written: "1 ONE\ntwo\nthree\n" });
    await agent.end();
  });

  it("gives a program the texts that no agent took", async () => {
    const agent = createClaudeDriver(where());
    await agent.connect();
    const path = join(platform.workspace, "a.txt");
    agent.propose({ path, text: "ONE\ntwo\nthree\n" });
    const { id } = await event("proposal");
    tell({ command: "edit", id, text: "mine\ntwo\nthree\n" });
    await agent.end();
    const { texts } = await event("kept");
    expect(texts).toMatchObject([{ id, path, agent: "Claude Code", reason: "agent-exited" }]);
    tell({ command: "read-kept", id });
    expect(await event("kept-text")).toMatchObject({ id, text: "mine\ntwo\nthree\n" });
    tell({ command: "save-kept", id });
    expect(await event("saved")).toMatchObject({ id, kind: "saved" });
    expect(readFileSync(path, "utf8")).toBe("mine\ntwo\nthree\n");
    tell({ command: "discard-kept", id });
    expect(await event("error")).toMatchObject({ message: "This text is no longer kept." });
  });

  it("tells a program that the terminal decided", async () => {
    const agent = createGeminiDriver(where());
    await agent.connect();
    const proposal = agent.propose({ path: join(platform.workspace, "a.txt"), text: "ONE\n" });
    const { id } = await event("proposal");
    await proposal.decideInTerminal("reject");
    expect(await event("ended")).toMatchObject({ id, how: "decided-in-terminal" });
    await agent.end();
  });

  it("asks a program about a path outside the folder", async () => {
    const agent = createGeminiDriver(where());
    await agent.connect();
    const outside = join(platform.root, "outside");
    mkdirSync(outside);
    const proposal = agent.propose({ path: join(outside, "x.txt"), text: "x\n" });
    const { id, actions } = await event("message");
    expect(Array.isArray(actions)).toBe(true);
    tell({ command: "answer", id, action: Array.isArray(actions) ? String(actions[0]) : "" });
    const opened = await event("proposal");
    tell({ command: "reject", id: opened["id"] });
    expect(await proposal.outcome).toMatchObject({ kind: "rejected" });
    await agent.end();
  });

  it("takes a question back that was answered in the terminal", async () => {
    const agent = createGeminiDriver(where());
    await agent.connect();
    const outside = join(platform.root, "outside");
    mkdirSync(outside);
    const proposal = agent.propose({ path: join(outside, "x.txt"), text: "x\n" });
    const { id } = await event("message");
    await proposal.decideInTerminal("reject");
    expect(await event("withdrawn")).toMatchObject({ id });
    await agent.end();
  });

  it("answers nonsense with an error event and goes on; quit ends it", async () => {
    input.write("nonsense\n");
    tell({ command: "fly" });
    tell({ command: "accept", id: "none" });
    tell({ command: "open", file: "none.txt" });
    tell({ command: "close", file: "a.txt" });
    await expect.poll(() => events("error")).toHaveLength(4);
    const messages = events("error").map(({ message }) => message);
    expect(messages).toEqual([
      "Invalid command: the line is not JSON.",
      'Invalid command: it needs a "command" that is known.',
      "No proposal none waits.",
      "File not found: none.txt.",
    ]);
    tell({ command: "edit", id: "none" });
    await expect.poll(() => events("error").at(-1)).toMatchObject({ message: expect.stringContaining('its "text"') });
    tell({ command: "quit" });
    await running;
  });
});
