import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { createGeminiDriver } from "@patchbay/testkit";
import { Uri } from "../fake-vscode/uri.ts";
import { TabInputTextDiff } from "../fake-vscode/values.ts";
import { hostileNames, iconsIn, linksIn, unseenIn } from "../hostile-names.ts";
import { modifiedOf, RunningExtension } from "../running-extension.ts";

/** Names that a file can have. */
const fileNames = hostileNames.map(
  (name) =>
    `${name
      .replaceAll("/", "∕")
      .replaceAll(/\p{Cs}/gu, "")
      .slice(0, 60)}.txt`,
);

let window: RunningExtension | undefined;

afterEach(async () => {
  await window?.end();
  window = undefined;
});

/** An action in the tooltip of the status. */
const ownLink = /(?<!\\)\[[\w ]+\]\(command:patchbay\.\w+\)/gu;

/** Our own mark that keeps characters apart is none of theirs. */
function withoutJoiners(text: string): string {
  return text.replaceAll("\u2060", "");
}

/** Everything that the window was given to show, surface by surface. */
async function shownIn(extension: RunningExtension): Promise<ReadonlyMap<string, readonly string[]>> {
  const { bench } = extension;
  const items = [...(await extension.items("patchbay.connections")), ...(await extension.items("patchbay.proposals"))];
  const diffs = bench.tabs.filter(({ input }) => input instanceof TabInputTextDiff);
  const marks = diffs.map((tab) => bench.decorations?.provideFileDecoration(modifiedOf(tab))?.tooltip ?? "");
  const { text, accessibilityInformation } = bench.statusBar;
  // Its own actions are links; that nothing else is one is what is looked at.
  const tooltip = bench.statusTooltip.replaceAll(ownLink, "");
  return new Map([
    ["messages", bench.shown.flatMap((message) => [message.text, ...message.detail.split("\n"), ...message.items])],
    ["titles of tabs", diffs.map(({ label }) => label)],
    ["marks of tabs", marks],
    ["lists", bench.picks.flatMap((pick) => [pick.label, pick.description ?? ""])],
    ["notes", bench.notes],
    ["rows", items.flatMap(({ label, description }) => [String(label), description ?? ""])],
    ["tooltips of rows", items.map(({ tooltip: lines }) => lines ?? "")],
    ["spoken rows", items.map((item) => item.accessibilityInformation?.label ?? "")],
    ["status", [text.replaceAll(/\$\((?:plug|diff|debug-pause)\)/gu, "")]],
    ["tooltip of the status", [tooltip]],
    ["spoken status", [accessibilityInformation?.label ?? ""]],
  ]);
}

