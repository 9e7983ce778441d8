import { appendFileSync, chmodSync, readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMissing, shownMode } from "@patchbay/testkit";
import type { LedgerTurn } from "@patchbay/core";
import type { FolderLedgers } from "@patchbay/turns";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Conversation } from "../../src/conversation/conversation.ts";
import type { ChangedFile } from "../../src/model/changes.ts";
import { makeLab, textBlock } from "./conversation-lab.ts";
import { LedgerLab } from "./ledger-lab.ts";

const lines = (...values: readonly string[]): string => `${values.join("\n")}\n`;
const original = lines("one", "two", "three", "four", "five");

let lab: LedgerLab;
let conversation: Conversation;

beforeEach(async () => {
  lab = new LedgerLab();
  lab.write("a.txt", original);
  conversation = await lab.conversation();
});

const newest = (): string => conversation.status.turns.at(-1)?.turn ?? "";

describe("the files of a turn", () => {
  it("are those that the agent wrote and those that its commands changed, with what was done", async () => {
    lab.write("gone.txt", "gone\n");
    lab.write("old-name.txt", "moved\n");
    lab.write("run.sh", "#!/bin/sh\n");
    chmodSync(lab.path("run.sh"), 0o644);
    const prompt = await lab.turn(conversation, async (host) => {
      await lab.writes(host, "a.txt", lines("ONE", "two", "three", "four", "five", "six"));
      await lab.runs("t1", () => {
        lab.write("new.txt", "new\n");
        lab.write("new.bin", new Uint8Array([0, 1, 2, 255]));
        lab.remove("gone.txt");
        renameSync(lab.path("old-name.txt"), lab.path("new-name.txt"));
        chmodSync(lab.path("run.sh"), 0o755);
      });
    });
    await expect
      .poll(() => lab.shown(conversation))
      .toEqual([
        "a.txt changed exact applied",
        "gone.txt deleted likely applied",
        "new-name.txt moved likely applied",
        "new.bin binary likely applied",
        "new.txt created likely applied",
        ...(isMissing("permission bits") ? [] : ["run.sh mode likely applied"]),
      ]);
    expect(conversation.status.turns).toMatchObject([{ prompt, more: 0 }]);
    expect(conversation.status.turns[0]?.files[0]?.lines).toEqual({ added: 2, removed: 1 });

    expect(await conversation.files.undo(newest())).toEqual([]);
    const left = ["a.txt", "gone.txt", "old-name.txt"].map((name) => lab.read(name));
    expect(left).toEqual([original, "gone\n", "moved\n"]);
    expect(["new.txt", "new.bin", "new-name.txt"].map((name) => lab.read(name))).toEqual(
      Array.from({ length: 3 }, () => undefined),
    );
    expect(statSync(lab.path("run.sh")).mode & 0o777).toBe(shownMode(0o644));
    await expect.poll(() => lab.shown(conversation).every((file) => file.endsWith("undone"))).toBe(true);

    expect(await conversation.files.redo(newest())).toEqual([]);
    expect(lab.read("new-name.txt")).toBe("moved\n");
    expect(lab.read("old-name.txt")).toBeUndefined();
    expect(statSync(lab.path("run.sh")).mode & 0o777).toBe(shownMode(0o755));
    await expect.poll(() => lab.shown(conversation).every((file) => file.endsWith("applied"))).toBe(true);
  });

  it("are undone and brought back one by one; one that was moved is one of them", async () => {
    lab.write("old-name.txt", "moved\n");
    await lab.turn(conversation, async (host) => {
      await lab.writes(host, "a.txt", "changed\n");
      await lab.runs("t1", () => renameSync(lab.path("old-name.txt"), lab.path("new-name.txt")));
    });
    await expect.poll(() => lab.shown(conversation)).toHaveLength(2);
    expect(await conversation.files.undo(newest(), { path: lab.path("new-name.txt") })).toEqual([]);
    expect([lab.read("old-name.txt"), lab.read("new-name.txt")]).toEqual(["moved\n", undefined]);
    expect(lab.read("a.txt")).toBe("changed\n");
    await expect
      .poll(() => lab.shown(conversation))
      .toEqual(["a.txt changed exact applied", "new-name.txt moved likely undone"]);
    expect(conversation.status.turns[0]?.files.map(({ canRedo }) => canRedo)).toEqual([false, true]);
    const both = { before: "moved\n", after: "moved\n" };
    expect(await conversation.files.change(newest(), lab.path("new-name.txt"))).toMatchObject(both);
    expect(await conversation.files.redo(newest(), { path: lab.path("new-name.txt") })).toEqual([]);
    expect([lab.read("old-name.txt"), lab.read("new-name.txt")]).toEqual([undefined, "moved\n"]);
  });

  it("have both their texts for a diff, also once they were decided", async () => {
    await lab.turn(conversation, async (host) => {
      await lab.writes(host, "a.txt", "changed\n");
      await lab.writes(host, "new.txt", "new\n");
    });
    await expect.poll(() => lab.shown(conversation)).toHaveLength(2);
    const change = { path: lab.path("a.txt"), before: original, after: "changed\n" };
    expect(await conversation.files.change(newest(), lab.path("a.txt"))).toEqual(change);
    expect(await conversation.files.change(newest(), lab.path("new.txt"))).toEqual({
      path: lab.path("new.txt"),
      after: "new\n",
    });
    await conversation.files.undo(newest(), { path: lab.path("a.txt") });
    expect(await conversation.files.change(newest(), lab.path("a.txt"))).toEqual(change);
    expect(await conversation.files.change(newest(), lab.path("other.txt"))).toBeUndefined();
  });

  it("stay as they are where they are kept, unless one is named", async () => {
    await lab.turn(conversation, async (host) => await lab.writes(host, "a.txt", "changed\n"));
    await expect.poll(() => lab.shown(conversation)).toHaveLength(1);
    await conversation.files.keep(newest());
    await expect.poll(() => lab.shown(conversation)).toEqual(["a.txt changed exact kept"]);
    await conversation.files.undo(newest());
    expect(lab.read("a.txt")).toBe("changed\n");
    await conversation.files.undo(newest(), { path: lab.path("a.txt") });
    expect(lab.read("a.txt")).toBe(original);
    await expect.poll(() => lab.shown(conversation)).toEqual(["a.txt changed exact undone"]);
  });

  it("are accepted where they were accepted in a review, and then undone with the turn, too", async () => {
    await lab.turn(conversation, async (host) => {
      const { id, folder } = conversation.about;
      const source = { agent: "claude", agentName: "Claude Code", session: id, folder };
      lab.ledgers.accepted(source, lab.path("a.txt"), "changed\n");
      await lab.writes(host, "a.txt", "changed\n");
    });
    await expect.poll(() => lab.shown(conversation)).toEqual(["a.txt changed exact accepted"]);
    await conversation.files.undo(newest());
    expect(lab.read("a.txt")).toBe(original);
    await expect.poll(() => lab.shown(conversation)).toEqual(["a.txt changed exact undone"]);
  });

  it("keep what was changed otherwise since; where that is in the same lines, an undo leaves them alone and says so", async () => {
    await lab.turn(
      conversation,
      async (host) => await lab.writes(host, "a.txt", lines("ONE", "two", "three", "four", "five")),
    );
    lab.write("a.txt", lines("ONE", "two", "three", "four", "FIVE"));
    await expect.poll(() => lab.shown(conversation)).toHaveLength(1);
    expect(await conversation.files.undo(newest(), { path: lab.path("a.txt") })).toEqual([]);
    expect(lab.read("a.txt")).toBe(lines("one", "two", "three", "four", "FIVE"));
    lab.write("a.txt", lines("mine", "two", "three", "four", "FIVE"));
    const reason = "It has been changed since, and stays.";
    expect(await conversation.files.redo(newest(), { path: lab.path("a.txt") })).toEqual([
      { path: lab.path("a.txt"), reason },
    ]);
    expect(lab.read("a.txt")).toBe(lines("mine", "two", "three", "four", "FIVE"));
  });

  it("are never deleted by an undo where somebody has gone on with them", async () => {
    await lab.turn(conversation, async (host) => await lab.writes(host, "new.txt", "new\n"));
    lab.write("new.txt", "new\nmine\n");
    await expect.poll(() => lab.shown(conversation)).toHaveLength(1);
    await conversation.files.undo(newest(), { path: lab.path("new.txt") });
    expect(lab.read("new.txt")).toBe("mine\n");
  });

  it("are undone at the end of the turn while the agent works, or at once", async () => {
    await lab.turn(conversation, async (host) => {
      await lab.writes(host, "a.txt", "changed\n");
      await lab.writes(host, "new.txt", "new\n");
      await expect.poll(() => lab.shown(conversation)).toHaveLength(2);
      await conversation.files.undo(newest());
      await expect
        .poll(() => lab.shown(conversation))
        .toEqual(["a.txt changed exact queued", "new.txt created exact queued"]);
      await conversation.files.undo(newest(), { path: lab.path("new.txt") }, true);
      expect([lab.read("a.txt"), lab.read("new.txt")]).toEqual(["changed\n", undefined]);
    });
    await expect.poll(() => lab.read("a.txt")).toBe(original);
    expect(lab.read("new.txt")).toBeUndefined();
  });

  it("are the same for everybody: what is undone elsewhere is undone here, and the other way round", async () => {
    await lab.turn(conversation, async (host) => await lab.writes(host, "a.txt", "changed\n"));
    await expect.poll(() => lab.shown(conversation)).toHaveLength(1);
    const elsewhere = lab.open();
    await elsewhere.settled();
    await elsewhere.undo(elsewhere.turns()[0]?.id ?? "");
    expect(lab.read("a.txt")).toBe(original);
    await seeOthers(lab, lab.ledgers);
    await expect.poll(() => lab.shown(conversation)).toEqual(["a.txt changed exact undone"]);
    await conversation.files.redo(newest(), { path: lab.path("a.txt") });
    expect(lab.read("a.txt")).toBe("changed\n");
    await elsewhere.keep("none");
    const [file] = elsewhere.turns().find(({ id }) => id === newest())?.files ?? [];
    expect(file?.review).toBe("unreviewed");
    expect(elsewhere.lastUndo()).toBeUndefined();
  });

  it("are there after a reload, also where another window wrote them", async () => {
    const prompt = await lab.turn(conversation, async (host) => await lab.writes(host, "a.txt", "changed\n"));
    await expect.poll(() => lab.shown(conversation)).toHaveLength(1);
    await conversation.close();
    lab.ledgers.dispose();
    const ledgers = lab.open();
    conversation = await lab.conversation(lab.labWith(ledgers));
    await expect.poll(() => conversation.status.turns).toMatchObject([{ prompt, files: [{ kind: "changed" }] }]);
    await conversation.files.undo(newest());
    expect(lab.read("a.txt")).toBe(original);
  });
});

