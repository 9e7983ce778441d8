import { createFakeClock } from "@patchbay/testkit";
import { beforeEach, describe, expect, it } from "vitest";
import { DiskFollower } from "../../src/diff/disk-follower.ts";

describe("a file that an agent is about to write", () => {
  let clock = createFakeClock();
  let mark: string | undefined = "before";
  let changes: number[] = [];
  const follow = (): DiskFollower => {
    const follower = new DiskFollower({
      clock,
      mark: async () => mark,
      onChange: () => changes.push(Math.round(clock.monotonic() - start)),
    });
    follower.follow("/w/a.txt", "before");
    return follower;
  };
  let start = 0;
  /** Lets time pass in small steps, with everything that follows from it. */
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 10) {
      clock.advance(10);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  beforeEach(() => {
    clock = createFakeClock();
    start = clock.monotonic();
    mark = "before";
    changes = [];
  });

  it("is taken over once, as soon as it has come to rest", async () => {
    follow();
    await pass(50);
    mark = "emptied";
    await pass(60);
    mark = "filled";
    await pass(1_000);
    expect(changes).toHaveLength(1);
    expect(changes[0]).toBeLessThan(400);
  });

  it("is taken over as well when it was written before the first look", async () => {
    mark = "written at once";
    follow();
    await pass(500);
    expect(changes).toHaveLength(1);
  });

  it("is no longer watched after some seconds, or after the end", async () => {
    follow();
    await pass(9_000);
    expect(changes).toHaveLength(1);
    mark = "much later";
    await pass(2_000);
    expect(changes).toHaveLength(1);
    const ended = follow();
    ended.dispose();
    await pass(1_000);
    expect(changes).toHaveLength(1);
  });
});
