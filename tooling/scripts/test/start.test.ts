import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, it } from "vitest";
import { buildCommandLine } from "../../start/build.mjs";

const root = join(import.meta.dirname, "..", "..", "..");

it("`start` bundles the command line from its sources, whatever entries of the packages it uses", async () => {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-start-"));
  try {
    await buildCommandLine(root, folder);
    const help = execFileSync(process.execPath, [join(folder, "patchbay.js"), "--help"], { encoding: "utf8" });
    expect(help).toContain("doctor [folder]");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
