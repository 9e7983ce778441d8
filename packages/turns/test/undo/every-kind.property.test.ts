import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { TurnInfo } from "../../src/model.ts";
import { TurnLab } from "../turn-lab.ts";

const names = ["a.txt", "b.bin", "c", "c/d.txt", "c/e/f.bin", "run.sh"] as const;
const name = fc.constantFrom(...names);
const form = fc.constantFrom("text", "binary", "Latin-1", "UTF-16", "link", "executable", "empty");

const change = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("write" as const), name, form }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("rename" as const), name, to: name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("chmod" as const), name }) },
);

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("agent" as const),
      work: fc.array(change, { minLength: 1, maxLength: 5, size: "max" }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("user" as const), name, form }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("undo" as const),
      turn: fc.constantFrom(0, 0, 1, 2),
      name: fc.option(name, { freq: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("redo" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
);

type Form = typeof form extends fc.Arbitrary<infer T> ? T : never;

/** Undefined where there is nothing, or a file where a folder would have to be. */
function at(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function put(path: string, as: Form, seed: number): void {
  for (let above = dirname(path); at(above)?.isDirectory() !== true; above = dirname(above)) {
    if (at(above) !== undefined) rmSync(above);
  }
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  const text = `first ${seed}\nsecond ${seed}\n`;
  if (as === "link") symlinkSync(`target-${seed}`, path);
  else if (as === "binary") writeFileSync(path, Buffer.from([0, 1, 2, 255, seed % 256, seed >> 8]));
  else if (as === "Latin-1") writeFileSync(path, Buffer.from(`caf\xe9 ${text}`, "latin1"));
  else if (as === "UTF-16") writeFileSync(path, Buffer.from(`\ufeff${text}`, "utf16le"));
  else writeFileSync(path, as === "empty" ? "" : text, { mode: as === "executable" ? 0o755 : 0o644 });
}

function held(path: string): string | undefined {
  const facts = at(path);
  if (facts === undefined || facts.isDirectory()) return undefined;
  if (facts.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  return `${(facts.mode & 0o777).toString(8)} ${readFileSync(path).toString("base64")}`;
}

function treeOf(folder: string): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isDirectory() && !path.startsWith(join(folder, ".git"))) found.set(path, held(path));
  }
  return found;
}

/**
 * Agents that do anything to files of every kind, and a user who writes whole files between their turns: no undo and no redo touches what
 * the user wrote last, and the undo of a turn after which nothing happened leaves everything as it was before.
 */
it.each([
  { where: "in a repository", hasGit: true },
  { where: "without git", hasGit: false },
])(
  "of files of every kind takes back all that a turn did, and nothing that the user wrote since, $where",
  {
    timeout: 300_000,
  },
  async ({ hasGit }) => {
    const lab = new TurnLab();
    const begin = (): void => {
      lab.write("a.txt", "one\ntwo\n");
      lab.write("c/d.txt", "one\n");
      lab.write("run.sh", "#!/bin/sh\n");
      put(lab.path("b.bin"), "binary", 1);
    };
    begin();
    if (hasGit) lab.commit({});
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14, size: "max" }), async (steps) => {
        runs += 1;
        for (const entry of readdirSync(lab.folder)) {
          if (entry !== ".git") rmSync(join(lab.folder, entry), { recursive: true });
        }
        if (hasGit) lab.git("checkout", "-q", "-f", ".");
        else begin();
        const index = hasGit ? readFileSync(lab.path(".git/index")) : undefined;
        const open = () => lab.open({ storageDirectory: `${lab.storage}-${runs}`, door: lab.disk });
        let ledgers = open();
        /** What the user wrote last, and nobody since. */
        const mine = new Map<string, string | undefined>();
        /** Before the newest turn, as long as nothing happened since. */
        let fresh: { readonly id: string; readonly tree: ReadonlyMap<string, string | undefined> } | undefined;
        /** Permissions that a turn changed are taken back also where the user has written the file anew: its bytes are theirs. */
        const allowModes = ({ files }: TurnInfo): void => {
          for (const { path, mode } of files) {
            const [was, now] = [mine.get(path)?.split(" "), held(path)];
            if (mode !== undefined && now === `${mode.before.toString(8)} ${was?.[1]}`) mine.set(path, now);
          }
        };
        let seed = 1;
        for (const one of steps) {
          seed += 1;
          switch (one.kind) {
            case "agent": {
              const tree = treeOf(lab.folder);
              const known = new Set(ledgers.turns().map(({ id }) => id));
              await lab.command(ledgers, () => {
                for (const [number, each] of one.work.entries()) {
                  const path = lab.path(each.name);
                  if (each.kind === "write") put(path, each.form, seed * 100 + number);
                  else if (at(path) === undefined) continue;
                  else if (each.kind === "remove") rmSync(path, { recursive: true });
                  else if (each.kind === "chmod") {
                    if (at(path)?.isFile() === true) chmodSync(path, 0o700);
                  } else {
                    const to = lab.path(each.to);
                    const isFree = at(to) === undefined && at(dirname(to))?.isDirectory() === true;
                    if (isFree && !to.startsWith(`${path}/`)) renameSync(path, to);
                  }
                }
              });
              const turn = ledgers.turns().find(({ id }) => !known.has(id));
              const now = treeOf(lab.folder);
              for (const path of mine.keys()) if (now.get(path) !== mine.get(path)) mine.delete(path);
              fresh = turn === undefined ? undefined : { id: turn.id, tree };
              break;
            }
            case "user": {
              const path = lab.path(one.name);
              put(path, one.form, seed * 100);
              const now = treeOf(lab.folder);
              for (const other of mine.keys()) if (now.get(other) !== mine.get(other)) mine.delete(other);
              // Of an empty file there is nothing to lose.
              if (one.form !== "empty") mine.set(path, held(path));
              fresh = undefined;
              break;
            }
            case "undo": {
              const turn = ledgers.turns()[one.turn % Math.max(1, ledgers.turns().length)];
              if (turn === undefined) break;
              const { files } = await ledgers.undo(turn.id, one.name === null ? {} : { path: lab.path(one.name) });
              allowModes(turn);
              if (one.name === null && fresh?.id === turn.id) {
                expect(files.map(({ outcome }) => outcome)).toEqual(files.map(() => "undone"));
                expect(treeOf(lab.folder)).toEqual(fresh.tree);
              }
              fresh = undefined;
              break;
            }
            case "redo": {
              const undo = ledgers.lastUndo();
              if (undo !== undefined) {
                await ledgers.undo(undo.id);
                allowModes(undo);
              }
              fresh = undefined;
              break;
            }
            case "restart":
              ledgers.dispose();
              ledgers = open();
              await ledgers.settled();
          }
          for (const [path, content] of mine) expect(`${path} ${held(path)}`).toBe(`${path} ${content}`);
        }
        if (index !== undefined) expect(readFileSync(lab.path(".git/index"))).toEqual(index);
        ledgers.dispose();
      }),
      { numRuns: Number(process.env["RUNS"] ?? 40) },
    );
  },
);
