// @vitest-environment jsdom
import { SimulatedTheia } from "../../support/simulated-theia.ts";
import { CommandRegistry } from "@theia/core/lib/common/command";
import { Event } from "@theia/core/lib/common/event";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentChanges } from "../../../src/browser/contributions/agent-changes.ts";
import { patchbayCommands } from "../../../src/browser/contributions/patchbay-commands.ts";
import { PanelChanges } from "../../../src/browser/panel/panel-places.ts";
import { Lists } from "../../../src/browser/surfaces/lists.ts";
import { WindowClient } from "../../../src/browser/window/window-client.ts";
import { PatchbayServer, type TurnUndone } from "../../../src/common/protocol.ts";
import { settle } from "../../support/backend.ts";
import { listedTurn, TurnLedger } from "../../support/turn-ledger.ts";

const file = { path: "/workspace/a.txt", attribution: "exact", review: "unreviewed", lines: undefined } as const;

const turn = listedTurn({
  undecided: 3,
  lines: { added: 1, removed: 1 },
  files: [
    { ...file, kind: "changed" },
    { ...file, path: "/workspace/new.txt", kind: "created" },
    { ...file, path: "/workspace/gone.txt", kind: "deleted" },
  ],
});

const undone: TurnUndone = {
  files: [{ path: "/workspace/a.txt", outcome: "undone", conflicts: 0 }],
  turn: "u1",
  isTold: true,
};

let theia: SimulatedTheia;
let ledger: TurnLedger;
let changes: AgentChanges;
let commands: CommandRegistry;
let opened: string[];
let reason: string | undefined;
let chosen: number;
let offered: readonly unknown[];

beforeEach(async () => {
  theia = new SimulatedTheia();
  ledger = new TurnLedger(turn);
  [ledger.result, ledger.late, ledger.before] = [undone, undone, "\uFEFFone\n"];
  opened = [];
  reason = undefined;
  chosen = -1;
  offered = [];
  theia.container.rebind<unknown>(PatchbayServer).toConstantValue(ledger);
  theia.container.bind(PanelChanges).toSelf();
  theia.container.bind<unknown>(Lists).toConstantValue({
    ask: async () => reason,
    choose: async (items: readonly unknown[]) => {
      offered = items;
      return items.at(chosen);
    },
  });
  theia.container.rebind<unknown>(EditorManager).toConstantValue({
    all: [],
    onCreated: Event.None,
    open: async (uri: { toString(): string }) => {
      opened.push(decodeURIComponent(uri.toString()));
      return { disposed: { connect: () => {} } };
    },
  });
  theia.container.bind<unknown>(CommandRegistry).toConstantValue({});
  theia.container.bind(AgentChanges).toSelf();
  changes = theia.container.get(AgentChanges);
  commands = new CommandRegistry({ getContributions: () => [] });
  changes.registerCommands(commands);
  changes.onStart();
  theia.container.get(WindowClient).notifyTurns();
  await settle();
});
afterEach(() => theia.dispose());

const said = (): readonly string[] => theia.messages.said;