it("have their hunks, which are kept, undone and brought back by themselves, and the command that changed a file", async () => {
  const prompt = await lab.turn(conversation, async (host) => {
    await lab.writes(host, "a.txt", lines("ONE", "two", "three", "four", "FIVE"));
    await lab.runs("t1", () => lab.write("new.txt", "new\n"));
  });
  await expect.poll(() => lab.shown(conversation)).toHaveLength(2);
  const files = (): readonly ChangedFile[] => conversation.status.turns[0]?.files ?? [];
  expect(files()).toMatchObject([{}, { commands: ["t1"], isNew: true }]);
  // Where a bar of the turn belongs is known without its prompt.
  expect(conversation.snapshot().entries.at(-1)?.entry).toMatchObject({ kind: "turn-end", prompt });
  const path = lab.path("a.txt");
  const view = async (): Promise<readonly string[]> =>
    ((await conversation.files.view(newest(), path))?.hunks ?? []).map(
      ({ state, after }) => `${state} ${after.join("")}`,
    );
  const ids = ((await conversation.files.view(newest(), path))?.hunks ?? []).map(({ id }) => id);
  const [one = "", five = ""] = ids;
  const before = files()[0]?.revision;
  await conversation.files.undo(newest(), { path, hunk: one });
  await conversation.files.keep(newest(), { path, hunk: five });
  expect(await view()).toEqual(["undone ONE\n", "kept FIVE\n"]);
  await expect.poll(() => files()[0]?.revision).not.toBe(before);
  expect(await conversation.files.redo(newest(), { path, hunk: one })).toEqual([]);
  expect(lab.read("a.txt")).toBe(lines("ONE", "two", "three", "four", "FIVE"));
  expect(await view()).toEqual(["open ONE\n", "kept FIVE\n"]);
  const gone = { path, hunk: "gone" };
  const reason = "It was changed just now. Try again.";
  expect(await conversation.files.undo(newest(), gone)).toEqual([{ path, reason }]);
});

