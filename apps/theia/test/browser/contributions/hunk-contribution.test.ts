// @vitest-environment jsdom
import { SimulatedTheia } from "../../support/simulated-theia.ts";
import type { DiffRequest, Hunk } from "@patchbay/core";
import { ClipboardService } from "@theia/core/lib/browser/clipboard-service";
import { CommandRegistry } from "@theia/core/lib/common/command";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AgentPrompts } from "../../../src/browser/contributions/agent-prompts.ts";
import { HunkContribution } from "../../../src/browser/contributions/hunk-contribution.ts";
import { patchbayCommands } from "../../../src/browser/contributions/patchbay-commands.ts";
import { Lists } from "../../../src/browser/surfaces/lists.ts";
import { createTestBackend, settle } from "../../support/backend.ts";
import type { FakeCompanion } from "../../support/fake-companion.ts";
import { editorOf, type SimulatedEditor } from "../../support/simulated-editors.ts";
// Loaded with the first wish, which takes longer than a test waits.
import "../../../src/browser/contributions/review-actions.ts";

const request: DiffRequest = {
  id: "one",
  agentName: "Gemini CLI",
  path: "/workspace/a.txt",
  originalText: "old\n",
  unsaved: false,
  standing: "unchanged",
  kind: "change",
  proposedText: "new\n".repeat(20),
  agentPresent: true,
};

type Name = "acceptHunk" | "rejectHunk" | "nextHunk" | "previousHunk" | "undoHunk";

let theia: SimulatedTheia;
let companion: FakeCompanion;
let commands: CommandRegistry;
let beyond: string[];

beforeEach(async () => {
  theia = new SimulatedTheia();
  const backend = createTestBackend();
  theia.connect(backend);
  theia.attachment.onStart();
  await settle();
  const [made] = backend.companions;
  if (made === undefined) throw new Error("There is no companion.");
  companion = made;
  beyond = [];
  theia.container
    .bind<unknown>(CommandRegistry)
    .toConstantValue({ executeCommand: async (id: string) => void beyond.push(id) });
  for (const part of [AgentPrompts, ClipboardService, Lists]) theia.container.bind<unknown>(part).toConstantValue({});
  commands = theia.commands(HunkContribution);
});
afterEach(() => theia.dispose());

async function show(facts: Partial<DiffRequest> = {}): Promise<SimulatedEditor> {
  // A window is asked by the backend, which has the view from then on.
  await companion.host.diffs.open(
    { ...request, ...facts },
    { edited: () => {}, accepted: () => {}, rejected: () => {}, closed: () => {} },
  );
  return editorOf(theia.editors.all.at(-1));
}

async function run(name: Name, argument?: unknown): Promise<void> {
  await commands.executeCommand(patchbayCommands[name].id, argument);
  await settle();
}

it("decides the hunk where the cursor is, and goes on to the next", async () => {
  const editor = await show();
  editor.moveTo({ line: 4, character: 2 });
  companion.decision = { kind: "decided", left: 1, next: { start: 9, end: 10 } };
  await run("acceptHunk");
  expect([companion.asked, editor.cursor]).toEqual([["accept one 4"], { line: 9, character: 0 }]);
  companion.decision = { kind: "ended" };
  await run("rejectHunk");
  expect([companion.asked.at(-1), theia.messages.said]).toEqual(["reject one 9", []]);
});

it("decides the hunk of a line's number, in this review only", async () => {
  await show();
  await run("rejectHunk", { lineNumber: 7, column: 1, uri: { scheme: "patchbay-theia-proposal", query: "one" } });
  expect(companion.asked).toEqual(["reject one 6"]);
  const other = { lineNumber: 7, column: 1, uri: { scheme: "file" } };
  expect(commands.isVisible(patchbayCommands.acceptHunk.id, other)).toBe(false);
});

it("is offered in the toolbar of a review behind another one, whose cursor nobody can ask for", async () => {
  await show();
  await show({ id: "two", path: "/workspace/two.txt" });
  const [behind] = theia.editors.all;
  expect(behind?.isVisible).toBe(false);
  expect(commands.isEnabled(patchbayCommands.acceptHunk.id, behind)).toBe(true);
});

it.each<[string, Partial<DiffRequest>]>([
  ["takes no text but its own", { isReadOnly: true }],
  ["is answered in a terminal only", { decidedBy: "terminal" }],
  ["has a conflict", { standing: "conflict" }],
])("is not offered for a review that %s", async (_case, facts) => {
  await show(facts);
  expect(commands.isEnabled(patchbayCommands.acceptHunk.id)).toBe(false);
});

it("goes from hunk to hunk, and past the last one to the next review", async () => {
  const editor = await show();
  const hunkAt = (start: number): Hunk => ({ left: { start, end: start + 1 }, right: { start, end: start + 1 } });
  companion.undecided = [hunkAt(2), hunkAt(8)];
  for (const [name, line] of [
    ["nextHunk", 2],
    ["nextHunk", 8],
    ["previousHunk", 2],
  ] as const) {
    await run(name);
    expect(editor.cursor.line).toBe(line);
  }
  await run("previousHunk");
  editor.moveTo({ line: 12, character: 0 });
  await run("nextHunk");
  expect(beyond).toEqual([patchbayCommands.previous.id, patchbayCommands.next.id]);
});

it("says what stands in the way, and that there is nothing to undo", async () => {
  await show();
  for (const kind of ["conflict", "read-only", "none"] as const) {
    companion.decision = { kind };
    await run("acceptHunk");
  }
  await run("undoHunk");
  expect(theia.messages.said).toEqual([
    "info: Resolve the conflict first.",
    "info: This agent takes or leaves the whole change.",
    "info: There is no hunk left to decide.",
    "info: There is no decision on a hunk to undo.",
  ]);
});
