import { describe, expect, it } from "vitest";
import { frame, type FrameSpec, opcodes } from "../src/attack/web-socket-frames.ts";
import { WebSocketAgent } from "../src/attack/web-socket-agent.ts";
import type { EditorProcess } from "../src/editor-process.ts";
import * as ask from "../src/host/calls.ts";
import { connectWebSocket, megabytes, mib, pause, startEditor } from "./editor.ts";

const ping = JSON.stringify({ jsonrpc: "2.0", id: 77, method: "ping" });
const isPong = ({ id, method }: { readonly id?: unknown; readonly method?: unknown }): boolean =>
  id === 77 && method === undefined;

/** Sends frames on two sockets, one that has spoken before and one that has not, and says how each was closed. */
async function closedWith(editor: EditorProcess, ...bytes: readonly Uint8Array[]): Promise<readonly number[]> {
  const spoken = await connectWebSocket(editor);
  const silent = await WebSocketAgent.dial({ port: editor.port, token: editor.sandbox.token("claude") });
  const codes: number[] = [];
  for (const agent of [spoken, silent]) {
    for (const one of bytes) agent.send(one);
    codes.push(await agent.closed());
    await agent.until(() => agent.isClosed);
  }
  return codes;
}

function closes(
  id: string,
  text: string,
  code: number,
  attempts: Readonly<Record<string, readonly FrameSpec[]>>,
): void {
  it(`${id} ${text}`, async () => {
    const editor = await startEditor();
    for (const [what, specs] of Object.entries(attempts)) {
      expect(await closedWith(editor, ...specs.map(frame)), what).toEqual([code, code]);
    }
    const other = await connectWebSocket(editor);
    expect(await other.request("ping")).toEqual({});
  });
}

