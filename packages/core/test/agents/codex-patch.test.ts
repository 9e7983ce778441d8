import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSections, updated } from "../../src/agents/codex/apply-patch.ts";
import { linesThatAdd, linesThatUpdate, patchOf } from "../../src/agents/codex/patch-writing.ts";
import { patchCallOf } from "../../src/agents/codex/tools.ts";

/** The real program, which applies a patch where it is called by this name; the end-to-end suite brings it. */
const program = process.env["PATCHBAY_CODEX"];

/** Texts that make the program's reading difficult: markers, blanks that look alike, and lines that stand twice. */
const line = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", "b", "a ", " a", "", " ", "}", "x\ty") },
  { weight: 1, arbitrary: fc.constantFrom("*** End Patch", "*** End of File", "@@", "@@ a", "-a", "+a", "‘a’", "'a'") },
  { weight: 1, arbitrary: fc.constantFrom("\ufeffa", "\u0085", "a\u00a0b", "a b", "*** Add File: q", "EOF") },
);
const lines = fc.array(line, { maxLength: 8 });
const file = fc
  .tuple(lines, fc.constantFrom("\n", "\r\n"), fc.boolean(), fc.boolean())
  .map(([all, end, ends, isMixed]) => {
    const text = all.map((one, at) => one + (isMixed && at % 2 === 1 ? "\n" : end)).join("");
    return ends || all.length === 0 ? text : text.slice(0, text.endsWith("\r\n") ? -2 : -1);
  });

describe("a patch that is written anew", () => {
  it("makes exactly the wanted text of a file, or there is none", () => {
    let written = 0;
    fc.assert(
      fc.property(file, file, (before, wanted) => {
        const patch = linesThatUpdate("f", before, wanted);
        if (patch === undefined) return;
        written += 1;
        const [section] = readSections(patchOf(patch)) ?? [];
        expect(section && updated(before, section.hunks)).toBe(wanted);
      }),
      { numRuns: 2_000 },
    );
    expect(written).toBeGreaterThan(300);
  });

  it("exists for every change of lines that end with a line feed", () => {
    const plain = lines.map((all) => all.map((one) => `${one}\n`).join(""));
    fc.assert(
      fc.property(plain, plain, (before, wanted) => {
        if (before === wanted) return;
        expect(linesThatUpdate("f", before, wanted)).toBeDefined();
        expect(linesThatAdd("f", wanted)).toBeDefined();
      }),
      { numRuns: 2_000 },
    );
  });
});

/** What the program makes of patches (0.171.0) that random ones are seldom like. */
describe("a patch as the program reads it", () => {
  const read = (before: string, ...all: readonly string[]): string | undefined => {
    const [first] = readSections(patchOf(["*** Update File: f", ...all])) ?? [];
    return first && updated(before, first.hunks);
  };

  it("names no line by blanks behind @@, and a line without those at its end", () => {
    expect(read("a\nb\n\nb\n", "@@ \t", "-b")).toBe("a\n\nb\n");
    expect(read("a\nb\na \nb\n", "@@ a ", "-b")).toBe("a\na \nb\n");
  });

  it("looks for lines at the end of the file below the line that is named, too", () => {
    expect(read("a\nb\n", "@@ a", " a", "-b", "*** End of File")).toBeUndefined();
    expect(read("a\nb\n", "@@", " a", "-b", "*** End of File")).toBe("a\n");
  });

  it("is refused where two hunks add lines at the end and the first of them stands there", () => {
    const [added, changed] = [
      ["@@", "+c"],
      ["@@", " b", "+d"],
    ] as const;
    expect(read("a\nb\n", ...changed, ...added)).toBe("a\nb\nd\nc\n");
    expect(read("a\nb\nb\n", ...added, ...changed, "*** End of File")).toBeUndefined();
  });
});

/** Lines of a file, and what a model makes of them: mostly as they stand, some a little otherwise. */
function hunkIn(all: readonly string[]): fc.Arbitrary<readonly string[]> {
  const step = fc.record({ sign: fc.constantFrom(" ", " ", "-", "-", "+"), other: line, isOther: fc.nat(19) });
  const blurs = [
    (one: string) => one,
    (one: string) => one.trim(),
    (one: string) => ` ${one}`,
    (one: string) => `${one} `,
  ];
  return fc
    .record({
      head: fc.constantFrom("@@", "@@", "@@ a", `@@ ${all[0] ?? ""}`, ""),
      from: fc.nat(Math.max(0, all.length)),
      steps: fc.array(step, { minLength: 1, maxLength: 5 }),
      blur: fc.constantFrom(...blurs, ...blurs.slice(0, 1), ...blurs.slice(0, 1)),
      end: fc.nat(5),
    })
    .map(({ head, from, steps, blur, end }) => {
      let at = from;
      const told = steps.map(({ sign, other, isOther }) => {
        if (sign === "+" || isOther === 0) return sign + other;
        at += 1;
        return sign + blur(all[at - 1] ?? "");
      });
      return [...(head === "" ? [] : [head]), ...told, ...(end === 0 ? ["*** End of File"] : [])];
    });
}

