import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type AgentDriver, createClaudeDriver, createGeminiDriver, createQwenDriver } from "@patchbay/testkit";
import { activate, deactivate } from "../src/extension.ts";
import type { EditionContext } from "../src/edition-context.ts";
import { commandIds } from "../src/commands/command-ids.ts";
import { openFakeWindow } from "./fake-vscode/index.ts";
import { TabInputTextDiff } from "./fake-vscode/values.ts";
import { Uri } from "./fake-vscode/uri.ts";
import type { FakeTab, FakeWorkbench } from "./fake-vscode/workbench.ts";

let bench: FakeWorkbench;
let root: string;
let folder: string;
let variables: Map<string, string>;
let subscriptions: { dispose(): unknown }[];
let agents: AgentDriver[];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-extension-")));
  folder = join(root, "workspace");
  for (const name of ["home", "tmp", "workspace", "storage"]) mkdirSync(join(root, name), { mode: 0o700 });
  vi.stubEnv("HOME", join(root, "home"));
  vi.stubEnv("TMPDIR", join(root, "tmp"));
  for (const name of ["QWEN_HOME", "CLAUDE_CONFIG_DIR", "PATCHBAY_NATIVE_EDITION"]) vi.stubEnv(name, undefined);
  bench = openFakeWindow();
  bench.folders = [folder];
  variables = new Map();
  subscriptions = [];
  agents = [];
});

