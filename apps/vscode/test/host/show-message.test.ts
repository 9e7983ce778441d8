import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHostInWindow, type HostInWindow } from "../controls.ts";

let window: HostInWindow;

beforeEach(() => {
  window = createHostInWindow();
});

afterEach(() => window.dispose());

const message = { code: "any", severity: "info", text: "Save it?", values: {}, actions: ["Save to File"] } as const;

describe("a message that is moot", () => {
  it("has no answer any more, and a later press says so", async () => {
    const over = new AbortController();
    let press: (item: string) => void = () => {};
    const pressed = new Promise<string>((resolve) => {
      press = resolve;
    });
    window.bench.answerNext(async () => await pressed);
    const answer = window.host.messages.show({ ...message, signal: over.signal });
    await expect.poll(() => window.bench.shown.length).toBe(1);
    over.abort();
    expect(await answer).toBeUndefined();
    press("Save to File");
    await expect.poll(() => window.bench.shown.at(-1)?.text).toBe("This has been answered already.");
  });

  it("is not shown where it was moot before", async () => {
    expect(await window.host.messages.show({ ...message, signal: AbortSignal.abort() })).toBeUndefined();
    expect(window.bench.shown).toEqual([]);
  });
});
