import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNodePlatform, type TurnSource } from "../../../../packages/core/src/index.ts";
import { FolderLedgers } from "../../../../packages/turns/src/index.ts";
import { serveFigures, taken } from "./figures.ts";

// Looks at folders that are larger than usual, or have no git: in each, two turns in which nothing happens.

const filesInLarge = 100_000;
const filesInPlain = 20_000;
const filesInHuge = 1_000_000;

const source: TurnSource = { agent: "claude", agentName: "Claude Code", session: "bench", folder: undefined };

serveFigures(async () => {
  const root = mkdtempSync(join(tmpdir(), "patchbay-bench-looks-"));
  try {
    // What one run leaves behind in memory is not to be counted with the next: the least first.
    const huge = await looksAt(makeHuge(join(root, "huge")), join(root, "of-huge"));
    const plain = await looksAt(makeFiles(join(root, "plain"), filesInPlain), join(root, "of-plain"));
    const large = await looksAt(makeRepository(join(root, "large")), join(root, "of-large"));
    return {
      largeMs: large.laterMs,
      largeBlockedMs: large.blockedMs,
      plainCpuMs: plain.firstCpuMs,
      plainMs: plain.laterMs,
      plainBlockedMs: plain.blockedMs,
      hugeBlockedMs: huge.blockedMs,
      hugeBytes: huge.addedBytes,
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

interface Looks {
  /** Of the processor, for all looks until everything was read that is copied at a turn's begin. */
  readonly firstCpuMs: number;
  /** The longest of those behind. */
  readonly laterMs: number;
  readonly blockedMs: number;
  readonly addedBytes: number;
}

/** Turns in which so many looks at a turn's begin read what they do not get to at once. */
const firstTurns = 6;

async function looksAt(folder: string, storageDirectory: string): Promise<Looks> {
  const ledgers = new FolderLedgers({
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
  await ledgers.settled();
  globalThis.gc?.();
  const before = heldBytes();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, heldBytes());
  }, 5);
  const look = async (tell: () => void): Promise<{ readonly ms: number; readonly blockedMs: number }> =>
    await taken(async () => {
      tell();
      await ledgers.settled();
    });
  const cpu = process.cpuUsage();
  let blockedMs = 0;
  for (let turn = 0; turn < firstTurns; turn += 1) {
    for (const tell of [() => ledgers.turnBegan(source, "nothing"), () => ledgers.turnEnded(source)])
      blockedMs = Math.max(blockedMs, (await look(tell)).blockedMs);
  }
  const { user, system } = process.cpuUsage(cpu);
  let laterMs = 0;
  for (const tell of [() => ledgers.turnBegan(source, "nothing"), () => ledgers.turnEnded(source)]) {
    const { ms, blockedMs: blocked } = await look(tell);
    laterMs = Math.max(laterMs, ms);
    blockedMs = Math.max(blockedMs, blocked);
  }
  clearInterval(watch);
  ledgers.dispose();
  return { firstCpuMs: (user + system) / 1_000, laterMs, blockedMs, addedBytes: peak - before };
}

/** What the process keeps of what it has let go of again does not count: making the files takes more than looking at them. */
function heldBytes(): number {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
}

const directories = 200;

/** About 2 kB, as many files of source code have. */
function makeFiles(folder: string, count: number): string {
  for (let number = 0; number < count; number += 1) {
    const path = join(folder, `directory${number % directories}`, `file${number}.ts`);
    if (number < directories) mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, `export const value = ${number};\n`.repeat(60));
    utimesSync(path, 1_700_000_000, 1_700_000_000);
  }
  return folder;
}

/** All in one commit, with times that lie before that of the index. */
function makeRepository(folder: string): string {
  makeFiles(folder, filesInLarge);
  const own = ["-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "commit.gpgsign=false"];
  for (const given of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-q", "-m", "all"],
  ])
    execFileSync("git", [...own, ...given], { cwd: folder });
  return folder;
}

/** An index of very many files that are not there, looked at from one of its folders: all of it has to be read. */
function makeHuge(top: string): string {
  const folder = join(top, "directory00001");
  mkdirSync(folder, { recursive: true });
  execFileSync("git", ["init", "-q"], { cwd: top });
  const entryBytes = 88;
  const index = Buffer.alloc(12 + filesInHuge * entryBytes + 20);
  index.write("DIRC", "latin1");
  index.writeUInt32BE(2, 4);
  index.writeUInt32BE(filesInHuge, 8);
  for (let number = 0; number < filesInHuge; number += 1) {
    const at = 12 + number * entryBytes;
    const name = `directory${String(Math.floor(number / 1_000)).padStart(5, "0")}/${String(number).padStart(7, "0")}`;
    index.writeUInt32BE(0o100644, at + 24);
    index.writeUInt16BE(name.length, at + 60);
    index.write(name, at + 62, "latin1");
  }
  createHash("sha1")
    .update(index.subarray(0, -20))
    .digest()
    .copy(index, index.length - 20);
  writeFileSync(join(top, ".git", "index"), index);
  return folder;
}
