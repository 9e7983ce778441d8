// @vitest-environment jsdom
import { SimulatedTheia } from "../../support/simulated-theia.ts";
import { DiffUris } from "@theia/core/lib/browser/diff-uris";
import { TabBarToolbarRegistry } from "@theia/core/lib/browser/shell/tab-bar-toolbar/tab-bar-toolbar-registry";
import { CommandRegistry } from "@theia/core/lib/common/command";
import { URI } from "@theia/core/lib/common/uri";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AgentChanges } from "../../../src/browser/contributions/agent-changes.ts";
import { patchbayCommands } from "../../../src/browser/contributions/patchbay-commands.ts";
import { PanelChanges } from "../../../src/browser/panel/panel-places.ts";
import { Lists } from "../../../src/browser/surfaces/lists.ts";
import { WindowClient } from "../../../src/browser/window/window-client.ts";
import { PatchbayServer } from "../../../src/common/protocol.ts";
import { settle } from "../../support/backend.ts";
import { editorOf, type SimulatedEditor } from "../../support/simulated-editors.ts";
import { listedTurn, TurnLedger } from "../../support/turn-ledger.ts";

type ToolbarItem = Parameters<TabBarToolbarRegistry["registerItem"]>[0];

const path = "/workspace/a.txt";

const turn = listedTurn({
  files: [{ path, kind: "changed", attribution: "exact", review: "unreviewed", lines: undefined }],
});

let theia: SimulatedTheia;
let ledger: TurnLedger;
let changes: AgentChanges;
let commands: CommandRegistry;
let editor: SimulatedEditor;

const text = "one\nTWO\nTHREE\nfour\nfive\n";

beforeEach(async () => {
  theia = new SimulatedTheia();
  ledger = new TurnLedger(turn);
  ledger.marks = [
    { kind: "change", first: 2, last: 3 },
    { kind: "delete", first: 5, last: 5 },
  ];
  theia.container.rebind<unknown>(PatchbayServer).toConstantValue(ledger);
  theia.container.bind(PanelChanges).toSelf();
  theia.container.bind<unknown>(Lists).toConstantValue({});
  theia.files.set("file:///workspace/a.txt", text);
  editor = editorOf(await theia.editors.open(new URI("file:///workspace/a.txt"), { mode: "activate" }));
  theia.container.bind<unknown>(CommandRegistry).toConstantValue({});
  theia.container.bind(AgentChanges).toSelf();
  changes = theia.container.get(AgentChanges);
  commands = theia.commands();
  changes.registerCommands(commands);
  changes.onStart();
  await tellTurns();
  await expect.poll(() => shown()).toEqual(["change 2 3", "delete 5 5"]);
});
afterEach(() => theia.dispose());

async function tellTurns(): Promise<void> {
  theia.container.get(WindowClient).notifyTurns();
  await settle();
}

const shown = (of: SimulatedEditor = editor): readonly string[] =>
  Array.from(of.decorations.values(), ({ range, options }) => {
    const kind = options.linesDecorationsClassName?.replace(/^.*patchbay-turn-/u, "");
    return `${kind} ${range.start.line + 1} ${range.end.line + 1}`;
  });

const at = (line: number): void => editor.moveTo({ line: line - 1, character: 0 });