describe("WebSocket frames", () => {
  const refuses = (id: string, text: string, tokens: (right: string) => readonly (string | undefined)[]): void => {
    it(`${id} ${text}`, async () => {
      const editor = await startEditor();
      for (const token of tokens(editor.sandbox.token("claude"))) {
        const agent = await WebSocketAgent.dial({ port: editor.port, token });
        expect([401, 403], String(token)).toContain(agent.answer.status);
        expect(agent.answer.head).not.toMatch(/sec-websocket-accept/iu);
        await agent.until(() => agent.isClosed);
        expect(agent.frames).toEqual([]);
      }
      expect(await editor.call(ask.sessions)).toEqual([]);
    });
  };
  refuses("W01", "no token is refused before the upgrade", () => [undefined]);
  refuses("W02", "a wrong token is refused before the upgrade", (right) => [
    "wrong",
    "",
    right.slice(1),
    `${right} `.repeat(2),
    `Bearer ${right}`,
  ]);

  it("W03 an Origin is refused before the upgrade", async () => {
    const editor = await startEditor();
    for (const origin of ["http://evil.example", "null", `http://127.0.0.1:${editor.port}`]) {
      const agent = await WebSocketAgent.dial({
        port: editor.port,
        token: editor.sandbox.token("claude"),
        headers: [`Origin: ${origin}`],
      });
      expect([401, 403], origin).toContain(agent.answer.status);
      await agent.until(() => agent.isClosed);
    }
  });

  closes("W04", "an unmasked frame closes with 1002", 1002, {
    text: [{ opcode: opcodes.text, payload: ping, masked: false }],
    ping: [{ opcode: opcodes.ping, masked: false }],
  });
  closes("W05", "reserved bits close with 1002", 1002, {
    first: [{ opcode: opcodes.text, payload: ping, rsv: 4 }],
    second: [{ opcode: opcodes.text, payload: ping, rsv: 2 }],
    third: [{ opcode: opcodes.text, payload: ping, rsv: 1 }],
    "on a ping": [{ opcode: opcodes.ping, rsv: 4 }],
  });
  closes("W06", "a reserved opcode closes with 1002", 1002, {
    "3": [{ opcode: 3, payload: ping }],
    "7": [{ opcode: 7 }],
    "11": [{ opcode: 11 }],
    "15": [{ opcode: 15 }],
  });
  closes("W07", "a fragmented ping closes with 1002", 1002, {
    ping: [{ opcode: opcodes.ping, fin: false }],
    close: [{ opcode: opcodes.close, fin: false }],
  });
  closes("W08", "a long ping closes with 1002", 1002, {
    "126 bytes": [{ opcode: opcodes.ping, payload: "x".repeat(126) }],
    "70,000 bytes": [{ opcode: opcodes.ping, payload: "x".repeat(70_000) }],
    "a long close": [{ opcode: opcodes.close, payload: Buffer.concat([Buffer.from([3, 232]), Buffer.alloc(130, 97)]) }],
  });
  closes("W09", "a stray continuation closes with 1002", 1002, {
    alone: [{ opcode: opcodes.continuation, payload: "x" }],
    "a new text inside a message": [
      { opcode: opcodes.text, payload: "{", fin: false },
      { opcode: opcodes.text, payload: ping },
    ],
  });
  closes("W10", "close code 1005 closes with 1002", 1002, {
    "1005": [{ opcode: opcodes.close, payload: Buffer.from([0x03, 0xed]) }],
    "1006": [{ opcode: opcodes.close, payload: Buffer.from([0x03, 0xee]) }],
    "999": [{ opcode: opcodes.close, payload: Buffer.from([0x03, 0xe7]) }],
    "1 byte": [{ opcode: opcodes.close, payload: Buffer.from([0x03]) }],
  });
  closes("W11", "invalid UTF-8 closes with 1007", 1007, {
    whole: [{ opcode: opcodes.text, payload: Buffer.from([0xff, 0xfe]) }],
    surrogate: [{ opcode: opcodes.text, payload: Buffer.from([0xed, 0xa0, 0x80]) }],
    "over two fragments": [
      { opcode: opcodes.text, payload: Buffer.from([0xe2, 0x82]), fin: false },
      { opcode: opcodes.continuation, payload: Buffer.from([0x28]) },
    ],
    "in a close": [{ opcode: opcodes.close, payload: Buffer.from([0x03, 0xe8, 0xff]) }],
  });

  it("W12 a declared length over the limit closes with 1009 at once", async ({ annotate }) => {
    const editor = await startEditor();
    const startedAt = performance.now();
    const before = await editor.call(ask.weigh);
    for (const declaredLength of [65 * mib, 2 ** 31, 2 ** 40, 2 ** 53]) {
      const [spoken, silent] = await closedWith(editor, frame({ opcode: opcodes.text, payload: "x", declaredLength }));
      expect([spoken, silent], String(declaredLength)).toEqual([1009, 1009]);
    }
    const after = await editor.call(ask.weigh);
    expect(after.total - before.total).toBeLessThan(5 * mib);
    await annotate(`${((performance.now() - startedAt) / 8).toFixed(0)} ms each`);
  });

  it("W13 fragments with a ping between are understood", async () => {
    const editor = await startEditor();
    const agent = await connectWebSocket(editor);
    const bytes = Buffer.from(ping.replace('"ping"', '"ping","params":{"_meta":{"x":"😀é€"}}'));
    const emoji = bytes.indexOf(Buffer.from("😀")) + 2;
    // Cut in the middle of a code point.
    agent.send(frame({ opcode: opcodes.text, payload: bytes.subarray(0, emoji), fin: false }));
    agent.send(frame({ opcode: opcodes.ping, payload: "between" }));
    agent.send(frame({ opcode: opcodes.continuation, payload: "", fin: false }));
    agent.send(frame({ opcode: opcodes.continuation, payload: bytes.subarray(emoji) }));
    await agent.message(isPong);
    expect(agent.pongs).toBe(1);
    expect(agent.frames.find(({ opcode }) => opcode === opcodes.pong)?.payload.toString()).toBe("between");
  });

  it("W14 byte-by-byte delivery is understood", async () => {
    const editor = await startEditor();
    const agent = await connectWebSocket(editor);
    agent.socket.setNoDelay(true);
    for (const byte of frame({ opcode: opcodes.text, payload: ping })) {
      agent.send(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await agent.message(isPong);
    // The handshake, too, with the first frame right behind it.
    const slow = await WebSocketAgent.dial({ port: editor.port, token: editor.sandbox.token("claude") });
    const bytes = frame({ opcode: opcodes.text, payload: JSON.stringify({ jsonrpc: "2.0", id: 77, method: "ping" }) });
    for (const byte of bytes) slow.send(Buffer.from([byte]));
    await slow.message(isPong);
  });

  it("W15 deflate is never negotiated", async () => {
    const editor = await startEditor();
    const token = editor.sandbox.token("claude");
    for (const headers of [
      [],
      ["Sec-WebSocket-Extensions: permessage-deflate"],
      ["Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover, x-webkit-deflate-frame"],
    ]) {
      const agent = await WebSocketAgent.dial({ port: editor.port, token, headers });
      expect(agent.answer.status).toBe(101);
      expect(agent.answer.head).not.toMatch(/sec-websocket-extensions/iu);
      expect(agent.answer.head).toMatch(/sec-websocket-protocol: mcp\r\n/iu);
      agent.sendText(ping);
      await agent.message(isPong);
      expect(agent.frames.every(({ rsv }) => rsv === 0)).toBe(true);
    }
  });

  it("W16 300 idle sockets < 15 MB", async ({ annotate }) => {
    const editor = await startEditor();
    const token = editor.sandbox.token("claude");
    await connectWebSocket(editor);
    const dial = (): Promise<WebSocketAgent> => WebSocketAgent.dial({ port: editor.port, token });
    for (const warm of await Promise.all(Array.from({ length: 20 }, dial))) warm.crash();
    await pause(300);
    const before = await editor.call(ask.weigh);
    const sockets: WebSocketAgent[] = [];
    for (let done = 0; done < 300; done += 30) sockets.push(...(await Promise.all(Array.from({ length: 30 }, dial))));
    expect(sockets.every(({ answer }) => answer.status === 101)).toBe(true);
    const after = await editor.call(ask.weigh);
    expect(after.total - before.total).toBeLessThan(15 * mib);
    await annotate(megabytes(after.total - before.total));
  });

  it("W16 300 idle agents that have shaken hands, as many as there are places for", async ({ annotate }) => {
    const editor = await startEditor();
    await connectWebSocket(editor);
    const before = await editor.call(ask.weigh);
    const dial = (): Promise<WebSocketAgent | undefined> => connectWebSocket(editor).catch(() => undefined);
    const agents: (WebSocketAgent | undefined)[] = [];
    for (let done = 0; done < 300; done += 20) agents.push(...(await Promise.all(Array.from({ length: 20 }, dial))));
    const after = await editor.call(ask.weigh);
    const served = agents.filter((agent) => agent !== undefined);
    expect(after.total - before.total).toBeLessThan(15 * mib);
    expect(served.length).toBeGreaterThanOrEqual(200);
    expect(await served[0]?.request("ping")).toEqual({});
    await annotate(`${served.length} served, ${megabytes(after.total - before.total)}`);
  });

  it("W17 20,000 pings < 20 MB, all answered to a peer that reads", async ({ annotate }) => {
    const editor = await startEditor();
    for (const size of [0, 125]) {
      const agent = await connectWebSocket(editor);
      const before = await editor.call(ask.weigh);
      await editor.call(ask.watchMemory, { on: true });
      const ping_ = frame({ opcode: opcodes.ping, payload: "x".repeat(size) });
      agent.send(Buffer.concat(Array.from({ length: 20_000 }, () => ping_)));
      await agent.until(() => agent.pongs === 20_000, 20_000);
      expect(agent.pongs).toBe(20_000);
      expect(await agent.request("ping")).toEqual({});
      const peak = await editor.call(ask.watchMemory, { on: false });
      expect(peak - before.resident).toBeLessThan(20 * mib);
      await annotate(`at most ${megabytes(peak - before.resident)}`);
      agent.crash();
    }
  });

  it("W17 20,000 pings of a peer that does not read < 20 MB", async ({ annotate }) => {
    const editor = await startEditor();
    const other = await connectWebSocket(editor);
    const agent = await connectWebSocket(editor);
    const hundred = Buffer.concat(
      Array.from({ length: 100 }, () => frame({ opcode: opcodes.ping, payload: "x".repeat(125) })),
    );
    // What any traffic makes the process take is taken before it is weighed.
    for (let done = 0; done < 20_000; done += 100) other.send(hundred);
    await other.until(() => other.pongs === 20_000, 20_000);
    const before = await editor.call(ask.weigh);
    await editor.call(ask.watchMemory, { on: true });
    agent.socket.pause();
    for (let done = 0; done < 20_000; done += 100) agent.send(hundred);
    await pause(2_000);
    const peak = await editor.call(ask.watchMemory, { on: false });
    expect(peak - before.resident).toBeLessThan(20 * mib);
    // Ten times as many: the answers to 20,000 of them would fit into memory unnoticed.
    for (let done = 0; done < 200_000; done += 100) agent.send(hundred);
    await pause(2_000);
    const after = await editor.call(ask.weigh);
    expect(after.total - before.total).toBeLessThan(20 * mib);
    expect(await other.request("ping")).toEqual({});
    await annotate(`at most ${megabytes(peak - before.resident)}`);
  });

  it("W18 an unfinished 60 MB message is bounded in memory and time", { timeout: 180_000 }, async ({ annotate }) => {
    const editor = await startEditor();
    const other = await connectWebSocket(editor);
    const agent = await WebSocketAgent.dial({ port: editor.port, token: editor.sandbox.token("claude") });
    const fragments = await WebSocketAgent.dial({ port: editor.port, token: editor.sandbox.token("claude") });
    const before = await editor.call(ask.weigh);
    await editor.call(ask.watchMemory, { on: true });
    const startedAt = performance.now();
    const part = Buffer.alloc(mib, 0x20);
    agent.send(frame({ opcode: opcodes.text, payload: part, declaredLength: 60 * mib }));
    for (let sent = 1; sent < 59; sent += 1) agent.send(part);
    // One-byte fragments: each costs more than its byte.
    const crumb = frame({ opcode: opcodes.continuation, payload: " ", fin: false });
    const crumbs = Buffer.concat(Array.from({ length: 10_000 }, () => crumb));
    fragments.send(frame({ opcode: opcodes.text, payload: " ", fin: false }));
    for (let sent = 0; sent < 30; sent += 1) fragments.send(crumbs);
    await pause(3_000);
    const peak = await editor.call(ask.watchMemory, { on: false });
    expect(peak - before.resident).toBeLessThan(200 * mib);
    expect(await other.request("ping")).toEqual({});
    await Promise.all([agent.until(() => agent.isClosed, 150_000), fragments.until(() => fragments.isClosed, 150_000)]);
    const heldMs = performance.now() - startedAt;
    const after = await editor.call(ask.weigh);
    expect(after.total - before.total).toBeLessThan(20 * mib);
    await annotate(`at most ${megabytes(peak - before.resident)}, ended after ${(heldMs / 1000).toFixed(0)} s`);
  });
});
