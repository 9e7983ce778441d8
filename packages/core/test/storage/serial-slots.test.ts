import { describe, expect, it } from "vitest";
import { SerialSlots } from "../../src/storage/storage-room.ts";

function makeSlots(): { slots: SerialSlots<string>; started: string[]; finish: (error?: Error) => void } {
  const started: string[] = [];
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const slots = new SerialSlots<string>((key, value) => {
    started.push(`${key}=${value}`);
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  });
  const finish = (error?: Error): void => {
    const first = waiting.shift();
    if (error === undefined) first?.resolve();
    else first?.reject(error);
  };
  return { slots, started, finish };
}

describe("serial slots", () => {
  it("runs one at a time per key and only the latest of those that waited", async () => {
    const { slots, started, finish } = makeSlots();
    const first = slots.run("a", "1");
    const [second, third] = [slots.run("a", "2"), slots.run("a", "3")];
    expect(started).toEqual(["a=1"]);
    const other = slots.run("b", "1");
    expect(started).toEqual(["a=1", "b=1"]);
    finish();
    await first;
    await Promise.resolve();
    expect(started).toEqual(["a=1", "b=1", "a=3"]);
    finish();
    finish();
    await Promise.all([second, third, other, slots.settled("a")]);
    expect(slots.isBusy("a")).toBe(false);
  });

  it("goes on after a failure, which reaches only those who asked for that run", async () => {
    const { slots, started, finish } = makeSlots();
    const first = slots.run("a", "1");
    const second = slots.run("a", "2");
    finish(new Error("full"));
    await expect(first).rejects.toThrow("full");
    await Promise.resolve();
    expect(started).toEqual(["a=1", "a=2"]);
    finish();
    await second;
    await slots.settled("a");
  });
});