it("are those of all turns; of the oldest there is only how many they are where they are very many", async () => {
  const turn = (id: string, count: number): LedgerTurn => ({
    id,
    prompt: id,
    files: Array.from({ length: count }, (_, at) => {
      const file = { kind: "changed", attribution: "exact", review: "unreviewed", lines: undefined } as const;
      return { ...file, path: `/w/${at}`, canRedo: false, revision: "1" };
    }),
  });
  const turns = [turn("oldest", 3), ...Array.from({ length: 6 }, (_, at) => turn(`${at}`, 300))];
  const plain = makeLab({
    turns: {
      witness: lab.ledgers,
      ledger: { ...lab.ledgers.conversations, turnsOf: async () => await Promise.resolve(turns) },
      agentName: () => "Claude Code",
    },
  });
  const one = await plain.open("plain");
  onTestFinished(async () => await one.close());
  const told = (): readonly string[] =>
    one.status.turns.map(({ turn: id, files, more }) => `${id}: ${files.length}, ${more} more`);
  await expect
    .poll(told)
    .toEqual([
      "oldest: 0, 3 more",
      "0: 0, 300 more",
      "1: 200, 100 more",
      "2: 200, 100 more",
      "3: 200, 100 more",
      "4: 200, 100 more",
      "5: 200, 100 more",
    ]);
});

