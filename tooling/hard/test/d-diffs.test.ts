import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HttpAgent } from "../src/attack/http-agent.ts";
import { exchange } from "../src/attack/raw-connection.ts";
import * as ask from "../src/host/calls.ts";
import { connectHttp, connectWebSocket, megabytes, mib, pause, startEditor } from "./editor.ts";

const isAccepted = ({ method }: { readonly method: string }): boolean => method === "ide/diffAccepted";
const isOutcome = ({ method }: { readonly method: string }): boolean => method.startsWith("ide/diff");

/** Texts that any step on the way could bend. */
const exactTexts: Readonly<Record<string, string>> = {
  LF: "one\ntwo\n",
  CRLF: "one\r\ntwo\r\n",
  "mixed ends": "one\r\ntwo\nthree\rfour\n",
  "no final newline": "one\ntwo",
  "only newlines": "\n\n\n",
  BOM: "\ufeffone\n",
  emoji: "👩‍👩‍👧 😀 é\n",
  "odd controls": "\u0001\u007f\u2028\u2029\u0085\u00a0\t\n",
  "JSON in text": '{"content": "x\\n"}\n',
  "event stream in text": "data: x\n\nid: 9\n\n",
};

describe("diffs", () => {
  it("D01 openDiff answers content: [], closeDiff one text with the exact final text (HTTP)", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    for (const [what, text] of Object.entries(exactTexts)) {
      const path = editor.sandbox.file(`${what}.txt`);
      expect(await agent.openDiff(path, text), what).toEqual({ content: [] });
      const closed = await agent.closeDiff(path);
      expect(closed.isError, what).toBeUndefined();
      expect(closed.content, what).toEqual([{ type: "text", text: JSON.stringify({ content: text }) }]);
    }
    const path = editor.sandbox.file("edited.txt");
    await agent.openDiff(path, "one\n");
    const view = await editor.view(({ path: shown }) => shown === path);
    await editor.call(ask.type, { id: view.id, text: "mine 😀\n" });
    expect(await agent.finalText(path)).toBe("mine 😀\n");
    await editor.until("no view is left", async () => (await editor.openViews()).length === 0);
    expect(agent.told.filter(isOutcome)).toEqual([]);
  });

  it("D01 openDiff is answered when decided, with the exact text (WebSocket)", async () => {
    const editor = await startEditor();
    const socket = await connectWebSocket(editor);
    for (const [what, text] of Object.entries(exactTexts)) {
      if (what.includes("CR") || what.includes("mixed")) continue;
      const path = editor.sandbox.file(`${what}.txt`);
      writeFileSync(path, "there before\n");
      const answer = socket.openDiff(path, text);
      await editor.call(ask.accept, { id: (await editor.view()).id });
      expect(await answer, what).toEqual(["FILE_SAVED", text]);
      expect(await socket.callTool("close_tab", { tab_name: path })).toEqual(["TAB_CLOSED"]);
      expect(readFileSync(path, "utf8")).toBe("there before\n");
    }
    const path = editor.sandbox.file("closed.txt");
    const answer = socket.openDiff(path, "x\n");
    await editor.call(ask.closeView, { id: (await editor.view()).id });
    // A closed tab is no accept.
    expect((await answer)[0]).toBe("DIFF_REJECTED");
  });

  it("D02 closeDiff of nothing is isError (HTTP)", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const other = await connectHttp(editor);
    const path = editor.sandbox.file("a.txt");
    expect(await agent.closeDiff(path)).toMatchObject({ isError: true, content: [{ type: "text" }] });
    await other.openDiff(path, "of the other\n");
    expect(await agent.closeDiff(path)).toMatchObject({ isError: true });
    expect(await other.finalText(path)).toBe("of the other\n");
    expect(await other.closeDiff(path)).toMatchObject({ isError: true });
  });

  it("D03 edit + accept gives exactly one diffAccepted with the edited text (HTTP)", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const path = editor.sandbox.file("a.txt");
    await agent.openDiff(path, "proposed\n");
    const view = await editor.view();
    await editor.call(ask.type, { id: view.id, text: "first\n" });
    await editor.call(ask.type, { id: view.id, text: "edited é\n" });
    await editor.call(ask.accept, { id: view.id });
    await agent.stream?.next(isAccepted);
    // Longer than it takes a message to count as delivered, and over a re-opened stream.
    await pause(1_500);
    await agent.openStream({ resume: true });
    await pause(300);
    expect(agent.told.filter(isOutcome).map(({ method, params }) => [method, params])).toEqual([
      ["ide/diffAccepted", { filePath: path, content: "edited é\n" }],
    ]);
    expect(existsSync(path)).toBe(false);
  });

  it("D03 edit + accept answers openDiff with the edited text (WebSocket)", async () => {
    const editor = await startEditor();
    const socket = await connectWebSocket(editor);
    const path = editor.sandbox.file("a.txt");
    writeFileSync(path, "old\n");
    const answer = socket.openDiff(path, "proposed\n");
    const view = await editor.view();
    await editor.call(ask.type, { id: view.id, text: "edited é\n" });
    await editor.call(ask.accept, { id: view.id });
    expect(await answer).toEqual(["FILE_SAVED", "edited é\n"]);
    expect(readFileSync(path, "utf8")).toBe("old\n");
  });

  it("D04 openDiff twice for one file: one tab, one outcome (HTTP)", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const path = editor.sandbox.file("a.txt");
    await Promise.all([agent.openDiff(path, "same\n"), agent.openDiff(path, "same\n")]);
    await pause(200);
    expect(await editor.openViews()).toHaveLength(1);
    await agent.openDiff(path, "other\n");
    const view = await editor.view(({ text }) => text === "other\n");
    await pause(200);
    expect(await editor.openViews()).toHaveLength(1);
    await editor.call(ask.accept, { id: view.id });
    await agent.stream?.next(isAccepted);
    await pause(300);
    expect(agent.told.filter(isOutcome).map(({ params }) => params["content"])).toEqual(["other\n"]);
    expect(await editor.call(ask.proposals)).toEqual([]);
  });

  it("D04 openDiff twice with one tab name: one tab, every call answered (WebSocket)", async () => {
    const editor = await startEditor();
    const socket = await connectWebSocket(editor);
    const path = editor.sandbox.file("a.txt");
    const first = socket.openDiff(path, "one\n", "tab");
    await editor.view();
    const second = socket.openDiff(path, "two\n", "tab");
    const view = await editor.view(({ text }) => text === "two\n");
    expect((await first)[0]).toBe("DIFF_REJECTED");
    expect(await editor.openViews()).toHaveLength(1);
    await editor.call(ask.accept, { id: view.id });
    expect((await second)[0]).toBe("FILE_SAVED");
  });

  it("D05 a second openDiff never discards the user's edits (HTTP and WebSocket)", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const socket = await connectWebSocket(editor);
    const path = editor.sandbox.file("a.txt");
    const typed = async (first: string, mine: string): Promise<void> => {
      const view = await editor.view(({ text }) => text === first);
      await editor.call(ask.type, { id: view.id, text: mine });
    };
    await agent.openDiff(path, "v1\n");
    await typed("v1\n", "typed over http\n");
    await agent.openDiff(path, "v2\n");
    void socket.openDiff(path, "w1\n", "tab").catch(() => undefined);
    await typed("w1\n", "typed over the socket\n");
    void socket.openDiff(path, "w2\n", "tab").catch(() => undefined);
    await editor.view(({ text }) => text === "w2\n");
    await pause(700);
    for (const mine of ["typed over http\n", "typed over the socket\n"]) {
      const kept = (await editor.openViews()).filter(({ text }) => text === mine);
      const handedBack = (await editor.call(ask.untitled)).includes(mine);
      expect(kept.length === 1 || handedBack, mine).toBe(true);
    }
    // Also not in a race: the second comes in the same moment as the key.
    const raced = editor.sandbox.file("raced.txt");
    await agent.openDiff(raced, "r1\n");
    const view = await editor.view(({ text }) => text === "r1\n");
    await Promise.all([editor.call(ask.type, { id: view.id, text: "raced text\n" }), agent.openDiff(raced, "r2\n")]);
    await pause(300);
    const texts = (await editor.openViews()).filter((one) => one.path === raced).map(({ text }) => text);
    // The key came first and is kept, or the view was gone before the key.
    expect(texts).toContain("r2\n");
    const ended = (await editor.call(ask.views)).find(({ id }) => id === view.id);
    expect(ended?.state === "open" || ended?.text === "r1\n").toBe(true);
  });

  it("D06 the CLI crashes, the user edits and accepts, a new CLI connects: the outcome is delivered or the text kept (HTTP)", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const path = editor.sandbox.file("a.txt");
    await agent.openDiff(path, "proposed\n");
    const view = await editor.view();
    agent.crash();
    await pause(200);
    await editor.call(ask.type, { id: view.id, text: "typed after the crash\n" });
    await editor.call(ask.accept, { id: view.id });
    const next = await connectHttp(editor);
    await pause(300);
    // Not to another session while the owner may come back.
    expect(next.told.filter(isOutcome)).toEqual([]);
    expect(await next.finalText(path)).toBeUndefined();
    // In real time: a clock that jumps, or a computer that slept, is no absence of the owner.
    await editor.call(ask.jumpClock, { ms: 60_000 });
    expect(await next.finalText(path)).toBeUndefined();
    await pause(10_200);
    const fetched = await next.finalText(path);
    const kept = (await editor.call(ask.untitled)).includes("typed after the crash\n");
    expect(fetched === "typed after the crash\n" || kept).toBe(true);
    // And the user is not left to wonder: told once the owner is missed.
    await editor.until(
      "the user is told",
      async () => (await editor.call(ask.messages)).some(({ code }) => code === "kept-until-return"),
      11_000,
    );
  });

  it("D06 the same where the answer dies with the connection: the text is kept (WebSocket)", async () => {
    const editor = await startEditor();
    const socket = await connectWebSocket(editor);
    const path = editor.sandbox.file("a.txt");
    void socket.openDiff(path, "proposed\n").catch(() => undefined);
    const view = await editor.view();
    await editor.call(ask.type, { id: view.id, text: "typed before\n" });
    socket.crash();
    await editor.until("the view says so", async () =>
      (await editor.openViews()).some(({ agentPresent }) => !agentPresent),
    );
    await editor.call(ask.type, { id: view.id, text: "typed before and after\n" });
    await connectWebSocket(editor);
    await editor.call(ask.accept, { id: view.id });
    await editor.until("the text is in the list", async () =>
      (await editor.call(ask.keptTexts)).includes("typed before and after\n"),
    );
  });

  it("D07 decided while the stream is down: delivered on re-open (HTTP)", async ({ annotate }) => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    for (const resume of [true, false]) {
      const path = editor.sandbox.file(`a-${resume}.txt`);
      await agent.openDiff(path, "proposed\n");
      const view = await editor.view(({ path: shown }) => shown === path);
      agent.stream?.cut();
      await editor.until("the stream is lost", async () =>
        (await editor.call(ask.sessions)).every(({ state }) => state === "away"),
      );
      await editor.call(ask.type, { id: view.id, text: "decided meanwhile\n" });
      await editor.call(ask.accept, { id: view.id });
      await pause(100);
      const stream = await agent.openStream({ resume });
      const event = await stream.next((one) => isAccepted(one) && one.params["filePath"] === path);
      expect(event.params["content"]).toBe("decided meanwhile\n");
      await annotate(`${(event.atMs - stream.openedAt).toFixed(0)} ms`);
      await pause(1_200);
      await agent.openStream({ resume });
      await pause(200);
      expect(agent.outcomes(path)).toHaveLength(1);
    }
    // Written into a connection that is dead already: nobody has read it.
    const path = editor.sandbox.file("unread.txt");
    await agent.openDiff(path, "proposed\n");
    const view = await editor.view(({ path: shown }) => shown === path);
    agent.stream?.response.socket.pause();
    await editor.call(ask.accept, { id: view.id });
    await pause(100);
    agent.stream?.cut();
    const stream = await agent.openStream({ resume: true });
    await stream.next((one) => isAccepted(one) && one.params["filePath"] === path);
    expect(agent.outcomes(path)).toHaveLength(1);
  });

  it("D08 an outcome goes only to its owner (HTTP and WebSocket)", async () => {
    const editor = await startEditor();
    const agents = [await connectHttp(editor), await connectHttp(editor), await connectHttp(editor)];
    const socket = await connectWebSocket(editor);
    const path = editor.sandbox.file("a.txt");
    for (const [index, agent] of agents.entries()) await agent.openDiff(path, `of ${index}\n`);
    const answer = socket.openDiff(path, "of the socket\n");
    const find = (text: string): Promise<ask.ViewSeen> => editor.view((view) => view.text === text);
    await editor.call(ask.accept, { id: (await find("of 1\n")).id });
    await agents[1]?.stream?.next(isAccepted);
    await editor.call(ask.reject, { id: (await find("of 2\n")).id });
    await agents[2]?.stream?.next(isOutcome);
    await pause(300);
    expect(agents.map((agent) => agent.outcomes(path).map(({ method }) => method))).toEqual([
      [],
      ["ide/diffAccepted"],
      ["ide/diffRejected"],
    ]);
    expect((await editor.openViews()).map(({ text }) => text).toSorted()).toEqual(["of 0\n", "of the socket\n"]);
    // One agent's terminal closes its own diff and no other's.
    expect(await agents[0]?.finalText(path)).toBe("of 0\n");
    expect(await socket.callTool("closeAllDiffTabs", {})).toEqual(["CLOSED_1_DIFF_TABS"]);
    expect((await answer)[0]).toBe("DIFF_REJECTED");
  });

  it("D11 10 MB works; 50 MB works or is a JSON-RPC error (HTTP)", async ({ annotate }) => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    for (const size of [10, 50, 70]) {
      const path = editor.sandbox.file(`${size}.txt`);
      const text = `${"x".repeat(1_023)}\n`.repeat(size * 1024);
      const startedAt = performance.now();
      const answer = await agent
        .post({
          jsonrpc: "2.0",
          id: size,
          method: "tools/call",
          params: { name: "openDiff", arguments: { filePath: path, newContent: text } },
        })
        .catch((error: unknown) => ({ status: 0, text: `{"error": "${String(error)}"}` }));
      await annotate(`${size} MB: ${answer.status} in ${(performance.now() - startedAt).toFixed(0)} ms`);
      if (size <= 50) {
        expect(answer.status).toBe(200);
        const view = await editor.view(({ path: shown }) => shown === path);
        expect((await editor.call(ask.viewText, { id: view.id })).length).toBe(text.length);
        await editor.call(ask.accept, { id: view.id });
        const event = await agent.stream?.next((one) => one.params["filePath"] === path, 20_000);
        expect(event?.params["content"] === text).toBe(true);
        await editor.call(ask.forgetViews);
      } else {
        expect([0, 413]).toContain(answer.status);
        expect(JSON.parse(answer.text)).toHaveProperty("error");
      }
      expect(await agent.request("ping")).toEqual({});
    }
  });

  it("D11 10 MB and 50 MB work (WebSocket)", async () => {
    const editor = await startEditor();
    const socket = await connectWebSocket(editor);
    for (const size of [10, 50]) {
      const path = editor.sandbox.file(`${size}.txt`);
      writeFileSync(path, "old\n");
      const text = `${"x".repeat(1_023)}\n`.repeat(size * 1024);
      const answer = socket.openDiff(path, text);
      await editor.call(ask.accept, { id: (await editor.view(() => true, 20_000)).id });
      const [verdict, received] = await answer;
      expect(verdict).toBe("FILE_SAVED");
      expect(received === text).toBe(true);
      await editor.call(ask.forgetViews);
    }
  });

  it("D12 invalid UTF-8 is refused (HTTP)", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const path = editor.sandbox.file("a.txt");
    const whole = Buffer.from(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "openDiff", arguments: { filePath: path, newContent: "a@@@@b" } },
      }),
    );
    const at = whole.indexOf("@@@@");
    const bad = [
      [0xff, 0xfe, 0xff, 0xfe],
      [0xc3, 0x28, 0x61, 0x61],
      [0xed, 0xa0, 0x80, 0x61],
      [0xf4, 0x90, 0x80, 0x80],
      [0xc0, 0xaf, 0x61, 0x61],
      [0xe2, 0x82, 0x61, 0x61],
    ];
    for (const bytes of bad) {
      const body = Buffer.from(whole);
      body.set(bytes, at);
      const answer = await agent.post(body);
      expect(answer.status, bytes.join()).toBe(400);
      expect(JSON.parse(answer.text), bytes.join()).toHaveProperty("error.code", -32_700);
    }
    expect((await agent.post(Buffer.concat([Buffer.from([0xff]), whole]))).status).toBe(400);
    // In a body of many chunks, at its start, within it and cut off at its end.
    const large = Buffer.from(whole.toString().replace("a@@@@b", `a@@@@b${"é".repeat(200_000)}@@@@`));
    for (const place of [large.indexOf("@@@@"), large.lastIndexOf("@@@@"), large.length - 1]) {
      const body = Buffer.from(large);
      body[place] = 0xe2;
      const answer = await agent.post(body);
      expect(answer.status, `at ${place}`).toBe(400);
      expect(JSON.parse(answer.text), `at ${place}`).toHaveProperty("error.code", -32_700);
    }
    expect(await editor.call(ask.views)).toEqual([]);
    expect(await agent.request("ping")).toEqual({});
  });

  it("D13 __proto__ as session, tool, argument or path changes nothing (HTTP and WebSocket)", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const socket = await connectWebSocket(editor);
    const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
    for (const name of names) {
      const other = await HttpAgent.begin({ port: editor.port, token: agent.token, sessionId: name });
      expect((await other.post({ jsonrpc: "2.0", id: 1, method: "ping" })).status, name).toBe(404);
      await expect(agent.callTool(name, {}), name).rejects.toThrow(/-32602/u);
      await expect(agent.request(name), name).rejects.toThrow(/-32601/u);
      await expect(socket.callTool(name, {}), name).rejects.toThrow(/-32602/u);
      expect(await agent.openDiff(name, "x"), name).toMatchObject({ isError: true });
      expect(await agent.closeDiff(name), name).toMatchObject({ isError: true });
      expect(await agent.closeDiff(editor.sandbox.file(name)), name).toMatchObject({ isError: true });
      expect(await socket.callTool("close_tab", { tab_name: name }), name).toEqual(["TAB_CLOSED"]);
      const inside = editor.sandbox.file(name);
      expect(await agent.openDiff(inside, `${name}\n`), name).toEqual({ content: [] });
      expect(await agent.finalText(inside), name).toBe(`${name}\n`);
    }
    const polluting = [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"closeDiff","arguments":{"__proto__":{"isError":true,"filePath":"/x"}}}}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"__proto__":{"name":"openDiff"},"constructor":{"prototype":{"polluted":1}}}}',
      '{"jsonrpc":"2.0","id":3,"method":"ping","__proto__":{"polluted":1}}',
      '{"__proto__":{"jsonrpc":"2.0","id":4,"method":"ping"}}',
    ];
    for (const body of polluting) {
      expect([200, 400]).toContain((await agent.post(body)).status);
      socket.sendText(body);
    }
    expect((await agent.exchange("GET", { "mcp-session-id": "__proto__" })).status).toBe(404);
    expect(await agent.request("ping")).toEqual({});
    expect(await socket.request("ping")).toEqual({});
  });

  it("D14 JSON 100,000 deep is refused, the server lives (HTTP and WebSocket)", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const socket = await connectWebSocket(editor);
    const deep = 100_000;
    const bodies = [
      "[".repeat(deep) + "]".repeat(deep),
      `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openDiff","arguments":{"filePath":${"[".repeat(deep)}${"]".repeat(deep)}}}}`,
      "[".repeat(deep),
      "[".repeat(1_000) + "]".repeat(1_000),
    ];
    for (const body of bodies) {
      const answer = await exchange(editor.port, {
        token: agent.token,
        headers: [`mcp-session-id: ${agent.sessionId}`],
        body,
      });
      expect(answer.status).toBe(400);
      const from = socket.messages.length;
      socket.sendText(body);
      const told = await socket.message(({ error }) => error !== undefined, { from });
      expect(told.error?.code).toBeLessThan(0);
    }
    expect(await agent.request("ping")).toEqual({});
    expect(await socket.request("ping")).toEqual({});
  });

  it("many and large diffs of one session have a bound in memory", async ({ annotate }) => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const before = await editor.call(ask.weigh);
    let refusedAt = 0;
    for (let diff = 0; diff < 260 && refusedAt === 0; diff += 1) {
      const { isError } = await agent.openDiff(editor.sandbox.file(`f${diff}.txt`), "x".repeat(10_000));
      if (isError === true) refusedAt = diff;
    }
    expect(refusedAt).toBeGreaterThan(0);
    const after = await editor.call(ask.weigh);
    expect(after.total - before.total).toBeLessThan(40 * mib);
    await annotate(`refused at ${refusedAt}, ${megabytes(after.total - before.total)}`);
  });
});
