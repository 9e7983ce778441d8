import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HttpAgent } from "../src/attack/http-agent.ts";
import { RawConnection, requestBytes } from "../src/attack/raw-connection.ts";
import type { EditorProcess } from "../src/editor-process.ts";
import * as ask from "../src/host/calls.ts";
import { connectHttp, connectWebSocket, megabytes, mib, pause, startEditor } from "./editor.ts";

const methodNames = [
  "initialize",
  "ping",
  "tools/list",
  "tools/call",
  "notifications/initialized",
  "notifications/cancelled",
  "notifications/progress",
  "logging/setLevel",
  "resources/list",
  "completion/complete",
  "ide_connected",
  "rpc.discover",
  "",
];
const toolNames = [
  "openDiff",
  "closeDiff",
  "close_tab",
  "closeAllDiffTabs",
  "getDiagnostics",
  "openFile",
  "saveDocument",
];

/** Bodies near the real ones, so that they come far: each part is right or wrong by itself. */
function rpcBodies(workspace: string): fc.Arbitrary<string> {
  const path = fc.oneof(
    fc.constantFrom(`${workspace}/a.txt`, "/etc/passwd", "", "\0", "../x", workspace, "__proto__", "/", "//x/y"),
    fc.string(),
  );
  const args = fc.oneof(
    fc.record(
      {
        filePath: fc.oneof(path, fc.jsonValue()),
        newContent: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()),
        old_file_path: path,
        new_file_path: fc.oneof(path, fc.jsonValue()),
        new_file_contents: fc.oneof(fc.string(), fc.jsonValue()),
        tab_name: fc.oneof(fc.string(), fc.jsonValue()),
        uri: fc.oneof(fc.string(), fc.constant("file:///%00"), fc.constant("file:///%ff")),
        suppressNotification: fc.oneof(fc.boolean(), fc.jsonValue()),
        startText: fc.string(),
      },
      { requiredKeys: [] },
    ),
    fc.jsonValue(),
  );
  const params = fc.oneof(
    fc.record(
      {
        name: fc.oneof(fc.constantFrom(...toolNames), fc.string(), fc.jsonValue()),
        arguments: args,
        _meta: fc.oneof(fc.record({ progressToken: fc.jsonValue() }), fc.jsonValue()),
        requestId: fc.jsonValue(),
        level: fc.jsonValue(),
        protocolVersion: fc.oneof(fc.constant("2025-06-18"), fc.jsonValue()),
        clientInfo: fc.jsonValue(),
        capabilities: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
    fc.jsonValue(),
  );
  const message = fc.record(
    {
      jsonrpc: fc.oneof({ weight: 8, arbitrary: fc.constant("2.0") }, fc.jsonValue()),
      id: fc.oneof(fc.integer(), fc.string(), fc.double(), fc.jsonValue()),
      method: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...methodNames) }, fc.string(), fc.jsonValue()),
      params,
      result: fc.jsonValue(),
      error: fc.jsonValue(),
    },
    { requiredKeys: ["jsonrpc"] },
  );
  // Of the messages above hardly one in thousands gets as far as a tool.
  const call = fc.record({
    jsonrpc: fc.constant("2.0"),
    id: fc.oneof(fc.integer(), fc.string()),
    method: fc.constant("tools/call"),
    params: fc.record({ name: fc.constantFrom(...toolNames), arguments: args }, { requiredKeys: ["name"] }),
  });
  return fc.oneof(
    { weight: 10, arbitrary: message.map((value) => JSON.stringify(value)) },
    { weight: 10, arbitrary: call.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
    { weight: 1, arbitrary: fc.array(message, { maxLength: 3 }).map((value) => JSON.stringify(value)) },
  );
}

async function isWell(editor: EditorProcess): Promise<void> {
  expect(editor.hasExited).toBe(false);
  expect(await editor.call(ask.faults)).toEqual([]);
  const agent = await connectHttp(editor);
  expect(await agent.request("ping")).toEqual({});
  agent.crash();
  const socket = await connectWebSocket(editor);
  expect(await socket.request("ping")).toEqual({});
  socket.crash();
}

