import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";

it("leaves no program behind when the run ends, however it ends", async () => {
  const directory = mkdtempSync(join(tmpdir(), "patchbay-daemon-"));
  try {
    const { href } = pathToFileURL(join(import.meta.dirname, "..", "src", "support", "processes.ts"));
    const log = JSON.stringify(join(directory, "log"));
    const script = `
      const { startDaemon } = await import(${JSON.stringify(href)});
      const { pid } = await startDaemon("sleep", ["120"], { cwd: "/", env: process.env, log: ${log} });
      console.log(pid);
      process.exit(3);`;
    const args = ["--input-type=module", "-e", `try { ${script} } catch (error) { console.log(String(error)); }`];
    let output = "";
    try {
      output = execFileSync(process.execPath, args, { encoding: "utf8", timeout: 20_000 });
    } catch (error) {
      if (error instanceof Error && "stdout" in error) output = String(error.stdout);
    }
    const pid = Number(output);
    expect(pid, output).toBeGreaterThan(1);
    const isAlive = (): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await expect.poll(isAlive, { timeout: 5_000 }).toBe(false);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