describe("back to a prompt", () => {
  it("undoes all turns since, after it has shown what comes back and what stays", async () => {
    await lab.turn(
      conversation,
      async (host) => await lab.writes(host, "a.txt", lines("0", "two", "three", "four", "five")),
    );
    const prompt = await lab.turn(conversation, async (host) => {
      await lab.writes(host, "a.txt", lines("1", "two", "three", "four", "five"));
      await lab.writes(host, "yours.txt", "agent\n");
    });
    await lab.turn(conversation, async (host) => {
      await lab.writes(host, "a.txt", lines("1", "two", "three", "four", "5"));
      await lab.writes(host, "new.txt", "new\n");
    });
    await expect.poll(() => lab.shown(conversation)).toHaveLength(5);
    expect(conversation.status.capabilities?.rewind).toBe(true);
    lab.write("yours.txt", "yours\n");
    const outcome = {
      canRewind: true,
      files: [
        { path: lab.path("a.txt"), kind: "changed", fate: "back" },
        { path: lab.path("new.txt"), kind: "created", isNew: true, fate: "back" },
        {
          path: lab.path("yours.txt"),
          kind: "created",
          isNew: true,
          fate: "yours",
          reason: "It has been changed since, and stays.",
        },
      ],
    };
    expect(await conversation.rewind(prompt, true)).toEqual(outcome);
    expect([lab.read("a.txt"), lab.read("new.txt")]).toEqual([lines("1", "two", "three", "four", "5"), "new\n"]);
    expect(lab.shown(conversation).filter((file) => file.endsWith("undone"))).toEqual([]);
    expect(await conversation.rewind(prompt, false)).toEqual(outcome);
    expect([lab.read("a.txt"), lab.read("new.txt")]).toEqual([lines("0", "two", "three", "four", "five"), undefined]);
    expect(lab.read("yours.txt")).toBe("yours\n");
    expect(await conversation.rewind(prompt, true)).toMatchObject({ files: [{ fate: "yours" }] });
  });

  it("says beforehand what may be the user's own, and what nobody has a copy of", async () => {
    lab.write("large.txt", "x".repeat(2 * 1024 * 1024));
    const prompt = await lab.turn(conversation, async (host) => {
      await lab.writes(host, "large.txt", "small\n");
      // No command ran: somebody else saved it.
      lab.write("saved.txt", "by hand\n");
    });
    await expect.poll(() => lab.shown(conversation)).toHaveLength(2);
    const copy = "No copy of it was kept: it cannot be undone here";
    expect(conversation.status.turns[0]?.files.map(({ obstacle }) => obstacle)).toEqual([copy, undefined]);
    expect(await conversation.rewind(prompt, true)).toEqual({
      canRewind: true,
      files: [
        { path: lab.path("large.txt"), kind: "large", fate: "lost", reason: copy },
        {
          path: lab.path("saved.txt"),
          kind: "created",
          isNew: true,
          fate: "yours",
          reason: "It may be your own change, and stays. Undo it by itself if it is not.",
        },
      ],
    });
  });

  it("also brings back what was kept, and files that are no text", async () => {
    lab.write("logo.bin", new Uint8Array([0, 1, 2]));
    const prompt = await lab.turn(conversation, async (host) => {
      await lab.writes(host, "a.txt", "changed\n");
      await lab.writes(host, "yours.txt", "agent\n");
      await lab.runs("t1", () => lab.write("logo.bin", new Uint8Array([0, 9])));
    });
    await lab.turn(conversation, async () => {
      await lab.runs("t2", () => lab.write("logo.bin", new Uint8Array([0, 7, 7])));
    });
    await expect.poll(() => lab.shown(conversation)).toHaveLength(4);
    await conversation.files.keep(conversation.status.turns[0]?.turn ?? "", { path: lab.path("a.txt") });
    await conversation.files.keep(conversation.status.turns[0]?.turn ?? "", { path: lab.path("yours.txt") });
    lab.write("yours.txt", "mine\n");
    const files = [
      { path: lab.path("a.txt"), kind: "changed", fate: "back" },
      { path: lab.path("logo.bin"), kind: "binary", fate: "back" },
      { path: lab.path("yours.txt"), fate: "yours", reason: "It has been changed since, and stays." },
    ];
    expect(await conversation.rewind(prompt, true)).toMatchObject({ canRewind: true, files });
    expect(await conversation.rewind(prompt, false)).toMatchObject({ canRewind: true, files });
    expect([lab.read("a.txt"), lab.read("logo.bin")]).toEqual([original, "\0\u0001\u0002"]);
  });

  it("is the agent's own where nobody keeps a ledger, and no files are listed then", async () => {
    const plain = makeLab();
    const one = await plain.open("plain");
    one.prompt([textBlock("go")]);
    await expect.poll(() => plain.sessions.at(-1)?.isInTurn).toBe(true);
    plain.session.say({ type: "file-changed", path: "/w/a.txt", isAsked: false });
    expect(one.status.turns).toEqual([]);
    expect(one.status.capabilities?.rewind).toBe(false);
    const rewound = { canRewind: true, files: ["/w/a.txt"] };
    Object.assign(plain.session, { rewind: async () => await Promise.resolve(rewound) });
    const files = [{ path: "/w/a.txt", kind: "changed", fate: "back" }];
    expect(await one.rewind("p", true)).toEqual({ canRewind: true, files });
    await one.close();
  });
});

