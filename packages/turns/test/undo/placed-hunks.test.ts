import { createFakeClock } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import type { TurnFile, TurnInfo } from "../../src/model.ts";
import { partsOf, type PlacedHunk, placedHunks, selectedHunks } from "../../src/undo/placed-hunks.ts";

const path = "/ws/a.txt";

const turnWith = (kind: TurnFile["kind"]): TurnInfo => ({
  id: "t",
  number: 1,
  agents: ["Claude Code"],
  agent: "claude",
  session: "s",
  prompt: "",
  began: 1,
  ended: 2,
  border: "exact",
  undoes: undefined,
  headMoved: false,
  isPartial: false,
  files: [{ path, kind, attribution: "exact", review: "unreviewed", lines: undefined }],
});

const linesOf = (text: string): readonly string[] => text.replace(/\n$/u, "").split("\n");

/** The hunks of a file that a turn left `after`, in an editor that holds `now`; no `before`: the turn created it. */
async function placed(before: string | undefined, after: string, now: string): Promise<readonly PlacedHunk[]> {
  const turn = turnWith(before === undefined ? "created" : "changed");
  const texts = { turns: () => [turn], beforeText: async () => before, afterText: async () => after };
  return await placedHunks(texts, { path, lines: linesOf(now), linesOf }, createFakeClock());
}

/** From the top: lines in the editor, and what would be decided. */
const drawn = (hunks: readonly PlacedHunk[]): unknown =>
  hunks.toReversed().map(({ start, end, kind, hunk }) => [start, end, kind, hunk]);

describe("marks of a file that a turn created", () => {
  it("are all its lines, which are decided as the whole file", async () => {
    const hunks = await placed(undefined, "a\nb\nc\n", "a\nb\nc\n");
    expect(drawn(hunks)).toEqual([[0, 3, "add", { start: 0, end: 3 }]]);
    expect(partsOf(path, selectedHunks(hunks, 2, 2)).map(({ part }) => part)).toEqual([{ path }]);
    expect(partsOf(path, selectedHunks(hunks, 1, 3)).map(({ part }) => part)).toEqual([{ path }]);
  });

  it("are of the lines around those that somebody has changed, put in or removed since", async () => {
    const now = "a\nB\nc\nnew\nd\nf\ng\n";
    const hunks = await placed(undefined, "a\nb\nc\nd\ne\nf\ng\n", now);
    const part = (start: number, end: number): unknown => ({ start, end, isPart: true });
    expect(drawn(hunks)).toEqual([
      [0, 1, "add", part(0, 1)],
      [2, 3, "add", part(2, 3)],
      [4, 5, "add", part(3, 4)],
      [5, 7, "add", part(5, 7)],
    ]);
    // All of them are not the whole file: lines of the user's are between them.
    expect(partsOf(path, selectedHunks(hunks, 1, 7)).map((one) => one.part)).toEqual([
      { path, hunk: part(5, 7) },
      { path, hunk: part(3, 4) },
      { path, hunk: part(2, 3) },
      { path, hunk: part(0, 1) },
    ]);
    // The cursor is in one of them.
    expect(partsOf(path, selectedHunks(hunks, 6, 6)).map((one) => one.part)).toEqual([{ path, hunk: part(5, 7) }]);
  });

  it("are of the selected lines only, where several are selected", async () => {
    const hunks = await placed(undefined, "a\nb\nc\nd\n", "mine\na\nb\nc\nd\n");
    expect(drawn(selectedHunks(hunks, 3, 4))).toEqual([[2, 4, "add", { start: 1, end: 3, isPart: true }]]);
    expect(partsOf(path, selectedHunks(hunks, 3, 4)).map((one) => one.part)).toEqual([
      { path, hunk: { start: 1, end: 3, isPart: true } },
    ]);
    expect(selectedHunks(hunks, 1, 1)).toEqual([]);
    // One line can be selected, too.
    expect(drawn(selectedHunks(hunks, 3, 3, true))).toEqual([[2, 3, "add", { start: 1, end: 2, isPart: true }]]);
  });
});

describe("marks of a changed file", () => {
  it("are whole hunks, and none where a line of a changed one was changed again", async () => {
    const before = "one\ntwo\nthree\nfour\nfive\n";
    const after = "ONE\nTWO\nthree\nfour\nadded\nfive\n";
    expect(drawn(await placed(before, after, after))).toEqual([
      [0, 2, "change", { start: 0, end: 2 }],
      [4, 5, "add", { start: 4, end: 5 }],
    ]);
    const hunks = await placed(before, after, after.replace("ONE", "1"));
    expect(drawn(hunks)).toEqual([[4, 5, "add", { start: 4, end: 5 }]]);
    expect(drawn(selectedHunks(await placed(before, after, after), 2, 5))).toEqual([
      [0, 2, "change", { start: 0, end: 2 }],
      [4, 5, "add", { start: 4, end: 5 }],
    ]);
  });
});
