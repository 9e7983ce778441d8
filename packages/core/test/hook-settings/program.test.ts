import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { createTestPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
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
  expect(command).toMatch(/patchbay-hook\.cjs' claude \|\| exit 0$/u);
  expect(spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" }).stdout).toBe("claude\n");
});

it("the command of a hook falls back on what runs the editor", async () => {
  const platform = setUp("/nowhere");
  expect(await hookCommand(platform, "qwen", { program: "/usr/lib/node", isElectron: false })).toMatch(
    /^'\/usr\/lib\/node' '\S+' qwen \|\| exit 0$/u,
  );
  const command = await hookCommand(platform, "qwen", electron);
  expect(command.startsWith(`ELECTRON_RUN_AS_NODE=1 '/opt/editor'\\''s/electron' '`)).toBe(true);
});

describe.each(["/bin/sh", "/bin/bash"])("in %s the command of a hook", (shell) => {
  const setUpCommand = async (program = "console.log(process.argv[2])") => {
    const place = setUp(undefined);
    const bin = join(place.process.homeDirectory, "v 20", "bin");
    mkdirSync(bin, { recursive: true });
    const node = join(bin, "node");
    writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
    const platform = setUp(bin);
    await placeProgram(platform, program);
    const command = await hookCommand(platform, "gemini", electron);
    const script = join(platform.process.homeDirectory, ".patchbay", "patchbay-hook.cjs");
    const run = (path = "/usr/bin:/bin") => {
      const { status, stdout } = spawnSync(shell, ["-c", command], { encoding: "utf8", env: { PATH: path } });
      return { status, stdout };
    };
    return { node, script, run };
  };
  const nothing = { status: 0, stdout: "" };

  it("ends with 0 and says nothing whichever part of it cannot be run", async () => {
    const { node, script, run } = await setUpCommand();
    expect(run()).toEqual({ status: 0, stdout: "gemini\n" });
    chmodSync(node, 0o644);
    expect(run("/nowhere")).toEqual(nothing);
    writeFileSync(node, "\u007fELF no program", { mode: 0o755 });
    chmodSync(node, 0o755);
    expect(run("/nowhere")).toEqual(nothing);
    rmSync(node);
    expect(run("/nowhere")).toEqual(nothing);
    symlinkSync(process.execPath, node);
    rmSync(script);
    expect(run()).toEqual(nothing);
  });

  it("takes another Node.js where its own is gone, and keeps what the program prints", async () => {
    const { node, run } = await setUpCommand("process.stdout.write('no'); process.exitCode = 3;");
    expect(run()).toEqual({ status: 0, stdout: "no" });
    rmSync(node);
    expect(run(dirname(process.execPath))).toEqual({ status: 0, stdout: "no" });
  });
});

it("the program of a hook is private, and replaced by a newer one", async () => {
  const platform = setUp("/nowhere");
  await placeProgram(platform, "1");
  await placeProgram(platform, "2");
  const place = join(platform.process.homeDirectory, ".patchbay", "patchbay-hook.cjs");
  expect(readFileSync(place, "utf8")).toBe("2");
  expect(statSync(place).mode & 0o777).toBe(0o600);
});
