import { describe, expect, it } from "vitest";
import { LoadOnce } from "../../src/support/load-once.ts";

describe("a value that is loaded once", () => {
  it("is loaded with the first call and kept", async () => {
    let loads = 0;
    const kept = new LoadOnce(async () => (loads += 1));
    expect(kept.loaded).toBeUndefined();
    expect(await kept.settled()).toBeUndefined();
    expect(loads).toBe(0);
    expect(await Promise.all([kept.get(), kept.get()])).toEqual([1, 1]);
    expect(await kept.get()).toBe(1);
    expect(kept.loaded).toBe(1);
    expect(await kept.settled()).toBe(1);
  });

  it("is asked for again after a failure, which all who waited are told", async () => {
    let loads = 0;
    const kept = new LoadOnce(async () => {
      loads += 1;
      if (loads === 1) throw new Error("EMFILE");
      return loads;
    });
    const both = [kept.get(), kept.get()];
    expect(await kept.settled()).toBeUndefined();
    for (const one of both) await expect(one).rejects.toThrow("EMFILE");
    expect(kept.loaded).toBeUndefined();
    expect(await kept.get()).toBe(2);
  });

  it("is asked for again in the very turn in which a waiting caller learns of the failure", async () => {
    let loads = 0;
    const kept = new LoadOnce(async () => {
      loads += 1;
      if (loads === 1) throw new Error("EMFILE");
      return loads;
    });
    expect(await kept.get().catch(() => kept.get())).toBe(2);
  });

  it("survives a load that throws before there is a promise", async () => {
    let isFirst = true;
    const kept = new LoadOnce(() => {
      if (!isFirst) return Promise.resolve("there");
      isFirst = false;
      throw new Error("not yet");
    });
    await expect(kept.get()).rejects.toThrow("not yet");
    expect(await kept.get()).toBe("there");
  });

  it("keeps a value that is undefined as well", async () => {
    let loads = 0;
    const kept = new LoadOnce(async () => {
      loads += 1;
    });
    await kept.get();
    await kept.get();
    expect(loads).toBe(1);
  });

  it("that was forgotten while it was loaded is the one that was asked for last", async () => {
    const gates: ((value: string) => void)[] = [];
    const kept = new LoadOnce(() => new Promise<string>((resolve) => gates.push(resolve)));
    const first = kept.get();
    kept.forget();
    const second = kept.get();
    for (const [index, open] of gates.entries()) open(`load ${index + 1}`);
    expect([await first, await second]).toEqual(["load 1", "load 2"]);
    expect(kept.loaded).toBe("load 2");
    kept.forget();
    expect(kept.loaded).toBeUndefined();
  });
});
