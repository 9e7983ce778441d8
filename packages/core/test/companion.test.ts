import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClaudeDriver, createGeminiDriver, createQwenDriver } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { createWorkspaceLab, type EditorRun, type WorkspaceLab } from "./workspace-lab.ts";

const drivers = [
  { name: "gemini", create: createGeminiDriver },
  { name: "qwen", create: createQwenDriver },
  { name: "claude", create: createClaudeDriver },
] as const;

interface Setup extends WorkspaceLab, EditorRun {
  restart(options?: { readonly reload?: boolean }): Promise<EditorRun>;
}

/** A workspace with an editor that is served. */
async function setUp(text?: string): Promise<Setup> {
  const lab = createWorkspaceLab(text);
  const run = async (): Promise<EditorRun> => {
    const { editor, companion } = lab.build();
    await companion.start();
    return { editor, companion };
  };
  const first = await run();
  return {
    ...lab,
    ...first,
    restart: async ({ reload = true } = {}) => {
      await first.companion.stop({ reload });
      return await run();
    },
  };
}

describe.each(drivers)("companion with $name", ({ name, create }) => {
  it("is found through its record, gives context at once and after a change", async () => {
    const { editor, file, agent } = await setUp();
    editor.openFile(file);
    editor.select({ start: { line: 0, character: 0 }, end: { line: 0, character: 3 } });
    const driver = await agent(create);
    await driver.until("the selection", (status) => status.view?.selectedText === "one");
    expect(driver.status.editorName).toBe("Memory Editor");
    editor.setCursor({ line: 1, character: 2 });
    await driver.until(
      "an empty selection",
      (status) => status.view?.selectedText === undefined && status.view?.active === file,
    );
    editor.closeFile(file);
    await driver.until("nothing open", (status) => status.view?.active === undefined);
  });

  it("turns no accepted text of some megabytes into JSON at once", async () => {
    const { editor, file, agent } = await setUp();
    const driver = await agent(create);
    const text = "one\n".repeat(1024 * 1024);
    const proposal = driver.propose({ path: file, text });
    const view = await editor.nextView();
    const stringify = vi.spyOn(JSON, "stringify");
    onTestFinished(() => stringify.mockRestore());
    view.type(`${text}two\n`);
    view.accept();
    expect((await proposal.outcome).kind).toBe("accepted");
    const lengths = stringify.mock.results.map(({ value }) => (typeof value === "string" ? value.length : 0));
    expect(Math.max(...lengths)).toBeLessThan(1024 * 1024);
    expect(readFileSync(file, "utf8") === `${text}two\n`).toBe(true);
  });

  it("is listed with the agent's name and its version", async () => {
    const { companion, agent } = await setUp();
    await agent(create);
    await expect
      .poll(() => companion.sessions.map((session) => [session.dialect, session.state]))
      .toEqual([[name, "connected"]]);
    expect(companion.sessions[0]?.agentName).toMatch(/Gemini CLI|Qwen Code|Claude Code/u);
  });

  it("accept writes the proposal", async () => {
    const { editor, file, agent } = await setUp();
    const proposal = (await agent(create)).propose({ path: file, text: "one\n2\n" });
    const view = await editor.nextView();
    view.accept();
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", by: "editor", userModified: false });
    expect(readFileSync(file, "utf8")).toBe("one\n2\n");
  });

  it("accept after an edit writes the edited text", async () => {
    const { editor, file, agent } = await setUp();
    const proposal = (await agent(create)).propose({ path: file, text: "one\n2\n" });
    const view = await editor.nextView();
    view.type("one\nedited\n");
    view.accept();
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", userModified: true });
    expect(readFileSync(file, "utf8")).toBe("one\nedited\n");
  });

  it("reject leaves the file", async () => {
    const { editor, file, agent } = await setUp();
    const proposal = (await agent(create)).propose({ path: file, text: "one\n2\n" });
    (await editor.nextView()).reject();
    expect(await proposal.outcome).toMatchObject({ kind: "rejected", by: "editor" });
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
  });

  it.each(["accept", "reject"] as const)("%s in the terminal closes the view", async (verdict) => {
    const { editor, file, agent, companion } = await setUp();
    const proposal = (await agent(create)).propose({ path: file, text: "one\n2\n" });
    const view = await editor.nextView();
    await proposal.asked;
    expect(await proposal.decideInTerminal(verdict)).toMatchObject({ by: "terminal" });
    await editor.ended(view);
    expect(companion.proposals).toEqual([]);
  });

  it.each([
    ["CRLF", "one\r\ntwo\r\n", "one\n2\n", "one\r\n2\r\n"],
    ["no final line end", "one\ntwo", "one\n2", "one\n2"],
    ["a byte order mark", "\ufeffone\ntwo\n", "one\n2\n", "\ufeffone\n2\n"],
    ["emoji", "one 😀\n", "two 👩‍👩‍👧 é\n", "two 👩‍👩‍👧 é\n"],
  ])("round trip with %s", async (_what, before, proposed, after) => {
    const { editor, file, agent } = await setUp(before);
    const proposal = (await agent(create)).propose({ path: file, text: proposed });
    (await editor.nextView()).accept();
    await proposal.outcome;
    expect(readFileSync(file, "utf8")).toBe(after);
  });

  it("a path outside the workspace opens nothing until the user says yes", async () => {
    const { editor, platform, agent } = await setUp();
    const outside = join(platform.root, "outside.txt");
    const proposal = (await agent(create)).propose({ path: outside, text: "x\n" });
    const question = await editor.messages.next("outside-workspace");
    expect(editor.openViews).toEqual([]);
    question.answer("Show");
    (await editor.nextView()).reject();
    expect(await proposal.outcome).toMatchObject({ kind: "rejected" });
  });

  it("a stop tells an agent that waits for a verdict", async () => {
    const { companion, editor, file, agent } = await setUp();
    const proposal = (await agent(create)).propose({ path: file, text: "one\n2\n" });
    await editor.nextView();
    await proposal.asked;
    await companion.stop();
    expect(await proposal.outcome).toMatchObject({ kind: "rejected" });
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
  });

  it("comes back to the same port with the same token after a reload", async () => {
    const { editor, file, agent, restart } = await setUp();
    editor.openFile(file);
    const driver = await agent(create);
    await driver.until("the file", (status) => status.view?.active === file);
    const port = driver.status.port;
    const { editor: again } = await restart();
    again.openFile(file, "one\ntwo\n");
    again.setCursor({ line: 1, character: 1 });
    await driver.until("the new cursor", (status) => status.view?.cursor?.line === 1, 10_000);
    expect(driver.status.port).toBe(port);
  });
});

