import { createFakeClock, type MemoryDiffView } from "@patchbay/testkit";
import type { Clock } from "../../src/support/time.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareSides } from "../../src/diff/decided-hunks.ts";
import { hunkAtLine, hunksBetween, takeHunk } from "../../src/diff/hunks.ts";
import { sameLines } from "../../src/diff/text-fidelity.ts";
import { path, startWithFile } from "./followed-file.ts";

const lineEnd = fc.constantFrom("\n", "\r\n");
const word = fc.constantFrom("a", "b", "c", "", "}", "{", "x y");

/** Texts with few different lines, so that they repeat; line ends of one kind or mixed, with and without a last one. */
const text = fc.oneof(
  fc
    .tuple(fc.array(word, { maxLength: 9 }), lineEnd, fc.boolean())
    .map(([lines, end, isEnded]) => lines.join(end) + (isEnded ? end : "")),
  fc.array(fc.tuple(word, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 9 }).map((lines) => lines.flat().join("")),
);

const lineCount = (one: string): number => one.split(/\r\n|\r|\n/u).length;

describe("hunks of any two texts", () => {
  it("accepted one by one make the left side the right one, rejected the other way round", () => {
    fc.assert(
      fc.property(
        text,
        text,
        fc.array(fc.tuple(fc.boolean(), fc.nat(12)), { maxLength: 40 }),
        (left, right, verdicts) => {
          let [one, other] = [left, right];
          for (const [isAccept, line] of verdicts) {
            const hunk = hunkAtLine(hunksBetween(one, other), line);
            if (hunk === undefined) break;
            if (isAccept) one = takeHunk(other, one, { from: hunk.right, to: hunk.left });
            else other = takeHunk(one, other, { from: hunk.left, to: hunk.right });
          }
          for (let rest = 0; rest < 60; rest += 1) {
            const [hunk] = hunksBetween(one, other);
            if (hunk === undefined) break;
            one = takeHunk(other, one, { from: hunk.right, to: hunk.left });
          }
          expect(sameLines(one, other)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("stand where the lines differ, in order, with common lines between them", () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        let [atLeft, atRight] = [0, 0];
        for (const [index, hunk] of hunksBetween(left, right).entries()) {
          expect(hunk.left.start - atLeft).toBe(hunk.right.start - atRight);
          if (index > 0) expect(hunk.left.start).toBeGreaterThan(atLeft);
          atLeft = hunk.left.end;
          atRight = hunk.right.end;
        }
        expect(lineCount(left) - atLeft).toBe(lineCount(right) - atRight);
      }),
      { numRuns: 1_000 },
    );
  });

  it("leave every other byte as it is", () => {
    fc.assert(
      fc.property(text, text, fc.nat(12), (left, right, line) => {
        const hunk = hunkAtLine(hunksBetween(left, right), line);
        if (hunk === undefined) return;
        const taken = takeHunk(right, left, { from: hunk.right, to: hunk.left });
        const split = (one: string): readonly string[] => one.split(/\r\n|\r|\n/u);
        const [before, after, given] = [split(left), split(taken), split(right)];
        expect(after).toEqual([
          ...before.slice(0, hunk.left.start),
          ...given.slice(hunk.right.start, hunk.right.end),
          ...before.slice(hunk.left.end),
        ]);
        // Byte for byte up to the line end before the hunk.
        const head = before.slice(0, Math.max(0, hunk.left.start - 1)).join("").length;
        if (![left, right].some(hasLoneReturn)) expect(taken.slice(0, head)).toBe(left.slice(0, head));
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Put together, two texts may hide one. */
function hasLoneReturn(text: string): boolean {
  return /\r(?!\n)/u.test(text);
}

const none = { accepted: 0, rejected: 0 };

describe("verdicts in any order", () => {
  const action = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constantFrom("accept" as const, "reject" as const), line: fc.nat(12) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("undo" as const), line: fc.nat(12) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("type" as const), line: fc.nat(12) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("disk" as const), line: fc.nat(12) }) },
  );

  it("without an edit, the undo of all of them gives both sides back", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, fc.array(action, { maxLength: 8 }), async (file, proposed, actions) => {
        const test = startWithFile({ text: file });
        const { id } = test.open("one", proposed);
        const view = await test.editor.nextView();
        for (const { kind, line } of actions) {
          if (kind === "undo") await test.registry.hunks.undo(id);
          else if (kind !== "type" && kind !== "disk" && (await test.registry.hunks.of(id))?.length !== 1) {
            await test.registry.hunks.decide(id, kind, line);
          }
        }
        for (let count = 0; count < 10; count += 1) await test.registry.hunks.undo(id);
        expect(sameLines(view.text, proposed)).toBe(true);
        expect(sameLines(view.originalText, file)).toBe(true);
        // A carriage return that would stand before a line feed is a line end of another kind from then on.
        if ([file, proposed].some(hasLoneReturn)) return;
        expect(view.text).toBe(proposed);
        expect(view.originalText).toBe(file);
        expect(test.registry.proposals[0]?.hunks ?? none).toMatchObject(none);
      }),
      { numRuns: 300 },
    );
  });

  it("all of one kind decide the proposal as a whole verdict would", async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        fc.constantFrom("accept" as const, "reject" as const),
        async (file, proposed, kind) => {
          fc.pre(!sameLines(file, proposed));
          const test = startWithFile({ text: file });
          const { id } = test.open("one", proposed, path, { emptiedText: "" });
          const view = await test.editor.nextView();
          let decision = await test.registry.hunks.decide(id, kind, 0);
          for (let count = 0; count < 60 && decision.kind === "decided"; count += 1)
            decision = await test.registry.hunks.decide(id, kind, 0);
          expect(decision).toEqual({ kind: "ended" });
          const { outcome } = test.carrier.carried[0] ?? {};
          if (kind === "accept") expect(outcome).toEqual({ kind: "accepted", text: proposed, edited: false });
          else expect(outcome).toEqual({ kind: "rejected" });
          if (kind === "reject") expect(sameLines(view.text, file)).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("beside edits and a changing file, no line is lost or invented", async () => {
    const numbered = Array.from({ length: 10 }, (_, index) => `line ${index}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(9), { minLength: 1, maxLength: 6 }),
        fc.array(action, { maxLength: 10 }),
        lineEnd,
        async (agentLines, actions, end) => {
          const changed = numbered.map((line, index) => (agentLines.includes(index) ? `agent ${index}` : line));
          const test = startWithFile({ text: numbered.join(end) });
          const { id } = test.open("one", changed.join(end));
          const view: MemoryDiffView = await test.editor.nextView();
          let disk = [...numbered];
          const expected = [...changed];
          const history: [number, "accept" | "reject"][] = [];
          let isPlain = true;
          for (const [step, { kind, line }] of actions.entries()) {
            if (!view.isOpen || view.standing === "conflict") break;
            const at = Math.min(line, 9);
            if (kind === "type") {
              const own = view.text.split(end);
              view.type(own.with(at, `typed ${step}`).join(end));
              expected[at] = `typed ${step}`;
              isPlain = false;
            } else if (kind === "disk") {
              if (disk[at] !== `line ${at}` || expected[at] !== `line ${at}` || agentLines.includes(at)) continue;
              disk = disk.with(at, `other ${step}`);
              expected[at] = `other ${step}`;
              await test.writeByOther(disk.join(end));
              isPlain = false;
            } else if (kind === "undo") {
              const before = view.text.split(end);
              const isUndone = await test.registry.hunks.undo(id);
              const after = view.text.split(end);
              for (const [index, one] of after.entries()) if (one !== before[index]) expected[index] = one;
              // What comes back is what was there.
              for (const one of after) expect(one).toMatch(/^(agent|line|typed|other) \d+$/u);
              if (isPlain) expect(isUndone).toBe(history.pop() !== undefined);
            } else {
              const left = view.originalText.split(end);
              const before = view.text.split(end);
              const result = await test.registry.hunks.decide(id, kind, line);
              if (result.kind !== "decided" && result.kind !== "ended") continue;
              history.push([at, kind]);
              if (kind === "reject") {
                for (const [index, one] of view.text.split(end).entries()) {
                  if (one === before[index]) continue;
                  expect(one).toBe(left[index]);
                  expected[index] = one;
                }
              }
            }
            expect(view.text.split(end)).toEqual(expected);
            const mine = view.originalText.split(end);
            // The left side has lines of the file and of the right side, nothing else.
            for (const [index, one] of mine.entries())
              if (view.isOpen)
                expect(
                  [disk[index], expected[index]]
                    .concat(changed[index] ?? [], numbered[index] ?? [])
                    .concat(mine.filter((x) => x.startsWith("typed"))),
                ).toContain(one);
          }
        },
      ),
      { numRuns: 250 },
    );
  });
});

it("decides one of 5,000 hunks at once", async () => {
  const lines = Array.from({ length: 15_000 }, (_, index) => `line ${index}`);
  const file = lines.join("\n");
  const proposed = lines.map((line, index) => (index % 3 === 0 ? `${line}!` : line)).join("\n");
  // The best of some: the others measure what else the machine does.
  const spans = Array.from({ length: 5 }, () => {
    const from = performance.now();
    expect(hunksBetween(file, proposed)).toHaveLength(5_000);
    return performance.now() - from;
  });
  expect(Math.min(...spans)).toBeLessThan(500);
  const test = startWithFile({ text: file });
  const { id } = test.open("one", proposed);
  const view = await test.editor.nextView();
  const deciding = test.registry.hunks.decide(id, "reject", 7_500);
  await test.clock.advanceAsync(1_000);
  expect(await deciding).toEqual({ kind: "decided", left: 4_999, next: { start: 7_503, end: 7_504 } });
  expect(view.text.split("\n")[7_500]).toBe("line 7500");
});

it("makes room for other work while 5,000 hunks are counted", async () => {
  const lines = Array.from({ length: 15_000 }, (_, index) => `line ${index}`);
  const changed = lines.map((line, index) => (index % 3 === 0 ? `${line}!` : line));
  let turns = 0;
  const clock = createFakeClock();
  const counted: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimeout: (go) => {
      turns += 1;
      queueMicrotask(go);
      return { dispose: () => {} };
    },
  };
  expect(await compareSides(lines.join("\n"), changed.join("\n"), counted)).toHaveLength(5_000);
  expect(turns).toBeGreaterThan(5);
});