/** A file and a patch of it. */
const patched = file.chain((before) => {
  const all = before.split(/\r?\n/u);
  return fc
    .array(hunkIn(all), { minLength: 1, maxLength: 3 })
    .map((hunks) => ({ before, all: ["*** Update File: f", ...hunks.flat()] }));
});

/** What becomes of one file of a patch, and what its user makes of it. */
const verdict = fc.oneof(
  fc.constant({ kind: "accept" } as const),
  fc.constant({ kind: "reject" } as const),
  file.map((text) => ({ kind: "typed", text }) as const),
);
const section = (name: string) =>
  fc.oneof(
    fc
      .record({ before: fc.option(file, { nil: undefined }), added: lines, verdicts: fc.array(verdict) })
      .map((one) => ({
        ...one,
        told: [`*** Add File: ${name}`, ...one.added.map((text) => `+${text}`)],
      })),
    fc
      .record({ before: file, verdicts: fc.array(verdict) })
      .map((one) => ({ ...one, told: [`*** Delete File: ${name}`] })),
    fc.record({ of: patched, verdicts: fc.array(verdict), isMoved: fc.boolean() }).map(({ of, verdicts, isMoved }) => {
      const move = isMoved ? [`*** Move to: ${name}-moved`] : [];
      return { before: of.before, verdicts, told: [`*** Update File: ${name}`, ...move, ...of.all.slice(1)] };
    }),
  );

const runs = Number(process.env["PATCHBAY_CODEX_RUNS"] ?? 300);

describe.skipIf(program === undefined)("Codex's own program", () => {
  /** The files after a patch; undefined where it refuses. */
  function applied(text: string, files: Readonly<Record<string, string>>): Record<string, string> | undefined {
    const folder = mkdtempSync(join(tmpdir(), "patchbay-codex-"));
    try {
      symlinkSync(program ?? "", join(folder, "apply_patch"));
      for (const [name, before] of Object.entries(files)) writeFileSync(join(folder, name), before);
      execFileSync(join(folder, "apply_patch"), [text], { cwd: folder, stdio: "ignore" });
      const names = readdirSync(folder).filter((name) => name !== "apply_patch");
      return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
    } catch {
      return undefined;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it("makes of a patch what is shown to the user", () => {
    let compared = 0;
    fc.assert(
      fc.property(patched, ({ before, all }) => {
        const text = patchOf(all);
        // What is not understood is refused.
        const [first, ...others] = readSections(text) ?? [];
        const shown = first && others.length === 0 ? updated(before, first.hunks) : undefined;
        if (shown === undefined) return;
        compared += 1;
        expect(applied(text, { f: before })).toEqual({ f: shown });
      }),
      { numRuns: runs },
    );
    expect(compared).toBeGreaterThan(runs / 8);
  });

  it("makes of a patch that is written anew what the user wants", () => {
    fc.assert(
      fc.property(file, file, (before, wanted) => {
        const anew = linesThatUpdate("f", before, wanted);
        if (anew !== undefined) expect(applied(patchOf(anew), { f: before })).toEqual({ f: wanted });
        const added = linesThatAdd("f", wanted);
        if (added !== undefined) expect(applied(patchOf(added), { f: before })).toEqual({ f: wanted });
      }),
      { numRuns: runs },
    );
  });

  it("makes of a patch of several files what the user made of each of them", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(section("a"), section("b"), section("c"), async (...sections) => {
        const files: Record<string, string> = {};
        for (const [at, { before }] of sections.entries()) if (before !== undefined) files["abc"[at] ?? ""] = before;
        const call = patchCallOf("apply_patch", patchOf(sections.flatMap(({ told }) => told)));
        const verdicts = sections.flatMap(({ verdicts: own }) => own);
        const after: Record<string, string> = { ...files };
        const isGoing = (name: string): boolean => {
          const { told = [] } = sections["abc".indexOf(name)] ?? {};
          return told[0]?.startsWith("*** Delete") === true || told[1]?.startsWith("*** Move") === true;
        };
        const finished = (call?.changes ?? []).map((change, at) => {
          const before = files[change.path];
          const proposed = change.textAfter(before, change.source && files[change.source.path]);
          const end = verdicts[at] ?? { kind: "accept" };
          const wanted = end.kind === "reject" ? undefined : end.kind === "typed" ? end.text : proposed;
          return { change, before, wanted, isAsProposed: wanted === proposed, proposed };
        });
        if (finished.length === 0 || finished.some(({ proposed }) => proposed === undefined)) return;
        if (finished.every(({ wanted }) => wanted === undefined)) return;
        const anew = (await call?.argumentsForAll(finished))?.["command"];
        if (typeof anew !== "string") return;
        for (const { change, wanted } of finished) {
          if (wanted === undefined) continue;
          if (wanted === "" && isGoing(change.path)) delete after[change.path];
          else after[change.path] = wanted;
        }
        compared += 1;
        expect(applied(anew, files)).toEqual(after);
      }),
      { numRuns: runs },
    );
    expect(compared).toBeGreaterThan(runs / 10);
  });
});
