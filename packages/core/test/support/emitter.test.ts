import { describe, expect, it } from "vitest";
import { Emitter } from "../../src/support/emitter.ts";

describe("emitter", () => {
  it("tells its listeners in the order in which they came, and those that left no more", () => {
    const emitter = new Emitter<number>();
    const heard: string[] = [];
    const first = emitter.event((value) => heard.push(`first ${value}`));
    emitter.event((value) => heard.push(`second ${value}`));
    emitter.fire(1);
    first.dispose();
    emitter.fire(2);
    emitter.event((value) => heard.push(`third ${value}`));
    emitter.fire(3);
    emitter.dispose();
    emitter.fire(4);
    expect(heard).toEqual(["first 1", "second 1", "second 2", "second 3", "third 3"]);
    expect(emitter.hasListeners).toBe(false);
  });

  it("tells one that comes meanwhile from the next time on", () => {
    const emitter = new Emitter<number>();
    const heard: string[] = [];
    const late = emitter.event(() => {
      late.dispose();
      emitter.event((value) => heard.push(`late ${value}`));
    });
    emitter.fire(1);
    expect(heard).toEqual([]);
    emitter.fire(2);
    expect(heard).toEqual(["late 2"]);
  });

  it("starves nobody because of one that fails, and says what it threw", () => {
    const failures: unknown[] = [];
    const emitter = new Emitter<void>((error) => failures.push(error));
    const broken = new Error("broken");
    let heard = 0;
    emitter.event(() => {
      throw broken;
    });
    emitter.event(() => (heard += 1));
    emitter.fire();
    expect(heard).toBe(1);
    expect(failures).toEqual([broken]);
    const bare = new Emitter<void>();
    bare.event(() => {
      throw broken;
    });
    expect(() => bare.fire()).toThrow(broken);
  });
});
