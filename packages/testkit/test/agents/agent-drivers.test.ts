import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentId, agentOf, agents as catalogue, type Companion, createCompanion } from "@patchbay/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AgentDriver,
  type AgentDriverOptions,
  createAgentDriver,
  createMemoryEditor,
  createTestPlatform,
  type MemoryEditor,
  type TestPlatform,
} from "../../src/index.ts";

let platform: TestPlatform;
let editor: MemoryEditor;
let companion: Companion;
const agents: AgentDriver[] = [];

function write(name: string, text: string): string {
  const path = join(platform.workspace, name);
  writeFileSync(path, text);
  return path;
}

function start(dialect: AgentId, options: Partial<AgentDriverOptions> = {}): AgentDriver {
  const agent = createAgentDriver(dialect, {
    cwd: platform.workspace,
    home: platform.home,
    temporaryDirectory: platform.tmp,
    ...options,
  });
  agents.push(agent);
  return agent;
}

beforeEach(async () => {
  platform = createTestPlatform();
  editor = createMemoryEditor({ folders: [platform.workspace], storageDirectory: join(platform.root, "storage") });
  companion = createCompanion({ host: editor, platform });
  await companion.start();
});

afterEach(async () => {
  await Promise.all(agents.splice(0).map(async (agent) => await agent.end()));
  await companion.stop();
  platform.dispose();
});

/** Those that speak with an editor by themselves. */
const speaking = catalogue.filter(({ transport }) => transport !== "hook");
const isReviewed = ({ contextOnly }: (typeof catalogue)[number]): boolean => contextOnly !== true;
const idOf = ({ id }: (typeof catalogue)[number]): AgentId => id;

describe.each(speaking.filter((agent) => !isReviewed(agent)).map(idOf))(
  "the %s driver, which wants context only,",
  (dialect) => {
    it("finds a companion through the record, and sees what the user has open", async () => {
      const path = write("a.ts", "one\ntwo\nthree\n");
      editor.openFile(path, "one\ntwo\nthree\n");
      editor.select({ start: { line: 1, character: 0 }, end: { line: 2, character: 5 } });
      const agent = start(dialect);
      await agent.connect();
      expect(agent.status).toMatchObject({ state: "connected", editorName: "Memory Editor", tools: [] });
      const { view } = await agent.until("the selection", (status) => status.view?.selectedText === "two\nthree");
      expect(view).toMatchObject({ openFiles: [path], active: path, cursor: { line: 2, character: 5 } });
      companion.mention(path, { start: 0, end: 1 });
      companion.mention(path);
      const { mentions } = await agent.until("the mentions", (status) => status.mentions.length === 2);
      expect(mentions).toEqual([{ path, lines: { start: 0, end: 1 } }, { path }]);
    });

    it("asks about a change in its own terminal", async () => {
      const path = write("a.ts", "one\n");
      const agent = start(dialect);
      await agent.connect();
      const proposal = agent.propose({ path, text: "ONE\n" });
      await proposal.asked;
      expect(proposal.refusal).toContain("terminal");
      expect(await proposal.decideInTerminal("accept")).toMatchObject({ kind: "accepted", by: "terminal" });
      expect(readFileSync(path, "utf8")).toBe("ONE\n");
      expect(editor.views).toEqual([]);
      await expect(agent.callTool("openDiff", {})).rejects.toMatchObject({ code: "not-found" });
    });

    it("finds the next companion, on another port with another token, by itself", async () => {
      const agent = start(dialect);
      await agent.connect();
      const before = agent.status.port;
      await companion.stop();
      await agent.until("the end", ({ state }) => state === "disconnected");
      companion = createCompanion({ host: createMemoryEditor({ folders: [platform.workspace] }), platform });
      await companion.start();
      const { port } = await agent.until("the connection", ({ state }) => state === "connected");
      expect(port).not.toBe(before);
    });

    it("says why it does not connect: no companion for this folder, or none that lets it in", async () => {
      const elsewhere = join(platform.root, "elsewhere");
      mkdirSync(elsewhere);
      await expect(start(dialect, { cwd: elsewhere }).connect()).rejects.toMatchObject({ code: "not-found" });
      const port = companion.state.kind === "listening" ? companion.state.port : 0;
      const environment = { CLAUDE_CODE_SSE_PORT: String(port) };
      await expect(start(dialect, { environment }).connect()).rejects.toThrow(/could not connect/u);
    });
  },
);

