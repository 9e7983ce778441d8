import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claimFile, type RecordMarker, releaseClaim } from "../../src/storage/claim.ts";
import type { Files, Platform } from "../../src/platform/platform.ts";
import { makeTemporaryMachine } from "./temporary-machine.ts";

const ended = 4_000_001;

interface Machine {
  readonly path: string;
  /** Takes the claim as a run with this process id. `before` runs before each of its steps on the disk. */
  claim(pid: number, before?: (step: number) => Promise<void>): Promise<string | undefined>;
  platformOf(pid: number, before?: (step: number) => Promise<void>): Platform;
  /** Names beside the claim. */
  names(): readonly string[];
}

function makeMachine(): Machine {
  const { platform, home } = makeTemporaryMachine();
  const path = join(home, "run.claim");
  const platformOf: Machine["platformOf"] = (pid, before) => {
    const { files } = platform;
    let step = 0;
    const stepping =
      <Arguments extends readonly unknown[], Result>(work: (...values: Arguments) => Promise<Result>) =>
      async (...values: Arguments): Promise<Result> => {
        step += 1;
        await before?.(step);
        return await work(...values);
      };
    const stepped: Files = {
      ...files,
      lstat: stepping(files.lstat),
      readText: stepping(files.readText),
      createExclusive: stepping(files.createExclusive),
      remove: stepping(files.remove),
    };
    return {
      ...platform,
      files: stepped,
      process: {
        ...platform.process,
        pid,
        isAlive: (other) => other < ended,
        startMark: async (one) => `start ${one}`,
      },
    };
  };
  const markerOf = (pid: number): RecordMarker => ({ pid, start: `start ${pid}` });
  return {
    path,
    platformOf,
    claim: (pid, before) => claimFile(platformOf(pid, before), path, markerOf(pid)),
    names: () => readdirSync(home),
  };
}

/** Leaves what a run did that was killed. */
const leave = (path: string, marker: RecordMarker): void => writeFileSync(path, JSON.stringify({ patchbay: marker }));

describe("a claim", () => {
  it("of a run that has ended goes to one run, wherever another one comes in between", async () => {
    for (let pause = 1; ; pause += 1) {
      const machine = makeMachine();
      leave(machine.path, { pid: ended });
      let other: string | undefined;
      let isPast = true;
      const first = await machine.claim(1, async (step) => {
        if (step !== pause) return;
        isPast = false;
        other = await machine.claim(2);
      });
      if (isPast) {
        expect(pause).toBeGreaterThan(5);
        break;
      }
      const won = [first, other].filter((text) => text !== undefined);
      expect(won, `the other one before step ${pause}`).toHaveLength(1);
      expect(readFileSync(machine.path, "utf8")).toBe(won[0]);
      expect(machine.names()).toEqual(["run.claim"]);
    }
  });

  it("goes to one of many runs that start at once", async () => {
    for (let round = 0; round < 20; round += 1) {
      const machine = makeMachine();
      leave(machine.path, { pid: ended });
      const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
      const claims = await Promise.all(Array.from({ length: 8 }, (_, index) => machine.claim(index + 1, turn)));
      expect(claims.filter((text) => text !== undefined)).toHaveLength(1);
      expect(machine.names()).toEqual(["run.claim"]);
    }
  });

  it("of a run whose process id another process has by now is one of a run that has ended", async () => {
    const machine = makeMachine();
    leave(machine.path, { pid: 7, start: "start of an earlier process" });
    expect(await machine.claim(1)).toBeDefined();
    expect(await machine.claim(7)).toBeUndefined();
  });

  it("is not out of reach for good where a run was killed while it took it over", async () => {
    for (let killed = 1; killed <= 6; killed += 1) {
      const machine = makeMachine();
      leave(machine.path, { pid: ended });
      const never = new Promise<void>(() => {});
      let isKilled: () => void = () => {};
      const died = new Promise<void>((resolve) => (isKilled = resolve));
      void machine.claim(ended + killed, (step) => {
        if (step < killed) return Promise.resolve();
        isKilled();
        return never;
      });
      await died;
      expect(await machine.claim(1), `killed before step ${killed}`).toBeDefined();
    }
  });

  it("that is given back leaves nothing, and never takes away that of a later process of the same editor", async () => {
    const machine = makeMachine();
    const marker = { pid: 1, start: "start 1", editor: "window" };
    const text = await claimFile(machine.platformOf(1), machine.path, marker);
    if (text === undefined) throw new Error("no claim");
    let later: string | undefined;
    const takeOver = async (step: number): Promise<void> => {
      if (step === 3) later = await claimFile(machine.platformOf(2), machine.path, { ...marker, pid: 2 });
    };
    await releaseClaim(machine.platformOf(1, takeOver), machine.path, text);
    // Either the earlier one was first, and the later one finds nothing to take over yet, or the other way round.
    if (later !== undefined) expect(readFileSync(machine.path, "utf8")).toBe(later);
    expect(await claimFile(machine.platformOf(2), machine.path, { ...marker, pid: 2 })).toBeDefined();
    expect(machine.names()).toEqual(["run.claim"]);
  });

  it("that has no text yet is left alone for some seconds", async () => {
    const machine = makeMachine();
    writeFileSync(machine.path, "");
    expect(await machine.claim(1)).toBeUndefined();
    const old = Date.now() / 1_000 - 10;
    utimesSync(machine.path, old, old);
    expect(await machine.claim(1)).toBeDefined();
  });

  it("without a text is nobody's also where the clock was set back since", async () => {
    const machine = makeMachine();
    writeFileSync(machine.path, "");
    const later = Date.now() / 1_000 + 3_600;
    utimesSync(machine.path, later, later);
    expect(await machine.claim(1)).toBeDefined();
  });
});
