import type { DiffUpdate } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { createTestBackend, settle } from "../support/backend.ts";
import { open, record, request, theOnly } from "./workspace-windows.ts";

describe("proposals and windows", () => {
  it("a proposal opens in the window used last, and in no other", async () => {
    const backend = createTestBackend();
    const one = await open(backend, "one");
    const two = await open(backend, "two");
    one.window.use();
    await settle();
    await theOnly(backend).host.diffs.open(request, record().events);
    expect(one.window.shown.length).toBe(1);
    expect(two.window.shown.length).toBe(0);
  });

  it("a reload brings the proposal back with what the user typed, and nobody hears of a verdict", async () => {
    const backend = createTestBackend();
    const before = await open(backend, "one");
    const { events, said } = record();
    await theOnly(backend).host.diffs.open(request, events);
    before.window.shown[0]?.type("typed\n");
    await settle();
    // The page is loaded anew; its old connection is noticed to be gone only later.
    const after = await open(backend, "one");
    expect(after.window.shown.map((view) => view.text)).toEqual(["typed\n"]);
    expect(after.window.shown[0]?.request.draftText).toBe("typed\n");
    before.service.dispose();
    await settle();
    expect(after.window.shown.length).toBe(1);
    expect(theOnly(backend).starts).toBe(1);
    after.window.shown[0]?.accept();
    await settle();
    expect(said).toEqual(["edited", "accepted typed\n"]);
  });

  it("a window that goes in the middle of a review leaves the proposal to the agent's terminal", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one");
    const { events, said } = record();
    const opening = await theOnly(backend).host.diffs.open(request, events);
    if (opening.kind !== "opened") throw new Error("the proposal was not shown");
    window.shown[0]?.type("typed\n");
    await settle();
    service.dispose();
    await settle();
    expect(await opening.view.currentText()).toBe("typed\n");
    await opening.view.close("decided-in-terminal");
    expect(said).toEqual(["edited"]);
    const later = await open(backend, "two");
    expect(later.window.shown).toEqual([]);
  });

  it("a proposal that comes while no window is there waits for one", async () => {
    const backend = createTestBackend();
    const { service } = await open(backend, "one");
    service.dispose();
    await settle();
    const opening = await theOnly(backend).host.diffs.open(request, record().events);
    expect(opening.kind).toBe("opened");
    const later = await open(backend, "two");
    expect(later.window.shown.map((view) => view.text)).toEqual(["proposed\n"]);
  });

  it("a window that goes while it opens a proposal is no failure", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one");
    window.openDiff = () => new Promise(() => {});
    const opening = theOnly(backend).host.diffs.open(request, record().events);
    service.dispose();
    expect((await opening).kind).toBe("opened");
    const later = await open(backend, "two");
    expect(later.window.shown.length).toBe(1);
  });

  it("a window that is closed hands its proposal to the other one, after the time a reload takes", async () => {
    const backend = createTestBackend();
    const one = await open(backend, "one");
    const two = await open(backend, "two");
    one.window.use();
    await settle();
    await theOnly(backend).host.diffs.open(request, record().events);
    one.service.dispose();
    await settle();
    await backend.clock.advanceAsync(4_000);
    expect(two.window.shown.length).toBe(0);
    await backend.clock.advanceAsync(2_000);
    await settle();
    expect(two.window.shown.length).toBe(1);
  });

  it("a window whose connection comes back keeps what it shows and hands in what was typed meanwhile", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one");
    const { events, said } = record();
    const opening = await theOnly(backend).host.diffs.open(request, events);
    if (opening.kind !== "opened") throw new Error("the proposal was not shown");
    service.dispose();
    await settle();
    window.server = undefined;
    window.shown[0]?.type("typed offline\n");
    const { proposals } = await window.attach(backend.connect(window), { shown: window.shownProposals() });
    await settle();
    expect(proposals).toEqual([request.id]);
    expect(window.shown.length).toBe(1);
    expect(await opening.view.currentText()).toBe("typed offline\n");
    expect(said).toEqual(["edited"]);
  });

  it("a proposal that ended while the window was away is not among those it may keep", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one");
    const opening = await theOnly(backend).host.diffs.open(request, record().events);
    if (opening.kind !== "opened") throw new Error("the proposal was not shown");
    service.dispose();
    await settle();
    await opening.view.close("decided-in-terminal");
    const { proposals } = await window.attach(backend.connect(window), { shown: window.shownProposals() });
    expect(proposals).toEqual([]);
  });

  it("a window that does not answer does not hold up the agent's terminal", async () => {
    const backend = createTestBackend();
    const { window } = await open(backend, "one");
    const opening = await theOnly(backend).host.diffs.open(request, record().events);
    if (opening.kind !== "opened") throw new Error("the proposal was not shown");
    window.shown[0]?.type("typed\n");
    await settle();
    window.readDiff = () => new Promise(() => {});
    const text = opening.view.currentText();
    await backend.clock.advanceAsync(1_500);
    expect(await text).toBe("typed\n");
  });

  it("a verdict on a proposal that has ended changes nothing and says so", async () => {
    const backend = createTestBackend();
    const { service } = await open(backend, "one");
    expect(await service.decide("unknown", { kind: "rejected" })).toBe(false);
  });

  it("a message without a window is answered with nothing", async () => {
    const backend = createTestBackend();
    const { service } = await open(backend, "one");
    service.dispose();
    await settle();
    const message = { code: "x", severity: "info", text: "Well.", values: {}, actions: ["Yes"] } as const;
    expect(await theOnly(backend).host.messages.show(message)).toBeUndefined();
  });

  it("a message whose window goes is answered with nothing", async () => {
    const backend = createTestBackend();
    const { service } = await open(backend, "one");
    const message = { code: "x", severity: "info", text: "Well.", values: {}, actions: ["Yes"] } as const;
    const answer = theOnly(backend).host.messages.show(message);
    service.dispose();
    expect(await answer).toBeUndefined();
  });
});

