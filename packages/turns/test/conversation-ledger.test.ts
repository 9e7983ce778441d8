import { existsSync, readFileSync } from "node:fs";
import { sep } from "node:path";
import type { LedgerHunk, TurnLedger, TurnSource } from "@patchbay/core";
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

const hunks = async (ledger: TurnLedger, id: string, path: string): Promise<readonly LedgerHunk[]> =>
  (await ledger.view({ turn: id, path }))?.hunks ?? [];

/** The hunks of a file in few words. */
const shownHunks = async (ledger: TurnLedger, id: string, path: string): Promise<readonly string[]> =>
  (await hunks(ledger, id, path)).map(({ state, before, after, beforeStart, afterStart }) =>
    `${state} ${beforeStart}/${afterStart} -${before.join("").trim()} +${after.join("").trim()}`.replaceAll("\n", ","),
  );

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
    const hunk = (await hunks(conversations, id, path))[0]?.id ?? "";
    expect(await conversations.undo({ turn: id, path, hunk })).toMatchObject([{ path, outcome: "undone" }]);
    expect(lab.read("a.txt")).toBe("1\n2\n3\n4\nFIVE\n");
    expect(await shown(conversations)).toEqual([["p1", "a.txt partly redo"]]);
    await conversations.undo({ turn: id, path });
    expect(lab.read("a.txt")).toBe("1\n2\n3\n4\n5\n");
    await conversations.redo({ turn: id, path });
    expect(lab.read("a.txt")).toBe("ONE\n2\n3\n4\nFIVE\n");
    expect(await shown(conversations)).toEqual([["p1", "a.txt unreviewed"]]);
  });

  it("keep the place and the verdict of each hunk, whatever is decided of the others", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n" });
    const ledgers = lab.open();
    // Two hunks are the same.
    const text = "1\nnew\n2\n3\n4\nFIVE\n6\n7\nnew\n8\n9\n";
    await turn(lab, ledgers, "p1", { told: { "a.txt": text } });
    const { conversations } = ledgers;
    const [first] = await conversations.turnsOf("c1", 1);
    const [id, path] = [first?.id ?? "", lab.path("a.txt")];
    const at = async (number: number): Promise<string> => (await hunks(conversations, id, path))[number]?.id ?? "";
    const [one, five, other] = [await at(0), await at(1), await at(2)];
    const [, view] = await hunks(conversations, id, path);
    expect(view).toMatchObject({ above: ["2\n", "3\n", "4\n"], below: ["6\n", "7\n"] });
    await conversations.undo({ turn: id, path, hunk: one });
    expect(lab.read("a.txt")).toBe("1\n2\n3\n4\nFIVE\n6\n7\nnew\n8\n9\n");
    expect(await conversations.keep({ turn: id, path, hunk: five })).toBe(true);
    expect(await shownHunks(conversations, id, path)).toEqual([
      "undone 1/1 - +new",
      "kept 4/5 -5 +FIVE",
      "open 7/8 - +new",
    ]);
    expect([await at(0), await at(1), await at(2)]).toEqual([one, five, other]);
    // What is undone is not kept.
    expect(await conversations.keep({ turn: id, path, hunk: one })).toBe(false);
    expect(await conversations.undo({ turn: id, path, hunk: one })).toMatchObject([{ outcome: "stale" }]);
    await conversations.undo({ turn: id, path, hunk: other });
    expect(lab.read("a.txt")).toBe("1\n2\n3\n4\nFIVE\n6\n7\n8\n9\n");
    // One of the two comes back by itself, and it is that one.
    expect(await conversations.redo({ turn: id, path, hunk: other })).toMatchObject([{ path, outcome: "undone" }]);
    expect(lab.read("a.txt")).toBe("1\n2\n3\n4\nFIVE\n6\n7\nnew\n8\n9\n");
    expect(await shownHunks(conversations, id, path)).toEqual([
      "undone 1/1 - +new",
      "kept 4/5 -5 +FIVE",
      "open 7/8 - +new",
    ]);
    expect(await shownHunks(lab.open({ looks: false }).conversations, id, path)).toEqual(
      await shownHunks(conversations, id, path),
    );
  });

  it("have a hunk undone that was kept, also where all of the file was", async () => {
    const lab = new TurnLab();
    const before = "1\n2\n3\n4\n5\n6\n7\n";
    lab.commit({ "a.txt": before });
    const ledgers = lab.open({ door: lab.disk });
    await turn(lab, ledgers, "p1", { told: { "a.txt": "ONE\n2\n3\nFOUR\nmore\n5\n6\n7\n" } });
    const { conversations } = ledgers;
    const [first] = await conversations.turnsOf("c1", 1);
    const [id, path] = [first?.id ?? "", lab.path("a.txt")];
    const [one = "", four = ""] = (await hunks(conversations, id, path)).map((hunk) => hunk.id);
    await conversations.keep({ turn: id, path, hunk: four });
    const view = await conversations.view({ turn: id, path });
    expect(structuredClone(view)).toEqual(view);
    expect(await conversations.undo({ turn: id, path, hunk: four })).toMatchObject([{ path, outcome: "undone" }]);
    expect(lab.read("a.txt")).toBe("ONE\n2\n3\n4\n5\n6\n7\n");
    expect(await shownHunks(conversations, id, path)).toEqual(["open 0/0 -1 +ONE", "undone 3/3 -4 +FOUR,more"]);
    await conversations.keep({ turn: id, path });
    expect(await conversations.undo({ turn: id, path, hunk: one })).toMatchObject([{ path, outcome: "undone" }]);
    expect(lab.read("a.txt")).toBe(before);
    for (const hunk of [one, four]) await conversations.redo({ turn: id, path, hunk });
    expect(lab.read("a.txt")).toBe("ONE\n2\n3\nFOUR\nmore\n5\n6\n7\n");
  });

  it("have one hunk brought back of several that were undone at once", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "1\n2\n3\n4\n5\n" });
    const ledgers = lab.open();
    await turn(lab, ledgers, "p1", { told: { "a.txt": "ONE\n2\n3\n4\nFIVE\n" } });
    const { conversations } = ledgers;
    const [first] = await conversations.turnsOf("c1", 1);
    const [id, path] = [first?.id ?? "", lab.path("a.txt")];
    await conversations.undo({ turn: id, path });
    const hunk = (await hunks(conversations, id, path))[1]?.id ?? "";
    await conversations.redo({ turn: id, path, hunk });
    expect(lab.read("a.txt")).toBe("1\n2\n3\n4\nFIVE\n");
    expect(await shownHunks(conversations, id, path)).toEqual(["undone 0/0 -1 +ONE", "open 4/4 -5 +FIVE"]);
    expect(await shown(conversations)).toEqual([["p1", "a.txt partly redo"]]);
    // The other one stays where it can be had.
    await conversations.redo({ turn: id, path });
    expect(lab.read("a.txt")).toBe("ONE\n2\n3\n4\nFIVE\n");
    expect(await shown(conversations)).toEqual([["p1", "a.txt unreviewed"]]);
  });

  it("say which hunk waits for the end of the agent's turn", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "1\n2\n3\n4\n5\n" });
    const ledgers = lab.open();
    ledgers.turnBegan(of("p1"), "p1");
    await lab.told(ledgers, "a.txt", "ONE\n2\n3\n4\nFIVE\n", of("p1"));
    const { conversations } = ledgers;
    const [first] = await conversations.turnsOf("c1", 1);
    const [id, path] = [first?.id ?? "", lab.path("a.txt")];
    const hunk = (await hunks(conversations, id, path))[1]?.id ?? "";
    expect(await conversations.undo({ turn: id, path, hunk })).toMatchObject([{ outcome: "queued" }]);
    expect(await shownHunks(conversations, id, path)).toEqual(["open 0/0 -1 +ONE", "queued 4/4 -5 +FIVE"]);
    ledgers.turnEnded(of("p1"));
    await ledgers.settled();
    expect(lab.read("a.txt")).toBe("ONE\n2\n3\n4\n5\n");
    expect(await shownHunks(conversations, id, path)).toEqual(["open 0/0 -1 +ONE", "undone 4/4 -5 +FIVE"]);
  });

  it("have no file wait for the end of the turn that is undone already", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n", "b.txt": "one\n" });
    const ledgers = lab.open();
    const { conversations } = ledgers;
    await turn(lab, ledgers, "p1", { told: { "a.txt": "two\n", "b.txt": "two\n" } });
    const [first] = await conversations.turnsOf("c1", 1);
    const id = first?.id ?? "";
    await conversations.undo({ turn: id, path: lab.path("a.txt") });
    ledgers.turnBegan(of("p2"), "p2");
    await ledgers.settled();
    expect(await conversations.undo({ turn: id })).toMatchObject([{ path: lab.path("b.txt"), outcome: "queued" }]);
    expect(await shown(conversations)).toEqual([["p1", "a.txt undone redo", "b.txt queued"]]);
    ledgers.turnEnded(of("p2"));
    await ledgers.settled();
    expect(await shown(conversations)).toEqual([["p1", "a.txt undone redo", "b.txt undone redo"]]);
  });

  it("name the command that changed a file, where it is known, and what else became of it", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n", "b.txt": "one\n", "run.sh": "one\n", "old.txt": "1\n2\n3\n" });
    const ledgers = lab.open();
    const source = of("p1");
    const run = async (ids: readonly string[], work: () => void): Promise<void> => {
      for (const id of ids) ledgers.aboutToRun(source, "make", id);
      await ledgers.settled();
      work();
      for (const id of ids) ledgers.wrote(source, id);
      await ledgers.settled();
      // The look after it, where it is not at once.
      lab.clock.advance(3_000);
      await ledgers.settled();
    };
    ledgers.turnBegan(source, "p1");
    await lab.told(ledgers, "b.txt", "two\n", source);
    await run(["t1"], () => lab.write("a.txt", "two\n"));
    await run(["t2"], () => {
      lab.write("run.sh", "two\n");
      lab.chmod("run.sh", 0o755);
      lab.write("new.bin", "\0");
      lab.remove("old.txt");
      lab.write("moved.txt", "1\n2\n3\n");
    });
    await run(["t3"], () => lab.write("a.txt", "three\n"));
    await run(["t4", "t5"], () => lab.write("c.txt", "new\n"));
    ledgers.turnEnded(source);
    await ledgers.settled();
    const told = async (ledger: TurnLedger): Promise<readonly unknown[]> =>
      (await ledger.turnsOf("c1", 1)).flatMap(({ files }) =>
        files.map(({ path, kind, commands = [], isNew, hasMode }) =>
          [path.slice(lab.folder.length + 1).replaceAll(sep, "/"), kind, isNew && "new", hasMode && "mode", ...commands]
            .filter(Boolean)
            .join(" "),
        ),
      );
    const expected = [
      "a.txt changed t1 t3",
      "b.txt changed",
      "c.txt created new",
      "moved.txt changed t2",
      "new.bin binary new t2",
      "run.sh changed mode t2",
    ];
    expect(await told(ledgers.conversations)).toEqual(expected);
    expect(await told(lab.open({ looks: false }).conversations)).toEqual(expected);
    const [first] = await ledgers.conversations.turnsOf("c1", 1);
    const view = await ledgers.conversations.view({ turn: first?.id ?? "", path: lab.path("run.sh") });
    expect(view?.mode?.after).toBe(0o100755 & 0o777);
  });

  it("tell by kind what an undo of several of them brings back, also where a folder has taken a file's place", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n", place: "a file\n", "gone.txt": "one\n" });
    const ledgers = lab.open();
    const { conversations } = ledgers;
    await turn(lab, ledgers, "p1", {
      ran: () => {
        lab.remove("place");
        lab.write("place/deep/inner.txt", "new\n");
        lab.write("new.txt", "new\n");
      },
    });
    await turn(lab, ledgers, "p2", {
      told: { "a.txt": "two\n", "new.txt": "newer\n" },
      ran: () => lab.remove("gone.txt"),
    });
    const since = { conversation: "c1", prompts: ["p1", "p2"] };
    const rehearsed = await conversations.rehearse(since);
    expect(
      rehearsed?.map(({ path, outcome, kind, isNew }) => [
        path.slice(lab.folder.length + 1).replaceAll(sep, "/"),
        outcome,
        kind,
        isNew,
      ]),
    ).toEqual([
      ["a.txt", "undone", "changed", undefined],
      ["gone.txt", "undone", "deleted", undefined],
      ["new.txt", "undone", "created", true],
      ["place", "undone", "deleted", undefined],
      ["place/deep/inner.txt", "undone", "created", true],
    ]);
    expect(await conversations.undoSince(since)).toEqual(rehearsed);
    expect([lab.read("place"), lab.read("gone.txt"), lab.read("new.txt")]).toEqual(["a file\n", "one\n", undefined]);
  });

  it("are not said to come back where something of the user's is in a folder that took a file's place", async () => {
    const lab = new TurnLab();
    lab.commit({ place: "a file\n" });
    const ledgers = lab.open();
    const { conversations } = ledgers;
    await turn(lab, ledgers, "p1", {
      ran: () => {
        lab.remove("place");
        lab.write("place/inner.txt", "new\n");
      },
    });
    lab.write("place/mine.txt", "mine\n");
    const since = { conversation: "c1", prompts: ["p1"] };
    const rehearsed = await conversations.rehearse(since);
    expect(rehearsed?.map(({ outcome }) => outcome)).toEqual(["conflict", "undone"]);
    expect(await conversations.undoSince(since)).toEqual(rehearsed);
    expect(lab.read("place/mine.txt")).toBe("mine\n");
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
    const undone = { path: lab.path("a.txt"), outcome: "undone", kind: "changed" };
    expect(await conversations.undoSince(since)).toEqual([undone]);
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
