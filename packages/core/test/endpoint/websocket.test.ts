import { createFakeClock } from "@patchbay/testkit";
import { memoryInUse } from "./memory-in-use.ts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually, startEndpoint, token } from "./endpoint-under-test.ts";
import { call, initializeMessage } from "./http-agent.ts";
import { openRaw, type RawConnection } from "./raw-connection.ts";
import { closeCode, closeFrame, frame, framesOf, messages, openWebSocket, upgrade } from "./raw-web-socket.ts";

const hello = JSON.stringify(initializeMessage);
const megabyte = 1024 * 1024;

async function pongs(connection: RawConnection, count: number): Promise<Buffer[]> {
  const find = (): Buffer[] =>
    framesOf(connection)
      .filter(({ opcode }) => opcode === 10)
      .map(({ payload }) => payload);
  await connection.until(() => find().length >= count);
  return find();
}

describe("WebSocket upgrade", () => {
  it("W selects the subprotocol mcp and serves an agent", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port, { protocol: "other, mcp" });
    expect(agent.text).toMatch(/^Sec-WebSocket-Protocol: mcp\r$/m);
    agent.write(frame(hello));
    agent.write(frame(JSON.stringify(call("two", "echo", "hi"))));
    expect(await messages(agent, 2)).toMatchObject([{ id: 1 }, { id: "two", result: { content: [{ text: "hi" }] } }]);
    expect(under.last().connection).toMatchObject({ initialize: initializeMessage.params, dialectHint: "claude" });
    expect(JSON.stringify(under.last().connection.headers)).not.toContain(token);
  });

  it("W takes a client that offers no subprotocol, and a bearer token", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port, {
      protocol: undefined,
      token: undefined,
      headers: [`Authorization: Bearer ${token}`],
    });
    expect(agent.text).not.toMatch(/Sec-WebSocket-Protocol/i);
  });

  it("W never negotiates deflate", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port, {
      headers: ["Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"],
    });
    expect(agent.text).not.toMatch(/Sec-WebSocket-Extensions/i);
  });

  it.each([
    ["no token", { token: undefined }, 401],
    ["a wrong token", { token: "wrong" }, 401],
    ["an empty token", { token: "" }, 401],
    ["a truncated token", { token: token.slice(0, -1) }, 401],
    ["an Origin with the right token", { headers: ["Origin: http://127.0.0.1"] }, 403],
    ["a foreign Host", { host: "evil.example" }, 403],
    ["two tokens", { headers: [`x-claude-code-ide-authorization: ${token}`] }, 401],
    ["another path without a token", { path: "/other", token: undefined }, 401],
    ["another path", { path: "/mcp" }, 404],
  ])("W refuses %s before the upgrade", async (_name, options, status) => {
    const under = await startEndpoint();
    const connection = await upgrade(under.port, options);
    expect(await connection.status()).toBe(status);
    await connection.closed();
    expect(connection.text).not.toContain("101 ");
  });

  it("refuses an upgrade to something else", async () => {
    const under = await startEndpoint();
    const connection = await openRaw(under.port);
    connection.write(
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${under.port}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    expect(await connection.status()).toBe(400);
  });
});

describe("long WebSocket messages", () => {
  const long = "words that an agent proposes, ".repeat(280_000);

  it.each([
    ["one frame", (text: string) => frame(text)],
    [
      "two frames",
      (text: string) => Buffer.concat([frame(text.slice(0, 99), { fin: false }), frame(text.slice(99), { opcode: 0 })]),
    ],
  ])("in %s are read in turns with other work, and answered before what comes after them", async (_what, framed) => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello));
    await messages(agent, 1);
    const turns = vi.spyOn(globalThis, "setImmediate");
    onTestFinished(() => turns.mockRestore());
    agent.write(
      Buffer.concat([
        framed(JSON.stringify(call("long", "echo", long))),
        frame(JSON.stringify(call("short", "echo", "hi"))),
      ]),
    );
    const [, first, second] = await messages(agent, 3);
    expect(second).toMatchObject({ id: "short", result: { content: [{ text: "hi" }] } });
    expect(first).toMatchObject({ id: "long" });
    expect(JSON.stringify(first).length).toBeGreaterThan(long.length);
    expect(turns.mock.calls.length).toBeGreaterThanOrEqual(long.length / (256 * 1024) - 1);
  });

  it("that are no UTF-8 are refused, and the next one is served", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello));
    await messages(agent, 1);
    agent.write(frame(Buffer.concat([Buffer.from(JSON.stringify(long)), Buffer.from([0xff])])));
    agent.write(frame(JSON.stringify(call("short", "echo", "hi"))));
    expect((await messages(agent, 3)).slice(1)).toMatchObject([{ error: { code: -32_700 } }, { id: "short" }]);
  });

  it("of more members than any agent sends are refused", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello));
    await messages(agent, 1);
    const members = Object.fromEntries(Array.from({ length: 400_000 }, (_, index) => [`k${index}`, 1]));
    agent.write(frame(JSON.stringify({ ...call("many", "echo", "hi"), params: members })));
    expect((await messages(agent, 2)).at(1)).toMatchObject({ error: { code: -32_600 } });
  });
});

