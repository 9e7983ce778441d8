import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Companion, createCompanion, type FileFacts, type Platform } from "@patchbay/core";
import { createMemoryEditor, createTestPlatform, type TestPlatform } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { examine } from "../../src/doctor/examine.ts";
import type { Finding } from "../../src/doctor/finding.ts";
import { printFindings } from "../../src/doctor/print-findings.ts";
import { createPaint } from "../../src/terminal/paint.ts";

let platform: TestPlatform;
let companion: Companion | undefined;

/** A home in which every agent is set up well, and a terminal with the editor's variables. */
function settle(): void {
  put(".gemini/settings.json", '{ "ide": { "enabled": true } } // fine');
  put(".qwen/settings.json", '{ "tools": { "approvalMode": "default", }, }');
  put(".claude/settings.json", '{ "permissions": { "defaultMode": "default" } }');
}

function put(name: string, text: string): string {
  const path = join(platform.home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

async function start(folders: readonly string[]): Promise<Companion> {
  companion = createCompanion({ host: createMemoryEditor({ folders }), platform });
  await companion.start();
  return companion;
}

/** The terminal of the test: the editor's variables, and no container around it. */
function terminal(
  environment: Readonly<Record<string, string>>,
  lstat: (path: string) => Promise<FileFacts | undefined> = async (path) =>
    path === "/.dockerenv" || path === "/run/.containerenv" ? undefined : await platform.files.lstat(path),
): Platform {
  return {
    ...platform,
    process: { ...platform.process, environment: (name) => environment[name] },
    files: {
      lstat,
      list: async (path) => await platform.files.list(path),
      readText: async (path, limit) => await platform.files.readText(path, limit),
      readReal: async (path, limit) => await platform.files.readReal(path, limit),
      realPath: async (path) => await platform.files.realPath(path),
      startsWithByteOrderMark: async (path) => await platform.files.startsWithByteOrderMark(path),
      watch: () => expect.fail("the doctor waits for nothing"),
      makeDirectory: refuse,
      chmod: refuse,
      createExclusive: refuse,
      rename: refuse,
      replaceText: refuse,
      remove: refuse,
      removeSync: () => expect.fail("the doctor changes nothing"),
    },
  };
}

async function refuse(): Promise<never> {
  return expect.fail("the doctor changes nothing");
}

async function bad(environment: Readonly<Record<string, string>> = {}, folder?: string): Promise<readonly Finding[]> {
  const findings = await examine(terminal(environment), folder ?? platform.workspace);
  return findings.filter(({ level }) => level !== "ok");
}

beforeEach(() => {
  platform = createTestPlatform();
});

afterEach(async () => {
  await companion?.stop();
  companion = undefined;
  platform.dispose();
});

describe("the doctor", () => {
  it("finds nothing where all is well", async () => {
    settle();
    const { environment } = await start([platform.workspace]);
    const findings = await examine(terminal(environment), platform.workspace);
    expect(findings.map(({ level, agent }) => [level, agent])).toEqual([
      ["ok", "gemini"],
      ["ok", "qwen"],
      ["ok", "claude"],
    ]);
  });

  it("goes on where it may not look into the home", async () => {
    const open = terminal({});
    const unlessHome =
      <T>(read: (path: string) => Promise<T>) =>
      async (path: string): Promise<T> => {
        if (path.startsWith(platform.home)) throw Object.assign(new Error("permission denied"), { code: "EACCES" });
        return await read(path);
      };
    const { lstat, list, readText, realPath } = open.files;
    const files = {
      ...open.files,
      lstat: unlessHome(lstat),
      list: unlessHome(list),
      realPath: unlessHome(realPath),
      readText: async (path: string, limit: number) => await unlessHome(async () => await readText(path, limit))(path),
    };
    const findings = await examine({ ...open, files }, platform.workspace);
    expect(findings.filter(({ level }) => level === "problem").map(({ agent }) => agent)).toContain("gemini");
  });

  it("says that no editor runs, and what to type", async () => {
    settle();
    const problems = (await bad()).filter(({ level }) => level === "problem");
    expect(problems.map(({ agent }) => agent)).toEqual(["gemini", "qwen", "claude"]);
    for (const { fix } of problems) expect(fix).toContain("patchbay serve");
  });

  it("says that the editor has another folder open", async () => {
    settle();
    const elsewhere = join(platform.root, "else where");
    mkdirSync(elsewhere);
    const { environment } = await start([elsewhere]);
    const problems = (await bad(environment)).filter(({ level }) => level === "problem");
    expect(problems).toHaveLength(3);
    expect(problems[0]).toMatchObject({ fix: `cd '${elsewhere}'` });
    expect(problems[0]?.text).toContain("serves another folder");
  });

  it("says that the way here leads through a link, which Claude Code does not follow", async () => {
    settle();
    const { environment } = await start([platform.workspace]);
    const link = join(platform.root, "link");
    symlinkSync(platform.workspace, link);
    expect(await bad(environment, link)).toMatchObject([{ agent: "claude", level: "problem", fix: 'cd "$(pwd -P)"' }]);
  });

  it("names what is left over from an editor that has ended", async () => {
    settle();
    const { environment } = await start([platform.workspace]);
    const lock = put(
      ".qwen/ide/9.lock",
      JSON.stringify({ port: 9, workspacePath: "/x", ppid: 2 ** 22 + 1, ideInfo: { name: "x", displayName: "X" } }),
    );
    const [finding] = await bad(environment);
    expect(finding).toMatchObject({ level: "warning", agent: "qwen", fix: `rm ${lock}` });
    expect(finding?.text).toContain(`its process ${2 ** 22 + 1} has ended`);
  });

  it("names directories that are open to others, links, and files that are no records", async () => {
    settle();
    const { environment } = await start([platform.workspace]);
    chmodSync(join(platform.home, ".qwen", "ide"), 0o777);
    put(".claude/ide/1.lock", "nonsense");
    const custom = join(platform.root, "custom");
    mkdirSync(custom);
    symlinkSync(platform.root, join(custom, "ide"));
    const findings = await bad({ ...environment, CLAUDE_CONFIG_DIR: custom });
    const texts = findings.map(({ text }) => text).join("\n");
    expect(texts).toContain("Other users can write to");
    expect(texts).toContain("is no record that Claude Code can read");
    expect(texts).toContain("is a symbolic link");
  });

  it("names a directory of another user", async () => {
    settle();
    const { environment } = await start([platform.workspace]);
    const foreign = join(platform.tmp, "gemini", "ide");
    const machine = terminal(environment, async (path) => {
      if (path.endsWith("env")) return undefined;
      const facts = await platform.files.lstat(path);
      return path === foreign && facts !== undefined ? { ...facts, uid: facts.uid + 1 } : facts;
    });
    const findings = await examine(machine, platform.workspace);
    expect(findings[0]).toMatchObject({ level: "problem", agent: "gemini" });
    expect(findings[0]?.text).toContain("belongs to another user");
  });

  it("says that the terminal is older than the editor", async () => {
    settle();
    await start([platform.workspace]);
    const findings = await bad({
      GEMINI_CLI_IDE_SERVER_PORT: "1",
      QWEN_CODE_IDE_SERVER_PORT: "1",
      CLAUDE_CODE_SSE_PORT: "1",
    });
    expect(new Set(findings.map(({ agent }) => agent))).toEqual(new Set(["claude", "gemini", "qwen"]));
    for (const { fix } of findings) expect(fix).toContain('eval "$(patchbay env)"');
  });

  it("knows containers and proxies", async () => {
    settle();
    const { environment } = await start([platform.workspace]);
    const inContainer = terminal(
      { ...environment, HTTPS_PROXY: "http://proxy", HTTP_PROXY: "http://proxy", NO_PROXY: "example.org" },
      async (path) => await platform.files.lstat(path === "/.dockerenv" ? platform.home : path),
    );
    const findings = (await examine(inContainer, platform.workspace)).filter(({ level }) => level !== "ok");
    expect(findings.map(({ fix }) => fix)).toEqual([
      "export REMOTE_CONTAINERS=true",
      "export NO_PROXY=127.0.0.1,localhost",
    ]);
    expect(await bad({ ...environment, HTTP_PROXY: "http://proxy", NO_PROXY: "localhost,127.0.0.1" })).toEqual([]);
  });

  it("reads the agents' settings: who never asks, who never looks", async () => {
    const { environment } = await start([platform.workspace]);
    const texts = (await bad(environment)).map(({ text, fix }) => `${text} ${String(fix)}`).join("\n");
    expect(texts).toContain("Gemini CLI has not been told to use an editor yet");
    expect(texts).toContain('Qwen Code\'s tools.approvalMode is "auto"');
    expect(texts).toContain("/approval-mode default   # typed in Qwen Code; for good");
    expect(texts).toContain("claude --permission-mode manual   # for good");
    settle();
    put(".gemini/settings.json", '{ "ide": { "enabled": false } }');
    put(".qwen/settings.json", '{ "ide": { "enabled": false }, "tools": { "approvalMode": "yolo" } }');
    put(".claude.json", '{ "diffTool": "terminal" }');
    const more = (await bad(environment)).map(({ text }) => text).join("\n");
    expect(more).toContain("Gemini CLI's IDE mode is off");
    expect(more).toContain("Qwen Code's IDE mode is off");
    expect(more).toContain('tools.approvalMode is "yolo"');
    expect(more).toContain('diffTool is "terminal"');
  });

  it("lets the folder's settings win, and knows Claude's ask list", async () => {
    const { environment } = await start([platform.workspace]);
    settle();
    put(".claude/settings.json", '{ "permissions": { "ask": ["Edit", "Write"] } }');
    expect(await bad(environment)).toEqual([]);
    mkdirSync(join(platform.workspace, ".qwen"));
    writeFileSync(join(platform.workspace, ".qwen", "settings.json"), '{ "tools": { "approvalMode": "plan" } }');
    expect((await bad(environment)).map(({ agent }) => agent)).toEqual(["qwen"]);
  });

  it("prints sentences or JSON, and its exit code tells a problem", async () => {
    const out: string[] = [];
    const request = { folder: platform.workspace, platform: terminal({}), paint: createPaint(false) };
    const print = (line: string): void => void out.push(line);
    expect(await printFindings({ ...request, json: false, print })).toBe(1);
    expect(out.join("\n")).toContain(
      "✗ No editor that is running offers itself to Gemini CLI.\n  type: patchbay serve",
    );
    out.length = 0;
    await printFindings({ ...request, json: true, print });
    expect(JSON.parse(out.join("\n"))).toMatchObject({ folder: platform.workspace });
    settle();
    const { environment } = await start([platform.workspace]);
    out.length = 0;
    expect(await printFindings({ ...request, platform: terminal(environment), json: false, print })).toBe(0);
    expect(out.at(-1)).toContain("can connect");
  });
});
