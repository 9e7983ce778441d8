import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exchange } from "../src/attack/raw-connection.ts";
import { HttpAgent, initializeMessage } from "../src/attack/http-agent.ts";
import { WebSocketAgent } from "../src/attack/web-socket-agent.ts";
import * as ask from "../src/host/calls.ts";
import { connectHttp, connectWebSocket, megabytes, mib, pause, startEditor } from "./editor.ts";

describe("sessions", () => {
  it("B01 two sessions: each gets its own answers (HTTP and WebSocket)", async () => {
    const editor = await startEditor();
    const agents = [await connectHttp(editor), await connectHttp(editor)];
    expect(new Set(agents.map((agent) => agent.sessionId)).size).toBe(2);
    const sockets = [await connectWebSocket(editor), await connectWebSocket(editor)];
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([
        ...agents.map(async (agent, index) => {
          const path = editor.sandbox.file(`http-${index}.txt`);
          await agent.openDiff(path, `of agent ${index}, round ${round}\n`);
          expect(await agent.finalText(path)).toBe(`of agent ${index}, round ${round}\n`);
        }),
        ...sockets.map(async (socket) => {
          expect(await socket.request("ping")).toEqual({});
        }),
      ]);
    }
  });

  it("B02 equal request ids in flight in two sessions never cross (HTTP)", async () => {
    const editor = await startEditor();
    const agents = await Promise.all(Array.from({ length: 4 }, () => connectHttp(editor)));
    for (let round = 0; round < 25; round += 1) {
      // One and the same path and id everywhere; texts differ.
      const path = editor.sandbox.file("shared.txt");
      await Promise.all(
        agents.map((agent, index) =>
          agent.callTool("openDiff", { filePath: path, newContent: `secret of ${index}` }, 7),
        ),
      );
      const answers = await Promise.all(
        agents.map((agent) => agent.callTool("closeDiff", { filePath: path, suppressNotification: true }, "same")),
      );
      answers.forEach((answer, index) => {
        expect(JSON.stringify(answer)).toContain(`secret of ${index}`);
      });
    }
    // Also in one session: each POST gets the answer to what it asked.
    const [agent] = agents;
    if (agent === undefined) throw new Error("There is no agent.");
    const files = Array.from({ length: 20 }, (_unused, index) => editor.sandbox.file(`own-${index}.txt`));
    // An opening looks at the disk and is overtaken by what is asked after it.
    const opening = files.map((filePath) => agent.callTool("openDiff", { filePath, newContent: filePath }, 9));
    const refusing = files.map((file) => agent.callTool("openDiff", { filePath: "relative", newContent: file }, 9));
    const listing = agent.request("tools/list", {}, 9);
    for (const answer of await Promise.all(opening)) expect(answer).toEqual({ content: [] });
    for (const answer of await Promise.all(refusing)) expect(answer).toHaveProperty("isError", true);
    expect(await listing).toHaveProperty("tools");
    const closing = files.map((file) => agent.callTool("closeDiff", { filePath: file }, 9));
    for (const [index, answer] of (await Promise.all(closing)).entries()) {
      expect(answer.content).toEqual([{ type: "text", text: JSON.stringify({ content: files[index] }) }]);
    }
  });

  it("B02 equal request ids in flight in two sessions never cross (WebSocket)", async () => {
    const editor = await startEditor();
    const sockets = await Promise.all(Array.from({ length: 4 }, () => connectWebSocket(editor)));
    const path = editor.sandbox.file("shared.txt");
    const answers = sockets.map((socket, index) =>
      socket.callTool(
        "openDiff",
        { old_file_path: path, new_file_path: path, new_file_contents: `secret of ${index}`, tab_name: "tab" },
        { id: 7 },
      ),
    );
    const views = await editor.until("four views", async () => {
      const open = await editor.openViews();
      return open.length === 4 && open;
    });
    for (const view of views.toReversed()) await editor.call(ask.accept, { id: view.id });
    const texts = await Promise.all(answers);
    texts.forEach((answer, index) => {
      expect(answer.join("|")).toContain(`secret of ${index}`);
    });
  });

  it("B03 one agent's crash does not disturb another (HTTP and WebSocket)", async () => {
    const editor = await startEditor();
    const [crashing, staying] = [await connectHttp(editor), await connectHttp(editor)];
    const [crashingSocket, stayingSocket] = [await connectWebSocket(editor), await connectWebSocket(editor)];
    const path = editor.sandbox.file("a.txt");
    await crashing.openDiff(path, "of the one that crashes\n");
    await staying.openDiff(path, "of the one that stays\n");
    void crashingSocket.openDiff(path, "of the socket that crashes\n").catch(() => undefined);
    const answer = stayingSocket.openDiff(path, "of the socket that stays\n");
    const view = await editor.view(({ text }) => text === "of the one that stays\n");
    const socketView = await editor.view(({ text }) => text === "of the socket that stays\n");
    await editor.view(({ text }) => text === "of the socket that crashes\n");
    crashing.crash();
    crashingSocket.crash();
    // An answer of a socket dies with it, and so does its view.
    await editor.until("the crashed socket's view is gone", async () =>
      (await editor.openViews()).every(({ text }) => text !== "of the socket that crashes\n"),
    );
    await editor.call(ask.accept, { id: view.id });
    await editor.call(ask.accept, { id: socketView.id });
    await staying.stream?.next(({ method }) => method === "ide/diffAccepted");
    expect(staying.outcomes(path).map(({ params }) => params["content"])).toEqual(["of the one that stays\n"]);
    expect((await answer)[0]).toBe("FILE_SAVED");
    expect(await staying.request("ping")).toEqual({});
  });

  it("B04 an unknown session is 404", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const forged = [
      "nobody",
      "gemini.AAAA.BBBB",
      `${agent.sessionId}x`,
      agent.sessionId.slice(0, -1),
      agent.sessionId.replace(/^gemini/u, "qwen"),
      agent.sessionId.toUpperCase(),
      "x".repeat(5_000),
      "00000000-0000-4000-8000-000000000000",
    ];
    for (const sessionId of forged) {
      const other = await HttpAgent.begin({ port: editor.port, token: agent.token, sessionId });
      for (const method of ["GET", "DELETE"]) expect((await other.exchange(method)).status, sessionId).toBe(404);
      const post = await other.post({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      expect(post.status, sessionId).toBe(404);
    }
    expect(await editor.call(ask.sessions)).toHaveLength(1);
  });

  it("B05 DELETE ends a session", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const other = await connectHttp(editor);
    const path = editor.sandbox.file("a.txt");
    await agent.openDiff(path, "x\n");
    expect([200, 202, 204]).toContain((await agent.exchange("DELETE")).status);
    await agent.stream?.until(() => false);
    expect(agent.stream?.end).toBe("clean");
    for (const method of ["GET", "DELETE"]) expect((await agent.exchange(method)).status).toBe(404);
    expect((await agent.post({ jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(404);
    await editor.until("its view is gone", async () => (await editor.openViews()).length === 0);
    expect(await other.request("ping")).toEqual({});
    expect(await editor.call(ask.sessions)).toHaveLength(1);
  });

  it("B06 an unsupported protocol version header is 400", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    for (const version of ["1999-01-01", "2026-07-28", "", "2025-06-18, 2025-11-25", "latest"]) {
      const { status } = await agent.post(
        { jsonrpc: "2.0", id: 1, method: "ping" },
        { "mcp-protocol-version": version },
      );
      expect(status, version).toBe(400);
      expect((await agent.exchange("GET", { "mcp-protocol-version": version })).status, version).toBe(400);
    }
    for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
      const { status } = await agent.post(
        { jsonrpc: "2.0", id: 1, method: "ping" },
        { "mcp-protocol-version": version },
      );
      expect(status, version).toBe(200);
    }
    // A client of a revision without sessions is told so, with an answer.
    const modern = await exchange(editor.port, {
      token: agent.token,
      headers: ["mcp-protocol-version: 2026-07-28"],
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    expect(modern.status).toBe(400);
    expect(modern.text).toContain('"error"');
  });

  it("B07 500 abandoned sessions leave < 5 MB and no timer each (HTTP)", async ({ annotate }) => {
    const editor = await startEditor();
    const token = editor.sandbox.token("gemini");
    const abandon = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 20) {
        const agents = await Promise.all(
          Array.from({ length: 20 }, () => HttpAgent.connect({ port: editor.port, token })),
        );
        for (const agent of agents) agent.crash();
      }
    };
    // The engine is loaded and every pool is warm before anything is weighed.
    await abandon(20);
    await editor.call(ask.watchTimers, { on: true });
    const before = await editor.call(ask.weigh);
    await abandon(500);
    await pause(1_500);
    const after = await editor.call(ask.weigh);
    const timers = await editor.call(ask.watchTimers, { on: false });
    expect(after.total - before.total).toBeLessThan(5 * mib);
    expect(timers).toBeLessThan(10);
    await annotate(`${megabytes(after.total - before.total)}, ${timers} timers`);
  });

  it("B07 500 abandoned sessions leave < 5 MB and no timer each (WebSocket)", async ({ annotate }) => {
    const editor = await startEditor();
    const token = editor.sandbox.token("claude");
    const abandon = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 20) {
        const sockets = await Promise.all(
          Array.from({ length: 20 }, () => WebSocketAgent.connect({ port: editor.port, token })),
        );
        for (const socket of sockets) socket.crash();
      }
    };
    await abandon(20);
    await editor.call(ask.watchTimers, { on: true });
    const before = await editor.call(ask.weigh);
    await abandon(500);
    await pause(1_500);
    const after = await editor.call(ask.weigh);
    const timers = await editor.call(ask.watchTimers, { on: false });
    expect(after.total - before.total).toBeLessThan(5 * mib);
    expect(timers).toBeLessThan(10);
    expect(await editor.call(ask.sessions)).toEqual([]);
    await annotate(`${megabytes(after.total - before.total)}, ${timers} timers`);
  });

  it("B08 a re-opened stream gets the current context at once", async ({ annotate }) => {
    const editor = await startEditor();
    const file = editor.sandbox.file("now.ts");
    writeFileSync(file, "one\n");
    const agent = await connectHttp(editor);
    agent.stream?.cut();
    await editor.call(ask.openFile, { path: file });
    await pause(300);
    const stream = await agent.openStream({ resume: true });
    const event = await stream.next(({ method }) => method === "ide/contextUpdate");
    expect(JSON.stringify(event.params)).toContain("now.ts");
    expect(event.atMs - stream.openedAt).toBeLessThan(200);
    // A clean end, and again without a last event id.
    const again = await agent.openStream();
    const second = await again.next(({ method }) => method === "ide/contextUpdate");
    expect(JSON.stringify(second.params)).toContain("now.ts");
    await annotate(`${(event.atMs - stream.openedAt).toFixed(0)} ms`);
  });

  it("B09 a second GET takes over a half-open first", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const first = agent.stream;
    // Half-open: the client's machine is gone without a word; nobody reads any more.
    first?.response.pause();
    first?.response.socket.pause();
    const second = await agent.openStream();
    await second.next(({ method }) => method === "ide/contextUpdate");
    const path = editor.sandbox.file("a.txt");
    await agent.openDiff(path, "x\n");
    await editor.call(ask.accept, { id: (await editor.view()).id });
    await second.next(({ method }) => method === "ide/diffAccepted");
    await pause(1_300);
    first?.response.socket.resume();
    first?.response.resume();
    await first?.until(() => false);
    expect(agent.outcomes(path)).toHaveLength(1);
  });

  it("B10 file descriptors return to the baseline after 300 connects (HTTP and WebSocket)", async ({ annotate }) => {
    const editor = await startEditor();
    const warm = [await connectHttp(editor), await connectWebSocket(editor)];
    for (const agent of warm) agent.crash();
    await pause(300);
    const baseline = editor.descriptors();
    for (let done = 0; done < 150; done += 10) {
      const agents = await Promise.all(
        Array.from({ length: 10 }, async () => [await connectHttp(editor), await connectWebSocket(editor)] as const),
      );
      for (const pair of agents) for (const agent of pair) agent.crash();
    }
    const after = await editor.until(
      "the descriptors are back",
      () => editor.descriptors() <= baseline + 2 && editor.descriptors(),
      5_000,
    );
    await annotate(`${baseline} before, ${after} after`);
  });

  it("answers a second initialize in a session with an error and lives on", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const { status } = await agent.post(initializeMessage());
    expect(status).toBe(400);
    expect(await agent.request("ping")).toEqual({});
  });
});
