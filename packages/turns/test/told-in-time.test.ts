import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createNodePlatform } from "@patchbay/core";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { FolderLedgers } from "../src/folder-ledgers.ts";
import { Observer, type ObserverOptions } from "../src/ledger/observer.ts";
import { claude, gemini, TurnLab } from "./turn-lab.ts";

/** No look waits longer than this for the one before, ms. */
const soonMs = 2_000;

function names(lab: TurnLab, ledgers: FolderLedgers): readonly string[] {
  return ledgers.turns().flatMap((turn) => lab.files(turn));
}

describe("after a command", () => {
  it("a look begins in time, however soon after the last one, and however many run", async () => {
    const step = fc.record({
      who: fc.nat(2),
      kind: fc.constantFrom("run" as const, "ended" as const),
      waitMs: fc.nat(3_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.nat(400), async (steps, lastMs) => {
        const lab = new TurnLab();
        const looks: number[] = [];
        const waiting: (() => Promise<void>)[] = [];
        let order = 0;
        const turnOf = (session: string): unknown => ({
          id: session,
          pending: new Map(),
          files: new Map(),
          git: [],
          border: "exact",
        });
        const observer = new Observer({
          clock: lab.clock,
          quietMs: 1_000_000,
          isVisitor: false,
          later: (work: () => Promise<void>) => waiting.push(work),
          onDidEnd: () => {},
          contents: {},
          book: {
            all: [],
            open: async ({ session }: { readonly session: string }) => turnOf(session),
            write: async () => {},
            refresh: async () => {},
            pair: async () => {},
            together: async (work: () => Promise<void>) => await work(),
          },
          eyes: {
            lastMs,
            forget: () => {},
            look: async () => {
              looks.push((order += 1));
              return { changes: [], headMoved: false, git: [], isPartial: false };
            },
          },
        } as unknown as ObserverOptions);
        onTestFinished(() => observer.dispose());
        const open = [0, 0, 0];
        let lastEnd = 0;
        const pass = async (ms: number): Promise<void> => {
          lab.clock.advance(ms);
          for (const work of waiting.splice(0)) await work();
        };
        for (const { who, kind, waitMs } of steps) {
          const source = { ...claude, session: `s${who}` };
          if (open.every((count) => count === 0) && kind === "ended") continue;
          if (kind === "run") {
            await observer.began(source, open[who] === 0 ? "" : " ");
            await observer.aboutToRun(source);
            open[who] = (open[who] ?? 0) + 1;
          } else if ((open[who] ?? 0) > 0) {
            open[who] = (open[who] ?? 0) - 1;
            lastEnd = order += 1;
            await observer.wrote(source);
          }
          await pass(waitMs);
        }
        await pass(soonMs);
        if (lastEnd > 0) expect(Math.max(0, ...looks)).toBeGreaterThan(lastEnd);
        observer.dispose();
      }),
      { numRuns: 200 },
    );
  });

  it("what it changed is listed before the turn ends, time after time", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "0\n" });
    // How long looks take, and so when the next one is due, only a real clock tells.
    const ledgers = lab.open({ platform: createNodePlatform() });
    ledgers.turnBegan(claude, "Do it");
    for (let round = 1; round <= 25; round += 1) {
      ledgers.aboutToRun(claude, "something");
      await ledgers.settled();
      lab.write(`new${round}.txt`, `${round}\n`);
      ledgers.wrote(claude);
      await expect.poll(() => names(lab, ledgers)).toContain(`new${round}.txt created likely`);
    }
  });

  it("a look is for every session whose command ends, not only for the first", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "0\n" });
    const ledgers = lab.open();
    for (const source of [claude, gemini]) ledgers.turnBegan(source, "Do it");
    for (const source of [claude, gemini]) ledgers.aboutToRun(source, "something");
    ledgers.wrote(claude);
    await ledgers.settled();
    lab.clock.advance(soonMs);
    await ledgers.settled();
    lab.write("late.txt", "late\n");
    ledgers.wrote(gemini);
    await ledgers.settled();
    lab.clock.advance(soonMs);
    await ledgers.settled();
    const turn = ledgers.turns().find(({ files }) => files.length > 0);
    expect(lab.files(turn)).toEqual(["late.txt created likely"]);
    expect(turn?.agents).toEqual(["Gemini CLI"]);
  });

  it("two sessions of one agent are both named where nobody can tell which one it was", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "0\n" });
    const ledgers = lab.open();
    const other = { ...claude, session: "s2" };
    ledgers.turnBegan(claude, "Fix the tests");
    ledgers.turnBegan(other, "Write the docs");
    ledgers.aboutToRun(claude, "x");
    ledgers.aboutToRun(other, "y");
    await ledgers.settled();
    lab.write("a.txt", "who?\n");
    ledgers.wrote(claude);
    ledgers.turnEnded(claude);
    ledgers.turnEnded(other);
    await ledgers.settled();
    expect(ledgers.turns().map(({ agents }) => agents)).toEqual([["Claude Code", "Claude Code (Write the docs)"]]);
  });
});

/** The user's git takes its time. */
function slowGit(lab: TurnLab): void {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  lab.write("../bin/git", `#!/bin/sh\nsleep 3\nexec '${real}' "$@"\n`);
  chmodSync(join(lab.root, "bin", "git"), 0o755);
  vi.stubEnv("PATH", `${join(lab.root, "bin")}:${process.env["PATH"] ?? ""}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe("while a look takes seconds", () => {
  it("what an agent is about to write is in hand at once, and its writes are entered in order", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    slowGit(lab);
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "Do it");
    for (const text of ["two\n", "three\n"]) {
      ledgers.aboutToWrite(claude, [{ path: lab.path("a.txt") }]);
      ledgers.accepted(claude, lab.path("a.txt"), text);
      const ready = ledgers.ready();
      await expect.poll(() => (lab.clock.advance(10), settledOf(ready))).toBe(true);
      // The look has not ended: the turn has no files, and the agent goes on.
      expect(names(lab, ledgers)).toEqual([]);
      lab.write("a.txt", text);
      ledgers.wrote(claude);
    }
    ledgers.turnEnded(claude);
    await ledgers.settled();
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual(["a.txt changed exact"]);
    expect(await ledgers.afterText(turn?.id ?? "", lab.path("a.txt"))).toBe("three\n");
    await ledgers.undo(turn?.id ?? "");
    expect(readFileSync(lab.path("a.txt"), "utf8")).toBe("one\n");
  });
});

async function settledOf(work: Promise<void>): Promise<boolean> {
  return await Promise.race([work.then(() => true), new Promise<boolean>((no) => setImmediate(() => no(false)))]);
}
