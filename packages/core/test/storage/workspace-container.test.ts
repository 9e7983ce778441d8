import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createTestPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDiscoveryRecords } from "../../src/discovery/discovery-records.ts";
import { createNodePlatform } from "../../src/platform/node.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { findPrivateDirectory } from "../../src/storage/private-directory.ts";
import { createPrivateStorage } from "../../src/storage/private-storage.ts";
import { nullLogger } from "../../src/support/logger.ts";
import { isRoot, recordIn } from "./temporary-machine.ts";

/** As OpenShift gives it to the containers of a project: no line of /etc/passwd has it. */
const user = 1_000_680_000;
/** Whom the files of an image belong to. */
const imageUser = 10_001;

/** Does something as a user of group 0, as such containers run; the system itself checks the rights. */
async function as<T>(uid: number, work: () => Promise<T>): Promise<T> {
  process.setegid?.(0);
  process.seteuid?.(uid);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

function platformOf(uid: number, home: string): Platform {
  const node = createNodePlatform();
  return { ...node, process: { ...node.process, uid, homeDirectory: home } };
}

/** A home on a volume: the system's own, and open to its group, whose new directories get the group, too. */
function makeVolume(): string {
  const root = mkdtempSync(join(tmpdir(), "patchbay-volume-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  chmodSync(root, 0o755);
  const home = join(root, "home");
  mkdirSync(home);
  chmodSync(home, 0o2770);
  return home;
}

const lock = (home: string): ReturnType<typeof recordIn> =>
  recordIn(home, { directories: [".claude", "ide"], fileName: "2.lock" });

describe.skipIf(!isRoot || process.seteuid === undefined)(
  "a workspace's container with an id of its own (needs root to become it)",
  () => {
    it("E01 E02 keeps what it writes from others of its group, whatever the umask and the volume are", async () => {
      for (const umask of [0o000, 0o002, 0o077]) {
        const home = makeVolume();
        const platform = platformOf(user, home);
        const before = process.umask(umask);
        onTestFinished(() => void process.umask(before));
        await as(user, async () => {
          expect(await createDiscoveryRecords({ platform, logger: nullLogger }).write([lock(home)])).toEqual([]);
          const directory = join(home, ".local", "state", "patchbay");
          mkdirSync(join(home, ".local", "state"), { recursive: true, mode: 0o755 });
          await createPrivateStorage({ platform, logger: nullLogger, directory }).write("endpoint", "secret");
        });
        const mode = (...names: readonly string[]): number => statSync(join(home, ...names)).mode & 0o777;
        expect([mode(".claude", "ide"), mode(".claude", "ide", "2.lock")]).toEqual([0o700, 0o600]);
        expect(mode(".local", "state", "patchbay")).toBe(0o700);
        await as(imageUser, async () => {
          for (const names of [
            [".claude", "ide"],
            [".local", "state", "patchbay"],
          ])
            expect(() => readdirSync(join(home, ...names))).toThrow("EACCES");
        });
      }
    });

    it("E03 uses no directory that the image has made, although its group may write there, and says what to do", async () => {
      const home = makeVolume();
      mkdirSync(join(home, ".claude"));
      chownSync(join(home, ".claude"), imageUser, 0);
      chmodSync(join(home, ".claude"), 0o770);
      const platform = platformOf(user, home);
      const problems = await as(user, () =>
        createDiscoveryRecords({ platform, logger: nullLogger }).write([lock(home)]),
      );
      expect(problems[0]?.message).toContain(`belongs to another user (uid ${imageUser})`);
      expect(readdirSync(join(home, ".claude"))).toEqual([]);
    });

    it("finds its own files again under the same id", async () => {
      const home = makeVolume();
      const platform = platformOf(user, home);
      const directory = join(home, "storage");
      await as(user, async () => {
        await createPrivateStorage({ platform, logger: nullLogger, directory }).write("draft", "kept");
        // Another container, later, on the same volume.
        expect(await createPrivateStorage({ platform, logger: nullLogger, directory }).read("draft")).toBe("kept");
      });
    });
  },
);

it("a home that is the root of a read-only system is named as what is in the way", async () => {
  const { files, ...platform } = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const refuse = async (): Promise<never> => {
    throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
  };
  const request = { root: "/", levels: [".nothing-there"], intent: "make" } as const;
  const find = async (homeDirectory: string): ReturnType<typeof findPrivateDirectory> => {
    const facts = { ...platform.process, homeDirectory };
    const readOnly = { ...platform, process: facts, files: { ...files, makeDirectory: refuse } };
    return await findPrivateDirectory(readOnly, request);
  };
  expect(await find("/")).toMatchObject({
    kind: "refused",
    reason: "/.nothing-there cannot be used (EROFS). HOME is /: set it to a directory that you can write to.",
  });
  // Elsewhere it is the system that is in the way.
  expect(await find("/home/somebody")).toMatchObject({
    reason: "/.nothing-there cannot be used (EROFS). The file system is read-only: make it writable.",
  });
});
