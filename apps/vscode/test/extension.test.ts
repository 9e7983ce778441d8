import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClaudeDriver, createGeminiDriver, createQwenDriver } from "@patchbay/testkit";
import { deactivate } from "../src/extension.ts";
import { commandIds, panelCommandIds, trialCommandIds, turnCommandIds } from "../src/lazy.ts";
import { Position, Range } from "./fake-vscode/ranges.ts";
import { Uri } from "./fake-vscode/uri.ts";
import type { FakeWorkbench } from "./fake-vscode/workbench.ts";
import { modifiedOf, RunningExtension } from "./running-extension.ts";

let window: RunningExtension;
let bench: FakeWorkbench;
let root: string;
let folder: string;
let variables: ReadonlyMap<string, string>;

beforeEach(() => {
  window = new RunningExtension();
  ({ bench, root, folder, variables } = window);
});

afterEach(async () => await window.end());

describe("the extension", () => {
  it("serves all agents of a window at once, each with its own proposal", async () => {
    await window.activate();
    const path = join(folder, "one.txt");
    writeFileSync(path, "one\n");
    const gemini = await window.connect(createGeminiDriver);
    const qwen = await window.connect(createQwenDriver);
    const claude = await window.connect(createClaudeDriver);
    const first = gemini.propose({ path, text: "gemini\n" });
    const second = qwen.propose({ path, text: "qwen\n" });
    const third = claude.propose({ path, text: "claude\n" });
    await window.run("patchbay.rejectProposal", modifiedOf(await window.diffTab("Qwen Code")));
    expect((await second.outcome).kind).toBe("rejected");
    const tab = await window.diffTab("Claude Code");
    bench.edit(await bench.openDocument(modifiedOf(tab)), "claude and me\n");
    await window.run("patchbay.acceptInTitle", modifiedOf(tab));
    expect(await third.outcome).toMatchObject({ kind: "accepted", userModified: true });
    expect(readFileSync(path, "utf8")).toBe("claude and me\n");
    await window.run("patchbay.rejectProposal", modifiedOf(await window.diffTab("Gemini CLI")));
    expect((await first.outcome).kind).toBe("rejected");
    await expect.poll(() => bench.tabs).toEqual([]);
    // What writes the text is loaded when there is first something to tell.
    await expect.poll(() => bench.statusBar.text).toBe("$(plug) 3 agents");
  });

  it("has nothing to do by the clock while nothing waits for the user", async () => {
    const every = vi.spyOn(globalThis, "setInterval");
    await window.activate();
    await window.connect(createGeminiDriver);
    bench.treeViews.get("patchbay.proposals")?.show(true);
    expect(every).not.toHaveBeenCalled();
    every.mockRestore();
  });

  it("tells agents what is open, until it is paused", async () => {
    await window.activate();
    const path = join(folder, "one.txt");
    writeFileSync(path, "one\n");
    await bench.showFile(Uri.file(path));
    const gemini = await window.connect(createGeminiDriver);
    await gemini.until("the open file", ({ view }) => view?.active === path);
    await window.run("patchbay.pauseSharing");
    await gemini.until("nothing", ({ view }) => view?.openFiles.length === 0);
    await expect.poll(() => bench.statusBar.text).toContain("paused");
    await window.run("patchbay.resumeSharing");
    await gemini.until("the open file again", ({ view }) => view?.active === path);
  });

  it("gives terminals the variables, and takes them back when the user does not want them", async () => {
    await window.activate();
    expect(Number(variables.get("GEMINI_CLI_IDE_SERVER_PORT"))).toBeGreaterThan(0);
    expect(Array.from(variables.values()).some((value) => /[\w-]{40,}/u.test(value))).toBe(false);
    bench.configure("patchbay.terminal.environment", false);
    expect(variables.size).toBe(0);
    bench.configure("patchbay.terminal.environment", true);
    expect(variables.has("CLAUDE_CODE_SSE_PORT")).toBe(true);
    await window.run("patchbay.copyEnvironment");
    expect(bench.clipboard).toContain(
      `export QWEN_CODE_IDE_SERVER_PORT='${variables.get("QWEN_CODE_IDE_SERVER_PORT")}'`,
    );
  });

  it("starts agents so that they ask before they write", async () => {
    await window.activate();
    await window.run("patchbay.runClaude");
    await window.run("patchbay.runQwen");
    bench.configure("patchbay.agents.gemini.command", "npx gemini");
    await window.run("patchbay.runGemini");
    expect(bench.terminals.map(({ name, sent }) => [name, ...sent])).toEqual([
      ["Claude Code", "claude --permission-mode manual"],
      ["Qwen Code", "qwen --approval-mode default"],
      ["Gemini CLI", "npx gemini"],
    ]);
  });

  it("turns on the IDE mode of an agent that has never been asked", async () => {
    await window.activate();
    await window.run("patchbay.runGemini");
    expect(bench.terminals.map(({ sent }) => sent)).toEqual([['gemini -i "/ide enable"']]);
  });

  it("leaves an agent to its own settings where the user wants it so", async () => {
    await window.activate();
    bench.configure("patchbay.agents.qwen.approvalMode", "asConfigured");
    bench.configure("patchbay.agents.claude.command", "  claude --verbose ");
    await window.run("patchbay.runQwen");
    await window.run("patchbay.runClaude");
    expect(bench.terminals.map(({ sent }) => sent)).toEqual([["qwen"], ["claude --verbose --permission-mode manual"]]);
  });

  it("says where an agent that it starts is not found, and how to get it", async () => {
    await window.activate();
    const programs = join(root, "programs");
    mkdirSync(programs);
    writeFileSync(join(programs, "qwen"), "#!/bin/sh\n", { mode: 0o755 });
    vi.stubEnv("PATH", programs);
    await window.run("patchbay.runQwen");
    expect(bench.shown).toEqual([]);
    bench.answerNext(({ items }) => items[0]);
    await window.run("patchbay.runClaude");
    expect(bench.shown.map(({ text }) => text)).toEqual([
      "claude was not found on the PATH of this window. If the terminal does not find it either, install it with npm install -g @anthropic-ai/claude-code",
    ]);
    expect(bench.clipboard).toBe("npm install -g @anthropic-ai/claude-code");
  });

  it("puts a selection into the prompt of an agent that takes it, and of another by its terminal", async () => {
    await window.activate();
    const path = join(folder, "one.txt");
    writeFileSync(path, "one\n");
    await bench.showFile(Uri.file(path));
    await window.run("patchbay.runGemini");
    await window.run("patchbay.sendFile");
    expect(bench.terminals[0]?.sent.at(-1)).toBe("@one.txt ");
    const claude = await window.connect(createClaudeDriver);
    await claude.until("readiness", ({ contexts }) => contexts > 0);
    await window.run("patchbay.sendSelection");
    const { mentions } = await claude.until("the mention", (status) => status.mentions.length > 0);
    expect(mentions).toEqual([{ path, lines: { start: 0, end: 0 } }]);
  });

  it("puts a problem into the prompt of an agent's terminal, from its quick fix and from the cursor", async () => {
    await window.activate();
    const path = join(folder, "one.txt");
    writeFileSync(path, "one\ntwo\n");
    const uri = Uri.file(path);
    await bench.showFile(uri);
    const at = (line: number): Range => new Range(new Position(line, 0), new Position(line, 3));
    const hint = { message: "Shorter.", severity: 3, range: at(1) };
    const error = {
      message: "Cannot find\nname 'two'.",
      severity: 0,
      range: at(1),
      source: "ts",
      code: { value: 2304 },
    };
    bench.setDiagnostics(uri, [hint, error]);
    const offered = (): readonly { readonly command?: { readonly arguments?: readonly unknown[] } }[] =>
      Array.from(bench.codeActions).flatMap((provider) =>
        provider.provideCodeActions({ uri }, at(1), { diagnostics: [error] }),
      );
    expect(offered()).toEqual([]);
    await window.run("patchbay.runGemini");
    await window.connect(createGeminiDriver);
    const [action] = offered();
    await window.run("patchbay.sendProblem", ...(action?.command?.arguments ?? []));
    const line = "@one.txt (line 2): Cannot find name 'two'. [ts 2304] ";
    expect(bench.terminals[0]?.sent.at(-1)).toBe(line);
    await window.run("patchbay.sendProblem");
    expect(bench.shown.at(-1)?.text).toBe("There is no problem at the cursor.");
    bench.select(new Position(1, 1), new Position(1, 1));
    await window.run("patchbay.sendProblem");
    expect(bench.terminals[0]?.sent.slice(-2)).toEqual([line, line]);
  });

  it("shows who is connected, what they are told, and what waits", async () => {
    await window.activate();
    const path = join(folder, "one.txt");
    writeFileSync(path, "one\n");
    expect(await window.rows("patchbay.connections")).toEqual([]);
    await bench.showFile(Uri.file(path));
    const gemini = await window.connect(createGeminiDriver);
    await gemini.until("the open file", ({ view }) => view?.active === path);
    const proposal = gemini.propose({ path: join(folder, "two.txt"), text: "two\n" });
    await window.diffTab("Gemini CLI");
    const shown = await window.rows("patchbay.connections");
    expect(shown[0]).toBe("Gemini CLI 0.61.0 · waits for you: two.txt");
    expect(shown.at(-1)).toBe("one.txt active, line 1");
    const [entry] = await window.reviews();
    expect(entry?.text).toBe("two.txt waits for you · new file · +1 −0 · now");
    await window.run("patchbay.rejectInView", entry?.row);
    expect((await proposal.outcome).kind).toBe("rejected");
    await window.run("patchbay.pauseSharing");
    expect((await window.rows("patchbay.connections")).at(-1)).toBe("What agents see nothing: sharing is paused");
  });

  it("says in a diagnosis what was found and what to do", async () => {
    await window.activate();
    mkdirSync(join(root, "home", ".qwen"), { recursive: true });
    writeFileSync(
      join(root, "home", ".qwen", "settings.json"),
      '{ // the mode\n "tools": { "approvalMode": "yolo" }, "url": "http://x" }',
    );
    writeFileSync(join(root, "home", ".claude.json"), "{}");
    await window.run("patchbay.diagnose");
    const markdown = String((await bench.sources.get("patchbay-diagnosis")?.read(Uri.file("/"))) ?? "");
    const page = markdown.replaceAll(/\\([!-/:-@[-`{-~])/gu, "$1");
    expect(page).toContain("Patchbay is listening for agents on 127.0.0.1");
    expect(page).toContain(folder);
    expect(page).toContain("Qwen Code: tools.approvalMode is yolo.");
    expect(page).toContain("Claude Code: permissions.defaultMode is not set");
    expect(page).toContain("--permission-mode manual");
    // Nothing shows that it was ever used here.
    expect(page.split("\n---\n")[0]).not.toContain("Gemini CLI");
    // Each problem leads to its explanation below, which is there once.
    const links = Array.from(page.matchAll(/\[Explain\]\(#([^)]+)\)/gu), ([, place]) => place);
    expect(links.filter((place) => place === "it-writes-without-asking")).toHaveLength(2);
    expect(page.split("## It writes without asking\n\n")).toHaveLength(2);
    expect(page).toContain("**What is not harmed**");
    expect(page.split("\n").filter((line) => line.startsWith("✓") && line.includes("[Explain]"))).toEqual([]);
    const headings = Array.from(page.matchAll(/^## (.+)$/gmu), ([, title = ""]) =>
      title.toLowerCase().replaceAll(" ", "-"),
    );
    expect(Array.from(new Set(links), String).toSorted()).toEqual(headings.toSorted());
  });

  it("has every command from the start", async () => {
    const every = [...commandIds, ...panelCommandIds, ...trialCommandIds, ...turnCommandIds].toSorted();
    await window.activate();
    expect(Array.from(bench.commands.keys()).toSorted()).toEqual(every);
    await window.run("patchbay.showLog");
    expect(Array.from(bench.commands.keys()).toSorted()).toEqual(every);
  });

  it("leaves no record behind when it ends", async () => {
    await window.activate();
    const records = join(root, "home", ".claude", "ide");
    expect(readdirSync(records).length).toBe(1);
    await deactivate();
    expect(readdirSync(records)).toEqual([]);
  });

  it("stays silent where the native edition of the editor serves", async () => {
    vi.stubEnv("PATCHBAY_NATIVE_EDITION", `theia:${process.ppid}`);
    await window.activate();
    expect(existsSync(join(root, "home", ".claude"))).toBe(false);
    expect(variables.size).toBe(0);
    // Nor does it show commands or views that lead nowhere.
    expect(bench.contexts.get("patchbay.silent")).toBe(true);
  });

  it("serves a window of an editor that was started from a terminal of the native edition's", async () => {
    vi.stubEnv("PATCHBAY_NATIVE_EDITION", `theia:${process.pid}`);
    await window.activate();
    expect(readdirSync(join(root, "home", ".claude", "ide")).length).toBe(1);
    expect(variables.size).toBeGreaterThan(0);
  });
});
