// @vitest-environment jsdom
import { SimulatedTheia } from "../../support/simulated-theia.ts";
import type { DiffRequest } from "@patchbay/core";
import { Saveable } from "@theia/core/lib/browser/saveable";
import { Deferred } from "@theia/core/lib/common/promise-util";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { settle } from "../../support/backend.ts";

const request: DiffRequest = {
  id: "one",
  agentName: "Gemini CLI",
  path: "/workspace/a.txt",
  originalText: "old\n",
  unsaved: false,
  standing: "unchanged",
  kind: "change",
  proposedText: "new\n",
  agentPresent: true,
};

let theia: SimulatedTheia;
let list: HTMLElement;
let decided: unknown[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  theia = new SimulatedTheia();
  decided = [];
  theia.proposals.onDidDecide((one) => decided.push(one));
  list = document.createElement("input");
  document.body.append(list);
  list.focus();
});
afterEach(() => {
  list.remove();
  theia.dispose();
  vi.useRealTimers();
});

const isInReview = (): boolean => theia.shell.mainPanel.node.contains(document.activeElement);

it("says whether a review is shown here", async () => {
  expect(await theia.proposals.reveal("one")).toBe(false);
  await theia.proposals.show(request);
  expect(await theia.proposals.reveal("one")).toBe(true);
});

it("brings a review to the front that is asked for while its editor is being made", async () => {
  const gate = new Deferred<void>();
  theia.editors.gate = gate.promise;
  const showing = theia.proposals.show(request);
  await settle();
  expect(await theia.proposals.reveal("one")).toBe(true);
  expect(isInReview()).toBe(false);
  gate.resolve();
  await showing;
  vi.advanceTimersByTime(300);
  expect(isInReview()).toBe(true);
});

it("does not let another review that opens meanwhile keep the keys away from it", async () => {
  await theia.proposals.show(request);
  vi.advanceTimersByTime(300);
  const [begun, ended] = [new Deferred<void>(), new Deferred<void>()];
  const activate = theia.shell.activateWidget.bind(theia.shell);
  theia.shell.activateWidget = async (id) => {
    await begun.promise;
    await activate(id);
    await ended.promise;
  };
  const revealing = theia.proposals.reveal("one");
  await theia.proposals.show({ ...request, id: "two" });
  expect(theia.shell.mainPanel.node.inert).toBe(false);
  begun.resolve();
  await settle();
  expect(isInReview()).toBe(true);
  // The other one is done now, and Theia is still busy with the first.
  vi.advanceTimersByTime(300);
  expect([isInReview(), theia.shell.mainPanel.node.inert]).toEqual([true, false]);
  ended.resolve();
  await revealing;
});

it("opens a review again whose editor is still being closed, and decides nothing", async () => {
  await theia.proposals.show(request);
  const reverted = new Deferred<void>();
  const saveable = Saveable.get(theia.editors.all[0]);
  if (saveable === undefined) throw new Error("There is nothing to be saved.");
  saveable.revert = () => reverted.promise;
  const closing = theia.proposals.close("one");
  const showing = theia.proposals.show(request);
  await settle();
  reverted.resolve();
  await vi.advanceTimersByTimeAsync(1_000);
  await closing;
  await showing;
  expect([theia.proposals.ids, theia.editors.all.length, decided]).toEqual([["one"], 1, []]);
});
