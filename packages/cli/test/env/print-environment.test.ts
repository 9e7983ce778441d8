import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Companion, createCompanion, type Platform } from "@patchbay/core";
import { createMemoryEditor, createTestPlatform, type TestPlatform, isMissing } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chooseShell, exportLines, printEnvironment } from "../../src/env/print-environment.ts";
import { escapeText } from "../../src/terminal/escape-text.ts";
import { printStatus } from "../../src/status/print-status.ts";

let platform: TestPlatform;
let companion: Companion | undefined;

async function run(
  folder: string,
  shell?: string,
  port?: number,
): Promise<{ code: number; out: string[]; told: string[] }> {
  const out: string[] = [];
  const told: string[] = [];
  const print = (line: string): void => void out.push(line);
  const tell = (line: string): void => void told.push(line);
  return { code: await printEnvironment({ folder, shell, port, platform, print, tell }), out, told };
}

async function start(folders: readonly string[], name = "Editor"): Promise<Companion> {
  const identity = { name: "editor", displayName: name };
  const started = createCompanion({ host: createMemoryEditor({ folders, identity }), platform });
  await started.start();
  return started;
}

beforeEach(() => {
  platform = createTestPlatform();
});

afterEach(async () => {
  await companion?.stop();
  companion = undefined;
  platform.dispose();
});

describe("patchbay env", () => {
  it("prints what the editor puts into its own terminals, and nothing else", async () => {
    // With what separates folders, and what a URI encodes, in their names.
    const folders = ["a:b", "100%25 c", "d"].map((name) => join(platform.workspace, name));
    for (const folder of folders) mkdirSync(folder);
    companion = await start(folders);
    const { code, out, told } = await run(join(platform.workspace, "a:b"), "sh");
    const expected = Object.entries(companion.environment).map(([name, value]) => `export ${name}='${value}'`);
    expect([code, out.toSorted()]).toEqual([0, expected.toSorted()]);
    expect(told.join()).toContain("Editor");
  });

  it("keeps Gemini CLI beside the editor in a container, as the editor's own terminals do", async () => {
    const machine = (mark: boolean): Platform => ({
      ...platform,
      files: {
        ...platform.files,
        lstat: async (path) =>
          path === "/.dockerenv" || path === "/run/.containerenv"
            ? await platform.files.lstat(mark ? platform.home : join(platform.root, "nothing"))
            : await platform.files.lstat(path),
      },
    });
    const printed = async (mark: boolean): Promise<string> => {
      const started = createCompanion({
        host: createMemoryEditor({ folders: [platform.workspace] }),
        platform: machine(mark),
      });
      await started.start();
      const { environment } = started;
      const out: string[] = [];
      const print = (line: string): void => void out.push(line);
      const request = { folder: platform.workspace, shell: "sh", port: undefined, print, tell: () => {} };
      await printEnvironment({ ...request, platform: machine(mark) });
      await started.stop();
      expect(environment["REMOTE_CONTAINERS"]).toBe(mark ? "true" : undefined);
      return out.join("\n");
    };
    expect(await printed(true)).toContain("export REMOTE_CONTAINERS='true'");
    expect(await printed(false)).not.toContain("REMOTE_CONTAINERS");
  });

  it("finds it from a folder below", async () => {
    companion = await start([platform.workspace]);
    const below = join(platform.workspace, "a", "b");
    mkdirSync(below, { recursive: true });
    expect((await run(below, "sh")).code).toBe(0);
  });

  it("prefers the editor with the nearest folder, and names the other", async () => {
    companion = await start([platform.workspace], "Outer");
    const inner = join(platform.workspace, "inner");
    mkdirSync(inner);
    const nearest = await start([inner], "Inner");
    const port = nearest.environment["CLAUDE_CODE_SSE_PORT"] ?? "no port";
    const { out, told } = await run(inner, "sh");
    const outer = companion.environment["CLAUDE_CODE_SSE_PORT"] ?? "no port";
    const chosen = await run(inner, "sh", Number(outer));
    await nearest.stop();
    expect(chosen.out).toContain(`export CLAUDE_CODE_SSE_PORT='${outer}'`);
    expect(out).toContain(`export CLAUDE_CODE_SSE_PORT='${port}'`);
    // What is said of an agent that looks for no editor yet depends on the machine.
    expect(told.filter((line) => !line.includes("/ide enable"))).toHaveLength(2);
    expect(told[1]).toContain("Outer");
  });

  it("prints nothing for the shell where no editor serves the folder", async () => {
    companion = await start([join(platform.root, "elsewhere")]);
    const { code, out, told } = await run(platform.workspace);
    expect([code, out]).toEqual([1, []]);
    expect(told.join()).toContain("patchbay serve");
  });

  it("tells the first meeting of an agent that looks for no editor yet, and of no other", async () => {
    companion = await start([platform.workspace]);
    const settings = join(platform.home, ".gemini", "settings.json");
    mkdirSync(join(platform.home, ".gemini"), { recursive: true });
    writeFileSync(settings, "{}");
    const { told } = await run(platform.workspace, "sh");
    expect(told.filter((line) => line.includes("/ide enable"))).toEqual([
      "Gemini CLI does not look for an editor yet. If it asks whether to connect or to install something, answer No, then type /ide enable there.",
    ]);
    writeFileSync(settings, '{"ide":{"enabled":true}}');
    expect((await run(platform.workspace, "sh")).told.join()).not.toContain("/ide enable");
  });

  it("never prints the token", async () => {
    companion = await start([platform.workspace]);
    const { out, told } = await run(platform.workspace, "sh");
    const [record] = await platform.files.list(join(platform.home, ".claude", "ide"));
    const text = await platform.files.readText(join(platform.home, ".claude", "ide", record ?? ""), 10_000);
    const token = /"authToken":"([^"]+)"/u.exec(text ?? "")?.[1] ?? "no token found";
    expect([...out, ...told].join("\n")).not.toContain(token);
  });
});

