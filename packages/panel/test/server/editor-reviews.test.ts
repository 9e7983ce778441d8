import type { DiffRequest, DiffViewEvents } from "@patchbay/core";
import { describe, expect, it, vi } from "vitest";
import { type AskEditor, EditorReviews, PageReviews } from "../../src/server/index.ts";

const request: DiffRequest = {
  id: "d1",
  agentName: "Claude Code",
  kind: "change",
  path: "/w/a.ts",
  originalText: "one\n",
  proposedText: "two\n",
  agentPresent: true,
  unsaved: false,
  standing: "unchanged",
};

type Reply = Awaited<ReturnType<AskEditor>>;

async function open(fileText?: (path: string) => Promise<string | undefined>) {
  let answer: (reply: Reply) => void = () => {};
  let signal: AbortSignal | undefined;
  const asked: unknown[] = [];
  const reject = vi.fn(async () => true);
  const reviews = new EditorReviews({
    pages: new PageReviews(),
    ask: async (question, ended) => {
      asked.push(question);
      signal = ended;
      return await new Promise((resolve) => (answer = resolve));
    },
    companion: () => ({ proposals: [], reject }),
    ...(fileText === undefined ? {} : { fileText }),
  });
  const events = { edited: vi.fn(), accepted: vi.fn(), rejected: vi.fn(), closed: vi.fn() } satisfies DiffViewEvents;
  const opening = await reviews.open(request, events);
  if (opening.kind !== "opened") throw new Error("not opened");
  return {
    asked,
    events,
    reject,
    view: opening.view,
    isOver: () => signal?.aborted,
    decide: (reply: Reply) => answer(reply),
  };
}

describe("a change in the page and in an editor", () => {
  it("is asked about there as it stands here", async () => {
    const { asked, view } = await open();
    expect(asked).toMatchObject([{ path: "/w/a.ts", text: "two\n", base: "one\n", isEditable: true }]);
    expect(await view.currentText()).toBe("two\n");
  });

  it("is asked about here alone where what it is made on was accepted here and is not written yet", async () => {
    const others = [
      await open(async () => await Promise.resolve("zero\n")),
      await open(async () => await Promise.resolve(undefined)),
    ];
    const same = await open(async () => await Promise.resolve("\ufeffone\r\n"));
    await expect.poll(() => same.asked.length).toBe(1);
    // They were opened before, and would have been asked about by now.
    expect(others.map(({ asked }) => asked)).toEqual([[], []]);
  });

  it("is accepted with what the user made of it there", async () => {
    const { events, decide } = await open();
    decide({ kind: "accepted", text: "three\n" });
    await expect.poll(() => events.accepted.mock.calls).toEqual([["three\n"]]);
  });

  it("is rejected as there, with the reason if there is one", async () => {
    const one = await open();
    one.decide({ kind: "rejected" });
    await expect.poll(() => one.events.rejected.mock.calls).toEqual([[]]);
    const other = await open();
    other.decide({ kind: "rejected", reason: "No" });
    await expect.poll(() => other.reject.mock.calls).toEqual([["d1", "No"]]);
  });

  it("that is decided here is taken back there, and what is said there then counts no more", async () => {
    const { events, view, isOver, decide } = await open();
    await view.close("accepted");
    expect(isOver()).toBe(true);
    decide({ kind: "accepted", text: "late\n" });
    await Promise.resolve();
    expect(events.accepted).not.toHaveBeenCalled();
  });
});
