// @vitest-environment jsdom
import "../../support/browser.ts";
import { ApplicationShell } from "@theia/core/lib/browser/shell/application-shell";
import { Container } from "@theia/core/shared/inversify";
import { afterEach, expect, it, vi } from "vitest";
import { QuietOpening } from "../../../src/browser/documents/quiet-opening.ts";

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

it("fences off no view that the user has asked for while others were being opened", async () => {
  vi.useFakeTimers();
  const area = document.createElement("main");
  const list = document.createElement("button");
  document.body.append(area, list);
  const container = new Container();
  container.bind(ApplicationShell).toConstantValue(Object.assign(Object.create(null), { mainPanel: { node: area } }));
  container.bind(QuietOpening).toSelf();
  const quietly = container.get(QuietOpening);
  list.focus();
  await quietly.run(async () => {});
  await vi.advanceTimersByTimeAsync(100);
  await quietly.run(async () => {});
  expect(area.inert).toBe(true);
  await quietly.bringForward(async () => {});
  expect(area.inert).toBe(false);
  // The first one is over now, and the second one is not.
  await vi.advanceTimersByTimeAsync(250);
  expect(area.inert).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  // The next one is quiet again.
  await quietly.run(async () => {});
  expect(area.inert).toBe(true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(area.inert).toBe(false);
});
