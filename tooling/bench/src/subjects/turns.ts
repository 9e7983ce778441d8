import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNodePlatform, type TurnSource } from "../../../../packages/core/src/index.ts";
import { FolderLedgers } from "../../../../packages/turns/src/index.ts";
import { median } from "../rows/row.ts";
import { serveFigures, type Taken, taken } from "./figures.ts";

// The ledger of turns on a real repository, with the machine's own git.

const filesInFolder = 20_000;
const filesInTurn = 2_000;
const smallTurns = 200;
const filesInSmallTurn = 10;

const source: TurnSource = { agent: "claude", agentName: "Claude Code", session: "bench", folder: undefined };

serveFigures(async () => {
  const root = mkdtempSync(join(tmpdir(), "patchbay-bench-turns-"));
  try {
    return await figuresIn(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

async function figuresIn(root: string): Promise<Readonly<Record<string, number>>> {
  const [folder, storage] = [join(root, "work"), join(root, "storage")];
  makeRepository(folder);
  mkdirSync(storage, { mode: 0o700 });
  const ledgers = open(folder, storage);
  await ledgers.settled();
  const begin = await told(ledgers, () => ledgers.turnBegan(source, "nothing"));
  const end = await told(ledgers, () => ledgers.turnEnded(source));

  await told(ledgers, () => ledgers.turnBegan(source, "many"));
  ledgers.aboutToRun(source, "a command");
  await ledgers.settled();
  for (let number = 0; number < filesInTurn; number += 1) writeFileSync(pathOf(folder, number), textOf(number, "is"));
  const many = await told(ledgers, () => ledgers.turnEnded(source));
  const bytesOfMany = bytesBelow(storage);
  if (ledgers.turns()[0]?.files.length !== filesInTurn) throw new Error("Not every file of the turn was found.");

  ledgers.dispose();

  // Beside the large folder: a turn in it would cost its looks again.
  const small = join(root, "small");
  mkdirSync(small);
  const others = open(small, storage);
  const before: number[] = [];
  for (let turn = 0; turn < smallTurns; turn += 1) {
    others.turnBegan(source, `turn ${turn}`);
    await others.settled();
    for (let number = 0; number < filesInSmallTurn; number += 1) {
      const path = join(small, `file${number}.ts`);
      const began = performance.now();
      others.aboutToWrite(source, [{ path }]);
      await others.ready();
      before.push(performance.now() - began);
      writeFileSync(path, textOf(number, `of turn ${turn}`));
      others.wrote(source);
    }
    others.turnEnded(source);
    await others.settled();
  }
  const bytesOfSmall = bytesBelow(storage) - bytesOfMany;
  others.dispose();

  const again = open(folder, storage);
  const list = await taken(async () => {
    await again.settled();
    if (again.turns().length !== smallTurns + 1) throw new Error("Not every turn was found again.");
  });
  again.dispose();
  return {
    beginMs: begin.ms,
    beginBlockedMs: begin.blockedMs,
    endMs: end.ms,
    endBlockedMs: end.blockedMs,
    manyMs: many.ms,
    manyBlockedMs: many.blockedMs,
    beforeMs: median(before),
    listMs: list.ms,
    listBlockedMs: list.blockedMs,
    manyBytes: bytesOfMany,
    smallBytes: bytesOfSmall / smallTurns,
  };
}

async function told(ledgers: FolderLedgers, tell: () => void): Promise<Taken> {
  return await taken(async () => {
    tell();
    await ledgers.settled();
  });
}

function open(folder: string, storageDirectory: string): FolderLedgers {
  return new FolderLedgers({
    platform: createNodePlatform(),
    storageDirectory,
    folders: [folder],
    mayKeep: () => true,
    door: {
      unsavedText: async () => undefined,
      replace: async () => "stale",
      remove: async () => false,
      restore: async () => "stale",
      removeEmpty: async () => {},
    },
  });
}

/** All in one commit, with times that lie before that of the index. */
function makeRepository(folder: string): void {
  for (let number = 0; number < filesInFolder; number += 1) {
    const path = pathOf(folder, number);
    if (number < directories) mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, textOf(number, "was"));
    utimesSync(path, 1_700_000_000, 1_700_000_000);
  }
  const own = ["-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "commit.gpgsign=false"];
  for (const given of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-q", "-m", "all"],
  ])
    execFileSync("git", [...own, ...given], { cwd: folder });
}

const directories = 200;

function pathOf(folder: string, number: number): string {
  return join(folder, `directory${number % directories}`, `file${number}.ts`);
}

/** About 2 kB, as many files of source code have. */
function textOf(number: number, word: string): string {
  return Array.from({ length: 50 }, (_, line) => `export const value${line} = ${number}; // ${word} here`).join("\n");
}

function bytesBelow(directory: string): number {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(directory, name)))
    .reduce((sum, facts) => sum + (facts.isFile() ? facts.size : 0), 0);
}
