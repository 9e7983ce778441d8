// @vitest-environment jsdom
import "../../support/browser.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DraftReports } from "../../../src/browser/documents/text-reports.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("reports once for all keys of a quarter of a second, and again for what comes later", () => {
  const report = vi.fn();
  const reports = new DraftReports(report);
  for (let key = 0; key < 40; key++) {
    reports.note(1_000);
    vi.advanceTimersByTime(10);
  }
  // The keys of the second quarter are still waiting.
  expect(report).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(250);
  expect(report).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(10_000);
  expect(report).toHaveBeenCalledTimes(2);
});

it("reports a text of megabytes less often", () => {
  const report = vi.fn();
  const reports = new DraftReports(report);
  reports.note(10_000_000);
  vi.advanceTimersByTime(2_499);
  expect(report).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(report).toHaveBeenCalledTimes(1);
});

it("reports nothing of a view that is gone", () => {
  const report = vi.fn();
  const reports = new DraftReports(report);
  reports.note(1);
  reports.dispose();
  vi.advanceTimersByTime(10_000);
  expect(report).not.toHaveBeenCalled();
});

it("reports what is due at once when asked to, and not again", () => {
  let count = 0;
  const reports = new DraftReports(() => (count += 1));
  reports.flush();
  expect(count).toBe(0);
  reports.note(10);
  reports.flush();
  expect(count).toBe(1);
  vi.advanceTimersByTime(10_000);
  expect(count).toBe(1);
  reports.note(10);
  vi.advanceTimersByTime(10_000);
  expect(count).toBe(2);
});
