import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/**
 * Tests as on macOS: on a disk that finds a name in any case and Unicode normalisation, with a temporary directory behind links, and told
 * that the system is macOS. What is given on the command line goes to vitest; without any, tests run that are about names. The disk is slow:
 * not for thousands of files. It does not say when a folder was made, which macOS does. Not macOS, either: its own programs, its file events,
 * and what its kernel does otherwise.
 */

const usual = ["--project", "turns", "case-only-renames", "renames.test"];
const python = ["/usr/bin/python3"].find((path) => existsSync(path));
const isAble =
  python !== undefined && existsSync("/dev/fuse") && spawnSync(python, ["-c", "import fusepy"]).status === 0;
if (!isAble) {
  console.log("macOS: skipped, there is no FUSE here (apt-get install fuse3 libfuse2 python3-fusepy).");
  process.exit(0);
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const lab = mkdtempSync(join(tmpdir(), "patchbay-macos-"));
const [store, place] = [join(lab, "store"), join(lab, "disk")];
for (const folder of [store, place]) mkdirSync(folder);
for (const name of ["tmp", "var"]) {
  mkdirSync(join(store, "private", name), { recursive: true });
  symlinkSync(join("private", name), join(store, name));
}
const temporary = "var/folders/zz/user/T";
mkdirSync(join(store, temporary), { recursive: true });

const disk = spawn(python, [join(root, "tooling/macos/disk.py"), store, place], { stdio: "inherit" });
const ended = new Promise((resolve) => disk.once("exit", resolve));
let code = 1;
try {
  for (let tries = 1; !existsSync(join(place, temporary)); tries += 1) {
    if (tries > 100 || disk.exitCode !== null) throw new Error("The disk was not mounted.");
    await wait(50);
  }
  const given = process.argv.slice(2);
  const config = join(root, "tooling/macos/vitest.config.ts");
  const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--config", config];
  const tests = spawn(process.execPath, [...args, ...(given.length === 0 ? usual : given)], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, TMPDIR: join(place, temporary) },
  });
  code = await new Promise((resolve) => tests.once("exit", (status) => resolve(status ?? 1)));
} finally {
  disk.kill("SIGTERM");
  await ended;
  spawnSync("umount", [place]);
  rmSync(lab, { recursive: true, force: true });
}
process.exitCode = code;
