import fc from "fast-check";
import { createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { lineHunkSteps, type TextEdit, textEditSteps } from "../../src/diff/line-diff.ts";
import type { Disposable } from "../../src/support/disposable.ts";
import { finish } from "../../src/support/time.ts";
import { conflictEnd, conflictStart, hasConflict } from "../../src/diff/model.ts";
import { mergeTexts } from "../../src/diff/merge-texts.ts";
import { textEdits } from "../../src/diff/text-edits.ts";

const { clock } = createMemoryPlatform();

function applied(before: string, edits: readonly TextEdit[]): string {
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
        const edits = finish(textEditSteps(before, after));
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
    expect(finish(lineHunkSteps(before, after))).toEqual([
      { beforeStart: 2_500, beforeEnd: 2_501, afterStart: 2_500, afterEnd: 2_501 },
    ]);
  });

  it("of two changes far apart in repeated lines are two", () => {
    const before = Array.from({ length: 300 }, () => "");
    const after = before.with(5, "x").with(200, "y");
    expect(finish(lineHunkSteps(before, after))).toHaveLength(2);
  });
});

/** A list that counts how often it is read. */
function counted(list: readonly string[], onRead: () => void): readonly string[] {
  return new Proxy(list, {
    get: (target, key, receiver) => {
      onRead();
      return Reflect.get(target, key, receiver);
    },
  });
}

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `line ${index}`);

describe("a difference of very long texts", () => {
  const count = 100_000;
  const base = numbered(count);

  it.each([
    ["that are alike but for both ends", base.with(0, "x").with(count - 1, "y")],
    ["that are the same", base],
    ["that share no line", base.map((line) => `other ${line}`)],
    ["whose lines are the other way round", base.toReversed()],
    ["of which every second line differs", base.map((line, index) => (index % 2 === 0 ? line : `other ${line}`))],
  ])("%s is found in steps", (_what, after) => {
    let reads = 0;
    let most = 0;
    const onRead = (): void => {
      reads += 1;
    };
    const steps = lineHunkSteps(counted(base, onRead), counted(after, onRead));
    for (let step = steps.next(); step.done !== true; step = steps.next()) {
      most = Math.max(most, reads);
      reads = 0;
    }
    expect(Math.max(most, reads)).toBeLessThan(50_000);
  });

  it("becomes edits with pauses all the while", async () => {
    const [before, after] = [
      base.join("\n"),
      base
        .with(7, "x")
        .with(count - 7, "y")
        .join("\n"),
    ];
    let pauses = 0;
    const edits = await textEdits(before, after, async () => {
      pauses += 1;
    });
    expect(applied(before, edits) === after).toBe(true);
    expect(edits).toHaveLength(2);
    // Taken apart, compared twice and given their places, by eight thousand at a time.
    expect(pauses).toBeGreaterThan((3 * count) / 8_192);
  });

  it("is found where a million lines are the same", () => {
    const many = numbered(1_000_000);
    const after = many.with(0, "x").with(500_000, "y").with(999_999, "z");
    expect(finish(lineHunkSteps(many, after)).map(({ beforeStart }) => beforeStart)).toEqual([0, 500_000, 999_999]);
  });
});

describe("merge of texts", () => {
  const base = "one\ntwo\nthree\nfour\nfive\n";

  it("takes each side's own lines", async () => {
    const merged = await mergeTexts(base, "one\nTWO\nthree\nfour\nfive\n", "one\ntwo\nthree\nFOUR\nfive\nsix\n", clock);
    expect(merged).toEqual({ kind: "clean", text: "one\nTWO\nthree\nFOUR\nfive\nsix\n" });
  });

  it("of many lines leaves turns for other work from the first to the last", async () => {
    const many = numbered(200_000);
    let turns = 0;
    const counting = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      setTimeout: (callback: () => void): Disposable => {
        turns += 1;
        queueMicrotask(callback);
        return { dispose: () => {} };
      },
    };
    const [ours, theirs] = [many.with(0, "ours"), many.with(199_999, "theirs")];
    const { text } = await mergeTexts(many.join("\n"), ours.join("\n"), theirs.join("\n"), counting);
    expect(text === ours.with(199_999, "theirs").join("\n")).toBe(true);
    // Each line is compared twice and put together once, by eight thousand at a time.
    expect(turns).toBeGreaterThan((3 * many.length) / 8_192);
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