describe("WebSocket frames", () => {
  it.each([
    ["an unmasked frame", () => frame(hello, { masked: false })],
    ["RSV1", () => frame(hello, { reserved: 0x40 })],
    ["RSV2", () => frame(hello, { reserved: 0x20 })],
    ["RSV3", () => frame(hello, { reserved: 0x10 })],
    ["the reserved opcode 3", () => frame(hello, { opcode: 3 })],
    ["the reserved opcode 11", () => frame("", { opcode: 11 })],
    ["a fragmented ping", () => frame("", { opcode: 9, fin: false })],
    ["a long ping", () => frame(Buffer.alloc(126), { opcode: 9 })],
    ["a stray continuation", () => frame("x", { opcode: 0 })],
    ["a new message within one", () => Buffer.concat([frame("{", { fin: false }), frame("}")])],
    ["the close code 1005", () => closeFrame(1005)],
    ["the close code 1006", () => closeFrame(1006)],
    ["the close code 999", () => closeFrame(999)],
    ["a close frame of one byte", () => frame(Buffer.from([3]), { opcode: 8 })],
  ])("W closes with 1002 for %s", async (_name, attack) => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(attack());
    expect(await closeCode(agent)).toBe(1002);
  });

  it.each([
    ["in a text", () => frame(Buffer.from([0x22, 0xc3, 0x28, 0x22]))],
    [
      "split over fragments",
      () =>
        Buffer.concat([
          frame(Buffer.from([0x22, 0xc3]), { fin: false }),
          frame(Buffer.from([0x28, 0x22]), { opcode: 0 }),
        ]),
    ],
    ["as a surrogate", () => frame(Buffer.from([0xed, 0xa0, 0x80]))],
    ["in a close reason", () => closeFrame(1000, Buffer.from([0xff]))],
  ])("W closes with 1007 for invalid UTF-8 %s", async (_name, attack) => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(attack());
    expect(await closeCode(agent)).toBe(1007);
  });

  it("W closes with 1009 at once for a declared length over the limit", async () => {
    const under = await startEndpoint({ limits: { maximumMessageBytes: 1_000 } });
    const agent = await openWebSocket(under.port);
    agent.write(frame("x", { declaredLength: 1_001 }));
    expect(await closeCode(agent)).toBe(1009);
  });

  it("W closes with 1009 for fragments that together are over the limit", async () => {
    const under = await startEndpoint({ limits: { maximumMessageBytes: 1_000 } });
    const agent = await openWebSocket(under.port);
    agent.write(frame("x".repeat(600), { fin: false }));
    agent.write(frame("x".repeat(600), { opcode: 0 }));
    expect(await closeCode(agent)).toBe(1009);
  });

  it("W closes with 1003 for a binary message", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello, { opcode: 2 }));
    expect(await closeCode(agent)).toBe(1003);
  });

  it("W understands fragments with a ping between", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello.slice(0, 10), { fin: false }));
    agent.write(frame("are you there", { opcode: 9 }));
    agent.write(frame(hello.slice(10, 20), { opcode: 0, fin: false }));
    agent.write(frame(hello.slice(20), { opcode: 0 }));
    expect(await messages(agent, 1)).toMatchObject([{ id: 1, result: {} }]);
    expect((await pongs(agent, 1)).map(String)).toEqual(["are you there"]);
  });

  it("W understands a message that comes byte by byte", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.socket.setNoDelay(true);
    for (const byte of frame(hello)) {
      agent.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await messages(agent, 1)).toMatchObject([{ id: 1, result: {} }]);
  });

  it("W answers a close and ends the session", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello));
    await messages(agent, 1);
    agent.write(closeFrame(1000));
    expect(await closeCode(agent)).toBe(1000);
    await eventually(() => under.ended.map(({ why }) => why)).toEqual(["closed"]);
  });

  it("W answers 20,000 pings within 20 MB, also where they come at once", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    const before = memoryInUse();
    agent.write(Buffer.concat(Array.from({ length: 20_000 }, () => frame("p", { opcode: 9 }))));
    agent.write(frame(hello));
    await agent.untilText('"result"');
    expect(framesOf(agent).filter(({ opcode }) => opcode === 10)).toHaveLength(20_000);
    expect(memoryInUse() - before).toBeLessThan(20 * megabyte);
  });

  it("W does not go on reading from a peer that pings without reading the answers", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.socket.pause();
    const pings = Buffer.concat(Array.from({ length: 10_000 }, () => frame(Buffer.alloc(125), { opcode: 9 })));
    for (let sent = 0; sent < 25; sent += 1) agent.write(pings);
    const other = await openWebSocket(under.port);
    for (let index = 1; index < 100; index += 1) {
      other.write(frame("p", { opcode: 9 }));
      await pongs(other, index);
    }
    expect(agent.socket.writableLength).toBeGreaterThan(20 * megabyte);
    agent.socket.resume();
    await eventually(() => agent.socket.writableLength).toBe(0);
  });

  it("W holds 300 idle sockets within 15 MB and pings them from one timer", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock });
    await openWebSocket(under.port);
    const before = memoryInUse();
    const agents: RawConnection[] = [];
    for (let index = 0; index < 300; index += 1) agents.push(await openWebSocket(under.port));
    const after = memoryInUse();
    expect(after - before).toBeLessThan(15 * megabyte);
    expect(clock.pending).toBe(1);
    clock.advance(30_000);
    for (const agent of agents) await agent.until(() => framesOf(agent).some(({ opcode }) => opcode === 9));
  });

  it("W bounds an unfinished 60 MB message in time, also when the peer goes on answering pings", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock });
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello));
    await messages(agent, 1);
    agent.write(frame(Buffer.alloc(60 * megabyte, " "), { fin: false }));
    await eventually(() => agent.socket.writableLength).toBe(0);
    await eventually(() => clock.pending).toBe(2);
    for (let beat = 0; beat < 3; beat += 1) {
      await clock.advanceAsync(9_999);
      agent.write(frame("", { opcode: 10 }));
      agent.write(frame("there", { opcode: 9 }));
      await pongs(agent, beat + 1);
    }
    expect(agent.isClosed).toBe(false);
    clock.advance(4);
    await agent.closed();
    expect(under.ended.map(({ why }) => why)).toEqual(["closed"]);
  });

  it("W drops a peer that answers no ping for five minutes, and not one that does", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock });
    const dead = await openWebSocket(under.port);
    const alive = await openWebSocket(under.port);
    for (let beat = 1; beat <= 11; beat += 1) {
      await clock.advanceAsync(30_000);
      await alive.until(() => framesOf(alive).filter(({ opcode }) => opcode === 9).length >= beat);
      alive.write(frame("", { opcode: 10 }));
      alive.write(frame("seen", { opcode: 9 }));
      await pongs(alive, beat);
    }
    await dead.closed();
    expect(alive.isClosed).toBe(false);
  });
});

