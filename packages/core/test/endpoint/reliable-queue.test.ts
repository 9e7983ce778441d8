import { createFakeClock } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { ReliableQueue } from "../../src/endpoint/reliable-queue.ts";

function start() {
  const clock = createFakeClock();
  let lastId = 100;
  const queue = new ReliableQueue(clock, () => (lastId += 1));
  return { clock, queue };
}

describe("messages that must not get lost", () => {
  it("count the time on their own stream: a flush that an earlier one tells late says nothing about this one", () => {
    const { clock, queue } = start();
    const delivered: string[] = [];
    queue.streamOpened(undefined);
    queue.push("{}", () => delivered.push("{}"));
    const early = queue.next(0);
    queue.streamEnded();
    queue.streamOpened(undefined);
    const again = queue.next(0);
    expect(again?.eventId).toBe(early?.eventId);
    early?.onFlushed();
    clock.advance(5_000);
    expect(delivered).toEqual([]);
    again?.onFlushed();
    clock.advance(1_000);
    expect(delivered).toEqual(["{}"]);
  });

  it("an agent that names no event has none, whatever it named before: what an earlier run sent comes again", () => {
    const { queue } = start();
    const delivered: string[] = [];
    queue.streamOpened(200);
    queue.push("{}", () => delivered.push("known"), { eventId: 150 });
    expect(delivered.splice(0)).toEqual(["known"]);
    queue.streamEnded();
    queue.streamOpened(undefined);
    queue.push("{}", () => delivered.push("{}"), { eventId: 150 });
    expect(delivered).toEqual([]);
    expect(queue.next(0)).toMatchObject({ json: "{}", eventId: 150 });
  });
});
