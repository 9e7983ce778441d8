import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createTestPlatform, shownMode, isMissing } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { claudeHook } from "../../src/agents/claude/behaviour.ts";
import { geminiHook } from "../../src/agents/gemini/behaviour.ts";
import { applyPlan, placeProgram } from "../../src/hook-settings/apply.ts";
import { endsWell, hookCommand, isOwnCommand, missingProgram } from "../../src/hook-settings/command.ts";
import { inspectIn } from "../../src/hook-settings/inspect.ts";
import { planInstall, planRemove } from "../../src/hook-settings/plan.ts";
import { repairHooks } from "../../src/hook-settings/repair.ts";

const electron = { program: "/opt/editor's/electron", isElectron: true };

function setUp(path: string | undefined) {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const environment = (name: string): string | undefined => (name === "PATH" ? path : undefined);
  return { ...platform, process: { ...platform.process, environment } };
}

it.skipIf(isMissing("a POSIX shell"))(
  "the command of a hook names a program that outlives the edition's folder, and the user's own Node.js",
  async () => {
    const place = setUp(undefined);
    const bin = join(place.process.homeDirectory, "it's bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "node"), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
    const platform = setUp(`relative:/nowhere:${bin}`);
    await placeProgram(platform, "console.log(process.argv[2])");
    const command = await hookCommand(platform, "claude", electron);
    expect(command).not.toContain("electron");
    expect(command).toMatch(/patchbay-hook\.cjs' claude 2>\/dev\/null \|\| /u);
    expect(spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" }).stdout).toBe("claude\n");
  },
);

it.skipIf(isMissing("a POSIX shell"))("the command of a hook falls back on what runs the editor", async () => {
  const platform = setUp("/nowhere");
  expect(await hookCommand(platform, "qwen", { program: "/usr/lib/node", isElectron: false })).toMatch(
    / \|\| '\/usr\/lib\/node' '\S+' qwen 2>/u,
  );
  const command = await hookCommand(platform, "qwen", electron);
  expect(command).toContain(` || ELECTRON_RUN_AS_NODE=1 '/opt/editor'\\''s/electron' '`);
});

it("the program of a hook is private, and replaced by a newer one", async () => {
  const platform = setUp("/nowhere");
  await placeProgram(platform, "1");
  await placeProgram(platform, "2");
  const place = join(platform.process.homeDirectory, ".patchbay", "patchbay-hook.cjs");
  expect(readFileSync(place, "utf8")).toBe("2");
  expect(statSync(place).mode & 0o777).toBe(shownMode(0o600));
});

/** A home with a blank in its name, where the hook's program and a Node.js are. */
async function setUpProgram(program: string) {
  const place = setUp(undefined);
  const bin = join(place.process.homeDirectory, "it's a bin");
  mkdirSync(bin, { recursive: true });
  const node = join(bin, "node");
  symlinkSync(process.execPath, node);
  const environment = (name: string): string | undefined => (name === "PATH" ? bin : undefined);
  const platform = { ...place, process: { ...place.process, environment } };
  await placeProgram(platform, program);
  const script = join(platform.process.homeDirectory, ".patchbay", "patchbay-hook.cjs");
  const runtime = { program: process.execPath, isElectron: false };
  return { platform, bin, node, script, runtime, command: await hookCommand(platform, "gemini", runtime) };
}

const replaced = (path: string, text: string, mode: number): void => {
  rmSync(path);
  writeFileSync(path, text, { mode });
};
/** Each way in which a program of the hook can be missing. */
const missing: Readonly<Record<string, (of: { node: string; bin: string; script: string }) => void>> = {
  "Node.js has gone": ({ node }) => unlinkSync(node),
  "Node.js has gone, with its folder": ({ bin }) => rmSync(bin, { recursive: true }),
  "Node.js is a link that leads nowhere": ({ node }) => {
    unlinkSync(node);
    symlinkSync("/gone/node", node);
  },
  "Node.js is a link in a circle": ({ node }) => {
    unlinkSync(node);
    symlinkSync("node", node);
  },
  "Node.js is not executable": ({ node }) => replaced(node, "#!/bin/sh\n", 0o644),
  "Node.js is a folder": ({ node }) => {
    unlinkSync(node);
    mkdirSync(node);
  },
  "a file stands where the folder of Node.js was": ({ bin }) => {
    rmSync(bin, { recursive: true });
    writeFileSync(bin, "");
  },
  "Node.js is for another machine": ({ node }) => replaced(node, "\u007fELF\u0000\u0001", 0o755),
  "what interprets Node.js has gone": ({ node }) => replaced(node, "#!/gone/sh\n", 0o755),
  "a version manager has no Node.js": ({ node }) => replaced(node, "#!/bin/sh\necho no version >&2\nexit 126\n", 0o755),
  "a library of Node.js has gone": ({ node }) => replaced(node, "#!/bin/sh\necho no library >&2\nexit 127\n", 0o755),
  "the script has gone": ({ script }) => rmSync(script),
  "the script has gone, with its folder": ({ script }) => rmSync(join(script, ".."), { recursive: true }),
  "the script is a folder": ({ script }) => {
    rmSync(script);
    mkdirSync(script);
  },
};
const shells = ["/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh"].filter((shell) => existsSync(shell));

describe.skipIf(isMissing("a POSIX shell"))("the command of a hook", () => {
  it.each(Object.keys(missing))("ends with 0 and says nothing where %s", async (way) => {
    const found = await setUpProgram("console.log('deny')");
    expect(await missingProgram(found.platform, found.command)).toBeUndefined();
    missing[way]?.(found);
    for (const shell of shells) {
      const { status, stdout, stderr } = spawnSync(shell, ["-c", found.command], { input: "{}", encoding: "utf8" });
      expect({ shell, status, stdout, stderr }).toEqual({ shell, status: 0, stdout: "", stderr: "" });
    }
  });

  it.each([0, 1, 2, 3, 125])("lets through what the program says and ends with: %d", async (code) => {
    const { command } = await setUpProgram(
      `process.stdin.on("data", (data) => console.log("no to " + data)).on("end", () => process.exit(${code}))`,
    );
    for (const shell of shells) {
      const { status, stdout } = spawnSync(shell, ["-c", command], { input: "this", encoding: "utf8" });
      expect({ shell, status, stdout }).toEqual({ shell, status: code, stdout: "no to this\n" });
    }
  });

  it("is for PowerShell on Windows, and says so where its agent would take another shell", async () => {
    const platform = createTestPlatform();
    onTestFinished(() => platform.dispose());
    const homeDirectory = "C:\\Users\\O'Brien";
    const program = "C:\\Program Files\\nodejs\\node.exe";
    const windows = { ...platform, process: { ...platform.process, platform: "win32" as const, homeDirectory } };
    const place = "'C:\\Users\\O''Brien\\.patchbay\\patchbay-hook.cjs'";
    const command = await hookCommand(windows, "claude", { program, isElectron: false });
    expect(command).toBe(
      `if (Test-Path -LiteralPath ${place} -PathType Leaf) { try { & '${program}' ${place} claude } catch { exit 0 }; exit $LASTEXITCODE }; exit 0`,
    );
    expect([isOwnCommand(command), endsWell(command)]).toEqual([true, true]);
    expect(await missingProgram(windows, command)).toBe("C:\\Users\\O'Brien\\.patchbay\\patchbay-hook.cjs");
    const at = { ...platform, process: { ...platform.process, platform: "win32" as const } };
    for (const [{ settings }, shell] of [
      [claudeHook, "powershell"],
      [geminiHook, undefined],
    ] as const) {
      const plan = await planInstall({ place: { platform: at, folder: undefined }, scope: "user", settings, command });
      if (plan.kind !== "change") throw new Error(plan.kind);
      expect(plan.after?.includes(`"shell": "powershell"`)).toBe(shell === "powershell");
    }
  });

  it.each([
    ["'/usr/bin/node' '/home/u/.patchbay/patchbay-hook.cjs' claude", true],
    ['"C:\\node.exe" "C:\\u\\.patchbay\\patchbay-hook.cjs" qwen', true],
    ["ELECTRON_RUN_AS_NODE=1 '/opt/code' '/home/u/.patchbay/patchbay-hook.cjs' claude", true],
    ["npx @patchbay/cli hook gemini", true],
    ["patchbay hook gemini", true],
    ["patchbay hooked", false],
    ["cat ~/.patchbay/patchbay-hook.cjs", false],
  ])("is known to be ours, of whichever version: %s", (command, isOurs) => {
    expect(isOwnCommand(command)).toBe(isOurs);
    expect(endsWell(command)).toBe(false);
  });
});

describe("a hook that cannot run", () => {
  async function install(before: string, command?: string) {
    const found = await setUpProgram("1");
    const { platform } = found;
    const place = { platform, folder: undefined };
    const request = { place, scope: "user", settings: geminiHook.settings } as const;
    const file = request.settings.file(place, "user");
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, before);
    const plan = await planInstall({ ...request, command: command ?? found.command });
    if (plan.kind === "change") await applyPlan(platform, plan);
    const state = async () => await inspectIn(place, request.settings, "user");
    const repair = async () => {
      const lines: string[] = [];
      const warn = (line: string): void => void lines.push(line);
      await repairHooks({ platform, runtime: found.runtime, readProgram: async () => "2", warn });
      return lines;
    };
    const remove = async () => {
      const removal = await planRemove(request);
      if (removal.kind === "change") await applyPlan(platform, removal);
      return readFileSync(file, "utf8");
    };
    return { ...found, file, state, repair, remove };
  }
  const before = '{\n\t"ui": {},\n\t"hooks": {}\n}';

  it("is repaired where its Node.js has gone: another one is found", async () => {
    const { node, platform, state, repair, remove, file } = await install(before);
    expect(await repair()).toEqual([]);
    const other = join(platform.process.homeDirectory, "other");
    mkdirSync(other);
    symlinkSync(process.execPath, join(other, "node"));
    unlinkSync(node);
    expect(await state()).toMatchObject({ kind: "broken", missing: node });
    expect(await repair()).toEqual([`The hook of Gemini CLI in ${file} cannot run, or is an earlier one. Repaired.`]);
    expect(await state()).toMatchObject({ kind: "installed", endsWell: true });
    expect(await repair()).toEqual([]);
    expect(await remove()).toBe(before);
  });

  it("is repaired where its script has gone", async () => {
    const { script, state, repair } = await install(before);
    rmSync(script);
    expect(await state()).toMatchObject({ kind: "broken", missing: script });
    expect(await repair()).toEqual([expect.stringMatching(/ Repaired\.$/u)]);
    expect(readFileSync(script, "utf8")).toBe("2");
    expect(await state()).toMatchObject({ kind: "installed" });
  });

  it("or is of an earlier version, is entered anew, and comes out again", async () => {
    const old = `'${process.execPath}' '/tmp/patchbay-hook.cjs' gemini`;
    const { script, command, state, repair, remove, file } = await install(before, old);
    expect(await state()).toMatchObject({ kind: "broken" });
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("/tmp/patchbay-hook.cjs", script));
    expect(await state()).toMatchObject({ kind: "installed", endsWell: false });
    expect(await repair()).toEqual([expect.stringMatching(/ Repaired\.$/u)]);
    expect(readFileSync(file, "utf8")).toContain(JSON.stringify(command));
    expect(readFileSync(file, "utf8")).not.toContain(JSON.stringify(old));
    expect(await remove()).toBe(before);
  });

  it("is broken, too, where its Node.js is not executable", async () => {
    const { node, state } = await install(before);
    replaced(node, "", 0o755);
    expect(await state()).toMatchObject({ kind: "installed" });
    chmodSync(node, 0o644);
    expect(await state()).toMatchObject({ kind: "broken", missing: node });
  });

  it("is left alone and named where somebody has taken a part of it out, or it cannot be written", async () => {
    const { script, repair, file } = await install(before);
    rmSync(script);
    const whole = readFileSync(file, "utf8");
    const part = whole.replace("SessionEnd", "Other");
    writeFileSync(file, part);
    expect(await repair()).toEqual([expect.stringContaining("Part of it is missing")]);
    expect(readFileSync(file, "utf8")).toBe(part);
    writeFileSync(file, whole);
    writeFileSync(join(script, "..", "x"), "");
    rmSync(join(script, ".."), { recursive: true });
    writeFileSync(join(script, ".."), "");
    expect(await repair()).toEqual([expect.not.stringContaining("Repaired.")]);
  });
});
