// @vitest-environment jsdom
import { SimulatedTheia } from "../../support/simulated-theia.ts";
import { DiffUris } from "@theia/core/lib/browser/diff-uris";
import { CommandRegistry } from "@theia/core/lib/common/command";
import { isValidElement, type ReactNode } from "@theia/core/shared/react";
import type { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentChanges } from "../../../src/browser/contributions/agent-changes.ts";
import { LaterServices } from "../../../src/browser/contributions/later-services.ts";
import { patchbayCommands } from "../../../src/browser/contributions/patchbay-commands.ts";
import { TurnActions } from "../../../src/browser/contributions/turn-actions.ts";
import { PanelChanges } from "../../../src/browser/panel/panel-places.ts";
import { Lists } from "../../../src/browser/surfaces/lists.ts";
import { WindowClient } from "../../../src/browser/window/window-client.ts";
import { type ListedTurn, PatchbayServer } from "../../../src/common/protocol.ts";
import { settle } from "../../support/backend.ts";
import { editorOf } from "../../support/simulated-editors.ts";

const file = { path: "/workspace/a.txt", attribution: "exact", review: "unreviewed", lines: undefined } as const;

const turn: ListedTurn = {
  id: "t1",
  number: 1,
  agents: ["Claude Code"],
  agent: "claude",
  session: "s1",
  prompt: "Change it",
  began: 0,
  ended: 1,
  border: "exact",
  undoes: undefined,
  headMoved: false,
  isPartial: false,
  undecided: 3,
  lines: { added: 1, removed: 1 },
  files: [
    { ...file, kind: "changed" },
    { ...file, path: "/workspace/gone.txt", kind: "deleted" },
    { ...file, path: "/workspace/new.txt", kind: "created" },
  ],
};

/** What of the backend is asked. */
class Ledger {
  readonly asked: unknown[] = [];
  listed: readonly ListedTurn[] = [turn];
  keptOfNew: string | undefined;

  async turns(): Promise<readonly ListedTurn[]> {
    return this.listed;
  }
  async keepTurn(...asked: readonly unknown[]): Promise<boolean> {
    this.asked.push(["keep", ...asked]);
    return true;
  }
  async undoTurn(...asked: readonly unknown[]): Promise<undefined> {
    this.asked.push(["undo", ...asked]);
  }
  async turnMarks(): Promise<readonly []> {
    return [];
  }
  async decideLines(): Promise<readonly []> {
    return [];
  }
  async textBeforeTurn(_turn: string, path: string): Promise<string | undefined> {
    return path.endsWith("new.txt") ? this.keptOfNew : "\uFEFFone\n";
  }
}

interface Item {
  readonly id: string;
  isVisible?(widget: unknown): boolean;
  render?(widget: unknown): ReactNode;
}

let theia: SimulatedTheia;
let ledger: Ledger;
let changes: AgentChanges;
let commands: CommandRegistry;
let items: Map<string, Item>;

beforeEach(async () => {
  theia = new SimulatedTheia();
  ledger = new Ledger();
  items = new Map();
  theia.container.rebind<unknown>(PatchbayServer).toConstantValue(ledger);
  theia.container.bind(PanelChanges).toSelf();
  theia.container.bind<unknown>(Lists).toConstantValue({});
  commands = new CommandRegistry({ getContributions: () => [] });
  theia.container.bind(CommandRegistry).toConstantValue(commands);
  theia.container.bind(AgentChanges).toSelf();
  changes = theia.container.get(AgentChanges);
  changes.registerCommands(commands);
  changes.registerToolbarItems({ registerItem: (item: Item) => items.set(item.id, item) } as never);
  changes.onStart();
  await list([turn]);
});
afterEach(() => theia.dispose());

async function list(turns: readonly ListedTurn[]): Promise<void> {
  ledger.listed = turns;
  theia.container.get(WindowClient).notifyTurns();
  await settle();
}

const front = (): EditorWidget | undefined => theia.editors.currentEditor;

const step = async (name: "nextFile" | "previousFile"): Promise<unknown> =>
  await commands.executeCommand(patchbayCommands[name].id);

/** What stands on both sides of the editor in front; of a file on disk its name. */
async function sides(): Promise<readonly string[]> {
  const uri = front()?.editor.uri;
  if (uri === undefined) return [];
  const texts = theia.container.get(PanelChanges);
  const both = DiffUris.isDiffUri(uri) ? DiffUris.decode(uri) : [uri];
  return await Promise.all(
    both.map(async (one) => (one.scheme === "file" ? one.path.base : await texts.resolve(one).readContents())),
  );
}

/** In the toolbar of the editor in front. */
function position(): string | undefined {
  const item = items.get("patchbay.theia.filePosition");
  if (item?.isVisible?.(front()) !== true) return undefined;
  return textOf(item.render?.(front()));
}

function textOf(node: ReactNode): string {
  if (typeof node === "string") return node;
  if (Array.isArray(node)) return node.map(textOf).join("");
  return isValidElement<{ readonly children?: ReactNode }>(node) ? textOf(node.props.children) : "";
}