afterEach(async () => {
  for (const agent of agents) await agent.end();
  await deactivate();
  for (const part of subscriptions) part.dispose();
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

function createContext(): EditionContext {
  const state = new Map<string, unknown>();
  return {
    subscriptions,
    storageUri: Uri.file(join(root, "storage")),
    extension: { packageJSON: { version: "1.2.3" } },
    workspaceState: {
      get: (key) => state.get(key),
      update: async (key, value) => void state.set(key, value),
    },
    environmentVariableCollection: {
      description: undefined,
      replace: (name, value) => variables.set(name, value),
      get: (name) => {
        const value = variables.get(name);
        return value === undefined ? undefined : { value };
      },
      delete: (name) => variables.delete(name),
      clear: () => variables.clear(),
      forEach: (callback) => variables.forEach((_value, name) => callback(name)),
    },
  };
}

async function connect(create: typeof createGeminiDriver | typeof createClaudeDriver): Promise<AgentDriver> {
  const where = { cwd: folder, home: join(root, "home"), temporaryDirectory: join(root, "tmp") };
  const agent = create(where);
  agents.push(agent);
  await agent.connect();
  return agent;
}

async function diffTab(agentName: string): Promise<FakeTab> {
  return await vi.waitFor(() => {
    const tab = bench.tabs.find((one) => one.label.endsWith(`↔ ${agentName}`));
    if (tab === undefined) throw new Error("no diff yet");
    return tab;
  });
}

function modifiedOf(tab: FakeTab): Uri {
  if (!(tab.input instanceof TabInputTextDiff)) throw new Error("no diff");
  return tab.input.modified;
}

async function run(command: string, ...args: readonly unknown[]): Promise<void> {
  // The first call loads the code of all commands and hands on.
  await bench.commands.get(command)?.(...args);
}

/** Every row of a view, parents before their children. */
async function rows(view: string, node?: unknown): Promise<readonly string[]> {
  const tree = bench.trees.get(view);
  const found: string[] = [];
  for (const child of (await tree?.getChildren(node)) ?? []) {
    const { label, description } = (await tree?.getTreeItem(child)) ?? {};
    found.push(`${String(label)} ${String(description)}`, ...(await rows(view, child)));
  }
  return found;
}

describe("the extension", () => {
  it("serves all agents of a window at once, each with its own proposal", async () => {
    await activate(createContext());
    const path = join(folder, "one.txt");
    writeFileSync(path, "one\n");
    const gemini = await connect(createGeminiDriver);
    const qwen = await connect(createQwenDriver);
    const claude = await connect(createClaudeDriver);
    const first = gemini.propose({ path, text: "gemini\n" });
    const second = qwen.propose({ path, text: "qwen\n" });
    const third = claude.propose({ path, text: "claude\n" });
    await run("patchbay.rejectProposal", modifiedOf(await diffTab("Qwen Code")));
    expect((await second.outcome).kind).toBe("rejected");
    const tab = await diffTab("Claude Code");
    bench.edit(await bench.openDocument(modifiedOf(tab)), "claude and me\n");
    await run("patchbay.acceptInTitle", modifiedOf(tab));
    expect(await third.outcome).toMatchObject({ kind: "accepted", userModified: true });
    expect(readFileSync(path, "utf8")).toBe("claude and me\n");
    await run("patchbay.rejectProposal", modifiedOf(await diffTab("Gemini CLI")));
    expect((await first.outcome).kind).toBe("rejected");
    await vi.waitFor(() => expect(bench.tabs).toEqual([]));
    // What writes the text is loaded when there is first something to tell.
    await vi.waitFor(() => expect(bench.statusBar.text).toContain("Gemini CLI, Qwen Code, Claude Code"));
  });

  it("tells agents what is open, until it is paused", async () => {
    await activate(createContext());
    const path = join(folder, "one.txt");
    writeFileSync(path, "one\n");
    await bench.showFile(Uri.file(path));
    const gemini = await connect(createGeminiDriver);
    await gemini.until("the open file", ({ view }) => view?.active === path);
    await run("patchbay.pauseSharing");
    await gemini.until("nothing", ({ view }) => view?.openFiles.length === 0);
    await vi.waitFor(() => expect(bench.statusBar.text).toContain("paused"));
    await run("patchbay.resumeSharing");
    await gemini.until("the open file again", ({ view }) => view?.active === path);
  });

  it("gives terminals the variables, and takes them back when the user does not want them", async () => {
    await activate(createContext());
    expect(Number(variables.get("GEMINI_CLI_IDE_SERVER_PORT"))).toBeGreaterThan(0);
    expect(Array.from(variables.values()).some((value) => /[\w-]{40,}/u.test(value))).toBe(false);
    bench.configure("patchbay.terminal.environment", false);
    expect(variables.size).toBe(0);
    bench.configure("patchbay.terminal.environment", true);
    expect(variables.has("CLAUDE_CODE_SSE_PORT")).toBe(true);
    await run("patchbay.copyEnvironment");
    expect(bench.clipboard).toContain(
      `export QWEN_CODE_IDE_SERVER_PORT='${variables.get("QWEN_CODE_IDE_SERVER_PORT")}'`,
    );
  });

  it("starts agents so that they ask before they write", async () => {
    await activate(createContext());
    await run("patchbay.runClaude");
    await run("patchbay.runQwen");
    bench.configure("patchbay.agents.gemini.command", "npx gemini");
    await run("patchbay.runGemini");
    expect(bench.terminals.map(({ name, sent }) => [name, ...sent])).toEqual([
      ["Claude Code", "claude --permission-mode manual"],
      ["Qwen Code", "qwen --approval-mode default"],
      ["Gemini CLI", "npx gemini"],
    ]);
  });

  it("puts a selection into the prompt of an agent that takes it, and of another by its terminal", async () => {
    await activate(createContext());
    const path = join(folder, "one.txt");
    writeFileSync(path, "one\n");
    await bench.showFile(Uri.file(path));
    await run("patchbay.runGemini");
    await run("patchbay.sendFile");
    expect(bench.terminals[0]?.sent.at(-1)).toBe("@one.txt ");
    const claude = await connect(createClaudeDriver);
    await claude.until("readiness", ({ contexts }) => contexts > 0);
    await run("patchbay.sendSelection");
    const { mentions } = await claude.until("the mention", (status) => status.mentions.length > 0);
    expect(mentions).toEqual([{ path, lines: { start: 0, end: 0 } }]);
  });

  it("shows who is connected, what they are told, and what waits", async () => {
    await activate(createContext());
    const path = join(folder, "one.txt");
    writeFileSync(path, "one\n");
    expect(await rows("patchbay.connections")).toEqual([]);
    await bench.showFile(Uri.file(path));
    const gemini = await connect(createGeminiDriver);
    await gemini.until("the open file", ({ view }) => view?.active === path);
    const proposal = gemini.propose({ path: join(folder, "two.txt"), text: "two\n" });
    await diffTab("Gemini CLI");
    const shown = await rows("patchbay.connections");
    expect(shown[0]).toBe("Gemini CLI 0.61.0 · connected");
    expect(shown.at(-1)).toBe("one.txt active, line 1");
    expect(await rows("patchbay.proposals")).toEqual(["two.txt Gemini CLI · new file"]);
    const [entry] = (await bench.trees.get("patchbay.proposals")?.getChildren()) ?? [];
    await run("patchbay.rejectInView", entry);
    expect((await proposal.outcome).kind).toBe("rejected");
    await run("patchbay.pauseSharing");
    expect((await rows("patchbay.connections")).at(-1)).toBe("What agents are told nothing: sharing is paused");
  });

  it("says in a diagnosis what was found and what to do", async () => {
    await activate(createContext());
    mkdirSync(join(root, "home", ".qwen"), { recursive: true });
    writeFileSync(
      join(root, "home", ".qwen", "settings.json"),
      '{ // the mode\n "tools": { "approvalMode": "yolo" }, "url": "http://x" }',
    );
    await run("patchbay.diagnose");
    const page = (await bench.sources.get("patchbay-diagnosis")?.read(Uri.file("/"))) ?? "";
    expect(page).toContain("Patchbay listens for agents on 127.0.0.1");
    expect(page).toContain(folder);
    expect(page).toContain("Qwen Code: tools.approvalMode is yolo.");
    expect(page).toContain("Claude Code: permissions.defaultMode is not set");
    expect(page).toContain("--permission-mode manual");
  });

  it("has every command from the start", async () => {
    await activate(createContext());
    expect(Array.from(bench.commands.keys()).toSorted()).toEqual(commandIds.toSorted());
    await run("patchbay.showLog");
    expect(Array.from(bench.commands.keys()).toSorted()).toEqual(commandIds.toSorted());
  });

  it("leaves no record behind when it ends", async () => {
    await activate(createContext());
    const records = join(root, "home", ".claude", "ide");
    expect(readdirSync(records).length).toBe(1);
    await deactivate();
    expect(readdirSync(records)).toEqual([]);
  });

  it("stays silent where the native edition of the editor serves", async () => {
    vi.stubEnv("PATCHBAY_NATIVE_EDITION", `theia:${process.ppid}`);
    await activate(createContext());
    expect(existsSync(join(root, "home", ".claude"))).toBe(false);
    expect(variables.size).toBe(0);
    // Nor does it show commands or views that lead nowhere.
    expect(bench.contexts.get("patchbay.silent")).toBe(true);
  });

  it("serves a window of an editor that was started from a terminal of the native edition's", async () => {
    vi.stubEnv("PATCHBAY_NATIVE_EDITION", `theia:${process.pid}`);
    await activate(createContext());
    expect(readdirSync(join(root, "home", ".claude", "ide")).length).toBe(1);
    expect(variables.size).toBeGreaterThan(0);
  });
});
