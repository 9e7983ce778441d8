import { createNodePlatform } from "@patchbay/core";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { FolderLedgers } from "../../src/folder-ledgers.ts";
import type { UndoResult } from "../../src/model.ts";
import { createDiskDoor } from "../../src/undo/disk-door.ts";
import { claude, TurnLab } from "../turn-lab.ts";

const names = ["a.txt", "b.txt"] as const;
const name = fc.constantFrom(...names);
const window = fc.constantFrom(0, 1);

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("agent" as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("end" as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("user" as const), name }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("undo" as const),
      window,
      turn: fc.nat(3),
      name: fc.option(name, { nil: undefined }),
      now: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("keep" as const), window, turn: fc.nat(3), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const), window }) },
  /** The next steps do not wait for those before. */
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("wait" as const) }) },
);

const lines = (text: string | undefined): readonly string[] => (text ?? "").split("\n").filter((line) => line !== "");

/**
 * An agent, its user and two windows (an editor and the command line, say) that keep and undo at once. Each line says whose it is: what
 * the user wrote stays, however often it was undone around it; and nobody invents a line, or has one twice.
 */
it("of what agents changed lose no line of the user's, whoever undoes what at the same time", {
  timeout: 300_000,
}, async () => {
  const lab = new TurnLab();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      runs += 1;
      const door = createDiskDoor({ platform: createNodePlatform(), folders: [lab.folder] });
      const open = (): FolderLedgers => lab.open({ storageDirectory: `${lab.storage}-${runs}`, door });
      for (const one of names) lab.write(one, "first\nmiddle\nlast\n");
      const windows: [FolderLedgers, FolderLedgers] = [open(), open()];
      await Promise.all(windows.map(async (one) => await one.settled()));
      const mine = new Map<string, string[]>(names.map((one) => [one, []]));
      const [agents, results]: [string[], Promise<UndoResult>[]] = [[], []];
      let running: Promise<unknown>[] = [];
      const atRest = async (): Promise<void> => {
        await Promise.all(running);
        running = [];
        for (const one of windows) await one.settled();
      };
      windows[0].turnBegan(claude, "random");
      await windows[0].settled();
      let count = 0;
      for (const one of steps) {
        count += 1;
        const turnOf = (from: FolderLedgers, at: number): string => from.turns()[at]?.id ?? "";
        switch (one.kind) {
          case "agent": {
            // A tool of the agent's reads, and writes what it read with its own line; nobody writes in between.
            await atRest();
            const now = lines(lab.read(one.name));
            const line = `agent ${count}`;
            agents.push(line);
            await lab.told(windows[0], one.name, [...now.slice(0, 1), line, ...now.slice(1), ""].join("\n"));
            break;
          }
          case "end":
            windows[0].turnEnded(claude);
            windows[0].turnBegan(claude, `random ${count}`);
            break;
          case "user": {
            await atRest();
            const line = `user ${count}`;
            mine.get(one.name)?.push(line);
            for (const each of windows) each.touched(lab.path(one.name));
            lab.write(one.name, [...lines(lab.read(one.name)), line, ""].join("\n"));
            break;
          }
          case "undo": {
            const from = windows[one.window === 0 ? 0 : 1];
            const path = one.name === undefined ? {} : { path: lab.path(one.name) };
            const result = from.undo(turnOf(from, one.turn), { ...path, now: one.now });
            results.push(result);
            running.push(result);
            break;
          }
          case "keep": {
            const from = windows[one.window === 0 ? 0 : 1];
            running.push(from.keep(turnOf(from, one.turn), lab.path(one.name)));
            break;
          }
          case "kill": {
            await atRest();
            const at = one.window === 0 ? 0 : 1;
            windows[at].dispose();
            windows[at] = open();
            await windows[at].settled();
            break;
          }
          case "wait":
            await atRest();
        }
      }
      windows[0].turnEnded(claude);
      await atRest();
      for (const one of names) {
        const now = lines(lab.read(one));
        const known = new Set(["first", "middle", "last", ...agents, ...(mine.get(one) ?? [])]);
        expect(now.filter((line) => !known.has(line))).toEqual([]);
        expect(new Set(now).size).toBe(now.length);
        expect(now.filter((line) => line.startsWith("user"))).toEqual(mine.get(one));
        for (const line of ["first", "middle", "last"]) expect(now).toContain(line);
      }
      for (const result of results) {
        for (const { outcome } of (await result).files) expect(outcome).not.toBe("failed");
      }
      for (const one of windows) one.dispose();
    }),
    { numRuns: Number(process.env["RUNS"] ?? 40) },
  );
});