describe("what agents changed without a review", () => {
  it("is read anew when the backend says that it has changed, once for many words", async () => {
    expect(changes.turns).toEqual([turn]);
    let changed = 0;
    changes.onDidChange(() => (changed += 1));
    ledger.listed = [];
    for (const _ of [1, 2, 3]) theia.container.get(WindowClient).notifyTurns();
    await settle();
    expect([changes.turns, changed]).toEqual([[], 2]);
  });

  it("opens beside the file as it was, of a turn the first one", async () => {
    await changes.act("open", turn, undefined);
    expect(opened).toEqual([expect.stringMatching(/^diff:.*patchbay-theia-change:.*a\.txt\?before-1.*file:.*a\.txt/u)]);
  });

  it("opens as it is where nobody kept what it was", async () => {
    ledger.before = undefined;
    await changes.act("open", turn, "/workspace/a.txt");
    expect(opened).toEqual([expect.stringMatching(/^file:.*a\.txt$/u)]);
  });

  it("is kept, all of it or one file", async () => {
    await changes.act("keep", turn, undefined);
    await commands.executeCommand(patchbayCommands.keepTurn.id);
    await changes.act("keep", turn, "/workspace/a.txt");
    expect(ledger.asked).toEqual([
      ["keep", "t1", undefined],
      ["keep", "t1", undefined],
      ["keep", "t1", "/workspace/a.txt"],
    ]);
    expect(said()).toEqual([]);
  });

  it("is undone, said so, and brought back", async () => {
    await changes.act("undo", turn, "/workspace/a.txt");
    const done = "Undone. The agent is told with your next prompt.";
    expect(said()).toEqual([`info: ${done}`]);
    ledger.result = { ...undone, isTold: false };
    theia.messages.answer(done, "Bring Back");
    await settle();
    expect(ledger.asked).toEqual([
      ["undo", "t1", { path: "/workspace/a.txt" }],
      ["undo", "u1", { now: true }],
    ]);
    expect(said().at(-1)).toBe("info: Undone.");
  });

  it("is undone once the agent has finished, and at once for who does not want to wait", async () => {
    const waiting = { path: "/workspace/a.txt" };
    ledger.result = { files: [], turn: undefined, isTold: false, waiting };
    await changes.act("undo", turn, undefined);
    const waits = "Claude Code is working. This is undone when it has finished.";
    expect(said()).toEqual([`info: ${waits}`]);
    ledger.late = undefined;
    theia.messages.answer(waits, "Undo Now");
    await settle();
    expect(ledger.asked.at(-1)).toEqual(["now", "t1", waiting]);
    expect(said().at(-1)).toBe("info: The agent has finished, and this was carried out already.");
  });

  it("asks no more whether to undo now once the agent has finished", async () => {
    const waits = "Claude Code is working. This is undone when it has finished.";
    ledger.result = { files: [], turn: undefined, isTold: false, waiting: {} };
    // It waits for a later turn of the same session: its own one has ended.
    const [first, ...others] = turn.files;
    ledger.listed = [{ ...turn, files: [{ ...file, ...first, kind: "changed", review: "queued" }, ...others] }];
    await changes.act("undo", turn, "/workspace/a.txt");
    await changes.act("undo", turn, "/workspace/new.txt");
    theia.container.get(WindowClient).notifyTurns();
    await settle();
    expect(theia.messages.withdrawn).toEqual([]);
    ledger.listed = [turn];
    theia.container.get(WindowClient).notifyTurns();
    await settle();
    expect(theia.messages.withdrawn).toEqual([waits]);
  });

  it("does everything now that was asked to be undone since the agent works, as one notice takes the place of the other", async () => {
    ledger.listed = [{ ...turn, files: [{ ...file, kind: "changed", review: "queued" }] }];
    for (const path of ["/workspace/a.txt", "/workspace/new.txt"]) {
      ledger.result = { files: [], turn: undefined, isTold: false, waiting: { path } };
      await changes.act("undo", turn, path);
      theia.container.get(WindowClient).notifyTurns();
      await settle();
    }
    expect(theia.messages.withdrawn).toEqual([]);
    theia.messages.answer("Claude Code is working. This is undone when it has finished.", "Undo Now");
    await settle();
    expect(ledger.asked.slice(2)).toEqual([
      ["now", "t1", { path: "/workspace/a.txt" }],
      ["now", "t1", { path: "/workspace/new.txt" }],
    ]);
  });

  it("is undone with a reason; who leaves the question undoes nothing", async () => {
    await commands.executeCommand(patchbayCommands.undoTurnWithReason.id);
    expect(ledger.asked).toEqual([]);
    reason = " It was right before ";
    await commands.executeCommand(patchbayCommands.undoTurnWithReason.id);
    expect(ledger.asked).toEqual([["undo", "t1", { reason: "It was right before" }]]);
    ledger.listed = [];
    theia.container.get(WindowClient).notifyTurns();
    await settle();
    expect(commands.isEnabled(patchbayCommands.undoTurnWithReason.id)).toBe(false);
  });

  it("says what was left alone, and why", async () => {
    const at = (outcome: "partly" | "unknown" | "stale" | "unsure", conflicts = 0): TurnUndone["files"][number] => ({
      path: `/workspace/${outcome}.txt`,
      outcome,
      conflicts,
    });
    ledger.result = {
      files: [at("partly", 2), at("unknown"), at("stale"), at("unsure")],
      turn: undefined,
      isTold: false,
    };
    await changes.act("undo", turn, undefined);
    expect(said()).toEqual([
      "warn: 2 of the changes were changed again since and left alone: partly.txt",
      "warn: The earlier content of these files is not known, so they stay as they are: unknown.txt",
      "warn: Could not be undone, and stays as it is: stale.txt",
      "info: These may be your own changes, so they stay. Undo a file by itself if the agent changed it: unsure.txt",
    ]);
    ledger.late = undefined;
    await commands.executeCommand(patchbayCommands.bringBack.id);
    expect(said().at(-1)).toBe("info: There is nothing to bring back.");
  });

  it("is undone for a whole session once it was chosen, the newest turn first, and brought back the other way round", async () => {
    const other = { ...turn, id: "t3", session: "s2", prompt: "Something else" };
    ledger.listed = [{ ...turn, id: "t2", prompt: "" }, other, turn];
    theia.container.get(WindowClient).notifyTurns();
    await settle();
    chosen = 7;
    await commands.executeCommand(patchbayCommands.undoSession.id);
    expect(ledger.asked).toEqual([]);
    expect(offered).toMatchObject([
      { label: "Claude Code", description: "2 turns", detail: "Change it" },
      { label: "Claude Code", description: "1 turn", detail: "Something else" },
    ]);
    chosen = 0;
    ledger.entries = ["u2", "u1"];
    await commands.executeCommand(patchbayCommands.undoSession.id);
    const done = "Undone. The agent is told with your next prompt.";
    expect(said()).toEqual([`info: ${done}`]);
    theia.messages.answer(done, "Bring Back");
    await settle();
    expect(ledger.asked).toEqual([
      ["undo", "t2", {}],
      ["undo", "t1", {}],
      ["undo", "u1", { now: true }],
      ["undo", "u2", { now: true }],
    ]);
  });

  it("waits for the agent in all turns of a session, and says it once", async () => {
    ledger.listed = [{ ...turn, id: "t2" }, turn];
    theia.container.get(WindowClient).notifyTurns();
    await settle();
    chosen = 0;
    ledger.result = { files: [], turn: undefined, isTold: false, waiting: {} };
    await commands.executeCommand(patchbayCommands.undoSession.id);
    const waits = "Claude Code is working. This is undone when it has finished.";
    expect(said()).toEqual([`info: ${waits}`]);
    theia.messages.answer(waits, "Undo Now");
    await settle();
    expect(ledger.asked.slice(2)).toEqual([
      ["now", "t2", {}],
      ["now", "t1", {}],
    ]);
  });
});
