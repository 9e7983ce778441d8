import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ages } from "../src/timers.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("writes ages anew only while something is shown, and leaves no timer standing else", () => {
  let isShown = false;
  let written = 0;
  const aging = ages(
    () => isShown,
    () => (written += 1),
    60_000,
  );
  aging.follow();
  expect(vi.getTimerCount()).toBe(0);
  isShown = true;
  aging.follow();
  aging.follow();
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(180_000);
  expect(written).toBe(3);
  isShown = false;
  vi.advanceTimersByTime(60_000);
  expect([written, vi.getTimerCount()]).toEqual([3, 0]);
  isShown = true;
  aging.follow();
  aging.dispose();
  aging.follow();
  expect(vi.getTimerCount()).toBe(0);
});
