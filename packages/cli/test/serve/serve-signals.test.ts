import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

const main = join(import.meta.dirname, "..", "..", "src", "main.ts");

describe.skipIf(process.platform === "win32")("a served folder", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const)("leaves no record at %s", async (signal) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-signals-")));
    onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
    const [home, temporary, folder] = ["home", "tmp", "folder"].map((name) => join(root, name));
    for (const directory of [home, temporary, folder]) mkdirSync(directory ?? root, { mode: 0o700 });
    const child = spawn(process.execPath, ["--conditions=@patchbay/source", main, "serve", "--json", folder ?? root], {
      env: { PATH: process.env["PATH"], HOME: home, TMPDIR: temporary },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    onTestFinished(() => void child.kill("SIGKILL"));
    let written = "";
    child.stdout.on("data", (chunk) => {
      written += String(chunk);
    });
    const records = (): readonly string[] =>
      readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => /\.lock$|gemini.*\.json$/u.test(name));
    await expect.poll(() => written, { timeout: 30_000 }).toContain('"listening"');
    expect(records().length).toBeGreaterThan(1);
    child.kill(signal);
    await ended;
    expect(records()).toEqual([]);
  });
});
