import { existsSync, readFileSync } from "node:fs";
import type { TurnLedger, TurnSource } from "@patchbay/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FolderLedgers } from "../src/folder-ledgers.ts";
import { claude, TurnLab } from "./turn-lab.ts";

const of = (prompt: string, session = "c1"): TurnSource => ({
  ...claude,
  session,
  conversation: { agentSession: undefined, prompt },
});

/** A turn of a conversation in which the agent writes a file that it tells of, and a command does the rest. */
async function turn(
  lab: TurnLab,
  ledgers: FolderLedgers,
  prompt: string,
  work: { readonly told?: Readonly<Record<string, string>>; readonly ran?: () => void },
): Promise<void> {
  ledgers.turnBegan(of(prompt), prompt);
  for (const [name, text] of Object.entries(work.told ?? {})) await lab.told(ledgers, name, text, of(prompt));
  if (work.ran !== undefined) {
    ledgers.aboutToRun(of(prompt), "make");
    await ledgers.settled();
    work.ran();
    ledgers.wrote(of(prompt));
  }
  ledgers.turnEnded(of(prompt));
  await ledgers.settled();
}

const shown = async (ledger: TurnLedger, session = "c1"): Promise<readonly unknown[]> =>
  (await ledger.turnsOf(session, 10)).map(({ prompt, files }) => [
    prompt,
    ...files.map(({ path, review, canRedo }) => `${path.split("/").at(-1)} ${review}${canRedo ? " redo" : ""}`),
  ]);

describe("the turns of a conversation", () => {
  it("have their prompts, also after a restart and where the agent names its session late; nobody else's are among them", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n", "b.txt": "one\n" });
    const ledgers = lab.open();
    await turn(lab, ledgers, "p1", { told: { "a.txt": "two\n" } });
    ledgers.turnBegan(of("p2"), "p2");
    const named = { ...of("p2"), conversation: { agentSession: "own", prompt: "p2" } };
    await lab.told(ledgers, "b.txt", "two\n", named);
    ledgers.turnEnded(named);
    ledgers.turnBegan(of("q1", "c2"), "q1");
    await lab.told(ledgers, "a.txt", "three\n", of("q1", "c2"));
    ledgers.turnEnded(of("q1", "c2"));
    await lab.command(ledgers, () => lab.write("c.txt", "new\n"));
    const expected = [
      ["p1", "a.txt unreviewed"],
      ["p2", "b.txt unreviewed"],
    ];
    expect(await shown(ledgers.conversations)).toEqual(expected);
    expect(await shown(lab.open().conversations)).toEqual(expected);
    expect(await shown(ledgers.conversations, "c2")).toEqual([["q1", "a.txt unreviewed"]]);
    expect((await ledgers.conversations.turnsOf("c1", 1)).map(({ prompt }) => prompt)).toEqual(["p2"]);
  });

  it("are undone hunk by hunk, and brought back with what was undone before", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "1\n2\n3\n4\n5\n" });
    const ledgers = lab.open();
    await turn(lab, ledgers, "p1", { told: { "a.txt": "ONE\n2\n3\n4\nFIVE\n" } });
    const { conversations } = ledgers;
    const [first] = await conversations.turnsOf("c1", 1);
    const id = first?.id ?? "";
    const path = lab.path("a.txt");
    expect(await conversations.undo({ turn: id, path, hunk: { start: 0, end: 1 } })).toEqual([
      { path, outcome: "undone" },
    ]);
    expect(lab.read("a.txt")).toBe("1\n2\n3\n4\nFIVE\n");
    expect(await shown(conversations)).toEqual([["p1", "a.txt partly redo"]]);
    await conversations.undo({ turn: id, path });
    expect(lab.read("a.txt")).toBe("1\n2\n3\n4\n5\n");
    await conversations.redo({ turn: id, path });
    expect(lab.read("a.txt")).toBe("ONE\n2\n3\n4\nFIVE\n");
    expect(await shown(conversations)).toEqual([["p1", "a.txt unreviewed"]]);
  });

  it("show no text of what is not shared any more", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const ledgers = lab.open();
    await turn(lab, ledgers, "p1", { told: { "a.txt": "two\n" } });
    const [first] = await ledgers.conversations.turnsOf("c1", 1);
    const id = first?.id ?? "";
    const part = { turn: id, path: lab.path("a.txt") };
    expect(await ledgers.conversations.texts(part)).toEqual({ before: "one\n", after: "two\n" });
    const again = lab.open({ mayKeep: () => false });
    expect(await again.conversations.texts(part)).toBeUndefined();
  });

  it("are not undone twice, and nothing is undone since a prompt that changed nothing", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const ledgers = lab.open();
    await turn(lab, ledgers, "p1", { told: { "a.txt": "two\n" } });
    const { conversations } = ledgers;
    expect(await conversations.undoSince({ conversation: "c1", prompts: ["p2"] })).toEqual([]);
    const since = { conversation: "c1", prompts: ["p1", "p2"] };
    expect(await conversations.undoSince(since)).toEqual([{ path: lab.path("a.txt"), outcome: "undone" }]);
    expect(await conversations.undoSince(since)).toEqual([]);
    expect(await conversations.rehearse(since)).toEqual([]);
  });
});