describe("the words of the shells", () => {
  it("are chosen from --shell, then $SHELL, then the system", () => {
    expect(chooseShell("bash", "/usr/bin/fish", "linux")).toBe("sh");
    expect(chooseShell("pwsh", undefined, "linux")).toBe("powershell");
    expect(chooseShell(undefined, "/usr/bin/fish", "linux")).toBe("fish");
    expect(chooseShell(undefined, "/bin/zsh", "darwin")).toBe("sh");
    expect(chooseShell(undefined, undefined, "win32")).toBe("powershell");
    expect(chooseShell(undefined, "/bin/tcsh", "linux")).toBe("tcsh");
    expect(chooseShell(undefined, undefined, "linux")).toBe("sh");
    expect(() => chooseShell("cmd", undefined, "win32")).toThrowError(/"cmd" is not supported.*fish, tcsh or power/u);
    // Their words are not those of sh: nothing is better than something that fails.
    for (const name of ["nu", "elvish", "xonsh"])
      expect(() => chooseShell(undefined, `/usr/bin/${name}`, "linux")).toThrowError(
        `Your shell, ${name}, is not supported`,
      );
  });

  it.skipIf(isMissing("a POSIX shell"))("quote whatever a path holds", () => {
    const hostile = `a'b"c $(touch x) \\ \n;`;
    const [line = ""] = exportLines({ FOLDER: hostile }, "sh");
    const script = `eval "$LINE"; printf %s "$FOLDER"`;
    expect(execFileSync("/bin/sh", ["-c", script], { env: { LINE: line }, encoding: "utf8" })).toBe(hostile);
    expect(exportLines({ A: `x'\\y` }, "fish")).toEqual([`set -gx A 'x\\'\\\\y'`]);
    expect(exportLines({ A: `x'y` }, "powershell")).toEqual([`$env:A = 'x''y'`]);
    expect(exportLines({ A: `x'y!z` }, "tcsh")).toEqual([`setenv A 'x'\\''y\\!z';`]);
  });

  it.skipIf(isMissing("a POSIX shell"))("spell out what would speak to a terminal, and mean the same", () => {
    const hostile = "a\u001b]0;x\u0007'\u202e\u{e0041}\r\nb\u009b2J";
    for (const shell of ["sh", "fish", "powershell"] as const) {
      const [line = ""] = exportLines({ FOLDER: hostile }, shell);
      expect(escapeText(line)).toBe(line);
    }
    const [line = ""] = exportLines({ FOLDER: hostile }, "sh");
    const script = `eval "$LINE"; printf %s "$FOLDER"`;
    expect(execFileSync("/bin/sh", ["-c", script], { env: { LINE: line }, encoding: "utf8" })).toBe(hostile);
    expect(exportLines({ A: "x\u001by" }, "fish")).toEqual(["set -gx A 'x'\\U0000001b'y'"]);
    expect(exportLines({ A: "x\u001by" }, "powershell")).toEqual(["$env:A = 'x' + [char]::ConvertFromUtf32(27) + 'y'"]);
    expect(() => exportLines({ A: "x\u001b" }, "tcsh")).toThrowError("tcsh cannot express a name");
  });
});

describe("patchbay status", () => {
  async function status(json: boolean): Promise<string> {
    const out: string[] = [];
    await printStatus({ platform, json, print: (line) => void out.push(line) });
    return out.join("\n");
  }

  it("lists the editors with their folders, ports and agents", async () => {
    companion = await start([platform.workspace], "Edi\u001b[31mtor");
    const text = await status(false);
    expect(text).toContain("Edi\\e[31mtor");
    expect(text).toContain("Gemini CLI, Qwen Code, Claude Code");
    const port = companion.state.kind === "listening" ? companion.state.port : 0;
    const [editor] = JSON.parse(await status(true));
    expect(editor).toMatchObject({ port, folders: [platform.workspace], answers: true, pid: process.pid });
  });

  it("says so where there is none", async () => {
    expect(await status(false)).toContain("No editor");
    expect(JSON.parse(await status(true))).toEqual([]);
  });
});
