import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { EditorDriver, EditorId } from "../src/editors/editor-driver.ts";
import type { Case } from "../src/runner/cases.ts";
import type { World } from "../src/scenarios/scenario.ts";

let cache: string;

beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), "patchbay-e2e-test-"));
});

afterAll(async () => {
  await rm(cache, { recursive: true, force: true });
});

/** The run, with what the suite keeps in a folder of this test. */
async function runOf(): Promise<typeof import("../src/runner/run-cases.ts")> {
  vi.resetModules();
  vi.stubEnv("PATCHBAY_E2E_CACHE", cache);
  return await import("../src/runner/run-cases.ts");
}

/** What editors and cases did, in order. */
let log: string[] = [];
let printed: string[] = [];
const print = (text: string): void => void printed.push(text);

beforeEach(() => {
  log = [];
  printed = [];
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** An editor that is nothing but a log. */
function editorOf(id: EditorId): EditorDriver {
  const no = (): never => {
    throw new Error("this editor can do nothing");
  };
  return {
    id,
    displayName: id,
    start: async (lab) => void log.push(`${id} starts in ${lab.root === "" ? "nothing" : "a lab"}`),
    stop: async () => void log.push(`${id} ends`),
    clear: async () => {},
    logs: async () => `the log of ${id}`,
    screenshot: async () => {},
    openTerminal: no,
    openFile: no,
    selectLine: no,
    sendSelection: no,
    openDiffs: no,
    showDiff: no,
    acceptDiff: no,
    rejectDiff: no,
    typeInDiff: no,
    readDiff: no,
    isTerminalFocused: no,
  };
}

function caseOf(id: EditorId, name: string, run: (world: World) => Promise<void>, whyNot?: string): Case {
  return {
    id: `${id}:gemini:${name}`,
    editor: {
      id,
      prerequisites: [],
      whyNot: () => whyNot,
      findPackage: () => "",
      create: () => editorOf(id),
    },
    agent: "gemini",
    scenario: {
      name,
      agents: ["gemini"],
      run: async (world) => {
        log.push(`${id} runs ${name}`);
        await run(world);
      },
    },
  };
}

const passes = async (): Promise<void> => {};
const fails = async (world: World): Promise<void> => {
  world.tell("a hint");
  throw new Error("the file is wrong\nand more");
};
const timeless = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(/\([\d.]+ s\)/, "(t)"));

describe("a run of cases", () => {
  it("has two editors open at once, and the cases of each one after the other", async () => {
    const { runCases } = await runOf();
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const meet = async (): Promise<void> => {
      waiting += 1;
      if (waiting === 2) both.resolve();
      await both.promise;
    };
    const cases = [
      caseOf("vscode", "first", meet),
      caseOf("vscode", "second", passes),
      caseOf("theia", "first", meet),
      caseOf("theia", "second", passes),
    ];
    const totals = await runCases(cases, { lanes: 2, print });
    expect(totals).toMatchObject({ passed: 4, failed: 0, skipped: 0 });
    expect(totals.cases.map(({ id }) => id)).toEqual(cases.map(({ id }) => id));
    for (const id of ["vscode", "theia"])
      expect(log.filter((line) => line.startsWith(id))).toEqual([
        `${id} starts in a lab`,
        `${id} runs first`,
        `${id} runs second`,
        `${id} ends`,
      ]);
  });

  it("ends an editor when its cases are over, while another one goes on", async () => {
    const { runCases } = await runOf();
    const ended = async (): Promise<void> => {
      await expect.poll(() => log).toContain("theia ends");
    };
    const totals = await runCases([caseOf("vscode", "long", ended), caseOf("theia", "short", passes)], {
      lanes: 2,
      print,
    });
    expect(totals).toMatchObject({ passed: 2, failed: 0 });
  });

  it("with one lane ends an editor before it starts the next", async () => {
    const { runCases } = await runOf();
    await runCases([caseOf("vscode", "one", passes), caseOf("theia", "two", passes)], { lanes: 1, print });
    expect(log.map((line) => line.replace(" in a lab", ""))).toEqual([
      "vscode starts",
      "vscode runs one",
      "vscode ends",
      "theia starts",
      "theia runs two",
      "theia ends",
    ]);
  });

  it("says all of a failure in one piece, saves it under the case's own name, and starts the editor anew", async () => {
    const { runCases } = await runOf();
    const cases = [
      caseOf("vscode", "bad", fails),
      caseOf("vscode", "good", passes),
      caseOf("theia", "bad", fails),
      caseOf("coc-vim", "none", passes, "no Vim"),
    ];
    const totals = await runCases(cases, { lanes: 2, print });
    expect(totals).toMatchObject({ passed: 1, failed: 2, skipped: 1 });
    const failures = printed.filter((text) => text.startsWith("FAILED"));
    expect(failures).toHaveLength(2);
    for (const text of failures) {
      const editor = text.includes("vscode") ? "vscode" : "theia";
      const lines = text.split("\n");
      expect(timeless(lines)[0]).toBe(`FAILED   ${editor}:gemini:bad (t): the file is wrong`);
      expect(lines).toContain("  a hint");
      expect(text).toContain(`${editor}-gemini-bad/error.txt`);
      expect(text).toContain(`the log of ${editor}`);
    }
    expect(timeless(printed.filter((text) => !text.startsWith("FAILED"))).toSorted()).toEqual([
      "passed   vscode:gemini:good (t)",
      "skipped  coc-vim:gemini:none: no Vim",
    ]);
    expect(log.filter((line) => line === "vscode starts in a lab")).toHaveLength(2);
  });

  it("holds the machine from its first editor to its last, once for all lanes", async () => {
    const { runCases } = await runOf();
    const lock = join(cache, "running.lock");
    const seen: boolean[] = [];
    const look = async (): Promise<void> => void seen.push(existsSync(lock));
    const cases = [caseOf("vscode", "a", look), caseOf("theia", "b", look), caseOf("coc-vim", "c", look)];
    await runCases(cases, { lanes: 2, print });
    expect(seen).toEqual([true, true, true]);
    expect(existsSync(lock)).toBe(false);
    expect(await readdir(join(cache, "labs"))).toEqual([]);
    expect(printed.filter((line) => line.startsWith("waiting"))).toEqual([]);
  });
});