describe("bars beside what agents changed", () => {
  it("follow what is typed, once it rests", async () => {
    ledger.marks = [{ kind: "change", first: 3, last: 4 }];
    for (const mine of ["m\n", "mi\n", "mine\n"]) editor.type(mine + text);
    await expect.poll(() => shown()).toEqual(["change 3 4"]);
    expect(ledger.looks).toEqual([text, `mine\n${text}`]);
  });

  it("stand in each editor of the file, also in one that is opened later, and in no other file's", async () => {
    theia.files.set("file:///workspace/b.txt", text);
    const split = theia.editors.currentEditor;
    if (split === undefined) throw new Error("there is no editor");
    const second = editorOf(await theia.editors.split(split));
    await expect.poll(() => shown(second)).toEqual(["change 2 3", "delete 5 5"]);
    const other = editorOf(await theia.editors.open(new URI("file:///workspace/b.txt"), { mode: "activate" }));
    await expect.poll(() => ledger.looks.length).toBeGreaterThan(1);
    expect(shown(other)).toEqual([]);
  });

  it("are there again when an editor comes to the front", async () => {
    theia.files.set("file:///workspace/b.txt", text);
    await theia.editors.open(new URI("file:///workspace/b.txt"), { mode: "activate" });
    expect(shown()).toEqual([]);
    await theia.editors.open(new URI("file:///workspace/a.txt"), { mode: "activate" });
    expect(shown()).toEqual(["change 2 3", "delete 5 5"]);
  });

  it("are left out beside what the file was: there are buttons, and the left side takes over what is kept", async () => {
    const buttons = new Map<string, ToolbarItem>();
    const toolbar = { registerItem: (item: ToolbarItem) => void buttons.set(item.id, item) };
    changes.registerToolbarItems(Object.assign(Object.create(TabBarToolbarRegistry.prototype), toolbar));
    const button = buttons.get(patchbayCommands.keepChange.id);
    const isVisible = (): boolean => button?.isVisible?.(theia.editors.currentEditor) === true;
    const drawn = vi.fn();
    button?.onDidChange?.(drawn);
    expect(isVisible()).toBe(false);
    ledger.before = "before\n";
    await changes.act("open", turn, path);
    await expect.poll(isVisible).toBe(true);
    expect(drawn).toHaveBeenCalled();
    const side = editorOf(theia.editors.currentEditor);
    expect(shown(side)).toEqual([]);
    const [left] = DiffUris.decode(side.uri);
    const onLeft = async (): Promise<string> =>
      String(
        await theia.container
          .get(PanelChanges)
          .resolve(left ?? new URI())
          .readContents(),
      );
    expect(await onLeft()).toBe("before\n");
    ledger.before = "kept\n";
    const [file] = turn.files;
    ledger.listed = file === undefined ? [] : [{ ...turn, files: [{ ...file, review: "partly" }] }];
    await tellTurns();
    expect(await onLeft()).toBe("kept\n");
    ledger.listed = [];
    await tellTurns();
    expect(isVisible()).toBe(false);
  });

  it("go when nothing of the file is to be reviewed, without asking for it", async () => {
    ledger.listed = [];
    await tellTurns();
    expect([shown(), ledger.looks.length]).toEqual([[], 1]);
  });

  it("are left out of a text that is too long to be sent with each pause", async () => {
    editor.type("x".repeat(2_000_001));
    await expect.poll(() => shown()).toEqual([]);
    expect(ledger.looks).toEqual([text]);
  });
});

describe("a change in an editor", () => {
  const { keepChange, undoChange } = patchbayCommands;

  it("is kept or undone where the cursor is; elsewhere the cursor goes to the next one, and nothing is decided", async () => {
    const { id } = undoChange;
    for (const [line, goesTo] of [
      [1, 2],
      [4, 5],
      [6, 2],
    ] as const) {
      at(line);
      await commands.executeCommand(id);
      expect([line, editor.cursor.line + 1]).toEqual([line, goesTo]);
    }
    expect(ledger.asked).toEqual([]);
    for (const line of [2, 3, 5]) {
      at(line);
      await commands.executeCommand(id);
      expect(ledger.asked.at(-1)).toEqual(["undo", { path, first: line, last: line, isSelected: false, text }]);
    }
    editor.moveTo({ line: 4, character: 1 }, { line: 0, character: 0 });
    await commands.executeCommand(keepChange.id);
    expect(ledger.asked.at(-1)).toEqual(["keep", { path, first: 1, last: 5, isSelected: true, text }]);
    // Of whole lines a selection ends where the next one begins.
    editor.moveTo({ line: 2, character: 0 }, { line: 0, character: 0 });
    await commands.executeCommand(keepChange.id);
    expect(ledger.asked.at(-1)).toEqual(["keep", { path, first: 1, last: 2, isSelected: true, text }]);
    ledger.listed = [];
    await tellTurns();
    expect([commands.isEnabled(keepChange.id), commands.isEnabled(id)]).toEqual([false, false]);
  });

  it("is meant by the line of a menu, wherever the cursor is", async () => {
    at(1);
    expect(commands.isVisible(keepChange.id, { lineNumber: 4, column: 1 })).toBe(false);
    expect(commands.isVisible(keepChange.id, { lineNumber: 2, column: 1 })).toBe(true);
    await commands.executeCommand(keepChange.id, { lineNumber: 2, column: 1 });
    expect(ledger.asked).toEqual([["keep", { path, first: 2, last: 2, isSelected: false, text }]]);
  });

  it("that was changed again says so; one of an agent that works waits, and can be hurried", async () => {
    at(2);
    ledger.done = undefined;
    await commands.executeCommand(undoChange.id);
    const waiting = { path, hunk: { start: 1, end: 3 } };
    ledger.done = [{ of: "t1", result: { files: [], turn: undefined, isTold: false, waiting } }];
    await commands.executeCommand(undoChange.id);
    const waits = "Claude Code is working. This is undone when it has finished.";
    expect(theia.messages.said).toEqual([
      "info: No change of an agent waits for review in these lines.",
      `info: ${waits}`,
    ]);
    theia.messages.answer(waits, "Undo Now");
    await settle();
    expect(ledger.asked.at(-1)).toEqual(["now", "t1", waiting]);
  });
});