describe("every surface of the edition", () => {
  it.each(fileNames)("shows a name as it is and makes nothing of it: %j", async (name) => {
    const extension = new RunningExtension(`[ws](command:x) $(check)\n${name.length}`);
    window = extension;
    const { bench, folder, root } = extension;
    bench.configure("patchbay.agents.gemini.command", name);
    await extension.activate();
    const inside = join(folder, name);
    const outside = join(root, "elsewhere", name);
    mkdirSync(dirname(outside));
    for (const path of [inside, outside]) writeFileSync(path, "one\n");
    await bench.showFile(Uri.file(inside));
    const gemini = await extension.connect(createGeminiDriver, { version: name });
    await gemini.until("the open file", ({ view }) => view?.active === inside);
    gemini.propose({ path: inside, text: "two\n" });
    const tab = await extension.diffTab("Gemini CLI");
    bench.edit(await bench.openDocument(modifiedOf(tab)), "mine\n");
    gemini.propose({ path: outside, text: "two\n" });
    await expect.poll(() => bench.shown.map(({ text }) => text).join()).toContain("outside this workspace");
    // Two proposals: the user is asked which one, and the edited one asks when it is closed.
    await bench.showFile(Uri.file(inside));
    await extension.run("patchbay.revealProposal");
    await extension.run("patchbay.runGemini");
    await extension.run("patchbay.sendFile");
    await extension.run("patchbay.rejectAllProposals");
    await expect.poll(() => bench.statusBar.text).toContain("Gemini CLI");
    const surfaces = await shownIn(extension);
    for (const [surface, texts] of surfaces) {
      for (const text of texts) {
        expect([surface, linksIn(text), iconsIn(text)]).toEqual([surface, [], []]);
        const lines = surface.startsWith("tooltip") ? text.split("\n") : [text];
        for (const line of lines) expect([surface, unseenIn(withoutJoiners(line))]).toEqual([surface, []]);
      }
    }
    for (const needed of ["messages", "titles of tabs", "lists", "rows", "tooltips of rows", "spoken rows"]) {
      expect(surfaces.get(needed)?.join("").length).toBeGreaterThan(5);
    }
  });

  it("of the diagnosis is plain text", async () => {
    const extension = new RunningExtension("[ws](command:x) <img src=y> `code` ![i](https://example.org)");
    window = extension;
    writeFileSync(join(extension.root, "home", ".claude.json"), '{ "diffTool": "terminal" }');
    await extension.activate();
    await extension.run("patchbay.diagnose");
    const page = (await extension.bench.sources.get("patchbay-diagnosis")?.read(Uri.file("/"))) ?? "";
    // Below the line stand the explanations, in which nothing comes from outside.
    const [findings = "", explanations = ""] = String(page).split("\n\n---\n\n");
    expect(explanations).not.toContain("command:x");
    const lines = findings.split("\n\n").slice(1);
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      // The link to an explanation goes to a heading below, by the code of the finding.
      const withoutLink = line.replace(/ \[Explain\]\(#[a-z-]+\)$/u, "");
      const ownMarks = withoutLink.replace(/^[✓•✗] /u, "").replaceAll(/(?<!\\)\*\*/gu, "");
      expect(ownMarks.replaceAll(/\\[!-/:-@[-`{-~]/gu, "")).not.toMatch(/[!-/:-@[-`{-~]/u);
    }
  });
});

describe("what shows texts", () => {
  const src = fileURLToPath(new URL("../../src", import.meta.url));
  const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => [name, readFileSync(join(src, name), "utf8")] as const);

  it.each([
    [/\bshow(?:Information|Warning|Error)Message\b/u, ["surfaces/messages.ts"]],
    [/\b(?:showInputBox|showQuickPick|setStatusBarMessage)\b/u, ["surfaces/messages.ts"]],
    [/\bnew TreeItem\b/u, ["surfaces/texts.ts"]],
    [/\bnew FileDecoration\b/u, ["diff/register-reviews.ts"]],
    [/\bcreateStatusBarItem\b/u, ["panel/attention.ts", "views/register-views.ts"]],
    [/\bStatusBarItem\b/u, ["panel/attention.ts", "views/register-views.ts", "views/write-status.ts"]],
    [
      /"vscode\.diff"/u,
      ["commands/hooks.ts", "diff/review-tab.ts", "panel/change-documents.ts", "turns/turn-commands.ts"],
    ],
    [/\bcreate(?:SourceControl|ResourceGroup)\b/u, ["turns/changes-view.ts"]],
    [/\bcreateWebviewPanel\b/u, ["panel/panel.ts"]],
    [/\bsendText\(/u, ["commands/send-to-agent.ts", "terminals/agent-terminals.ts", "terminals/find-terminal.ts"]],
    [/\bMarkdownString\b/u, ["views/write-status.ts"]],
    [/\b(?:createQuickPick|createInputBox|CodeLens|Hover)\b/u, []],
  ])("%s stands where texts are made harmless, and nowhere else", (use, places) => {
    const found = sources.filter(([, text]) => use.test(text)).map(([name]) => name);
    expect(found.toSorted()).toEqual(places.toSorted());
  });
});
