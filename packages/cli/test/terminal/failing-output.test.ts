import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMissing } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";

const main = join(import.meta.dirname, "..", "..", "src", "main.ts");

/** A command of the program, with its output as the shell makes it. */
function run(command: string, home?: string): { readonly code: number | null; readonly told: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-output-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const [own, temporary, folder] = ["home", "tmp", "folder"].map((name) => join(root, name));
  for (const directory of [own, temporary, folder]) mkdirSync(directory ?? root, { mode: 0o700 });
  const program = `'${process.execPath}' --conditions=@patchbay/source '${main}'`;
  const { status, stderr } = spawnSync("sh", ["-c", command.replaceAll("patchbay", program)], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: home ?? own, TMPDIR: temporary },
    timeout: 60_000,
  });
  return { code: status, told: stderr };
}

const isLinux = existsSync("/dev/full");

describe.runIf(isLinux)("a program whose output reaches nobody", () => {
  it.each(["--help", "doctor --json", "status --watch --json"])(
    "says so in a sentence where the disk is full: %s",
    { timeout: 60_000 },
    (command) => {
      const { code, told } = run(`patchbay ${command} > /dev/full`);
      expect(told).toBe("What was printed could not be written (ENOSPC). The disk is full: free some space.\n");
      expect(code).toBe(1);
    },
  );

  it.each(["doctor", "serve --json < /dev/zero"])("ends without a word where nobody reads: %s", (command) => {
    // The pipe is closed before anything is printed.
    const { told } = run(`patchbay ${command} | true`);
    expect(told).toBe("");
  });
});

describe.skipIf(isMissing("a POSIX shell"))("a program", () => {
  /** Puts a script in front of the program. */
  const preloaded = (script: string): string =>
    `--import data:text/javascript;base64,${Buffer.from(script).toString("base64")}`;

  it.each(["--help", "--version", "status", "turns"])(
    "is at its end when it says so, whatever it waits for: %s",
    (command) => {
      // The last write is awaited, and this one keeps no process alive.
      const script = `const write = process.stdout.write.bind(process.stdout);
      process.stdout.write = (text, ...rest) =>
        text === "" ? !!setTimeout(() => rest.at(-1)?.(), 300).unref() : write(text, ...rest);`;
      const { code, told } = run(`NODE_OPTIONS="${preloaded(script)}" patchbay ${command} > /dev/null`);
      expect({ code, told }).toEqual({ code: 0, told: "" });
    },
  );

  it("passes no warning of Node.js on to its user, unless they trace them", () => {
    const script = `setTimeout(() => process.emitWarning("of Node.js"), 1);`;
    const wait = `const write = process.stdout.write.bind(process.stdout);
      process.stdout.write = (text, ...rest) => text === "" ? setTimeout(() => rest.at(-1)?.(), 300) : write(text, ...rest);`;
    const options = preloaded(script + wait);
    expect(run(`NODE_OPTIONS="${options}" patchbay --help > /dev/null`).told).toBe("");
    expect(run(`NODE_OPTIONS="${options} --trace-warnings" patchbay --help > /dev/null`).told).toContain("of Node.js");
  });
});

describe.runIf(isLinux)("a home that nobody can look into", () => {
  it.each(["turns", "undo --yes"])("is told in a sentence: %s", (command) => {
    // Root is kept out of it, too.
    const { code, told } = run(`patchbay ${command}`, "/proc/1/fdinfo");
    if (told.includes("No changes by agents")) return;
    expect(told).toMatch(/^EACCES: permission denied, lstat '.*'\. Give yourself write permission there\.\n$/u);
    expect(code).toBe(1);
  });
});
