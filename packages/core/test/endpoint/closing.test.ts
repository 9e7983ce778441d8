import { createFakeClock } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { PatchbayError } from "../../src/support/errors.ts";
import { type EndpointUnderTest, eventually, startEndpoint } from "./endpoint-under-test.ts";
import { openStream } from "./event-reader.ts";
import { beginSession, call, post } from "./http-agent.ts";
import { openRaw, type RawConnection, requestText, sendRaw } from "./raw-connection.ts";
import { closeCode, openWebSocket } from "./raw-web-socket.ts";
import { connectSdkAgent } from "./session-client.ts";

/** An agent that opens its stream and does not read it while much is sent. */
async function stuckReader(under: EndpointUnderTest, id: string): Promise<RawConnection> {
  const reader = await sendRaw(under.port, { method: "GET", headers: [`mcp-session-id: ${id}`] });
  await reader.status();
  reader.socket.pause();
  const pad = JSON.stringify({ jsonrpc: "2.0", method: "x", params: { pad: "x".repeat(1_000_000) } });
  for (let index = 0; index < 20; index += 1) under.last().transport.pushReliable(pad, () => undefined);
  return reader;
}

describe("closing the endpoint", () => {
  it("E06 ends streams cleanly with an agent connected, and answers what is in flight", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const stream = await openStream(under, id);
    const held = post(under, call(5, "hold", "x"), { "mcp-session-id": id });
    await eventually(() => under.held.size).toBe(1);
    const closed: string[] = [];
    under.last().engine.onclose = () => closed.push("engine");
    await under.endpoint.close();
    expect(await stream.ended).toBe("clean");
    expect(await (await held).json()).toMatchObject({ id: 5, error: {} });
    expect(closed).toEqual(["engine"]);
    // The session may be taken up by the next endpoint.
    expect(under.ended).toEqual([]);
    await expect(post(under, call(6, "echo", "x"))).rejects.toThrow();
  });

  it("E06 does not wait for clients that stopped reading, never said anything or drip", async () => {
    // The clock stands still: nothing may wait for it.
    const under = await startEndpoint({ clock: createFakeClock() });
    const id = await beginSession(under);
    const reader = await stuckReader(under, id);
    const silent = await openRaw(under.port);
    const dripping = await sendRaw(under.port, { headers: ["Content-Type: application/json", "Content-Length: 100"] });
    await under.endpoint.close();
    reader.socket.resume();
    await Promise.all([reader.closed(), silent.closed(), dripping.closed()]);
  });

  it("answers 503 while it closes, and a stream with one that ends at once and repeats what the client has", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock });
    const id = await beginSession(under);
    // Does not answer the goodbye, so that closing takes its time.
    const silent = await openWebSocket(under.port);
    const late = await openRaw(under.port);
    const request = requestText(under.port, {
      headers: [`mcp-session-id: ${id}`],
      body: JSON.stringify(call(1, "echo", "x")),
    });
    late.write(request.subarray(0, 40));
    const reopening = await openRaw(under.port);
    const headers = [`mcp-session-id: ${id}`, "last-event-id: 1234567"];
    const get = requestText(under.port, { method: "GET", headers });
    reopening.write(get.subarray(0, 40));
    const other = await openRaw(under.port);
    other.write(request);
    await other.untilText("}}");
    const closing = under.endpoint.close({ comeBackMs: 700 });
    expect(await closeCode(silent)).toBe(1001);
    reopening.write(get.subarray(40));
    await reopening.closed();
    expect(await reopening.status()).toBe(200);
    // The chunk of no length is what tells a clean end from a broken connection.
    expect(reopening.text).toMatch(/retry: 700\n\n[^]*id: 1234567\ndata: \{"jsonrpc"[^]*\r\n0\r\n\r\n$/u);
    late.write(request.subarray(40));
    expect(await late.status()).toBe(503);
    await clock.advanceAsync(500);
    await closing;
    await silent.closed();
  });

  it("opens no stream any more once it is leaving, and goes on with those that are open", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const open = await openStream(under, id);
    under.endpoint.leave({ comeBackMs: 700 });
    const { transport } = under.last();
    const late = await sendRaw(under.port, {
      method: "GET",
      headers: [`mcp-session-id: ${id}`, "last-event-id: 1234567"],
    });
    await late.closed();
    expect(late.text).toMatch(/retry: 700\n\n[^]*id: 1234567\ndata: \{"jsonrpc"[^]*\r\n0\r\n\r\n$/u);
    transport.pushReliable(JSON.stringify({ jsonrpc: "2.0", method: "note" }), () => undefined);
    await eventually(() => open.events.length).toBe(1);
    expect((await post(under, call(1, "echo", "x"), { "mcp-session-id": id })).status).toBe(200);
  });

  it("a stream that meets the end while its session is taken up ends at once, and is no failure", async () => {
    const before = await startEndpoint({ sessionKey: "kept" });
    const id = await beginSession(before);
    await before.endpoint.close();
    const under = await startEndpoint({
      sessionKey: "kept",
      beforeAccept: () => Promise.reject(new PatchbayError("stopped", "The editor is closing.")),
    });
    const headers = [`mcp-session-id: ${id}`, "last-event-id: 1234567"];
    const reopening = await sendRaw(under.port, { method: "GET", headers });
    await reopening.closed();
    expect(await reopening.status()).toBe(200);
    expect(reopening.text).toMatch(/id: 1234567\n[^]*\r\n0\r\n\r\n$/u);
  });

  it("does not wait for refused sockets that linger", async () => {
    const under = await startEndpoint({ clock: createFakeClock() });
    const refused = await openRaw(under.port, { stubborn: true });
    refused.write(
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${under.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    expect(await refused.status()).toBe(401);
    await under.endpoint.close();
  });

  it("may be called twice", async () => {
    const under = await startEndpoint();
    await Promise.all([under.endpoint.close(), under.endpoint.close()]);
    await under.endpoint.close();
  });

  it("tells clients when the port comes back, and they find the next endpoint by themselves", async () => {
    const first = await startEndpoint({ sessionKey: "kept" });
    const agent = await connectSdkAgent(first);
    await eventually(() => first.last().transport.isOpen).toBe(true);
    await first.endpoint.close({ comeBackMs: 100 });
    const second = await startEndpoint({ sessionKey: "kept", port: first.port });
    await expect.poll(() => second.served.length === 1 && second.last().transport.isOpen).toBe(true);
    expect(second.last().connection.sessionId).toBe(first.last().connection.sessionId);
    const result = await agent.client.callTool({ name: "echo", arguments: { text: "again" } });
    expect(result.content).toEqual([{ type: "text", text: "again" }]);
    expect(agent.errors).toEqual([]);
  });

  it("says that a port is taken", async () => {
    const under = await startEndpoint();
    await expect(startEndpoint({ port: under.port })).rejects.toMatchObject({
      code: "port-unavailable",
      message: `Port ${under.port} cannot be used: another program has it.`,
    });
  });
});
