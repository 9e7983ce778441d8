import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { commands } from "vscode";
import { modifiedOf, RunningExtension } from "./running-extension.ts";
import type { FakeTab } from "./fake-vscode/shapes.ts";

let window: RunningExtension;

beforeEach(() => {
  window = new RunningExtension();
  install([]);
});

afterEach(async () => await window.end());

/** The agents that this machine has. */
function install(programs: readonly string[]): void {
  const bin = join(window.root, "bin");
  mkdirSync(bin, { recursive: true });
  for (const program of programs) {
    writeFileSync(join(bin, program), "");
    chmodSync(join(bin, program), 0o755);
  }
  vi.stubEnv("PATH", bin);
}

async function tryReview(): Promise<FakeTab> {
  await window.run("patchbay.tryReview");
  return await window.diffTab("Patchbay");
}

/** The sentence that began so, with what can be chosen. */
async function said(start: string): Promise<string> {
  const find = (): string | undefined =>
    window.bench.shown
      .filter(({ text }) => text.startsWith(start))
      .map(({ text, items }) => [text, ...items].join(" | "))
      .at(-1);
  await expect.poll(find).toBeDefined();
  return find() ?? "";
}

const left = (): readonly string[] => readdirSync(join(window.root, "tmp")).filter((name) => name.includes("try"));

describe("a review without an agent", () => {
  it("opens in the diff editor, is explained, and leaves nothing behind", async () => {
    install(["qwen", "claude"]);
    await window.activate();
    const tab = await tryReview();
    expect(tab.label).toContain("sample.js");
    expect(await said("This is how")).toContain("No agent is running");
    expect(left()).toHaveLength(1);
    await window.run("patchbay.tryReview");
    expect(window.bench.tabs.filter(({ label }) => label.endsWith("↔ Patchbay"))).toHaveLength(1);
    // Of the three lines that it changes the last one is not wanted.
    const uri = modifiedOf(tab);
    const text = async (): Promise<readonly string[]> =>
      (await window.bench.openDocument(uri))
        .getText()
        .split("\n")
        .map((line) => line.trim());
    const line = (await text()).findIndex((one) => one.includes('"..."')) + 1;
    await expect.poll(() => window.bench.contexts.get("patchbay.hunkReviews")).toContain(uri.toString());
    await window.run("patchbay.rejectHunk", { uri, lineNumber: line });
    await window.run("patchbay.acceptInTitle", uri);
    expect(await said("Accepted.")).toBe(
      "Accepted. An agent would now write what stood on the right: 2 of its 3 changes. | Run Qwen Code | Run Claude Code | Try Again",
    );
    await expect.poll(() => window.bench.tabs.filter(({ label }) => label.endsWith("↔ Patchbay"))).toEqual([]);
    expect(left()).toEqual([]);
    expect(await window.rows("patchbay.proposals")).toEqual([]);
  });

  it("goes on with an agent, another try, or how to get an agent", async () => {
    install(["claude"]);
    await window.activate();
    window.bench.answerNext(() => undefined);
    window.bench.answerNext(() => "Try Again");
    window.bench.answerNext(() => undefined);
    window.bench.answerNext(() => "Run Claude Code");
    await window.run("patchbay.rejectInTitle", modifiedOf(await tryReview()));
    expect(await said("Rejected.")).toContain("| Run Claude Code | Try Again");
    const again = await window.diffTab("Patchbay");
    await window.run("patchbay.rejectInTitle", modifiedOf(again));
    await expect.poll(() => window.bench.terminals.map(({ sent }) => sent[0])).toMatchObject([/^claude /u]);
  });

  it.each([
    ["none is installed", () => {}],
    ["there is no folder", () => Object.assign(window.bench, { folders: [] }) && install(["claude"])],
    ["the workspace is not trusted", () => Object.assign(window.bench, { trusted: false }) && install(["claude"])],
  ])("leads to the walkthrough where no agent can be started: %s", async (_case, make) => {
    make();
    await window.activate();
    const opened: unknown[] = [];
    window.bench.commands.set("workbench.action.openWalkthrough", (id) => void opened.push(id));
    window.bench.answerNext(() => undefined);
    window.bench.answerNext(() => "Connect an Agent");
    await window.run("patchbay.rejectInTitle", modifiedOf(await tryReview()));
    expect(await said("Rejected.")).toMatch(/you said no\. \| Connect an Agent \| Try Again$/u);
    await expect.poll(() => opened).toEqual(["patchbay.patchbay#start"]);
  });

  it("counts a closed tab as a no", async () => {
    await window.activate();
    const tab = await tryReview();
    await window.bench.closeTab(tab);
    expect(await said("Closed.")).toContain("it would now write nothing. | Connect an Agent");
    expect(left()).toEqual([]);
  });

  it("ends without a word with the window", async () => {
    await window.activate();
    await tryReview();
    const before = window.bench.shown.length;
    await window.end();
    expect(window.bench.shown.slice(before)).toEqual([]);
    expect(existsSync(window.root)).toBe(false);
    window = new RunningExtension();
  });

  it("says what is in the way", async () => {
    await window.activate();
    vi.stubEnv("TMPDIR", join(window.root, "nowhere"));
    writeFileSync(join(window.root, "nowhere"), "");
    await commands.executeCommand("patchbay.tryReview");
    expect(window.bench.shown.at(-1)?.text).toContain("nowhere");
  });
});
