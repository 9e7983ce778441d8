import type { TurnSource } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { claude, TurnLab } from "./turn-lab.ts";

const hook: TurnSource = { ...claude, session: "the-agents-own" };
const panel = (agentSession?: string): TurnSource => ({ ...claude, session: "c1", conversation: { agentSession } });

it("makes one turn of what a conversation and its agent's hooks tell, with the conversation's begin and end", async () => {
  const lab = new TurnLab();
  lab.commit({ "a.txt": "one\n", "b.txt": "one\n" });
  const ledgers = lab.open();
  ledgers.turnBegan(panel("the-agents-own"), "Change both");
  ledgers.turnBegan(hook, "Change both");
  await lab.told(ledgers, "a.txt", "two\n", hook);
  ledgers.turnEnded(hook);
  await lab.told(ledgers, "b.txt", "two\n", panel("the-agents-own"));
  expect(ledgers.turns()).toHaveLength(1);
  expect(ledgers.turns()[0]?.ended).toBeUndefined();
  ledgers.turnEnded(panel("the-agents-own"));
  await ledgers.settled();
  expect(ledgers.turns().map(({ session, ended }) => [session, ended !== undefined])).toEqual([["c1", true]]);
  expect(lab.files(ledgers.turns()[0])).toEqual(["a.txt changed exact", "b.txt changed exact"]);
});

it("knows a session that has no name yet by its prompt, and later by its name; another agent's turn is its own", async () => {
  const lab = new TurnLab();
  lab.commit({ "a.txt": "one\n", "b.txt": "one\n" });
  const ledgers = lab.open();
  ledgers.turnBegan(panel(), "Change a\nplease");
  ledgers.turnBegan({ ...claude, session: "terminal" }, "Something else");
  ledgers.turnBegan(hook, "Change a\nplease");
  await lab.told(ledgers, "a.txt", "two\n", hook);
  await lab.told(ledgers, "b.txt", "two\n", { ...claude, session: "terminal" });
  ledgers.turnEnded(hook);
  ledgers.turnEnded(panel());
  ledgers.turnEnded({ ...claude, session: "terminal" });
  await ledgers.settled();
  const turns = ledgers.turns().map((turn) => [turn.session, ...lab.files(turn)]);
  expect(turns).toEqual([
    ["terminal", "b.txt changed exact"],
    ["c1", "a.txt changed exact"],
  ]);
});

it("leaves a turn to the window that has its conversation, where the hooks are heard in another", async () => {
  const lab = new TurnLab();
  lab.commit({ "a.txt": "one\n" });
  const [withPanel, withHooks] = [lab.open(), lab.open()];
  await withHooks.settled();
  withPanel.turnBegan(panel("the-agents-own"), "Change a");
  await withPanel.settled();
  // A verdict has it look at what others have written.
  await withHooks.keep("none");
  withHooks.turnBegan(hook, "Change a");
  await lab.told(withHooks, "a.txt", "two\n", hook);
  withHooks.turnEnded(hook);
  await withHooks.settled();
  withPanel.turnEnded(panel("the-agents-own"));
  await withPanel.settled();
  await withHooks.keep("none");
  for (const ledgers of [withPanel, withHooks]) expect(ledgers.turns().map(({ session }) => session)).toEqual(["c1"]);
});

describe("a conversation in another window", () => {
  it("keeps its turn where the hooks tell of its begin before this one has seen it", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const [withPanel, withHooks] = [lab.open(), lab.open()];
    await withHooks.settled();
    withPanel.turnBegan(panel(), "Change a");
    await withPanel.settled();
    withHooks.turnBegan(hook, "Change a");
    await withHooks.settled();
    expect(withHooks.turns().map(({ session }) => session)).toEqual(["c1"]);
  });

  it("keeps its turn where its session had no name when the turn began", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const [withPanel, withHooks] = [lab.open(), lab.open()];
    await withHooks.settled();
    withPanel.turnBegan(panel(), "Make b");
    await withPanel.settled();
    await withHooks.keep("none");
    withPanel.aboutToRun(panel("the-agents-own"), "make");
    await withPanel.settled();
    await withHooks.keep("none");
    withHooks.turnBegan(hook, "");
    withHooks.aboutToRun(hook, "make");
    lab.write("b.txt", "new\n");
    withHooks.wrote(hook);
    await withHooks.settled();
    withPanel.wrote(panel("the-agents-own"));
    withPanel.turnEnded(panel("the-agents-own"));
    await withPanel.settled();
    await withHooks.keep("none");
    for (const ledgers of [withPanel, withHooks]) {
      expect(ledgers.turns().map((turn) => [turn.session, ...lab.files(turn)])).toEqual([
        ["c1", "b.txt created likely"],
      ]);
    }
  });

  it("has what its agent announces and the user accepts here, and a terminal's turn here has only its own", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const [withPanel, withHooks] = [lab.open(), lab.open()];
    await withHooks.settled();
    withPanel.turnBegan(panel("the-agents-own"), "Change a");
    await lab.told(withPanel, "a.txt", "two\n", panel("the-agents-own"));
    await withHooks.keep("none");
    withHooks.aboutToWrite(hook, [{ path: lab.path("a.txt") }]);
    withHooks.accepted(hook, lab.path("a.txt"), "two\n");
    withPanel.turnEnded(panel("the-agents-own"));
    await withPanel.settled();
    const terminal = { ...claude, session: "terminal" };
    withHooks.turnBegan(terminal, "Change it again");
    await lab.told(withHooks, "a.txt", "three\n", terminal);
    await lab.told(withHooks, "a.txt", "four\n", terminal);
    withHooks.turnEnded(terminal);
    await withHooks.settled();
    const [last, first] = withHooks.turns();
    expect(withHooks.turns().map(({ session, ended }) => [session, ended !== undefined])).toEqual([
      ["terminal", true],
      ["c1", true],
    ]);
    const texts = async (id = ""): Promise<readonly unknown[]> => [
      await withHooks.beforeText(id, lab.path("a.txt")),
      await withHooks.afterText(id, lab.path("a.txt")),
    ];
    expect([await texts(first?.id), await texts(last?.id)]).toEqual([
      ["one\n", "two\n"],
      ["two\n", "four\n"],
    ]);
  });
});