describe("companion", () => {
  it("three agents on one file: no verdict resolves another's proposal", async () => {
    const { editor, file, agent } = await setUp();
    const all = [];
    for (const { create } of drivers) all.push(await agent(create));
    const proposals = all.map((driver, index) => driver.propose({ path: file, text: `of ${index}\n`, tool: "edit" }));
    const views = await Promise.all(
      all.map((_driver, index) => editor.nextView((view) => view.request.proposedText === `of ${index}\n`)),
    );
    views[1]?.accept();
    expect(await proposals[1]?.outcome).toMatchObject({ kind: "accepted" });
    expect(editor.openViews).toHaveLength(2);
    views[0]?.reject();
    expect(await proposals[0]?.outcome).toMatchObject({ kind: "rejected" });
    expect(editor.openViews).toHaveLength(1);
    // The first accept has changed the same line: the third agent's proposal is a conflict by now.
    const last = views[2];
    if (last === undefined) throw new Error("not shown");
    await editor.viewBecomes(last, (view) => view.standing === "conflict");
    last.type("of 1 and 2\n");
    last.accept();
    expect(await proposals[2]?.outcome).toMatchObject({ kind: "accepted" });
    expect(readFileSync(file, "utf8")).toBe("of 1 and 2\n");
  });

  it("brings back a Gemini proposal with what was typed, after a reload", async () => {
    const { editor, file, agent, restart } = await setUp();
    const driver = await agent(createGeminiDriver);
    const proposal = driver.propose({ path: file, text: "one\n2\n" });
    await proposal.asked;
    (await editor.nextView()).type("one\nmine\n");
    const { editor: again } = await restart();
    const view = await again.nextView();
    expect(view.request.draftText).toBe("one\nmine\n");
    await driver.until("connected again", (status) => status.state === "connected" && status.contexts > 1, 10_000);
    view.accept();
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", userModified: true });
    expect(readFileSync(file, "utf8")).toBe("one\nmine\n");
  });

  it("a stop tells waiting agents and takes the records away", async () => {
    const { companion, editor, file, agent, platform } = await setUp();
    const driver = await agent(createQwenDriver);
    const proposal = driver.propose({ path: file, text: "one\n2\n" });
    await editor.nextView();
    await proposal.asked;
    const locks = join(platform.home, ".qwen", "ide");
    expect(readdirSync(locks)).toHaveLength(1);
    await companion.stop();
    expect(await proposal.outcome).toMatchObject({ kind: "rejected" });
    expect(readdirSync(locks)).toEqual([]);
    expect(companion.environment).toEqual({});
  });

  it("E07 rewrites the records when the folders change", async () => {
    const { editor, platform } = await setUp();
    const lock = (): string => {
      const directory = join(platform.home, ".claude", "ide");
      return readFileSync(join(directory, readdirSync(directory)[0] ?? ""), "utf8");
    };
    expect(lock()).not.toContain("added");
    editor.setFolders([platform.workspace, join(platform.root, "added")]);
    await expect.poll(lock).toContain("added");
  });

  it("mentions reach Claude and are counted", async () => {
    const { companion, file, agent } = await setUp();
    const claude = await agent(createClaudeDriver);
    await agent(createGeminiDriver);
    expect(companion.mention(file, { start: 1, end: 2 })).toBe(1);
    await claude.until("the mention", (status) => status.mentions.length === 1);
    expect(claude.status.mentions).toEqual([{ path: file, lines: { start: 1, end: 2 } }]);
  });

  it("a view that cannot be shown is told in whole sentences: to the user for each file, to agents that take it", async () => {
    const { editor, file, agent, platform } = await setUp();
    const other = join(platform.workspace, "other.ts");
    const gemini = await agent(createGeminiDriver);
    const claude = await agent(createClaudeDriver);
    const failure = (path: string): string => `The editor could not show the proposal for ${path}: no window`;
    editor.fail("diffs.open", new Error("no window"), 3);
    for (const path of [file, other]) await gemini.propose({ path, text: "new\n" }).asked;
    await expect
      .poll(() => editor.shownMessages.map(({ message }) => message.text))
      .toEqual([file, other].map((path) => `${failure(path)}. Answer in the agent's terminal.`));
    const args = { old_file_path: file, new_file_path: file, new_file_contents: "new\n", tab_name: "tab" };
    await expect(claude.callTool("openDiff", args)).rejects.toThrow(new RegExp(`^${failure(file)}$`, "u"));
  });

  it("an agent is connecting until its stream opens, its handshake done or not, and away once that has ended", async () => {
    const { companion, platform } = await setUp();
    const port = companion.state.kind === "listening" ? companion.state.port : 0;
    const lock: unknown = JSON.parse(readFileSync(join(platform.home, ".qwen", "ide", `${port}.lock`), "utf8"));
    const headers: Record<string, string> = {
      authorization: `Bearer ${String(Reflect.get(Object(lock), "authToken"))}`,
      "content-type": "application/json",
    };
    const clientInfo = { name: "streamable-http-client", version: "0.61.0" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const url = `http://127.0.0.1:${port}/mcp`;
    const begun = await fetch(url, { method: "POST", headers, body });
    headers["mcp-session-id"] = begun.headers.get("mcp-session-id") ?? "";
    await begun.text();
    const states = (): readonly string[] => companion.sessions.map((session) => session.state);
    expect(states()).toEqual(["connecting"]);
    // The end of a handshake: a client may ask for the tools before its stream is open.
    for (const message of [{ method: "notifications/initialized" }, { id: 2, method: "tools/list" }]) {
      const next = JSON.stringify({ jsonrpc: "2.0", ...message });
      await (await fetch(url, { method: "POST", headers, body: next })).text();
    }
    expect(states()).toEqual(["connecting"]);
    const leave = new AbortController();
    await fetch(url, { headers, signal: leave.signal });
    await expect.poll(states).toEqual(["connected"]);
    leave.abort();
    await expect.poll(states).toEqual(["away"]);
  });

  it("diagnostics reach Claude with a file URI", async () => {
    const { editor, file, agent } = await setUp();
    const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
    editor.setDiagnostics({
      path: file,
      diagnostics: [{ message: "No.", severity: "Error", range, source: "ts", code: "1" }],
    });
    const claude = await agent(createClaudeDriver);
    const [text] = await claude.callTool("getDiagnostics", {});
    expect(JSON.parse(text ?? "")).toEqual([
      { uri: `file://${file}`, diagnostics: [{ message: "No.", severity: "Error", range, source: "ts", code: "1" }] },
    ]);
  });

  it("diagnostics have the protocol's members only, and none of files that are not shared", async () => {
    const { companion, editor, platform, agent } = await setUp();
    const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
    const more = { ...range, start: { ...range.start, active: true } };
    const shared = join(platform.workspace, "shared.ts");
    const secret = join(platform.workspace, "secret", "key.ts");
    for (const path of [shared, secret]) {
      const diagnostic = { message: "No.", severity: "Error", range: more, tags: [1], relatedInformation: [] } as const;
      editor.setDiagnostics({ path, diagnostics: [diagnostic] });
    }
    companion.updateSettings({ exclude: ["secret/**"] });
    const claude = await agent(createClaudeDriver);
    const read = async (args: Record<string, unknown>): Promise<unknown> =>
      JSON.parse((await claude.callTool("getDiagnostics", args))[0] ?? "");
    const expected = [{ uri: `file://${shared}`, diagnostics: [{ message: "No.", severity: "Error", range }] }];
    // Until the patterns are read, nothing is shared.
    await expect.poll(() => read({})).toEqual(expected);
    expect(await read({ uri: `file://${secret}` })).toEqual([]);
    companion.updateSettings({ sharing: false });
    expect(await read({ uri: `file://${shared}` })).toEqual([]);
    companion.updateSettings({ sharing: true });
    expect(await read({})).toEqual(expected);
  });

  it("C06 nothing is told of a file with secrets: neither what diagnostics quote nor whether a guess was right", async () => {
    const { editor, platform, agent } = await setUp();
    const secret = join(platform.workspace, ".env");
    writeFileSync(secret, "A=1\nTOKEN=hunter2\n");
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 5 } };
    editor.setDiagnostics({ path: secret, diagnostics: [{ message: "Odd: hunter2", severity: "Error", range }] });
    const claude = await agent(createClaudeDriver);
    expect(await claude.callTool("getDiagnostics", {})).toEqual(["[]"]);
    expect(await claude.callTool("getDiagnostics", { uri: `file://${secret}` })).toEqual(["[]"]);
    await claude.callTool("openFile", { filePath: secret, startText: "hunter2" });
    expect(editor.editors.active()).toMatchObject({ path: secret, cursor: { line: 0, character: 0 } });
  });

  it("a file that is not shared is not said to be open either", async () => {
    const { companion, editor, platform, agent } = await setUp();
    const hidden = join(platform.workspace, "hidden.ts");
    writeFileSync(hidden, "one\n");
    editor.openFile(hidden);
    editor.makeDirty(hidden, "two\n");
    const claude = await agent(createClaudeDriver);
    const call = async (name: string): Promise<unknown> =>
      JSON.parse((await claude.callTool(name, { filePath: hidden }))[0] ?? "");
    expect(await call("checkDocumentDirty")).toMatchObject({ success: true, isDirty: true });
    companion.updateSettings({ exclude: ["hidden.ts"] });
    expect(await call("checkDocumentDirty")).toMatchObject({ success: false });
    expect(await call("saveDocument")).toMatchObject({ success: false });
    expect(editor.documents.isDirty(hidden)).toBe(true);
  });

  it.each([
    { typed: undefined, left: [] },
    { typed: "mine", left: ["mine"] },
  ])("a cancelled openDiff waits for no verdict, and keeps what was typed ($typed)", async ({ typed, left }) => {
    const { companion, editor, file, platform } = await setUp();
    const port = companion.state.kind === "listening" ? companion.state.port : 0;
    const lock: unknown = JSON.parse(readFileSync(join(platform.home, ".claude", "ide", `${port}.lock`), "utf8"));
    const headers = { "x-claude-code-ide-authorization": String(Reflect.get(Object(lock), "authToken")) };
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, "mcp", { headers });
    onTestFinished(() => socket.terminate());
    await once(socket, "open");
    const send = (message: object): void => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
    const clientInfo = { name: "another client", version: "1.0.0" };
    send({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
    });
    const args = { old_file_path: file, new_file_path: file, new_file_contents: "two\n", tab_name: "tab" };
    send({ id: 2, method: "tools/call", params: { name: "openDiff", arguments: args } });
    const view = await editor.nextView();
    if (typed !== undefined) view.type(typed);
    send({ method: "notifications/cancelled", params: { requestId: 2 } });
    await expect.poll(() => companion.sessions.map((session) => session.openProposals)).toEqual([0]);
    expect(editor.openViews.map((shown) => shown.text)).toEqual(left);
  });

  it("an agent opens files that are there, and selects a text of one that was not open yet", async () => {
    const { editor, file, agent, platform } = await setUp("one\r\ntwo\r\nthree four\r\n");
    const claude = await agent(createClaudeDriver);
    const open = async (filePath: string, more: Record<string, unknown> = {}): Promise<readonly string[]> =>
      await claude.callTool("openFile", { filePath, ...more });
    expect(await open(file, { startText: "two\nthr", endText: "e", selectToEndOfLine: true })).toEqual([
      `Opened file: ${file}`,
    ]);
    const range = { start: { line: 1, character: 0 }, end: { line: 2, character: 10 } };
    expect(editor.editors.active()?.selection).toEqual(range);
    const missing = join(platform.workspace, "missing.ts");
    await expect(open(missing)).rejects.toThrow("File not found.");
    expect(editor.editors.openFiles()).not.toContain(missing);
  });

  it("pausing shares nothing more, and clears what was shared", async () => {
    const { companion, editor, file, agent } = await setUp();
    editor.openFile(file);
    const driver = await agent(createGeminiDriver);
    await driver.until("the file", (status) => status.view?.active === file);
    companion.updateSettings({ sharing: false });
    await driver.until("nothing", (status) => status.view?.openFiles.length === 0);
    companion.updateSettings({ sharing: true });
    await driver.until("the file again", (status) => status.view?.active === file);
  });

  it("wrong parameters are -32602, and wrong arguments a sentence that repeats nothing of them", async () => {
    const { companion, file, platform } = await setUp();
    const port = companion.state.kind === "listening" ? companion.state.port : 0;
    const lock: unknown = JSON.parse(readFileSync(join(platform.home, ".qwen", "ide", `${port}.lock`), "utf8"));
    const token: unknown = Reflect.get(Object(lock), "authToken");
    const headers: Record<string, string> = {
      authorization: `Bearer ${String(token)}`,
      "content-type": "application/json",
    };
    const post = async (method: string, params: unknown): Promise<string> => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers, body });
      headers["mcp-session-id"] ??= response.headers.get("mcp-session-id") ?? "";
      return await response.text();
    };
    const clientInfo = { name: "streamable-http-client", version: "0.61.0" };
    await post("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    expect(await post("tools/call", { name: "openDiff", arguments: ["secret"] })).toContain('"code":-32602');
    expect(await post("tools/call", { name: "shredDisk", arguments: {} })).toContain('"code":-32602');
    expect(await post("tools/call", undefined)).toContain('"code":-32602');
    // MCP lets a call without arguments leave them out.
    expect(await post("tools/call", { name: "openDiff" })).toContain("Wrong arguments for openDiff");
    expect(await post("logging/setLevel", { level: "loud" })).toContain('"code":-32602');
    expect(await post("logging/setLevel", { level: "debug" })).toContain('"result":{}');
    const wrong = await post("tools/call", { name: "openDiff", arguments: { filePath: file, newContent: ["secret"] } });
    expect(wrong).toContain('"isError":true');
    expect(wrong).toContain("newContent");
    expect(wrong).not.toContain("secret");
  });
});
