import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { FolderLedgers } from "../src/folder-ledgers.ts";
import { claude, gemini, TurnLab } from "./turn-lab.ts";

const names = ["a.txt", "b.txt", "Case.txt", "dir/c.txt", "dir/d.txt"] as const;
const name = fc.constantFrom(...names);
const text = fc.constantFrom("", "1\n2\n3\n", "1\n2\n3\n4\n5\n", "one\r\ntwo\r\n", "\ufeffmark\n", "no end");
const source = fc.constantFrom(claude, gemini);

const step = fc.oneof(
  fc.record({ kind: fc.constant("told" as const), name, text, source }),
  fc.record({ kind: fc.constant("shell" as const), name, text, source }),
  fc.record({ kind: fc.constant("remove" as const), name, source }),
  fc.record({ kind: fc.constant("rename" as const), name, source }),
  fc.record({ kind: fc.constant("typed" as const), name, text }),
  fc.record({ kind: fc.constant("stage" as const) }),
  fc.record({ kind: fc.constant("jump" as const), ms: fc.integer({ min: -1e10, max: 1e10 }) }),
  fc.record({ kind: fc.constant("reload" as const) }),
);

/** What an agent, the user and git may do within a turn, in any order. */
it("knows of each file what it was when the turn began and is at its end, whoever did what", async () => {
  const lab = new TurnLab();
  lab.commit({ "a.txt": "1\n2\n3\n", "dir/c.txt": "one\r\ntwo\r\n", ".gitattributes": "* -text\n" });
  const onDisk = (path: string): string | undefined => lab.read(path);
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      runs += 1;
      const open = (): FolderLedgers => lab.open({ storageDirectory: `${lab.storage}-${runs}` });
      let ledgers = open();
      ledgers.turnBegan(claude, "random");
      await ledgers.settled();
      const before = new Map(names.map((one) => [one, onDisk(one)]));
      let hasUser = false;
      let isPartlyUnseen = false;
      const touchedByAgent = new Set<string>();
      for (const one of steps) {
        switch (one.kind) {
          case "told":
            touchedByAgent.add(one.name);
            await lab.told(ledgers, one.name, one.text, claude);
            break;
          case "shell":
          case "remove":
          case "rename": {
            ledgers.aboutToRun(claude, "x");
            await ledgers.settled();
            if (one.kind === "shell") lab.write(one.name, one.text);
            else if (one.kind === "remove") rmSync(lab.path(one.name), { force: true });
            else if (existsSync(lab.path(one.name))) renameSync(lab.path(one.name), lab.path(one.name.toLowerCase()));
            ledgers.wrote(claude);
            await ledgers.settled();
            break;
          }
          case "typed":
            hasUser = true;
            ledgers.touched(lab.path(one.name));
            lab.write(one.name, one.text);
            break;
          case "stage":
            lab.git("add", "-A");
            break;
          case "jump":
            lab.clock.jump(one.ms);
            break;
          case "reload":
            isPartlyUnseen = true;
            ledgers.dispose();
            ledgers = open();
            await ledgers.settled();
        }
      }
      ledgers.turnEnded(claude);
      await ledgers.settled();
      const turn = ledgers.turns().find(({ prompt, undoes }) => prompt === "random" && undoes === undefined);
      for (const path of names) {
        const is = (name: string | undefined): boolean => name === lab.path(path);
        const file = turn?.files.find((one) => is(one.path) || is(one.movedFrom));
        const isOldName = is(file?.movedFrom);
        // Nothing is invented: what is told of a file is what stands there, or it stands as it was.
        if (file !== undefined && !hasUser) {
          expect(isOldName ? undefined : await ledgers.afterText(turn?.id ?? "", file.path)).toBe(onDisk(path));
        }
        if (hasUser || isPartlyUnseen) continue;
        expect(file !== undefined).toBe(before.get(path) !== onDisk(path));
        if (file === undefined) continue;
        const isNewName = file.movedFrom !== undefined && !isOldName;
        expect(isNewName ? undefined : await ledgers.beforeText(turn?.id ?? "", file.path)).toBe(before.get(path));
        expect(file.attribution).not.toBe("unknown");
      }
      if (turn?.ended !== undefined) expect(turn.ended).toBeGreaterThanOrEqual(turn.began);
      ledgers.dispose();
    }),
    { numRuns: 60 },
  );
  expect(readFileSync(lab.path(".git/HEAD"), "utf8")).toBe("ref: refs/heads/main\n");
});
