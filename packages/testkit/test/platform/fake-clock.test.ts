import { describe, expect, it } from "vitest";
import { createFakeClock } from "../../src/index.ts";

describe("the fake clock", () => {
  it("runs what is due, in the order of the times, and moves both clocks", () => {
    const clock = createFakeClock(1000);
    const seen: string[] = [];
    clock.setTimeout(() => seen.push(`late at ${clock.now()}`), 50);
    clock.setTimeout(() => seen.push(`early at ${clock.now()}`), 20);
    clock.advance(49);
    expect(seen).toEqual(["early at 1020"]);
    clock.advance(1);
    expect(seen).toEqual(["early at 1020", "late at 1050"]);
    expect(clock.monotonic()).toBe(50);
  });

  it("runs late what fell due while the process was held up", () => {
    const clock = createFakeClock(0);
    const seen: number[] = [];
    clock.setTimeout(() => seen.push(clock.now()), 10);
    clock.holdUp(500);
    expect(seen).toEqual([]);
    clock.advance(0);
    expect(seen).toEqual([500]);
  });

  it("runs timers that a timer started, when they fall into the same span", () => {
    const clock = createFakeClock(0);
    const seen: number[] = [];
    clock.setTimeout(() => clock.setTimeout(() => seen.push(clock.now()), 10), 10);
    clock.advance(20);
    expect(seen).toEqual([20]);
  });

  it("runs timers that are due together in the order of their making", () => {
    const clock = createFakeClock(0);
    const seen: string[] = [];
    clock.setTimeout(() => seen.push("late"), 20);
    clock.setTimeout(() => seen.push("first"), 10);
    clock.setTimeout(() => seen.push("second"), 10);
    clock.advance(20);
    expect(seen).toEqual(["first", "second", "late"]);
  });

  it("forgets a disposed timer", () => {
    const clock = createFakeClock();
    const timer = clock.setTimeout(() => expect.fail("must not run"), 10);
    timer.dispose();
    timer.dispose();
    clock.advance(100);
    expect(clock.pending).toBe(0);
  });

  it("jumps only in wall time", () => {
    const clock = createFakeClock(5000);
    clock.jump(-4000);
    expect([clock.now(), clock.monotonic()]).toEqual([1000, 0]);
  });

  it("gives promises a turn between two timers when asked to", async () => {
    const clock = createFakeClock(0);
    const seen: string[] = [];
    clock.setTimeout(() => void Promise.resolve().then(() => seen.push("promise of the first")), 10);
    clock.setTimeout(() => seen.push("second"), 20);
    await clock.advanceAsync(20);
    expect(seen).toEqual(["promise of the first", "second"]);
  });
});
