import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createTestPlatform } from "@patchbay/testkit";
import { expect, it, onTestFinished } from "vitest";
import { hookCommand, placeProgram } from "../../src/hook-settings/apply.ts";

const electron = { program: "/opt/editor's/electron", isElectron: true };

function setUp(path: string | undefined) {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const environment = (name: string): string | undefined => (name === "PATH" ? path : undefined);
  return { ...platform, process: { ...platform.process, environment } };
}

it("the command of a hook names a program that outlives the edition's folder, and the user's own Node.js", async () => {
  const place = setUp(undefined);
  const bin = join(place.process.homeDirectory, "it's bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "node"), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
  const platform = setUp(`relative:/nowhere:${bin}`);
  await placeProgram(platform, "console.log(process.argv[2])");
  const command = await hookCommand(platform, "claude", electron);
  expect(command).not.toContain("electron");
  expect(command).toMatch(/patchbay-hook\.cjs' claude$/u);
  expect(spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" }).stdout).toBe("claude\n");
});

it("the command of a hook falls back on what runs the editor", async () => {
  const platform = setUp("/nowhere");
  expect(await hookCommand(platform, "qwen", { program: "/usr/lib/node", isElectron: false })).toMatch(
    /^'\/usr\/lib\/node' '\S+' qwen$/u,
  );
  const command = await hookCommand(platform, "qwen", electron);
  expect(command.startsWith(`ELECTRON_RUN_AS_NODE=1 '/opt/editor'\\''s/electron' '`)).toBe(true);
});

it("the program of a hook is private, and replaced by a newer one", async () => {
  const platform = setUp("/nowhere");
  await placeProgram(platform, "1");
  await placeProgram(platform, "2");
  const place = join(platform.process.homeDirectory, ".patchbay", "patchbay-hook.cjs");
  expect(readFileSync(place, "utf8")).toBe("2");
  expect(statSync(place).mode & 0o777).toBe(0o600);
});
