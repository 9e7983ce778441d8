import { describe, expect, it } from "vitest";
import { OpensInOrder } from "../../src/session/session-services.ts";

interface Held {
  readonly work: () => Promise<void>;
  release(): void;
  fail(): void;
}

function hold(): Held {
  let release = (): void => {};
  let fail = (): void => {};
  const held = new Promise<void>((resolve, reject) => {
    release = resolve;
    fail = () => reject(new Error("refused"));
  });
  return { work: () => held, release, fail };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("opens of one session", () => {
  it("come before a close that was asked for after them, whether they succeed or not", async () => {
    const order = new OpensInOrder();
    const [first, second] = [hold(), hold()];
    const done: string[] = [];
    const opens = [order.open(first.work), order.open(second.work)];
    const refused = expect(opens[1]).rejects.toThrow("refused");
    const closing = order.after(async () => void done.push("close"));
    await turn();
    expect(done).toEqual([]);
    first.release();
    await turn();
    expect(done).toEqual([]);
    second.fail();
    await refused;
    await closing;
    expect(done).toEqual(["close"]);
  });

  it("do not hold up a close that was asked for before them", async () => {
    const order = new OpensInOrder();
    const first = hold();
    const opening = order.open(first.work);
    const closing = order.after(async () => "closed");
    const late = hold();
    const second = order.open(late.work);
    first.release();
    expect(await closing).toBe("closed");
    late.release();
    await Promise.all([opening, second]);
  });
});