describe("the files of a turn", () => {
  it("are shown beside what they were, one after the other in one tab; new ones beside nothing, deleted ones before nothing", async () => {
    await changes.act("open", turn, undefined);
    const seen = [await sides()];
    for (const name of ["nextFile", "nextFile", "nextFile", "previousFile"] as const) {
      await step(name);
      seen.push(await sides());
    }
    // The ends meet.
    expect(seen).toEqual([
      ["one\n", "a.txt"],
      ["one\n", ""],
      ["", "new.txt"],
      ["one\n", "a.txt"],
      ["", "new.txt"],
    ]);
    expect(theia.editors.all).toHaveLength(1);
  });

  it("are shown once, and stay open where something was typed", async () => {
    await changes.act("open", turn, "/workspace/a.txt");
    await changes.act("open", turn, "/workspace/a.txt");
    expect(theia.editors.all).toHaveLength(1);
    editorOf(front()).type("mine\n");
    await step("nextFile");
    expect(theia.editors.all).toHaveLength(2);
    // Nor is anybody asked what is to become of it.
    expect(document.querySelector(".dialogOverlay")).toBeNull();
    await changes.act("open", turn, "/workspace/a.txt");
    expect([theia.editors.all.length, await sides()]).toEqual([2, ["one\n", "a.txt"]]);
  });

  it("that are no text are shown as they are, and gone through, too", async () => {
    await list([
      { ...turn, undecided: 2, files: [{ ...file, path: "/workspace/b.bin", kind: "binary" }, ...turn.files.slice(2)] },
    ]);
    await changes.act("open", ledger.listed[0] ?? turn, undefined);
    expect([await sides(), position()]).toEqual([["b.bin"], "1 of 2 files"]);
    await step("nextFile");
    // The user may have had it open before.
    expect([await sides(), position(), theia.editors.all.length]).toEqual([["", "new.txt"], "2 of 2 files", 2]);
  });

  it("say which of how many is shown, and what is left once it was decided", async () => {
    await changes.act("open", turn, "/workspace/gone.txt");
    expect(position()).toBe("2 of 3 files");
    const [first, , last] = turn.files;
    if (first === undefined || last === undefined) throw new Error("There are no files.");
    await list([{ ...turn, undecided: 2, files: [first, last] }]);
    expect(position()).toBe("2 to review");
    // On from where it stood.
    await step("nextFile");
    expect([await sides(), position()]).toEqual([["", "new.txt"], "2 of 2 files"]);
    await list([{ ...turn, undecided: 1, files: [last] }]);
    expect(position()).toBeUndefined();
    expect(commands.isEnabled(patchbayCommands.nextFile.id)).toBe(false);
    await list([]);
    expect(position()).toBeUndefined();
  });

  it("follow one another once the last change of one was decided in its editor, and not otherwise", async () => {
    const place = { path: "/workspace/a.txt", first: 1, last: 1, isSelected: false, text: "" };
    const actions = await theia.container.get(LaterServices).get(async () => TurnActions);
    const [, ...others] = turn.files;
    await changes.act("open", turn, undefined);
    await actions.decideLines("keep", place, [turn]);
    await list([{ ...turn, files: [{ ...file, kind: "changed", review: "partly" }, ...others] }]);
    expect(await sides()).toEqual(["one\n", "a.txt"]);
    // Kept elsewhere.
    await list([{ ...turn, undecided: 2, files: others }]);
    expect(await sides()).toEqual(["one\n", "a.txt"]);
    await list([turn]);
    await actions.decideLines("keep", place, [turn]);
    await list([{ ...turn, undecided: 2, files: others }]);
    expect([await sides(), theia.editors.all.length]).toEqual([["one\n", ""], 1]);
  });

  it("without single changes have buttons that decide all of one", async () => {
    await changes.act("open", turn, "/workspace/gone.txt");
    const { keepChange, undoChange } = patchbayCommands;
    expect(items.get(keepChange.id)?.isVisible?.(front())).toBe(true);
    await commands.executeCommand(undoChange.id, front());
    await commands.executeCommand(keepChange.id);
    expect(ledger.asked).toEqual([
      ["undo", "t1", { path: "/workspace/gone.txt" }],
      ["keep", "t1", "/workspace/gone.txt"],
    ]);
    await changes.act("open", turn, "/workspace/a.txt");
    expect(commands.isEnabled(keepChange.id)).toBe(false);
    await changes.act("open", turn, "/workspace/gone.txt");
    await list([{ ...turn, files: turn.files.slice(0, 1) }]);
    expect(commands.isEnabled(keepChange.id)).toBe(false);
  });

  it("have what was kept on their left side, those that the turn created, too", async () => {
    await changes.act("open", turn, "/workspace/new.txt");
    expect(await sides()).toEqual(["", "new.txt"]);
    ledger.keptOfNew = "kept\n";
    await list([{ ...turn, files: turn.files.map((one) => ({ ...one, review: "partly" as const })) }]);
    expect(await sides()).toEqual(["kept\n", "new.txt"]);
  });
});
