import type { LineHunk } from "@patchbay/core/texts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedHunks, isAddition, undoHunks, wholeLines, withoutHunks } from "../../src/undo/undo-hunks.ts";

describe("undoHunks", () => {
  const before = "one\ntwo\nthree\nfour\nfive\n";
  const after = "one\nTWO\nthree\nfour\nFIVE\nsix\n";

  it("gives the text before the turn back if nothing has changed since", () => {
    expect(undoHunks({ before, after, now: after, which: "all" })).toEqual({
      text: before,
      conflicts: [],
      undone: [0, 1],
    });
  });

  it("takes one hunk back and leaves the other", () => {
    expect(undoHunks({ before, after, now: after, which: [0] }).text).toBe("one\ntwo\nthree\nfour\nFIVE\nsix\n");
    expect(undoHunks({ before, after, now: after, which: [1] }).text).toBe("one\nTWO\nthree\nfour\nfive\n");
  });

  it("keeps what was changed since in other lines, and finds a hunk that has moved", () => {
    const now = "zero\none\nTWO\nthree\nfour, mine\nFIVE\nsix\nmine\n";
    expect(undoHunks({ before, after, now, which: [0] }).text).toBe(
      "zero\none\ntwo\nthree\nfour, mine\nFIVE\nsix\nmine\n",
    );
    expect(undoHunks({ before, after, now, which: "all" }).conflicts).toEqual([]);
    expect(undoHunks({ before, after, now, which: "all" }).text).toBe(
      "zero\none\ntwo\nthree\nfour, mine\nfive\nmine\n",
    );
  });

  it("leaves lines alone that were changed since", () => {
    const now = "one\nTWO, and mine\nthree\nfour\nFIVE\nsix\n";
    expect(undoHunks({ before, after, now, which: "all" })).toEqual({
      text: "one\nTWO, and mine\nthree\nfour\nfive\n",
      conflicts: [0],
      undone: [1],
    });
  });

  it("does not put deleted lines back where others were put since", () => {
    const now = "a\nmine\nc\n";
    expect(undoHunks({ before: "a\nb\nc\n", after: "a\nc\n", now, which: "all" })).toEqual({
      text: now,
      conflicts: [0],
      undone: [],
    });
  });

  it("counts a hunk as undone that somebody took back by hand", () => {
    const now = "one\ntwo\nthree\nfour\nFIVE\nsix\n";
    expect(undoHunks({ before, after, now, which: [0] })).toEqual({ text: now, conflicts: [], undone: [0] });
  });

  it("keeps CRLF, the byte order mark and a missing final newline", () => {
    const was = "\ufeffa\r\nb\r\nc";
    for (const made of ["\ufeffa\r\nB\r\nc", "a\nb\nc\n", "\ufeffa\r\nb\r\nc\r\n", ""]) {
      expect(undoHunks({ before: was, after: made, now: made, which: "all" }).text).toBe(was);
    }
  });

  it("uses the line ends of the file where a tool has changed all of them since", () => {
    expect(undoHunks({ before, after, now: after.replaceAll("\n", "\r\n"), which: [0] }).text).toBe(
      "one\r\ntwo\r\nthree\r\nfour\r\nFIVE\r\nsix\r\n",
    );
  });

  it("works on an editor's text, which has other line ends and no byte order mark", () => {
    const wasFile = "\ufeffone\r\ntwo\r\nthree\r\n";
    const madeFile = "\ufeffone\r\nTWO\r\nthree\r\n";
    const now = "one\nTWO\nthree, typed\n";
    expect(undoHunks({ before: wasFile, after: madeFile, now, which: "all", isBuffer: true })).toEqual({
      text: "one\ntwo\nthree, typed\n",
      conflicts: [],
      undone: [0],
    });
  });

  it("joins no two lines", () => {
    const last = { before: "a\nlast", after: "a\nlast\nmore\n", now: "a\nlast\nmore\nmine\n" };
    expect(undoHunks({ ...last, which: "all" })).toEqual({ text: last.now, conflicts: [0], undone: [] });
    const cut = { before: "a\nb\n", after: "a\n", now: "a" };
    expect(undoHunks({ ...cut, which: "all" })).toEqual({ text: "a", conflicts: [0], undone: [] });
  });

  it("takes back thousands of hunks in well under a second", () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`);
    const made = lines.map((line, index) => (index % 4 === 0 ? `changed ${line}` : line));
    const now = made.map((line, index) => (index % 400 === 2 ? `typed ${line}` : line));
    const start = performance.now();
    const { text, undone } = undoHunks({
      before: lines.join(""),
      after: made.join(""),
      now: now.join(""),
      which: "all",
    });
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(undone).toHaveLength(5_000);
    expect(text).toBe(lines.map((line, index) => (index % 400 === 2 ? `typed ${line}` : line)).join(""));
  });
});

const line = fc.constantFrom("a", "b", "c", "}", "", "\ta", "long line", "ä€😀", "\r", "\ufeff");
const lineEnd = fc.constantFrom("\n", "\n", "\n", "\r\n");

/** Few different lines: repeated ones are what comparisons get wrong. */
const anyText = fc
  .tuple(fc.array(fc.tuple(line, lineEnd), { maxLength: 14 }), fc.constantFrom("", "", "end"))
  .map(([lines, last]) => lines.flat().join("") + last);

/** What somebody makes of a text: lines put in, taken out, replaced; or a formatter, that changes them all. */
const change = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.array(fc.tuple(line, lineEnd), { maxLength: 3 })), {
      maxLength: 4,
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom("crlf", "trim", "indent", "final newline") },
);

function changed(text: string, how: typeof change extends fc.Arbitrary<infer T> ? T : never): string {
  if (typeof how === "string") {
    if (how === "crlf") return text.replaceAll(/\r?\n/gu, "\r\n");
    if (how === "trim") return text.replaceAll(/[\t ]+(?=\r?\n)/gu, "");
    if (how === "indent") return text.replaceAll(/^/gmu, "  ");
    return text.endsWith("\n") ? text.slice(0, -1) : `${text}\n`;
  }
  const lines = [...wholeLines(text)];
  for (const [at, count, put] of how)
    lines.splice(at % (lines.length + 1), count, ...put.map((parts) => parts.join("")));
  return lines.join("");
}

const history = fc.tuple(anyText, change, change, change).map(([before, agent, user, formatter]) => {
  const after = changed(before, agent);
  return { before, after, now: changed(changed(after, user), formatter) };
});

const which = fc.oneof(fc.constant("all" as const), fc.uniqueArray(fc.nat(5), { maxLength: 4 }));
const budget = { numRuns: 3_000, verbose: fc.VerbosityLevel.Verbose };

const isIn = (hunk: LineHunk | undefined, line: number): boolean =>
  hunk !== undefined && hunk.afterStart <= line && line < hunk.afterEnd;

describe("undoHunks, for any texts", () => {
  it("gives exactly the text before where nothing was changed since", () => {
    fc.assert(
      fc.property(anyText, change, (before, agent) => {
        const after = changed(before, agent);
        const { text, conflicts } = undoHunks({ before, after, now: after, which: "all" });
        expect(conflicts).toEqual([]);
        expect(text).toBe(before);
      }),
      budget,
    );
  });

  it("loses and invents no line: only what the turn put in goes, only what it took out comes back", () => {
    fc.assert(
      fc.property(history, which, ({ before, after, now }, chosen) => {
        const ends = isOfOneEnd(after, now);
        const plain = (lines: readonly string[]): readonly string[] =>
          // A carriage return of the line itself looks like a part of its end once that has become another one.
          ends ? lines : lines.map((one) => one.replace(/\r*\n$/u, "\n"));
        const { text, conflicts, undone } = undoHunks({ before, after, now, which: chosen });
        const hunks = changedHunks(before, after);
        const wanted =
          chosen === "all" ? hunks.map((_, number) => number) : chosen.filter((number) => number < hunks.length);
        expect(new Set([...conflicts, ...undone])).toEqual(new Set(wanted));
        const [left, right] = [wholeLines(before), wholeLines(after)];
        const put = plain(undone.flatMap((number) => right.slice(hunks[number]?.afterStart, hunks[number]?.afterEnd)));
        const taken = plain(
          undone.flatMap((number) => left.slice(hunks[number]?.beforeStart, hunks[number]?.beforeEnd)),
        );
        const difference = new Map<string, number>();
        const count = (lines: readonly string[], by: number): void => {
          for (const one of lines) difference.set(one, (difference.get(one) ?? 0) + by);
        };
        count(plain(wholeLines(text)), 1);
        count(plain(wholeLines(now)), -1);
        // A hunk that somebody took back by hand changes nothing: leave out what is the same.
        const isWhole = [...difference.values()].every((by) => by === 0);
        if (isWhole) return;
        for (const [one, by] of difference) {
          if (by > 0) expect(count1(taken, one)).toBeGreaterThanOrEqual(by);
          if (by < 0) expect(count1(put, one)).toBeGreaterThanOrEqual(-by);
        }
      }),
      budget,
    );
  });

  it("leaves everything alone of which nothing is chosen", () => {
    fc.assert(
      fc.property(history, (texts) => {
        expect(undoHunks({ ...texts, which: [] })).toEqual({ text: texts.now, conflicts: [], undone: [] });
      }),
      budget,
    );
  });

  it("is taken back by an undo of the undo", () => {
    fc.assert(
      fc.property(history, which, (texts, chosen) => {
        const { text } = undoHunks({ ...texts, which: chosen });
        expect(undoHunks({ before: texts.now, after: text, now: text, which: "all" }).text).toBe(texts.now);
      }),
      budget,
    );
  });

  it("takes added lines back without the rest of their hunk, and all pieces as well as the whole", () => {
    fc.assert(
      fc.property(history, fc.nat(12), fc.nat(6), (texts, start, length) => {
        const { before, after } = texts;
        const cut = { start, end: start + length };
        const pieces = changedHunks(before, after, cut);
        expect(undoHunks({ ...texts, now: after, which: "all", cut }).text).toBe(before);
        const inside = pieces.flatMap((one, number) =>
          isAddition(one) && one.afterStart >= start && one.afterEnd <= cut.end ? [number] : [],
        );
        const right = wholeLines(after);
        const gone = new Set(
          inside.flatMap((number) => right.flatMap((_, at) => (isIn(pieces[number], at) ? [at] : []))),
        );
        const { text, conflicts, undone } = undoHunks({ ...texts, now: after, which: inside, cut });
        // The last line of a text may have no line end: then nothing is put behind it.
        if (conflicts.length === 0) expect(text).toBe(right.filter((_, at) => !gone.has(at)).join(""));
        expect(new Set([...conflicts, ...undone])).toEqual(new Set(inside));
      }),
      budget,
    );
  });

  it("takes hunks back one by one as well as all at once, where nothing else was changed", () => {
    fc.assert(
      fc.property(anyText, change, fc.array(fc.nat()), (before, agent, picks) => {
        let after = changed(before, agent);
        let now = after;
        const left = () => changedHunks(before, after);
        for (let round = 0; left().length > 0; round += 1) {
          const number = (picks[round] ?? 0) % left().length;
          const one = undoHunks({ before, after, now, which: [number] });
          expect(one.conflicts).toEqual([]);
          now = one.text;
          after = withoutHunks(before, after, [number]);
          expect(now).toBe(after);
        }
        expect(now).toBe(before);
      }),
      budget,
    );
  });
});

function count1(lines: readonly string[], line: string): number {
  return lines.filter((one) => one === line).length;
}

function isOfOneEnd(after: string, now: string): boolean {
  const kinds = (text: string): number => Number(/\r\n/u.test(text)) + 2 * Number(/(?<!\r)\n/u.test(text));
  const [then, current] = [kinds(after), kinds(now)];
  return then === 0 || then === 3 || current === 0 || current === 3 || then === current;
}
