import { jsonPieces } from "../../src/support/json-pieces.ts";
import { createFakeClock } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, startEndpoint } from "./endpoint-under-test.ts";
import { openStream, note, noted, texts } from "./event-reader.ts";
import { beginSession } from "./http-agent.ts";

/** Counts the turns of the event loop. */
function countTurns(): { readonly count: number } {
  const turns = { count: 0 };
  let isOver = false;
  const next = (): void => {
    turns.count += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  onTestFinished(() => {
    isOver = true;
  });
  return turns;
}

describe("event streams that carry a long text", () => {
  const filled = "é\u0001\n".repeat(1024 * 1024);
  const long = { jsonrpc: "2.0", method: "note", params: { text: filled } };

  it("encode it in turns with other work, and send nothing in between", async () => {
    const under = await startEndpoint();
    const stream = await openStream(under, await beginSession(under));
    const { transport } = under.last();
    const turns = countTurns();
    const inTurn: number[] = [];
    const pieces = function* (): Generator<string> {
      for (const piece of jsonPieces(long).pieces()) {
        inTurn.push(turns.count);
        yield piece;
      }
    };
    transport.pushReliable(note("before"), () => {});
    transport.pushReliable({ units: filled.length, pieces }, () => {});
    transport.pushReliable(note("behind"), () => {});
    transport.pushLatest("context", note("context"));
    await eventually(() => stream.events.length).toBe(4);
    expect(inTurn.length).toBeGreaterThanOrEqual(4);
    expect(new Set(inTurn).size).toBe(inTurn.length);
    expect(texts(stream.events)).toEqual([...noted("before"), long, ...noted("behind", "context")]);
  });

  it("send it whole on the next stream where one ends meanwhile", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const first = await openStream(under, id);
    const { transport } = under.last();
    transport.pushReliable(jsonPieces(long), () => {});
    first.cut();
    await eventually(() => transport.isOpen).toBe(false);
    const second = await openStream(under, id);
    await eventually(() => second.events.length).toBe(1);
    expect(texts(second.events)).toEqual([long]);
    expect(first.events).toEqual([]);
  });

  it("do not count it as had by who names only what came before it", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock });
    const id = await beginSession(under);
    const first = await openStream(under, id);
    const { transport } = under.last();
    const delivered: string[] = [];
    transport.pushReliable(note("before"), () => delivered.push("before"));
    transport.pushReliable(jsonPieces(long), () => delivered.push("long"));
    await eventually(() => first.events.length).toBe(2);
    first.cut();
    await eventually(() => transport.isOpen).toBe(false);
    const second = await openStream(under, id, { "last-event-id": String(first.events[0]?.id) });
    expect(delivered).toEqual(["before"]);
    await eventually(() => texts(second.events)).toEqual([long]);
  });

  it("count it as had once it has stayed on an open stream for a second", async () => {
    const clock = createFakeClock();
    const under = await startEndpoint({ clock });
    const stream = await openStream(under, await beginSession(under));
    const delivered: string[] = [];
    under.last().transport.pushReliable(jsonPieces(long), () => delivered.push("long"));
    await eventually(() => stream.events.length).toBe(1);
    await eventually(() => clock.pending).toBe(2);
    clock.advance(999);
    expect(delivered).toEqual([]);
    clock.advance(1);
    expect(delivered).toEqual(["long"]);
  });
});