it("what an earlier version noted in a transcript can be looked at, and not be undone", async () => {
  await lab.turn(conversation, () => {});
  await conversation.close();
  const { store } = lab.lab;
  const file = await store.open("c1");
  await file.transcript.texts.write("was", "one\n");
  await file.release();
  const record = { path: "/w/a.txt", before: { kind: "text", key: "was" }, after: { kind: "absent" } };
  const files = [{ ...record, isAsked: true, isUndone: false }];
  const [transcript] = readdirSync(lab.lab.directory, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ndjson"),
  );
  const line = JSON.stringify({ turn: { turn: "p1", place: 0, ranCommands: false, files } });
  appendFileSync(join(lab.lab.directory, transcript ?? ""), `${line}\n`);
  conversation = await lab.conversation();
  const obstacle = "It was noted by an earlier version, and can only be looked at.";
  expect(conversation.status.turns).toMatchObject([{ turn: "p1", files: [{ kind: "deleted", obstacle }] }]);
  expect(await conversation.files.change("p1", "/w/a.txt")).toEqual({ path: "/w/a.txt", before: "one\n" });
});

/** A window looks at what another one wrote a moment later. */
async function seeOthers(of: LedgerLab, ledgers: FolderLedgers): Promise<void> {
  await ledgers.keep("none");
  of.clock.advance(1_000);
  await ledgers.settled();
}
