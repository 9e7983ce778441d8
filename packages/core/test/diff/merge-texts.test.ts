import fc from "fast-check";
import { createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { diffLines, textEdits } from "../../src/diff/line-diff.ts";
import { conflictEnd, conflictStart, hasConflict, mergeTexts } from "../../src/diff/merge-texts.ts";

const { clock } = createMemoryPlatform();

function applied(before: string, edits: ReturnType<typeof textEdits>): string {
  let text = before;
  for (const { start, end, text: put } of edits.toReversed()) text = text.slice(0, start) + put + text.slice(end);
  return text;
}

const lines = (alphabet: readonly string[]) =>
  fc.array(fc.constantFrom(...alphabet), { maxLength: 12 }).map((chosen) => chosen.join("\n"));
const anyLines = fc.oneof(lines(["a", "b", "c", "d", "e", "f"]), lines(["a", "b", ""]), lines([""]));

describe("line differences", () => {
  it("make one text into the other, in order and without touching the same line twice", () => {
    fc.assert(
      fc.property(anyLines, anyLines, (before, after) => {
        const edits = textEdits(before, after);
        expect(applied(before, edits)).toBe(after);
        for (const [index, edit] of edits.entries()) {
          const next = edits[index + 1];
          if (next !== undefined) expect(edit.end).toBeLessThanOrEqual(next.start);
        }
      }),
    );
  });

  it("are small: one changed line of many is one line", () => {
    const before = Array.from({ length: 5_000 }, (_, index) => `line ${index}`);
    const after = before.with(2_500, "changed");
    expect(diffLines(before.join("\n"), after.join("\n"))).toEqual([
      { beforeStart: 2_500, beforeEnd: 2_501, afterStart: 2_500, afterEnd: 2_501 },
    ]);
  });

  it("of two changes far apart in repeated lines are two", () => {
    const before = Array.from({ length: 300 }, () => "");
    const after = before.with(5, "x").with(200, "y");
    expect(diffLines(before.join("\n"), after.join("\n"))).toHaveLength(2);
  });
});

describe("merge of texts", () => {
  const base = "one\ntwo\nthree\nfour\nfive\n";

  it("takes each side's own lines", async () => {
    const merged = await mergeTexts(base, "one\nTWO\nthree\nfour\nfive\n", "one\ntwo\nthree\nFOUR\nfive\nsix\n", clock);
    expect(merged).toEqual({ kind: "clean", text: "one\nTWO\nthree\nFOUR\nfive\nsix\n" });
  });

  it("changes of neighbouring lines are no conflict", async () => {
    const merged = await mergeTexts(base, "one\nTWO\nthree\nfour\nfive\n", "one\ntwo\nTHREE\nfour\nfive\n", clock);
    expect(merged).toEqual({ kind: "clean", text: "one\nTWO\nTHREE\nfour\nfive\n" });
  });

  it("the same change on both sides is made once", async () => {
    const both = "one\nTWO\nthree\nfour\nfive\nmore\n";
    expect(await mergeTexts(base, both, both, clock)).toEqual({ kind: "clean", text: both });
    expect(await mergeTexts(base, both, "one\nTWO\nthree\nfour\nfive\n", clock)).toEqual({ kind: "clean", text: both });
  });

  it("two versions of one line are a conflict that shows both", async () => {
    const merged = await mergeTexts(base, "one\nOURS\nthree\nfour\nfive\n", "one\nTHEIRS\nthree\nfour\nfive\n", clock);
    expect(merged).toEqual({
      kind: "conflict",
      text: `one\n${conflictStart}\nTHEIRS\n=======\nOURS\n${conflictEnd}\nthree\nfour\nfive\n`,
    });
    expect(hasConflict(merged.text)).toBe(true);
    expect(hasConflict(base)).toBe(false);
    expect(hasConflict(`see ${conflictStart}\n`)).toBe(false);
  });

  it("different lines put at one place are a conflict", async () => {
    expect((await mergeTexts("a\n", "a\nours\n", "a\ntheirs\n", clock)).kind).toBe("conflict");
  });

  it("a deletion of a line that the other side changed is a conflict", async () => {
    expect((await mergeTexts(base, "one\nthree\nfour\nfive\n", "one\nTWO\nthree\nfour\nfive\n", clock)).kind).toBe(
      "conflict",
    );
  });

  it("an emptied proposal does not swallow a change of the file", async () => {
    expect((await mergeTexts(base, "", "one\ntwo\nthree\nFOUR\nfive\n", clock)).kind).toBe("conflict");
  });

  it("line ends of the file do not make a conflict", async () => {
    const merged = await mergeTexts("a\r\nb\r\nc\r\n", "A\nb\nc\n", "a\r\nb\r\nC\r\n", clock);
    expect(merged).toEqual({ kind: "clean", text: "A\nb\nC\n" });
  });

  it("a conflict in the last line, which has no line end, keeps its markers apart", async () => {
    const merged = await mergeTexts("a", "ours", "theirs", clock);
    expect(merged.text).toBe(`${conflictStart}\ntheirs\n=======\nours\n${conflictEnd}\n`);
  });

  it("keeps what both sides added and nothing that both removed, whatever they did", async () => {
    const own = fc.array(fc.tuple(fc.nat(9), fc.constantFrom("change", "remove", "insert")), { maxLength: 4 });
    const numbered = Array.from({ length: 10 }, (_, index) => `line ${index}`);
    const edited = (edits: readonly (readonly [number, string])[], who: string): string => {
      const result: string[] = [];
      for (const [index, line] of numbered.entries()) {
        const mine = edits.filter(([at]) => at === index).map(([, what]) => what);
        if (mine.includes("insert")) result.push(`${who} before ${index}`);
        if (mine.includes("change")) result.push(`${who} changed ${index}`);
        else if (!mine.includes("remove")) result.push(line);
      }
      return result.join("\n");
    };
    await fc.assert(
      fc.asyncProperty(own, own, async (ourEdits, theirEdits) => {
        const [ours, theirs] = [edited(ourEdits, "ours"), edited(theirEdits, "theirs")];
        const { text } = await mergeTexts(numbered.join("\n"), ours, theirs, clock);
        const found = new Set(text.split("\n"));
        for (const side of [ours, theirs]) {
          for (const line of side.split("\n")) if (!line.startsWith("line")) expect(found).toContain(line);
        }
        for (const line of numbered) {
          const kept = ours.split("\n").includes(line) && theirs.split("\n").includes(line);
          if (kept) expect(found).toContain(line);
        }
      }),
    );
  });
});
