import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import process from "node:process";
import { createNodePlatform } from "@patchbay/core";
import { FolderLedgers } from "../../src/folder-ledgers.ts";

/** How long a turn's looks take, and how long they block: `node --conditions=@patchbay/source packages/turns/test/bench/look-bench.ts [files]`. */
const count = Number(process.argv[2] ?? 20_000);
const root = mkdtempSync(join(tmpdir(), "look-bench-"));
try {
  const folder = join(root, "work");
  for (let number = 0; number < count; number += 1) {
    const directory = join(folder, `d${number % 200}`);
    if (number < 200) mkdirSync(directory, { recursive: true });
    const path = join(directory, `file${number}.ts`);
    writeFileSync(path, `export const value = ${number};\n`);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
  }
  const git = (...given: readonly string[]): void => {
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...given], { cwd: folder });
  };
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "all");
  const ledgers = new FolderLedgers({
    platform: createNodePlatform(),
    storageDirectory: join(root, "storage"),
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
  const source = { agent: "claude", agentName: "Claude Code", session: "s", folder };
  const measure = async (name: string, work: () => void): Promise<void> => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const begun = performance.now();
    const cpu = process.cpuUsage();
    work();
    await ledgers.settled();
    const { user, system } = process.cpuUsage(cpu);
    delay.disable();
    const took = Math.round(performance.now() - begun);
    const [blocked, spent] = [Math.round(delay.max / 1e6), Math.round((user + system) / 1e3)];
    process.stdout.write(`${name}: ${took} ms, at most ${blocked} ms at once, ${spent} ms of processor\n`);
  };
  for (let round = 1; round <= 3; round += 1) {
    await measure(`${count} files, begin ${round}`, () => ledgers.turnBegan(source, "x"));
    for (let number = 0; number < 20; number += 1) writeFileSync(join(folder, "d1", `new${round}-${number}.ts`), "x\n");
    await measure(`${count} files, end ${round}`, () => ledgers.turnEnded(source));
  }
  ledgers.dispose();
} finally {
  rmSync(root, { recursive: true, force: true });
}
