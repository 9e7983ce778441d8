import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSections, updated } from "../../src/agents/codex/apply-patch.ts";
import { linesThatAdd, linesThatUpdate, patchOf } from "../../src/agents/codex/patch-writing.ts";

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

const mark = fc.constantFrom(" ", "-", "+", " ", "");
const hunk = fc
  .tuple(fc.constantFrom("@@", "@@ a", "@@ b", ""), fc.array(fc.tuple(mark, line), { maxLength: 5 }), fc.nat(9))
  .map(([head, all, end]) => [
    ...(head === "" ? [] : [head]),
    ...all.map(([sign, text]) => sign + text),
    ...(end === 0 ? ["*** End of File"] : []),
  ]);
const patch = fc.array(hunk, { maxLength: 3 }).map((hunks) => ["*** Update File: f", ...hunks.flat()]);

describe.skipIf(program === undefined)("Codex's own program", () => {
  /** Undefined where it refuses. */
  function applied(text: string, before: string | undefined): string | undefined {
    const folder = mkdtempSync(join(tmpdir(), "patchbay-codex-"));
    try {
      symlinkSync(program ?? "", join(folder, "apply_patch"));
      if (before !== undefined) writeFileSync(join(folder, "f"), before);
      execFileSync(join(folder, "apply_patch"), [text], { cwd: folder, stdio: "ignore" });
      return readFileSync(join(folder, "f"), "utf8");
    } catch {
      return undefined;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it("makes of a patch what is shown to the user", () => {
    fc.assert(
      fc.property(patch, file, (all, before) => {
        const text = patchOf(all);
        const sections = readSections(text);
        // What is not understood is refused.
        if (sections === undefined) return;
        const [section] = sections;
        const shown = section && sections.length === 1 ? updated(before, section.hunks) : undefined;
        if (shown !== undefined) expect(applied(text, before)).toBe(shown);
      }),
      { numRuns: Number(process.env["PATCHBAY_CODEX_RUNS"] ?? 300) },
    );
  });

  it("makes of a patch that is written anew what the user wants", () => {
    fc.assert(
      fc.property(file, file, (before, wanted) => {
        const anew = linesThatUpdate("f", before, wanted);
        if (anew !== undefined) expect(applied(patchOf(anew), before)).toBe(wanted);
        const added = linesThatAdd("f", wanted);
        if (added !== undefined) expect(applied(patchOf(added), before)).toBe(wanted);
      }),
      { numRuns: Number(process.env["PATCHBAY_CODEX_RUNS"] ?? 300) },
    );
  });
});