describe.each(speaking.filter(isReviewed).map(idOf))("the %s driver against a real companion", (dialect) => {
  it("finds it through the record, connects, and sees what the user has open", async () => {
    const path = write("a.ts", "one\ntwo\n");
    editor.openFile(path, "one\ntwo\n");
    editor.select({ start: { line: 0, character: 0 }, end: { line: 0, character: 3 } });
    const agent = start(dialect);
    await agent.connect();
    expect(agent.status).toMatchObject({ state: "connected", editorName: "Memory Editor" });
    expect(agent.status.tools).toContain(dialect === "copilot" ? "open_diff" : "openDiff");
    const { view } = await agent.until("the selection", (status) => status.view?.selectedText === "one");
    expect(view).toMatchObject({ openFiles: [path], active: path, cursor: { line: 0, character: 3 } });
  });

  it.runIf(agentOf(dialect).takesEdits)(
    "proposes, the user edits and accepts, and the agent writes the file",
    async () => {
      const path = write("a.ts", "one\n");
      const agent = start(dialect);
      await agent.connect();
      const proposal = agent.propose({ path, text: "ONE\n" });
      const view = await editor.nextView();
      expect(view.text).toBe("ONE\n");
      view.type("mine\n");
      view.accept();
      expect(await proposal.outcome).toMatchObject({ kind: "accepted", userModified: true, by: "editor" });
      expect(readFileSync(path, "utf8")).toBe("mine\n");
    },
  );

  it("is told of a rejection and writes nothing", async () => {
    const path = write("a.ts", "one\n");
    const agent = start(dialect);
    await agent.connect();
    const proposal = agent.propose({ path, text: "ONE\n" });
    (await editor.nextView()).reject();
    expect(await proposal.outcome).toEqual({ kind: "rejected", by: "editor" });
    expect(readFileSync(path, "utf8")).toBe("one\n");
  });

  it("is answered in the terminal, and the view goes away", async () => {
    const path = write("a.ts", "one\n");
    const agent = start(dialect);
    await agent.connect();
    const proposal = agent.propose({ path, text: "ONE\n" });
    const view = await editor.nextView();
    expect(await proposal.decideInTerminal("accept")).toMatchObject({ kind: "accepted", by: "terminal" });
    await editor.ended(view);
    expect(readFileSync(path, "utf8")).toBe("ONE\n");
  });

  it("keeps CRLF and a byte order mark of the file", async () => {
    const path = write("a.txt", "\uFEFFone\r\ntwo\r\n");
    const agent = start(dialect);
    await agent.connect();
    const proposal = agent.propose({ path, text: "ONE\ntwo\n" });
    (await editor.nextView()).accept();
    await proposal.outcome;
    expect(readFileSync(path, "utf8")).toBe("\uFEFFONE\r\ntwo\r\n");
  });

  it("makes a new file as proposed", async () => {
    const path = join(platform.workspace, "folder", "new.txt");
    const agent = start(dialect);
    await agent.connect();
    const proposal = agent.propose({ path, text: "new\n" });
    const view = await editor.nextView();
    expect(view.request.kind).toBe("create");
    view.accept();
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", userModified: false });
    expect(readFileSync(path, "utf8")).toBe("new\n");
  });

  it("says why it does not connect: no companion for this folder", async () => {
    const elsewhere = join(platform.root, "elsewhere");
    mkdirSync(elsewhere);
    const agent = start(dialect, { cwd: elsewhere });
    await expect(agent.connect()).rejects.toMatchObject({ code: "not-found" });
    expect(agent.status.state).toBe("disconnected");
  });

  it("leaves questions open as lost when it ends", async () => {
    const agent = start(dialect);
    await agent.connect();
    const proposal = agent.propose({ path: write("a.ts", "one\n"), text: "ONE\n" });
    await editor.nextView();
    await agent.end();
    expect(await proposal.outcome).toEqual({ kind: "lost" });
  });
});

describe("quirks of the real clients", () => {
  it("Gemini asks about one file after the other", async () => {
    const path = write("a.ts", "one\n");
    const agent = start("gemini");
    await agent.connect();
    const first = agent.propose({ path, text: "first\n" });
    const second = agent.propose({ path, text: "second\n" });
    (await editor.nextView((view) => view.text === "first\n")).accept();
    await first.outcome;
    (await editor.nextView((view) => view.text === "second\n")).accept();
    expect(await second.outcome).toMatchObject({ kind: "accepted" });
    expect(readFileSync(path, "utf8")).toBe("second\n");
  });

  it("Gemini gives a reset stream up until the user enables it again", async () => {
    const agent = start("gemini");
    await agent.connect();
    await agent.until("a context", (status) => status.contexts > 0);
    agent.cut("reset");
    await agent.until("the end", (status) => status.state === "disconnected");
    await agent.connect();
    expect(agent.status.state).toBe("connected");
  });

  it("Qwen re-opens a stream that ended cleanly and gets the context again", async () => {
    const agent = start("qwen");
    await agent.connect();
    await agent.until("a context", (status) => status.contexts === 1);
    agent.cut("clean");
    await agent.until("the context on the new stream", (status) => status.contexts > 1);
    expect(agent.status.state).toBe("connected");
  });

  it("Claude comes back by itself", async () => {
    const agent = start("claude");
    await agent.connect();
    agent.cut("reset");
    await agent.until("the end", (status) => status.state === "disconnected");
    await agent.until("the connection", (status) => status.state === "connected");
  });

  it("Claude and Qwen delete locks of dead processes", async () => {
    const lock = join(platform.home, ".qwen", "ide", "1.lock");
    const ideInfo = { name: "x", displayName: "X" };
    writeFileSync(lock, JSON.stringify({ port: 1, workspacePath: platform.workspace, ppid: 2 ** 22 + 1, ideInfo }));
    const claudeLock = join(platform.home, ".claude", "ide", "1.lock");
    writeFileSync(
      claudeLock,
      JSON.stringify({ pid: 2 ** 22 + 1, workspaceFolders: [platform.workspace], transport: "ws" }),
    );
    await start("qwen").connect();
    await start("claude").connect();
    expect([existsSync(lock), existsSync(claudeLock)]).toEqual([false, false]);
  });
});
