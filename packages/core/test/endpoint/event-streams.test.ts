import { createFakeClock } from "@patchbay/testkit";
import { memoryInUse } from "./memory-in-use.ts";
import { describe, expect, it } from "vitest";
import { eventually, startEndpoint, token } from "./endpoint-under-test.ts";
import { openStream, note, noted, texts } from "./event-reader.ts";
import { beginSession, call, post } from "./http-agent.ts";
import { openRaw, requestText, sendRaw } from "./raw-connection.ts";

describe("event streams", () => {
  it("sends the headers at once and no event of its own", async () => {
    const under = await startEndpoint();
    const stream = await openStream(under, await beginSession(under));
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
    await eventually(stream.text).toBe("retry: 1250\n\n");
  });

  it("B08 fires for each opened stream, so that the context can go out at once", async () => {
    let opened = 0;
    const under = await startEndpoint({
      onServed: ({ transport }) =>
        transport.onDidOpen(() => {
          opened += 1;
          transport.pushLatest("context", note(`context ${opened}`));
        }),
    });
    const id = await beginSession(under);
    const first = await openStream(under, id);
    await eventually(() => texts(first.events)).toEqual(noted("context 1"));
    first.cut();
    await eventually(() => under.last().transport.isOpen).toBe(false);
    const second = await openStream(under, id);
    await eventually(() => texts(second.events)).toEqual(noted("context 2"));
    expect(second.events[0]?.id).toBeGreaterThan(first.events[0]?.id ?? Infinity);
  });

  it("B09 lets a second GET take over a half-open first, which ends cleanly", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const lost: string[] = [];
    under.last().transport.onDidLoseStream(() => lost.push("lost"));
    const first = await openStream(under, id);
    const second = await openStream(under, id);
    expect(await first.ended).toBe("clean");
    under.last().transport.pushLatest("context", note("to the second"));
    await eventually(() => texts(second.events)).toEqual(noted("to the second"));
    expect(first.events).toEqual([]);
    expect(lost).toEqual([]);
    second.cut();
    await eventually(() => lost).toEqual(["lost"]);
  });

  it("sends nothing while no stream is open, and drops what is only the latest", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const { transport, engine } = under.last();
    transport.pushLatest("context", note("too early"));
    await engine.sendToolListChanged().catch(() => undefined);
    const stream = await openStream(under, id);
    transport.pushLatest("context", note("now"));
    await eventually(() => texts(stream.events)).toEqual(noted("now"));
  });

  it("carries the engine's own notifications and requests", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const stream = await openStream(under, id);
    const answer = under.last().engine.ping();
    await eventually(() => stream.events.length).toBe(1);
    expect(stream.events[0]?.message).toMatchObject({ method: "ping" });
    const asked = stream.events[0]?.message;
    const requestId: unknown = typeof asked === "object" && asked !== null && "id" in asked ? asked.id : undefined;
    const posted = await post(under, { jsonrpc: "2.0", id: requestId, result: {} }, { "mcp-session-id": id });
    expect(posted.status).toBe(202);
    expect(await answer).toEqual({});
  });

  it("fails a request of the engine where no stream is open", async () => {
    const under = await startEndpoint();
    await beginSession(under);
    await expect(under.last().engine.ping()).rejects.toThrow("no open stream");
  });

  it("keeps a quiet stream alive with a comment, on one timer for all", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock });
    const streams = [
      await openStream(under, await beginSession(under)),
      await openStream(under, await beginSession(under)),
    ];
    expect(clock.pending).toBe(1);
    clock.advance(60_000);
    for (const stream of streams) await eventually(stream.text).toBe("retry: 1250\n\n:\n\n:\n\n");
  });

  it("C05 costs little for a client that stops reading, which then gets the latest of each slot", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const { transport } = under.last();
    const reader = await sendRaw(under.port, { method: "GET", headers: [`mcp-session-id: ${id}`] });
    await reader.status();
    await eventually(() => transport.isOpen).toBe(true);
    reader.socket.pause();
    const before = memoryInUse();
    const pad = "x".repeat(64 * 1024);
    for (let index = 0; index < 2_000; index += 1) {
      transport.pushLatest("context", note(`${index} ${pad}`));
      if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    transport.pushLatest("other", note("other last"));
    transport.pushLatest("context", note("context last"));
    const after = memoryInUse();
    expect(after - before).toBeLessThan(20 * 1024 * 1024);
    reader.socket.resume();
    await reader.untilText("context last");
    expect(reader.text.indexOf("other last")).toBeLessThan(reader.text.indexOf("context last"));
    expect(reader.text).not.toContain('"1999 ');
  });

  it("keeps no old context of a reader that was stuck for its next stream", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const { transport } = under.last();
    const reader = await sendRaw(under.port, { method: "GET", headers: [`mcp-session-id: ${id}`] });
    await reader.status();
    await eventually(() => transport.isOpen).toBe(true);
    reader.socket.pause();
    const pad = "x".repeat(256 * 1024);
    // More than any system's socket buffers take.
    for (let index = 0; index < 64; index += 1) transport.pushLatest("context", note(pad));
    transport.pushLatest("context", note("stale"));
    reader.socket.destroy();
    await eventually(() => transport.isOpen).toBe(false);
    const second = await openStream(under, id);
    transport.pushReliable(note("next"), () => undefined);
    await eventually(() => texts(second.events)).toEqual(noted("next"));
  });

  it("goes on above the id of what an earlier run has sent", async () => {
    const under = await startEndpoint({ clock: createFakeClock() });
    const stream = await openStream(under, await beginSession(under));
    const { transport } = under.last();
    transport.pushLatest("context", note("before"));
    await eventually(() => stream.events.length).toBe(1);
    const eventId = (stream.events[0]?.id ?? 0) + 1_000_000;
    transport.pushReliable(note("sent before"), () => undefined, { eventId });
    transport.pushLatest("context", note("after"));
    await eventually(() => stream.events.length).toBe(3);
    expect(stream.events[1]?.id).toBe(eventId);
    expect(stream.events[2]?.id).toBeGreaterThan(eventId);
  });

  it("D07 sends what was pushed while the stream was down, in order, on the next one", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const { transport } = under.last();
    transport.pushReliable(note("a"), () => undefined);
    transport.pushReliable(note("b"), () => undefined);
    const stream = await openStream(under, id);
    await eventually(() => texts(stream.events)).toEqual(noted("a", "b"));
  });

  it("counts as delivered what stayed on an open stream for a second, and has no timer then", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock });
    const id = await beginSession(under);
    const stream = await openStream(under, id);
    const { transport } = under.last();
    const delivered: string[] = [];
    transport.pushReliable(note("a"), () => delivered.push("a"));
    await eventually(() => stream.events.length).toBe(1);
    await eventually(() => clock.pending).toBe(2);
    clock.advance(999);
    expect(delivered).toEqual([]);
    clock.advance(1);
    expect(delivered).toEqual(["a"]);
    expect(clock.pending).toBe(1);
    const second = await openStream(under, id);
    transport.pushReliable(note("b"), () => undefined);
    await eventually(() => texts(second.events)).toEqual(noted("b"));
  });

  it("never goes back in its ids, so that a client that has an outcome is not told again", async () => {
    const under = await startEndpoint({ clock: createFakeClock() });
    const id = await beginSession(under);
    const { transport } = under.last();
    const first = await openStream(under, id);
    transport.pushLatest("context", note("same"));
    transport.pushReliable(note("outcome"), () => undefined);
    await eventually(() => first.events.length).toBe(2);
    const has = first.events.at(-1)?.id ?? 0;
    first.cut();
    await eventually(() => transport.isOpen).toBe(false);
    const second = await openStream(under, id, { "last-event-id": String(has) });
    // The same text as before: its bytes are shared with other agents, under the id it had.
    transport.pushLatest("context", note("same"));
    await eventually(() => second.events.length).toBe(1);
    expect(second.events[0]?.id).toBeGreaterThan(has);
  });

  it("does not send again what an earlier run has written and the client says it has", async () => {
    const before = await startEndpoint();
    const id = await beginSession(before);
    const first = await openStream(before, id);
    const written = ["seen", "unseen"].map((name) => before.last().transport.pushReliable(note(name), () => undefined));
    await eventually(() => first.events.length).toBe(2);
    const [seen, unseen] = written.map((message) => message.eventId);
    expect(first.events.map((event) => Number(event.id))).toEqual([seen, unseen]);
    await before.endpoint.close();

    const delivered: string[] = [];
    const again = await startEndpoint({
      onServed: ({ transport }) => {
        transport.pushReliable(note("seen"), () => delivered.push("seen"), { eventId: seen });
        transport.pushReliable(note("unseen"), () => delivered.push("unseen"), { eventId: unseen });
      },
    });
    const stream = await openStream(again, id, { "last-event-id": String(seen) });
    await eventually(() => texts(stream.events)).toEqual(noted("unseen"));
    expect(delivered).toEqual(["seen"]);
    // Told only after the stream was open, as when the outcomes of an earlier run are read late.
    again.last().transport.pushReliable(note("late seen"), () => delivered.push("late seen"), { eventId: seen });
    again.last().transport.pushReliable(note("late unseen"), () => undefined, { eventId: unseen });
    await eventually(() => texts(stream.events)).toEqual(noted("unseen", "late unseen"));
    expect(delivered).toEqual(["seen", "late seen"]);
    const ids = stream.events.map((event) => Number(event.id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(2);
  });

  it("sends again what was flushed less than a second before the stream ended, and nothing older", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock });
    const id = await beginSession(under);
    const first = await openStream(under, id);
    const { transport } = under.last();
    const delivered: string[] = [];
    transport.pushReliable(note("old"), () => delivered.push("old"));
    await eventually(() => clock.pending).toBe(2);
    clock.advance(1_000);
    transport.pushReliable(note("young"), () => delivered.push("young"));
    await eventually(() => first.events.length).toBe(2);
    first.cut();
    await eventually(() => transport.isOpen).toBe(false);
    clock.advance(5_000);
    expect(delivered).toEqual(["old"]);
    const second = await openStream(under, id);
    await eventually(() => texts(second.events)).toEqual(noted("young"));
  });

  it("F04 does not count as delivered what was on a stream that broke while the process was held up", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock });
    const id = await beginSession(under);
    const first = await openStream(under, id);
    const { transport } = under.last();
    const delivered: string[] = [];
    transport.pushReliable(note("a"), () => delivered.push("a"));
    await eventually(() => clock.pending).toBe(2);
    // Timers run before the process hears of its sockets.
    clock.holdUp(5_000);
    first.cut();
    clock.advance(0);
    expect(delivered).toEqual([]);
    await eventually(() => transport.isOpen).toBe(false);
    clock.advance(5_000);
    expect(delivered).toEqual([]);
    const second = await openStream(under, id);
    await eventually(() => texts(second.events)).toEqual(noted("a"));
  });

  it("sends exactly what is newer than the last event id, and takes the rest as delivered", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock });
    const id = await beginSession(under);
    const first = await openStream(under, id);
    const { transport } = under.last();
    const delivered: string[] = [];
    for (const name of ["a", "b", "c"]) transport.pushReliable(note(name), () => delivered.push(name));
    await eventually(() => first.events.length).toBe(3);
    first.cut();
    await eventually(() => transport.isOpen).toBe(false);
    transport.pushReliable(note("d"), () => delivered.push("d"));
    const second = await openStream(under, id, { "last-event-id": String(first.events[1]?.id) });
    expect(delivered).toEqual(["a", "b"]);
    await eventually(() => texts(second.events)).toEqual(noted("c", "d"));
    const ids = [...first.events, ...second.events].map((event) => event.id);
    expect(ids[3]).toBe(ids[2]);
    expect(ids[4]).toBeGreaterThan(ids[3] ?? Infinity);
  });

  it("takes a later event of any kind as proof of what came before it", async () => {
    const under = await startEndpoint({ clock: createFakeClock() });
    const id = await beginSession(under);
    const first = await openStream(under, id);
    const { transport } = under.last();
    const delivered: string[] = [];
    transport.pushReliable(note("outcome"), () => delivered.push("outcome"));
    transport.pushLatest("context", note("context"));
    await eventually(() => first.events.length).toBe(2);
    first.cut();
    await eventually(() => transport.isOpen).toBe(false);
    const second = await openStream(under, id, { "last-event-id": String(first.events[1]?.id) });
    expect(delivered).toEqual(["outcome"]);
    transport.pushReliable(note("next"), () => undefined);
    await eventually(() => texts(second.events)).toEqual(noted("next"));
  });

  it("keeps ids increasing past one from an endpoint before it, even when the clock went back", async () => {
    const clock = createFakeClock();
    const before = await startEndpoint({ clock });
    const id = await beginSession(before);
    const first = await openStream(before, id);
    before.last().transport.pushLatest("context", note("before"));
    await eventually(() => first.events.length).toBe(1);
    await before.endpoint.close();
    clock.jump(-3_600_000);
    const after = await startEndpoint({
      clock,
      onServed: ({ transport }) => transport.pushReliable(note("after"), () => undefined),
    });
    const second = await openStream(after, id, { "last-event-id": String(first.events[0]?.id) });
    await eventually(() => texts(second.events)).toEqual(noted("after"));
    expect(second.events[0]?.id).toBeGreaterThan(first.events[0]?.id ?? Infinity);
  });

  it.each(["nonsense", "-1", "99999999999999999999", "9007199254740991"])(
    "is not led astray by the last event id %s",
    async (lastEventId) => {
      const under = await startEndpoint();
      const id = await beginSession(under);
      const stream = await openStream(under, id, { "last-event-id": lastEventId });
      under.last().transport.pushReliable(note("a"), () => undefined);
      await eventually(() => texts(stream.events)).toEqual(noted("a"));
      expect(Number.isSafeInteger(stream.events[0]?.id)).toBe(true);
    },
  );

  it("stops repeating what the session took back, whether it was written before or not", async () => {
    const under = await startEndpoint({ clock: createFakeClock() });
    const id = await beginSession(under);
    const first = await openStream(under, id);
    const { transport } = under.last();
    const delivered: string[] = [];
    const written = transport.pushReliable(note("a"), () => delivered.push("a"));
    await eventually(() => first.events.length).toBe(1);
    first.cut();
    await eventually(() => transport.isOpen).toBe(false);
    written.dispose();
    transport.pushReliable(note("taken back"), () => delivered.push("never")).dispose();
    transport.pushReliable(note("b"), () => undefined);
    const second = await openStream(under, id, { "last-event-id": String(first.events[0]?.id) });
    await eventually(() => texts(second.events)).toEqual(noted("b"));
    expect(delivered).toEqual([]);
  });

  it("keeps reliable messages in order before the latest ones for a reader that was stuck", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const { transport } = under.last();
    const reader = await sendRaw(under.port, { method: "GET", headers: [`mcp-session-id: ${id}`] });
    await reader.status();
    reader.socket.pause();
    const pad = "x".repeat(256 * 1024);
    // More than any system's socket buffers take.
    for (let index = 0; index < 64; index += 1) transport.pushReliable(note(`<${index}>${pad}`), () => undefined);
    transport.pushLatest("context", note("the context"));
    transport.pushReliable(note("<last>"), () => undefined);
    reader.socket.resume();
    await reader.untilText("the context");
    const order = Array.from(reader.text.matchAll(/<(\w+)>|the context/g), ([found]) => found);
    expect(order).toEqual([...Array.from({ length: 64 }, (_, index) => `<${index}>`), "<last>", "the context"]);
  });

  it("F04 delivers to a client that was stopped for a while", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const { transport } = under.last();
    const reader = await sendRaw(under.port, { method: "GET", headers: [`mcp-session-id: ${id}`] });
    await reader.status();
    reader.socket.pause();
    for (let index = 0; index < 200; index += 1) transport.pushLatest("context", note("x".repeat(50_000)));
    transport.pushReliable(note("outcome"), () => undefined);
    transport.pushLatest("context", note("newest"));
    reader.socket.resume();
    await reader.untilText("newest");
    expect(reader.text).toContain("outcome");
  });

  it("encodes one message to many agents once", async () => {
    const under = await startEndpoint();
    const streams = [
      await openStream(under, await beginSession(under)),
      await openStream(under, await beginSession(under)),
    ];
    const json = note("to all");
    for (const { transport } of under.served) transport.pushLatest("context", json);
    for (const stream of streams) await eventually(() => texts(stream.events)).toEqual(noted("to all"));
    expect(streams[0]?.events[0]?.id).toBe(streams[1]?.events[0]?.id);
  });

  it("sends nothing into the answer that is due before it on the same connection", async () => {
    const under = await startEndpoint();
    const headers = [`mcp-session-id: ${await beginSession(under)}`];
    const connection = await openRaw(under.port);
    const held = JSON.stringify(call(1, "hold", "held"));
    connection.write(requestText(under.port, { headers, body: held }));
    connection.write(requestText(under.port, { headers, method: "GET" }));
    const { transport } = under.last();
    await eventually(() => transport.isOpen).toBe(true);
    transport.pushLatest("context", note("behind"));
    transport.pushReliable(note("behind, too"), () => {});
    under.held.get("held")?.();
    await connection.untilText('"behind, too"');
    const answers = connection.text.split("HTTP/1.1 200 OK");
    expect(answers).toHaveLength(3);
    expect(answers[1]).toContain('"id":1');
    expect(answers[1]).not.toContain("behind");
    expect(answers[2]).toMatch(/retry: 1250[^]*"behind"[^]*"behind, too"/u);
  });

  it("sends no chunks to a client of HTTP/1.0, which knows none", async () => {
    const under = await startEndpoint();
    const request = requestText(under.port, {
      headers: [`mcp-session-id: ${await beginSession(under)}`],
      method: "GET",
    });
    const connection = await openRaw(under.port);
    connection.write(request.toString("latin1").replace("HTTP/1.1", "HTTP/1.0"));
    const { transport } = under.last();
    await eventually(() => transport.isOpen).toBe(true);
    transport.pushLatest("context", note("one"));
    await connection.untilText('"one"');
    const [, body] = connection.text.split("\r\n\r\n");
    expect(body).toMatch(/^retry: 1250\n\nid: \d+\ndata: \{[^\r\n]*\}\n\n$/u);
  });

  it("answers other methods of an authenticated agent with 405", async () => {
    const under = await startEndpoint();
    for (const method of ["HEAD", "OPTIONS", "PUT", "PATCH"]) {
      const response = await fetch(under.url, { method, headers: { authorization: `Bearer ${token}` } });
      expect(response.status).toBe(405);
    }
  });

  it("gives the answers of a session that also has a stream to their POSTs", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const stream = await openStream(under, id);
    const answer = await post(under, call(3, "echo", "x"), { "mcp-session-id": id });
    expect(await answer.json()).toMatchObject({ id: 3 });
    expect(stream.events).toEqual([]);
  });
});