describe("abuse", () => {
  it("F01 3,000 random JSON-RPC bodies: no crash, no 5xx, no unhandled rejection (HTTP)", { timeout: 180_000 }, async ({
    annotate,
  }) => {
    const editor = await startEditor();
    await editor.call(ask.decide, { how: "reject" });
    const agent = await connectHttp(editor);
    const counts = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(rpcBodies(editor.sandbox.workspace), fc.boolean(), async (body, inSession) => {
        const { status, text } = await agent.post(body, inSession ? {} : { "mcp-session-id": "" });
        counts.set(status, (counts.get(status) ?? 0) + 1);
        expect(status, `${body}\n${text}`).toBeLessThan(500);
        if (text !== "") JSON.parse(text);
      }),
      { numRuns: 3_000, endOnFailure: true },
    );
    await isWell(editor);
    await annotate(
      Array.from(counts, ([status, count]) => `${count} x ${status}`)
        .toSorted()
        .join(", "),
    );
  });

  it("F01 the same over a WebSocket, in one go (WebSocket)", { timeout: 120_000 }, async () => {
    const editor = await startEditor();
    await editor.call(ask.decide, { how: "reject" });
    const socket = await connectWebSocket(editor);
    for (const body of fc.sample(rpcBodies(editor.sandbox.workspace), 3_000)) {
      // A lone half of a pair cannot be told in UTF-8: such a text is another statement's.
      socket.sendText(body.toWellFormed());
    }
    expect(await socket.request("ping", {}, { id: "the end", timeoutMs: 60_000 })).toEqual({});
    await isWell(editor);
  });

  it("F02 1,000 connections of random bytes", { timeout: 120_000 }, async ({ annotate }) => {
    const editor = await startEditor();
    const token = editor.sandbox.token("gemini");
    // The first of all, while what serves them is still being loaded: they are gone before they are let in.
    const upgrade = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${editor.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nx-claude-code-ide-authorization: ${editor.sandbox.token("claude")}\r\n\r\n`;
    for (let first = 0; first < 20; first += 1) {
      const connection = await RawConnection.open(editor.port);
      connection.write(upgrade);
      await pause(first);
      connection.socket.resetAndDestroy();
    }
    await isWell(editor);
    const before = await editor.call(ask.weigh);
    const descriptors = editor.descriptors();
    const starts = [
      Buffer.alloc(0),
      requestBytes(editor.port, { token, headers: ["Content-Type: application/json", "Content-Length: 100"] }),
      requestBytes(editor.port, { token, headers: ["Content-Type: application/json", "Transfer-Encoding: chunked"] }),
      Buffer.from(upgrade),
      Buffer.from("POST /mcp HTTP/1.1\r\n"),
    ];
    for (let done = 0; done < 1_000; done += 50) {
      await Promise.all(
        Array.from({ length: 50 }, async (_unused, index) => {
          const connection = await RawConnection.open(editor.port);
          connection.write(starts[index % starts.length] ?? "");
          connection.write(randomBytes(1 + ((done + index) % 4_000)));
          await pause(20);
          if (index % 2 === 0) connection.socket.resetAndDestroy();
          else connection.destroy();
        }),
      );
    }
    await isWell(editor);
    await editor.until("the descriptors are back", () => editor.descriptors() <= descriptors + 2);
    const after = await editor.call(ask.weigh);
    expect(after.total - before.total).toBeLessThan(10 * mib);
    await annotate(megabytes(after.total - before.total));
  });

  it("F03 50 resets inside a 5 MB POST", async ({ annotate }) => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    await isWell(editor);
    const before = await editor.call(ask.weigh);
    const body = Buffer.from(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "openDiff",
          arguments: { filePath: editor.sandbox.file("a.txt"), newContent: "x".repeat(5 * mib) },
        },
      }),
    );
    for (let round = 0; round < 50; round += 1) {
      const connection = await RawConnection.open(editor.port);
      connection.write(
        requestBytes(editor.port, {
          token: agent.token,
          headers: [
            `mcp-session-id: ${agent.sessionId}`,
            "Content-Type: application/json",
            `Content-Length: ${body.length}`,
          ],
        }),
      );
      connection.write(body.subarray(0, Math.floor((body.length * (round + 1)) / 51)));
      await pause(10);
      connection.socket.resetAndDestroy();
      await connection.closed();
    }
    await pause(500);
    const after = await editor.call(ask.weigh);
    expect(after.total - before.total).toBeLessThan(10 * mib);
    expect(await editor.call(ask.views)).toEqual([]);
    expect(await agent.request("ping")).toEqual({});
    await isWell(editor);
    await annotate(megabytes(after.total - before.total));
  });

  it("F04 SIGSTOP 3 s + SIGCONT: delivers within 1 s (HTTP and WebSocket)", async ({ annotate }) => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const socket = await connectWebSocket(editor);
    const path = editor.sandbox.file("a.txt");
    await agent.openDiff(path, "x\n");
    const answer = socket.openDiff(path, "y\n");
    const views = await editor.until("two views", async () => {
      const open = await editor.openViews();
      return open.length === 2 && open;
    });
    editor.signal("SIGSTOP");
    await pause(3_000);
    const accepted = Promise.all(views.map(({ id }) => editor.call(ask.accept, { id })));
    const ping = agent.request("ping");
    editor.signal("SIGCONT");
    const continuedAt = performance.now();
    await Promise.all([accepted, ping, answer, agent.stream?.next(({ method }) => method === "ide/diffAccepted")]);
    const took = performance.now() - continuedAt;
    expect(took).toBeLessThan(1_000);
    expect((await answer)[0]).toBe("FILE_SAVED");
    await annotate(`${took.toFixed(0)} ms`);
  });

  it("F05 1,000 diffs: no growth > 2 MB (HTTP and WebSocket)", { timeout: 180_000 }, async ({ annotate }) => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const socket = await connectWebSocket(editor);
    const round = async (count: number, how: "accept" | "reject" | "edit"): Promise<void> => {
      await editor.call(ask.decide, { how });
      for (let done = 0; done < count; done += 1) {
        const path = editor.sandbox.file(`f${done % 7}.txt`);
        const from = agent.told.length;
        await agent.openDiff(path, `${how} ${done} ${"x".repeat(1_000)}\n`);
        await agent.stream?.until(() => agent.told.slice(from).some(({ method }) => method.startsWith("ide/diff")));
        // As agents do: what is accepted and never written is kept for its user.
        const accepted = agent.told.slice(from).find(({ method }) => method === "ide/diffAccepted")?.params["content"];
        if (typeof accepted === "string") writeFileSync(path, accepted);
        if (done % 4 !== 0) continue;
        const other = editor.sandbox.file(`g${done % 7}.txt`);
        const [verdict, text = ""] = await socket.openDiff(other, `${how} ${done} ${"y".repeat(1_000)}\n`);
        if (verdict === "FILE_SAVED") writeFileSync(other, text);
        if (done % 100 === 0) await editor.call(ask.forgetViews);
      }
      await editor.call(ask.forgetViews);
    };
    for (const how of ["accept", "reject", "edit"] as const) await round(60, how);
    // Until the last outcome counts as delivered.
    await pause(1_500);
    const before = await editor.call(ask.weigh);
    for (const how of ["accept", "reject", "edit"] as const) await round(334, how);
    await pause(1_500);
    const after = await editor.call(ask.weigh);
    expect(await editor.call(ask.proposals)).toEqual([]);
    expect(after.total - before.total).toBeLessThan(2 * mib);
    await annotate(megabytes(after.total - before.total));
  });

  it("F06 an editor API that throws becomes isError (HTTP)", async () => {
    const editor = await startEditor();
    // A client that takes isError as MCP has it.
    const agent = await HttpAgent.begin({
      port: editor.port,
      token: editor.sandbox.token("qwen"),
      protocolVersion: "2025-11-25",
      clientVersion: "1.0.0",
    });
    await agent.openStream();
    const path = editor.sandbox.file("a.txt");
    await editor.call(ask.fail, { call: "diffs.open", times: 1 });
    const opened = await agent.openDiff(path, "x\n");
    expect(opened.isError).toBe(true);
    expect(opened.content[0]?.text).not.toMatch(/at |\.js:\d+:\d+/u);
    await agent.closeDiff(path);
    await agent.openDiff(path, "y\n");
    const view = await editor.view(({ text }) => text === "y\n");
    await editor.call(ask.type, { id: view.id, text: "typed\n" });
    await pause(400);
    // The text can no longer be read: the last that is known is told.
    await editor.call(ask.fail, { call: "view.currentText", times: 100 });
    await editor.call(ask.fail, { call: "view.close", times: 1 });
    expect(await agent.finalText(path)).toBe("typed\n");
    await editor.call(ask.fail, { call: "editors.active", times: 3 });
    await editor.call(ask.fail, { call: "editors.openFiles", times: 3 });
    await editor.call(ask.openFile, { path, text: "x" }).catch(() => undefined);
    await pause(300);
    expect(await agent.request("ping")).toEqual({});
    await isWell(editor);
  });

  it("F06 an editor API that throws becomes isError (WebSocket)", async () => {
    const editor = await startEditor();
    const socket = await connectWebSocket(editor);
    const path = editor.sandbox.file("a.txt");
    await editor.call(ask.fail, { call: "diffs.open", times: 1 });
    expect((await socket.openDiff(path, "x\n"))[0]).toMatch(/^isError/u);
    await editor.call(ask.fail, { call: "diagnostics.read", times: 1 });
    expect((await socket.callTool("getDiagnostics", {}))[0]).toMatch(/^isError/u);
    await editor.call(ask.openFile, { path, text: "x" });
    await editor.call(ask.fail, { call: "documents.save", times: 1 });
    expect((await socket.callTool("saveDocument", { filePath: path }))[0]).toMatch(/^isError/u);
    await editor.call(ask.fail, { call: "documents.open", times: 1 });
    expect((await socket.callTool("openFile", { filePath: path }))[0]).toMatch(/^isError/u);
    // The editor is asked for these at other times as well: they fail until the answer is there.
    await editor.call(ask.fail, { call: "editors.active", times: 100 });
    expect((await socket.callTool("getCurrentSelection", {}))[0]).toMatch(/^isError/u);
    await editor.call(ask.fail, { call: "editors.active", times: 0 });
    await editor.call(ask.fail, { call: "workspace.folders", times: 100 });
    expect((await socket.callTool("getWorkspaceFolders", {}))[0]).toMatch(/^isError/u);
    await editor.call(ask.fail, { call: "workspace.folders", times: 0 });
    await isWell(editor);
  });
});