const names = ["a.txt", "b.txt", "c.bin", "new.txt"] as const;
const name = fc.constantFrom(...names);
const agentText = fc.constantFrom(
  "1\n2\n3\n4\n5\n",
  "ONE\n2\n3\n4\n5\n",
  "1\n2\n3\n4\nFIVE\n6\n",
  "agent\n",
  "\0bin\n",
);

const step = fc.oneof(
  fc.record({ kind: fc.constant("turn" as const), name, text: agentText, isTold: fc.boolean() }),
  fc.record({ kind: fc.constant("turn" as const), name, text: fc.constant(undefined), isTold: fc.constant(false) }),
  fc.record({ kind: fc.constant("user" as const), name, isWhole: fc.boolean() }),
  fc.record({ kind: fc.constantFrom("keep" as const, "undo" as const, "redo" as const), at: fc.nat(3), name }),
);

it("whatever agent and user did: an undo since a prompt does what its rehearsal says, takes no line of the user's, and everybody sees it", async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 7 }), fc.nat(3), async (steps, from) => {
      runs += 1;
      const lab = new TurnLab();
      lab.commit({ "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n", "c.bin": "\0one\n" });
      const ledgers = lab.open();
      const { conversations } = ledgers;
      const prompts: string[] = [];
      let lines = 0;
      for (const one of steps) {
        if (one.kind === "turn") {
          prompts.push(`p${prompts.length}`);
          const { text } = one;
          const ran = (): void => {
            if (text !== undefined) lab.write(one.name, text);
            else if (existsSync(lab.path(one.name))) lab.remove(one.name);
          };
          const work = one.isTold && text !== undefined ? { told: { [one.name]: text } } : { ran };
          await turn(lab, ledgers, prompts.at(-1) ?? "", work);
        } else if (one.kind === "user") {
          lines += 1;
          lab.write(one.name, `${one.isWhole ? "" : (lab.read(one.name) ?? "")}user ${lines}\n`);
        } else {
          const { id } = (await conversations.turnsOf("c1", 10)).at(one.at) ?? {};
          if (id !== undefined) await conversations[one.kind]({ turn: id, path: lab.path(one.name) });
        }
      }
      const disk = (): readonly unknown[] =>
        names.map((one) => (existsSync(lab.path(one)) ? readFileSync(lab.path(one), "utf8") : undefined));
      const ofUser = (): readonly string[] =>
        names.flatMap((one) => (lab.read(one) ?? "").split("\n").filter((line) => line.startsWith("user")));
      const [before, mine] = [disk(), ofUser()];
      const states = await shown(conversations);
      const since = { conversation: "c1", prompts: prompts.slice(Math.min(from, prompts.length)) };
      const rehearsed = await conversations.rehearse(since);
      expect(disk()).toEqual(before);
      expect(await shown(conversations)).toEqual(states);
      expect(await conversations.undoSince(since)).toEqual(rehearsed);
      expect(ofUser().toSorted()).toEqual(expect.arrayContaining([...mine]));
      expect(await shown(lab.open({ looks: false }).conversations)).toEqual(await shown(conversations));
      ledgers.dispose();
    }),
    { numRuns: 60 },
  );
  expect(runs).toBeGreaterThanOrEqual(60);
}, 120_000);