describe("a file that changes under its review", () => {
  const update: DiffUpdate = {
    originalText: "new\n",
    unsaved: true,
    expectedText: "proposed\n",
    text: "proposed\nnew\n",
    proposedText: "proposed\nnew\n",
    standing: "merged",
  };

  it("the window that shows the review follows it by the smallest edits, and so does the next one", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one");
    const opening = await theOnly(backend).host.diffs.open(request, record().events);
    if (opening.kind !== "opened") throw new Error("the proposal was not shown");
    expect(await opening.view.update(update)).toBe("applied");
    expect(window.shown[0]).toMatchObject({ originalText: "new\n", text: "proposed\nnew\n", standing: "merged" });
    expect(window.edits).toEqual([{ start: 9, end: 9, text: "new\n" }]);
    service.dispose();
    await settle();
    const next = await open(backend, "two");
    await backend.clock.advanceAsync(5_000);
    expect(next.window.shown[0]?.request).toMatchObject({
      originalText: "new\n",
      unsaved: true,
      proposedText: "proposed\nnew\n",
      standing: "merged",
    });
    expect(next.window.shown[0]?.edited).toBe(false);
  });

  it("a review that no window shows follows it, too, unless it holds anything else", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one");
    const { events, said } = record();
    const opening = await theOnly(backend).host.diffs.open(request, events);
    if (opening.kind !== "opened") throw new Error("the proposal was not shown");
    window.shown[0]?.type("typed\n");
    await settle();
    service.dispose();
    await settle();
    expect(await opening.view.update(update)).toBe("stale");
    expect(await opening.view.update({ ...update, expectedText: "typed\n", text: "typed\nnew\n" })).toBe("applied");
    expect(await opening.view.currentText()).toBe("typed\nnew\n");
    await opening.view.close("rejected");
    expect(await opening.view.update(update)).toBe("gone");
    expect(said).toEqual(["edited"]);
  });

  it("a question that was answered elsewhere is taken back in its window", async () => {
    const backend = createTestBackend();
    const { window } = await open(backend, "one");
    const answered = new AbortController();
    const message = { code: "x", severity: "info", text: "Well?", values: {}, actions: ["Yes"] } as const;
    void theOnly(backend).host.messages.show({ ...message, signal: answered.signal });
    await settle();
    answered.abort();
    expect(window.withdrawn).toHaveLength(1);
    expect(await theOnly(backend).host.messages.show({ ...message, signal: answered.signal })).toBeUndefined();
  });

  it("unsaved text goes with its window", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one");
    window.editor.openFile("/workspace/a.txt", "1");
    window.editor.makeDirty("/workspace/a.txt", "2");
    await settle();
    const { documents } = theOnly(backend).host;
    expect(await documents?.unsavedText?.("/workspace/a.txt")).toBe("2");
    const told: string[] = [];
    documents?.onDidChangeUnsaved?.(({ path }) => told.push(path));
    service.dispose();
    await settle();
    expect(told).toEqual(["/workspace/a.txt"]);
    expect(await documents?.unsavedText?.("/workspace/a.txt")).toBeUndefined();
  });
});