describe("WebSocket messages", () => {
  it.each([
    ["what is no JSON", "{not json", -32700],
    ["an empty batch", "[]", -32600],
    ["null", "null", -32600],
    ["an empty object", "{}", -32600],
    ["100,000 open brackets", "[".repeat(100_000), -32600],
    ["100,000 objects in objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, -32600],
    ["a batch", JSON.stringify([initializeMessage]), -32600],
  ])("D14 answers %s with a JSON-RPC error and lives", async (_name, text, code) => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(frame(text));
    agent.write(frame(hello));
    expect(await messages(agent, 2)).toMatchObject([
      { id: null, error: { code } },
      { id: 1, result: {} },
    ]);
  });

  it("takes messages in order that come while the engine is being loaded", async () => {
    let letGo: (() => void) | undefined;
    const under = await startEndpoint({
      beforeAccept: () =>
        new Promise((resolve) => {
          letGo = resolve;
        }),
    });
    const agent = await openWebSocket(under.port);
    agent.write(
      Buffer.concat([frame(hello), ...["a", "b", "c"].map((id) => frame(JSON.stringify(call(id, "echo", id))))]),
    );
    await eventually(() => letGo).toBeDefined();
    // What is sent meanwhile stays with the agent, apart from what the system buffers.
    const large = frame(JSON.stringify({ jsonrpc: "2.0", method: "large", params: { text: "x".repeat(megabyte) } }));
    for (let index = 0; index < 40; index += 1) agent.write(large);
    const other = await openWebSocket(under.port);
    for (let index = 1; index < 100; index += 1) {
      other.write(frame("p", { opcode: 9 }));
      await pongs(other, index);
    }
    expect(agent.socket.writableLength).toBeGreaterThan(20 * megabyte);
    letGo?.();
    expect(await messages(agent, 4)).toMatchObject([{ id: 1 }, { id: "a" }, { id: "b" }, { id: "c" }]);
  });

  it("ends the session of an agent that left while the engine was being loaded", async () => {
    let letGo: (() => void) | undefined;
    const under = await startEndpoint({
      beforeAccept: () =>
        new Promise((resolve) => {
          letGo = resolve;
        }),
    });
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello));
    await eventually(() => letGo).toBeDefined();
    agent.socket.destroy();
    await agent.closed();
    letGo?.();
    await eventually(() => under.ended.map(({ why }) => why)).toEqual(["closed"]);
  });

  it("closes with 1011 where the engine cannot be started", async () => {
    const under = await startEndpoint({ beforeAccept: () => Promise.reject(new Error("no engine")) });
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello));
    expect(await closeCode(agent)).toBe(1011);
    expect(agent.text).not.toContain("no engine");
  });

  it("pushes reliable and latest messages", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello));
    await messages(agent, 1);
    const { transport } = under.last();
    expect(transport.isOpen).toBe(true);
    transport.pushReliable('{"first":true}', () => undefined);
    transport.pushLatest("context", '{"second":true}');
    expect((await messages(agent, 3)).slice(1)).toEqual([{ first: true }, { second: true }]);
  });

  it("does not take for delivered what could not be written any more", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock });
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello));
    await messages(agent, 1);
    const { transport } = under.last();
    // The endpoint says goodbye, and the agent does not answer.
    void under.endpoint.close();
    expect(await closeCode(agent)).toBe(1001);
    const delivered: string[] = [];
    transport.pushReliable('{"late":true}', () => delivered.push("late"));
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5_000);
    expect(delivered).toEqual([]);
  });

  it("C05 costs little for a client that stops reading", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello));
    await messages(agent, 1);
    agent.socket.pause();
    const { transport } = under.last();
    const before = memoryInUse();
    const pad = "x".repeat(64 * 1024);
    for (let index = 0; index < 2_000; index += 1) {
      transport.pushLatest("context", JSON.stringify({ index, pad }));
      if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    transport.pushLatest("context", '{"last":true}');
    const after = memoryInUse();
    expect(after - before).toBeLessThan(20 * megabyte);
    agent.socket.resume();
    await agent.untilText('{"last":true}');
  });

  it("C05 does not go on reading from an agent that asks without reading the answers", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello));
    await messages(agent, 1);
    agent.socket.pause();
    const question = frame(JSON.stringify(call(1, "echo", "x".repeat(megabyte))));
    for (let index = 0; index < 60; index += 1) agent.write(question);
    // While another agent is served, this one is not read from.
    const other = await openWebSocket(under.port);
    other.write(frame(hello));
    for (let index = 2; index < 100; index += 1) {
      await messages(other, index - 1);
      other.write(frame(JSON.stringify(call(index, "echo", "x"))));
    }
    expect(agent.socket.writableLength).toBeGreaterThan(20 * megabyte);
    agent.socket.resume();
    await eventually(() => agent.socket.writableLength).toBe(0);
  });

  it("E06 says goodbye with 1001 when the endpoint closes, and does not wait for a peer that is silent", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello));
    await messages(agent, 1);
    await under.endpoint.close();
    expect(await closeCode(agent)).toBe(1001);
    await agent.closed();
    expect(under.ended.map(({ why }) => why)).toEqual(["closed"]);
  });

  it("takes a message of 50 MB", async () => {
    const under = await startEndpoint();
    const agent = await openWebSocket(under.port);
    agent.write(frame(hello));
    await messages(agent, 1);
    const text = "é".repeat(25 * megabyte);
    agent.write(
      frame(
        JSON.stringify({
          ...call(2, "echo", "x"),
          params: { name: "echo", arguments: { text: "short", ignored: text } },
        }),
      ),
    );
    expect(await messages(agent, 2)).toMatchObject([{}, { id: 2, result: { content: [{ text: "short" }] } }]);
  });
});
