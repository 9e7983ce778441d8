import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { createFakeClock } from "@patchbay/testkit";
import { memoryInUse } from "./memory-in-use.ts";
import { describe, expect, it } from "vitest";
import { eventually, startEndpoint, token } from "./endpoint-under-test.ts";
import { openStream } from "./event-reader.ts";
import { beginSession, call, initializeMessage, post } from "./http-agent.ts";
import { sendRaw } from "./raw-connection.ts";
import { connectSdkAgent } from "./session-client.ts";

const session = (id: string): Record<string, string> => ({ "mcp-session-id": id });

describe("sessions", () => {
  it("B01 gives each of two sessions its own answers", async () => {
    const under = await startEndpoint();
    const [first, second] = [await connectSdkAgent(under), await connectSdkAgent(under)];
    for (const [agent, text] of [
      [first, "one"],
      [second, "two"],
      [first, "three"],
    ] as const) {
      const result = await agent.client.callTool({ name: "echo", arguments: { text } });
      expect(result.content).toEqual([{ type: "text", text }]);
    }
  });

  it("B02 never crosses equal request ids in flight in two sessions", async () => {
    const under = await startEndpoint();
    const [first, second] = [await beginSession(under), await beginSession(under)];
    const answers = [
      post(under, call(7, "hold", "of the first"), session(first)),
      post(under, call(7, "hold", "of the second"), session(second)),
    ];
    await eventually(() => under.held.size).toBe(2);
    under.held.get("of the second")?.();
    under.held.get("of the first")?.();
    const [one, two] = await Promise.all(answers.map(async (answer) => (await answer).json()));
    expect(one).toMatchObject({ id: 7, result: { content: [{ text: "of the first" }] } });
    expect(two).toMatchObject({ id: 7, result: { content: [{ text: "of the second" }] } });
  });

  it.each([7, "seven"])("B02 never crosses the id %j in flight twice in one session", async (id) => {
    const under = await startEndpoint();
    const sessionId = await beginSession(under);
    const answers = ["a", "b"].map((text) => post(under, call(id, "hold", text), session(sessionId)));
    await eventually(() => under.held.size).toBe(2);
    under.held.get("b")?.();
    const second = await (await answers[1])?.json();
    under.held.get("a")?.();
    const first = await (await answers[0])?.json();
    expect(first).toMatchObject({ id, result: { content: [{ text: "a" }] } });
    expect(second).toMatchObject({ id, result: { content: [{ text: "b" }] } });
  });

  it("B03 goes on with one agent when another crashes in the middle of a call", async () => {
    const under = await startEndpoint();
    const agent = await connectSdkAgent(under);
    const crashing = await beginSession(under);
    const abort = new AbortController();
    const lost = fetch(under.url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...session(crashing) },
      body: JSON.stringify(call(1, "hold", "x")),
      signal: abort.signal,
    });
    await eventually(() => under.held.size).toBe(1);
    abort.abort();
    await expect(lost).rejects.toThrow();
    under.held.get("x")?.();
    const result = await agent.client.callTool({ name: "echo", arguments: { text: "alive" } });
    expect(result.content).toEqual([{ type: "text", text: "alive" }]);
  });

  it.each(["POST", "GET", "DELETE"])("B04 answers %s of an unknown session with 404", async (method) => {
    const under = await startEndpoint();
    const known = await beginSession(under);
    for (const id of [
      "x",
      "gemini.abc.def",
      known.slice(0, -1),
      `${known}x`,
      known.replace("gemini", "claude"),
      "__proto__",
      "constructor",
    ]) {
      const response = await fetch(under.url, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "mcp-session-id": id },
        ...(method === "POST" ? { body: JSON.stringify(call(1, "echo", "x")) } : {}),
      });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32000 } });
    }
    expect(under.served).toHaveLength(1);
  });

  it("takes the id of a session that was ended here no more", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    await under.last().transport.close();
    expect(under.ended).toEqual([{ sessionId: id, why: "closed" }]);
    expect((await post(under, call(1, "echo", "x"), session(id))).status).toBe(404);
    expect(under.served).toHaveLength(1);
  });

  it("answers requests without a session id with 400", async () => {
    const under = await startEndpoint();
    expect((await post(under, call(1, "echo", "x"))).status).toBe(400);
    for (const method of ["GET", "DELETE"]) {
      const response = await fetch(under.url, { method, headers: { authorization: `Bearer ${token}` } });
      expect(response.status).toBe(400);
    }
  });

  it("B05 ends a session by DELETE, for good", async () => {
    const under = await startEndpoint();
    const agent = await connectSdkAgent(under);
    const id = agent.transport.sessionId ?? "";
    await eventually(() => under.last().transport.isOpen).toBe(true);
    await agent.transport.terminateSession();
    expect(under.ended).toEqual([{ sessionId: id, why: "deleted" }]);
    expect((await post(under, call(1, "echo", "x"), session(id))).status).toBe(404);
    expect(under.served).toHaveLength(1);
  });

  it("B05 ends a session of an endpoint before it by DELETE, for good", async () => {
    const before = await startEndpoint();
    const id = await beginSession(before);
    await before.endpoint.close();
    const under = await startEndpoint();
    const response = await fetch(under.url, {
      method: "DELETE",
      headers: { authorization: `Bearer ${token}`, ...session(id) },
    });
    expect(response.status).toBe(204);
    expect((await post(under, call(1, "echo", "x"), session(id))).status).toBe(404);
    expect(under.served).toEqual([]);
  });

  it("B05 answers what is in flight when the session is deleted", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const held = post(under, call(5, "hold", "x"), session(id));
    await eventually(() => under.held.size).toBe(1);
    const response = await fetch(under.url, {
      method: "DELETE",
      headers: { authorization: `Bearer ${token}`, ...session(id) },
    });
    expect(response.status).toBe(204);
    expect(await (await held).json()).toMatchObject({ id: 5, error: { code: -32000 } });
  });

  it.each(["2026-07-28", "1.0", "", "2025-06-18, 2025-11-25"])(
    "B06 answers the protocol version %j with 400",
    async (version) => {
      const under = await startEndpoint();
      const id = await beginSession(under);
      const response = await post(under, call(1, "echo", "x"), { ...session(id), "mcp-protocol-version": version });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32000 } });
    },
  );

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "B06 takes the protocol version %s",
    async (version) => {
      const under = await startEndpoint();
      const id = await beginSession(under);
      expect(
        (await post(under, call(1, "echo", "x"), { ...session(id), "mcp-protocol-version": version })).status,
      ).toBe(200);
    },
  );

  it("B06 answers a request of the 2026-07-28 revision cleanly", async () => {
    const under = await startEndpoint();
    const response = await post(under, {
      jsonrpc: "2.0",
      id: 1,
      method: "server/discover",
      params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: 1, error: { code: -32000 } });
  });

  it("B07 lets go of abandoned sessions, with one timer for all", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock, limits: { maximumSessions: 50 } });
    const ids: string[] = [];
    for (let index = 0; index < 120; index += 1) ids.push(await beginSession(under));
    expect(clock.pending).toBe(1);
    expect(under.ended.map(({ sessionId }) => sessionId)).toEqual(ids.slice(0, 70));
    await clock.advanceAsync(120_000);
    expect(under.ended.map(({ sessionId }) => sessionId)).toEqual(ids);
    expect(clock.pending).toBe(0);
    expect(new Set(under.ended.map(({ why }) => why))).toEqual(new Set(["idle"]));
  });

  it("B07 holds few abandoned sessions at once, and 500 of them cost little", async () => {
    const under = await startEndpoint();
    const first = await beginSession(under);
    const before = memoryInUse();
    for (let index = 0; index < 500; index += 1) await beginSession(under);
    expect(under.served.length - under.ended.length).toBe(64);
    // The helper itself keeps every engine that it made.
    under.served.length = 0;
    under.ended.length = 0;
    expect(memoryInUse() - before).toBeLessThan(5_000_000);
    expect((await post(under, call(1, "echo", "x"), session(first))).status).toBe(200);
  });

  it("B07 drops one for whom something waits only when every place is taken", async () => {
    const needed = new Set<string>();
    const under = await startEndpoint({ limits: { maximumSessions: 3 }, mayForget: (id) => !needed.has(id) });
    const ids = [await beginSession(under), await beginSession(under), await beginSession(under)];
    needed.add(ids[0] ?? "").add(ids[2] ?? "");
    const fourth = await beginSession(under);
    expect(under.ended).toEqual([{ sessionId: ids[1], why: "idle" }]);
    needed.add(fourth);
    await beginSession(under);
    expect(under.ended.slice(1)).toEqual([{ sessionId: ids[0], why: "dropped" }]);
  });

  it("B07 keeps an idle session for which something waits, and one with a stream", async () => {
    const clock = createFakeClock();
    let waiting = "";
    const under = await startEndpoint({ clock, mayForget: (id) => id !== waiting });
    waiting = await beginSession(under);
    const streaming = await beginSession(under);
    await openStream(under, streaming);
    const idle = await beginSession(under);
    await clock.advanceAsync(600_000);
    expect(under.ended).toEqual([{ sessionId: idle, why: "idle" }]);
  });

  it("revives an idle session by its next request, once for requests at the same time", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock });
    const id = await beginSession(under);
    await clock.advanceAsync(120_000);
    expect(under.ended).toEqual([{ sessionId: id, why: "idle" }]);
    const answers = await Promise.all(["a", "b"].map((text) => post(under, call(text, "echo", text), session(id))));
    expect(await Promise.all(answers.map((answer) => answer.json()))).toMatchObject([
      { id: "a", result: { content: [{ text: "a" }] } },
      { id: "b", result: { content: [{ text: "b" }] } },
    ]);
    expect(under.served).toHaveLength(2);
    expect(under.last().connection).toMatchObject({ sessionId: id, dialectHint: "gemini", initialize: undefined });
  });

  it("takes sessions back from an endpoint before it with the same key, and from no other", async () => {
    const before = await startEndpoint({ sessionKey: "kept" });
    const id = await beginSession(before);
    await before.endpoint.close();
    const after = await startEndpoint({ sessionKey: "kept" });
    expect((await post(after, call(1, "echo", "x"), session(id))).status).toBe(200);
    const other = await startEndpoint({ sessionKey: "another" });
    expect((await post(other, call(1, "echo", "x"), session(id))).status).toBe(404);
  });

  it("says 503 when every place is in use", async () => {
    const under = await startEndpoint({ limits: { maximumSessions: 1 } });
    await openStream(under, await beginSession(under));
    const response = await post(under, initializeMessage);
    expect(response.status).toBe(503);
    expect(response.headers.get("mcp-session-id")).toBeNull();
  });

  it("says 503, and not 404, to a session that it knows when every place is in use", async () => {
    const before = await startEndpoint({ sessionKey: "kept" });
    const known = await beginSession(before);
    await before.endpoint.close();
    const under = await startEndpoint({ sessionKey: "kept", limits: { maximumSessions: 1 } });
    await openStream(under, await beginSession(under));
    expect((await post(under, call(1, "echo", "x"), session(known))).status).toBe(503);
    expect((await post(under, call(1, "echo", "x"), session("gemini.unknown.id"))).status).toBe(404);
  });

  it("takes as many agents at once as it holds, also where all of them wait for what is being loaded", async () => {
    let letGo: () => void = () => {};
    const loaded = new Promise<void>((resolve) => (letGo = resolve));
    let waiting = 0;
    const under = await startEndpoint({
      beforeAccept: async () => {
        waiting += 1;
        if (waiting === 256) letGo();
        await loaded;
      },
    });
    const answers = await Promise.all(Array.from({ length: 256 }, () => post(under, initializeMessage)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const ids = answers.map(({ headers }) => headers.get("mcp-session-id") ?? "");
    const streams = await Promise.all(ids.map((id) => openStream(under, id)));
    expect(streams).toHaveLength(256);
    expect(under.ended).toEqual([]);
    expect((await post(under, initializeMessage)).status).toBe(503);
  });

  it("tells the acceptor who comes, without secrets", async () => {
    const under = await startEndpoint({ tokens: { qwen: "qwen-token" } });
    await post(under, initializeMessage, { authorization: "Bearer qwen-token", cookie: "a=b", "x-extra": "1" });
    const { connection } = under.last();
    expect(connection).toMatchObject({
      tokenName: "qwen",
      initialize: initializeMessage.params,
      dialectHint: undefined,
    });
    expect(connection.headers["x-extra"]).toBe("1");
    expect(Object.keys(connection.headers)).not.toEqual(expect.arrayContaining(["authorization"]));
    expect(connection.headers["cookie"]).toBeUndefined();
  });

  it.each(["POST", "GET"])(
    "answers a %s with 404 whose session is deleted while it is being revived",
    async (method) => {
      const before = await startEndpoint({ sessionKey: "kept" });
      const id = await beginSession(before);
      await before.endpoint.close();
      let letGo: (() => void) | undefined;
      const wait = (): Promise<void> =>
        new Promise((resolve) => {
          letGo = resolve;
        });
      const after = await startEndpoint({ sessionKey: "kept", beforeAccept: wait });
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...session(id) };
      const body = method === "POST" ? { body: JSON.stringify(call(1, "echo", "x")) } : {};
      const waiting = fetch(after.url, { method, headers, ...body });
      await eventually(() => letGo).toBeDefined();
      expect((await fetch(after.url, { method: "DELETE", headers })).status).toBe(204);
      letGo?.();
      expect((await waiting).status).toBe(404);
      expect(after.ended).toEqual([{ sessionId: id, why: "deleted" }]);
    },
  );

  it("does not wait for the answer to an agent that left while its session was being revived", async () => {
    const clock = createFakeClock();
    let letGo: (() => void) | undefined;
    const before = await startEndpoint({ sessionKey: "kept" });
    const id = await beginSession(before);
    await before.endpoint.close();
    const wait = (): Promise<void> =>
      new Promise((resolve) => {
        letGo = resolve;
      });
    const after = await startEndpoint({ sessionKey: "kept", beforeAccept: wait, clock });
    const body = JSON.stringify(call(1, "hold", "x"));
    const openSockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    await eventually(openSockets).toBe(0);
    const leaving = await sendRaw(after.port, { headers: [`mcp-session-id: ${id}`], body });
    await eventually(() => letGo).toBeDefined();
    leaving.socket.destroy();
    // Both ends are gone, so the endpoint has seen it.
    await eventually(openSockets).toBe(0);
    letGo?.();
    await eventually(() => after.served.length).toBe(1);
    await clock.advanceAsync(120_000);
    expect(after.ended).toEqual([{ sessionId: id, why: "idle" }]);
    expect(after.held.size).toBe(0);
  });

  it("lets a session go whose engine cannot be started", async () => {
    const under = await startEndpoint({ beforeAccept: () => Promise.reject(new Error("no engine")) });
    const response = await post(under, initializeMessage);
    expect(response.status).toBe(500);
    expect(JSON.stringify(await response.json())).not.toContain("no engine");
    expect(under.ended.map(({ why }) => why)).toEqual(["dropped"]);
  });

  it("B10 returns to the baseline of descriptors after 300 connects", async () => {
    const under = await startEndpoint();
    const descriptors = (): number => readdirSync("/proc/self/fd").length;
    const before = descriptors();
    for (let index = 0; index < 300; index += 1) {
      await new Promise<void>((resolve) => {
        const socket = connect({ host: "127.0.0.1", port: under.port }, () => socket.destroy());
        socket.once("close", () => resolve());
      });
    }
    await eventually(descriptors).toBeLessThanOrEqual(before + 2);
  });
});
