import { createFakeClock } from "@patchbay/testkit";
import { beforeEach, describe, expect, it } from "vitest";
import { readCursorReport, SelectionMemory } from "../../src/context/selection-memory.ts";

function report(
  mode: string,
  line: number,
  column: number,
  buffer = 1,
): NonNullable<ReturnType<typeof readCursorReport>> {
  const value = readCursorReport([buffer, mode, line, column, column, 1, 1, 0, 8, 0]);
  if (value === undefined) throw new Error("not a report");
  return value;
}

describe("what is remembered of a selection", () => {
  let clock = createFakeClock();
  let expired = 0;
  let memory = new SelectionMemory(clock, () => {});

  beforeEach(() => {
    clock = createFakeClock();
    expired = 0;
    memory = new SelectionMemory(clock, () => {
      expired += 1;
    });
    memory.moved(report("v", 2, 4));
  });

  it("is there while Visual mode lasts, for that buffer alone", () => {
    expect(memory.of(1)?.cursor).toEqual({ line: 2, column: 4 });
    expect(memory.of(2)).toBeUndefined();
  });

  it("outlives Visual mode for two seconds in the file", () => {
    memory.moved(report("n", 2, 4));
    clock.advance(1_900);
    expect(memory.of(1)).toBeDefined();
    clock.advance(200);
    expect(memory.of(1)).toBeUndefined();
    expect(expired).toBe(1);
  });

  it("stays as long as the user is in the terminal, and two seconds more", () => {
    memory.moved(report("n", 2, 4));
    memory.away();
    clock.advance(600_000);
    expect(memory.of(1)).toBeDefined();
    memory.back();
    clock.advance(2_100);
    expect(memory.of(1)).toBeUndefined();
  });

  it("ends when the cursor moves on", () => {
    memory.moved(report("n", 2, 4));
    memory.moved(report("n", 2, 4));
    expect(memory.of(1)).toBeDefined();
    memory.moved(report("n", 3, 1));
    expect(memory.of(1)).toBeUndefined();
  });

  it("ends when the user goes to another file", () => {
    memory.moved(report("n", 1, 1, 2));
    expect(memory.of(1)).toBeUndefined();
  });
});
