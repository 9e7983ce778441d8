// @vitest-environment jsdom
import type { ChangedFile } from "@patchbay/conversations/model";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { PastMessage, PastSides } from "../../../src/messages/index.ts";
import { startReviews } from "../../../src/views/review/reviews.tsx";
import { guardTime } from "../../../src/views/review/review-state.ts";
import { Boundary } from "../../../src/views/widgets/boundary.tsx";
import { TestPanel } from "../../support/panel.tsx";

const file: ChangedFile = {
  path: "/home/me/shop/a.ts",
  kind: "changed",
  mark: "exact",
  state: "applied",
  canRedo: false,
  revision: "1",
};
const other: ChangedFile = { ...file, path: "/home/me/shop/b.ts", lines: { added: 1, removed: 1 } };
const sides: PastSides = {
  path: file.path,
  before: "one\ntwo\nthree\nfour\n",
  after: "one\n2\nthree\n4\n",
  hunks: [
    { id: "h1", state: "open", left: { start: 1, end: 2 }, right: { start: 1, end: 2 } },
    { id: "h2", state: "kept", left: { start: 3, end: 4 }, right: { start: 3, end: 4 } },
  ],
};

let panel: TestPanel;

async function show(turns: readonly ChangedFile[]): Promise<void> {
  panel = await TestPanel.show([], { turns: [{ turn: "t1", files: turns, more: 0 }] });
  const { store, root } = panel;
  await panel.do(() => startReviews({ store, root, early: [], boundary: Boundary }));
}

/** As it comes from the host, and what is compared in a task of its own. */
async function say(about: PastMessage): Promise<void> {
  await panel.do(() => panel.host.say({ type: "review", about }));
  await panel.do(async () => await new Promise((resolve) => setTimeout(resolve, 20)));
}

const shown = (): Element => {
  const found = document.querySelector(".past");
  if (found === null) throw new Error("not shown");
  return found;
};
const textOf = (side: "left" | "right"): readonly string[] =>
  Array.from(shown().querySelectorAll(`.differs .${side} .review-line`), ({ textContent }) => textContent);
const button = (name: string, within: ParentNode = shown()): HTMLButtonElement | undefined =>
  Array.from(within.querySelectorAll("button")).find((one) => (one.ariaLabel ?? one.textContent).trim() === name);
const asked = (): readonly unknown[] =>
  panel.heard("changes").map(({ action, path, hunk }) => [action, path, hunk].filter((part) => part !== undefined));
const key = async (name: string): Promise<void> => {
  await panel.key(name, {}, document.activeElement ?? document.body);
};

/** What has only just come into view takes no verdict. */
const wait = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, guardTime + 20));

describe("what is already written, in the page", () => {
  afterEach(() => {
    document.querySelector(".reviews")?.remove();
    panel.close();
    vi.useRealTimers();
  });

  it("stands beside what it was, with what can be kept and undone of each hunk and of the file", async () => {
    await show([file]);
    await say({ type: "past", turn: "t1", paths: [file.path] });
    expect(panel.root.hidden).toBe(true);
    expect(shown().textContent).toContain("Loading…");
    expect(asked()).toEqual([["sides", file.path]]);
    await say({ type: "past-sides", turn: "t1", sides });
    expect([textOf("left"), textOf("right")]).toEqual([
      ["two", "four"],
      ["2", "4"],
    ]);
    expect(shown().textContent).toContain("Hunks: 2");
    expect(shown().querySelector("textarea")).toBeNull();
    const bars = Array.from(shown().querySelectorAll(".change-bar"), ({ textContent }) => textContent);
    expect(bars).toEqual(["Hunk 1 of 2KeepUndo", "Hunk 2 of 2KeptUndo"]);
    const [first = shown()] = shown().querySelectorAll(".change-bar");
    button("Undo", first)?.click();
    expect(asked()).toHaveLength(1);
    await wait();
    button("Undo", first)?.click();
    await panel.do(() => button("Keep", shown().querySelector(".review-foot") ?? document)?.click());
    expect(asked().slice(1)).toEqual([
      ["undo", file.path, "h1"],
      ["keep", file.path],
    ]);
    await key("Escape");
    expect(document.querySelector(".past")).toBeNull();
    expect(panel.root.hidden).toBe(false);
  });

  it("is asked for anew when there is something newer, and shows the old until then", async () => {
    await show([file]);
    await say({ type: "past", turn: "t1", paths: [file.path] });
    await say({ type: "past-sides", turn: "t1", sides });
    await panel.do(() => panel.host.status({ turns: [{ turn: "t1", files: [{ ...file, revision: "2" }], more: 0 }] }));
    expect(asked()).toEqual([
      ["sides", file.path],
      ["sides", file.path],
    ]);
    expect(textOf("right")).toEqual(["2", "4"]);
    const hunks = sides.hunks?.map((hunk) => ({ ...hunk, state: "undone" as const })) ?? [];
    await say({ type: "past-sides", turn: "t0", sides: { ...sides, hunks: [] } });
    await say({ type: "past-sides", turn: "t1", sides: { ...sides, hunks } });
    expect(shown().querySelector(".change-bar")?.textContent).toBe("Hunk 1 of 2Undone");
  });

  it("goes from hunk to hunk and to the next file by keys, and decides on the bar of a hunk alone", async () => {
    await show([file, other]);
    await say({ type: "past", turn: "t1", paths: [file.path, other.path] });
    await say({ type: "past-sides", turn: "t1", sides });
    expect(document.activeElement?.textContent).toContain("Hunk 1 of 2");
    await wait();
    await key("a");
    await key("F7");
    expect(document.activeElement?.textContent).toContain("Hunk 2 of 2");
    // It has been kept, and cannot be kept again.
    await key("a");
    await key("r");
    await key("F7");
    expect(asked()).toEqual([
      ["sides", file.path],
      ["keep", file.path, "h1"],
      ["undo", file.path, "h2"],
      ["sides", other.path],
    ]);
    expect(shown().querySelector('[aria-current="true"]')?.textContent).toBe("b.ts+1−1");
    await say({ type: "past-sides", turn: "t1", sides: { path: other.path } });
    expect(shown().querySelector(".review-notes")?.textContent).toBe("The text of this file can’t be shown.");
  });

  it("of a tool is read only, without the mark that one of both texts lacks", async () => {
    await show([]);
    const change = { path: "/w/a.ts", before: "\uFEFFone\ntwo", after: "one\r\ntwo\n", isFragment: true };
    await say({ type: "past", paths: [change.path], sides: change });
    expect(asked()).toEqual([]);
    expect(shown().querySelector(".review-notes")?.textContent).toBe("Only these parts of the file are known.");
    // Lines that differ in their ends alone are not shown as the same.
    expect([textOf("left"), textOf("right")]).toEqual([
      ["oneLF", "twono line end"],
      ["oneCRLF", "twoLF"],
    ]);
    expect(shown().querySelectorAll(".change-bar button")).toHaveLength(0);
    await say({ type: "past", paths: [change.path], sides: { path: change.path, after: "new\n" } });
    expect(shown().querySelector(".review-notes")?.textContent).toBe("New file");
    await say({ type: "past", paths: [change.path], sides: { path: change.path, before: "a\n", after: "a\n" } });
    expect(shown().querySelector(".review-notes")?.textContent).toBe("Both sides are the same.");
  });
});
