// @vitest-environment jsdom
import "../../support/browser.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ProblemFreshness } from "../../../src/browser/documents/problem-reader.ts";

const file = { uri: "file:///a.ts", languageId: "typescript" };

let freshness: ProblemFreshness;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  freshness = new ProblemFreshness();
});
afterEach(() => void vi.useRealTimers());

/** How long settling takes when nothing more happens, to the next look, in milliseconds. */
async function timeToSettle(whileWaiting: () => void = () => {}): Promise<number> {
  const started = Date.now();
  let ended: number | undefined;
  const settled = freshness.settle([file]).then(() => void (ended = Date.now()));
  whileWaiting();
  await vi.runAllTimersAsync();
  await settled;
  return (ended ?? 0) - started;
}

/** Something that happens after so many milliseconds. */
function later(delay: number, action: () => void): void {
  setTimeout(action, delay);
}

it("waits for nothing where nothing changed", async () => {
  expect(await timeToSettle()).toBe(0);
});

it("waits until the problems have followed the change, and are not followed by more", async () => {
  freshness.noteChange(file.uri);
  const time = await timeToSettle(() => {
    later(300, () => freshness.notePublished(file.uri, file.languageId));
    later(400, () => freshness.notePublished(file.uri, file.languageId));
  });
  expect(time).toBeGreaterThanOrEqual(600);
  expect(time).toBeLessThan(700);
});

it("gives up on a language of which nothing comes, and sooner the next time", async () => {
  freshness.noteChange(file.uri);
  const first = await timeToSettle();
  expect(first).toBeGreaterThanOrEqual(1_500);
  expect(first).toBeLessThan(1_600);
  expect(await timeToSettle()).toBe(0);
  freshness.noteChange(file.uri);
  const second = await timeToSettle();
  expect(second).toBeGreaterThanOrEqual(500);
  expect(second).toBeLessThan(600);
});

it("waits as long as the language has needed lately, within bounds", async () => {
  freshness.noteChange(file.uri);
  vi.advanceTimersByTime(400);
  freshness.notePublished(file.uri, file.languageId);
  vi.advanceTimersByTime(10_000);
  // This change brings no new problem: nothing is published.
  freshness.noteChange(file.uri);
  const time = await timeToSettle();
  expect(time).toBeGreaterThanOrEqual(1_200);
  expect(time).toBeLessThan(1_300);
});

it("is never longer than the backend waits, however slow or busy the language", async () => {
  freshness.noteChange(file.uri);
  vi.advanceTimersByTime(60_000);
  freshness.notePublished(file.uri, file.languageId);
  freshness.noteChange(file.uri);
  const busy = setInterval(() => freshness.noteChange(file.uri), 50);
  later(4_000, () => clearInterval(busy));
  const time = await timeToSettle();
  expect(time).toBeLessThan(5_000);
});

it("knows nothing of a file that was closed", async () => {
  freshness.noteChange(file.uri);
  freshness.forget(file.uri);
  expect(await timeToSettle()).toBe(0);
});
