import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDiscoveryRecords } from "../../src/discovery/discovery-records.ts";
import { createPrivateStorage } from "../../src/storage/private-storage.ts";
import { createNodePlatform } from "../../src/platform/node.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { nullLogger } from "../../src/support/logger.ts";
import { isRoot, recordIn } from "./temporary-machine.ts";

const attacker = 12_001;
const victim = 12_002;

/** Does something with the rights of another user of this machine; the system itself checks them. */
async function as<T>(uid: number, work: () => T | Promise<T>): Promise<T> {
  process.setegid?.(uid);
  process.seteuid?.(uid);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

function makeSharedMachine(): { readonly tmp: string; readonly home: string; readonly platform: Platform } {
  const root = mkdtempSync(join(tmpdir(), "patchbay-users-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  chmodSync(root, 0o755);
  const [tmp, home] = [join(root, "tmp"), join(root, "home")];
  mkdirSync(tmp);
  chmodSync(tmp, 0o1777);
  mkdirSync(home, { mode: 0o755 });
  chownSync(home, victim, victim);
  const node = createNodePlatform();
  return { tmp, home, platform: { ...node, process: { ...node.process, uid: victim } } };
}

describe.skipIf(!isRoot || process.seteuid === undefined)(
  "two users of one machine (needs root to become them)",
  () => {
    it("E03 nothing is written into a directory that the other made first, at any level", async () => {
      for (const levels of [["gemini"], ["gemini", "ide"]]) {
        const { tmp, platform } = makeSharedMachine();
        await as(attacker, () => {
          mkdirSync(join(tmp, ...levels), { recursive: true });
          chmodSync(join(tmp, ...levels), 0o777);
        });
        const problems = await as(victim, () =>
          createDiscoveryRecords({ platform, logger: nullLogger }).write([recordIn(tmp)]),
        );
        expect(problems).toHaveLength(1);
        expect(problems[0]?.message).toContain(`belongs to another user (uid ${attacker})`);
        expect(readdirSync(join(tmp, ...levels))).toEqual([]);
      }
    });

    it("E04 a link that the other planted leads nowhere", async () => {
      const { tmp, home, platform } = makeSharedMachine();
      const precious = join(home, ".bashrc");
      writeFileSync(precious, "precious");
      chownSync(precious, victim, victim);
      await as(attacker, () => symlinkSync(home, join(tmp, "gemini")));
      const record = recordIn(tmp, { directories: ["gemini"], fileName: ".bashrc" });
      const problems = await as(victim, () => createDiscoveryRecords({ platform, logger: nullLogger }).write([record]));
      expect(problems[0]?.message).toContain("is a symbolic link");
      expect(readFileSync(precious, "utf8")).toBe("precious");
      expect(readdirSync(home)).toEqual([".bashrc"]);
    });

    it("E04 a link in the home that the other made, or that leads to what is the other's, is not followed", async () => {
      for (const whose of ["link", "target"] as const) {
        const { tmp, home, platform } = makeSharedMachine();
        const target = join(tmp, "agents");
        const [targetOwner, linkOwner] = whose === "link" ? [victim, attacker] : [attacker, victim];
        await as(targetOwner, () => mkdirSync(target, { mode: 0o777 }));
        symlinkSync(target, join(home, ".claude"));
        lchownSync(join(home, ".claude"), linkOwner, linkOwner);
        const facts = { ...platform, process: { ...platform.process, homeDirectory: home } };
        const record = recordIn(home, { directories: [".claude", "ide"], fileName: "2.lock" });
        const problems = await as(victim, () =>
          createDiscoveryRecords({ platform: facts, logger: nullLogger }).write([record]),
        );
        expect(problems[0]?.message).toContain("is a symbolic link");
        expect(readdirSync(target)).toEqual([]);
      }
    });

    it("E01 E02 the other can neither list, read nor replace what was written", async () => {
      const { tmp, home, platform } = makeSharedMachine();
      await as(victim, async () => {
        const lock = recordIn(home, { directories: [".qwen", "ide"], fileName: "2.lock" });
        expect(await createDiscoveryRecords({ platform, logger: nullLogger }).write([recordIn(tmp), lock])).toEqual([]);
        const directory = join(home, "storage");
        await createPrivateStorage({ platform, logger: nullLogger, directory }).write("endpoint", "secret");
      });
      const denied = expect.objectContaining({ code: "EACCES" });
      await as(attacker, () => {
        const directories = [
          join(tmp, "gemini"),
          join(tmp, "gemini", "ide"),
          join(home, ".qwen"),
          join(home, "storage"),
        ];
        for (const directory of directories) {
          expect(() => readdirSync(directory)).toThrow(denied);
          expect(() => writeFileSync(join(directory, "planted"), "")).toThrow(denied);
        }
        const files = [join(tmp, "gemini", "ide", recordIn(tmp).fileName), join(home, ".qwen", "ide", "2.lock")];
        for (const file of files) expect(() => readFileSync(file)).toThrow(denied);
        expect(() => rmSync(join(tmp, "gemini"), { recursive: true })).toThrow();
      });
      expect(readdirSync(join(tmp, "gemini", "ide"))).toHaveLength(1);
    });

    it("one of the other's ended runs is not swept, nor is its directory looked into", async () => {
      const { tmp, platform } = makeSharedMachine();
      const stale = join(tmp, "gemini", "ide", "1.json");
      await as(attacker, () => {
        mkdirSync(join(tmp, "gemini", "ide"), { recursive: true });
        writeFileSync(stale, JSON.stringify({ patchbay: { pid: 2 ** 31 - 1 } }));
        chmodSync(join(tmp, "gemini", "ide"), 0o777);
      });
      const records = createDiscoveryRecords({ platform, logger: nullLogger });
      await as(victim, () => records.sweepStale([recordIn(tmp)]));
      expect(readdirSync(join(tmp, "gemini", "ide"))).toEqual(["1.json"]);
    });
  },
);
