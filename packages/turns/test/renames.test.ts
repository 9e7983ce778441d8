import { renameSync } from "node:fs";
import { sep } from "node:path";
import { describe, expect, it } from "vitest";
import type { FolderLedgers } from "../src/folder-ledgers.ts";
import type { TurnInfo } from "../src/model.ts";
import { changedHunks } from "../src/undo/undo-hunks.ts";
import { claude, TurnLab } from "./turn-lab.ts";

const old = "one\ntwo\nthree\nfour\nfive\nsix\n";
const edited = "ONE\ntwo\nthree\nfour\nfive\nSIX\n";

/** Names, what they were called before, and lines that came and went. */
function rows(lab: TurnLab, turn: TurnInfo | undefined): readonly unknown[] {
  const named = (path = ""): string => path.slice(lab.folder.length + 1).replaceAll(sep, "/");
  return (turn?.files ?? []).map(({ path, movedFrom, kind, lines, review }) => [
    `${named(movedFrom)} > ${named(path)}`,
    kind,
    `+${lines?.added} -${lines?.removed}`,
    review,
  ]);
}

/** A turn in which a command renames a file and changes two lines of it. */
async function renamed(
  hasGit = true,
): Promise<{ readonly lab: TurnLab; readonly ledgers: FolderLedgers; readonly turn: () => TurnInfo }> {
  const lab = new TurnLab();
  lab.write("other.txt", "something else\n");
  if (hasGit) lab.commit({ "src/old.txt": old });
  else lab.write("src/old.txt", old);
  const ledgers = lab.open({ door: lab.disk });
  await lab.command(ledgers, () => {
    lab.remove("src");
    lab.write("lib/new.txt", edited);
  });
  const turn = (): TurnInfo => {
    const found = ledgers.turns().find(({ undoes }) => undoes === undefined);
    if (found === undefined) throw new Error("there is no turn");
    return found;
  };
  return { lab, ledgers, turn };
}

function state(lab: TurnLab): readonly (string | undefined)[] {
  return [lab.read("src/old.txt"), lab.read("lib/new.txt")];
}

describe.each([true, false])("a file that was renamed and changed (git: %s)", (hasGit) => {
  it("is one row, with the lines that changed in it, also after a restart", async () => {
    const { lab, ledgers, turn } = await renamed(hasGit);
    const wanted = [["src/old.txt > lib/new.txt", "changed", "+2 -2", "unreviewed"]];
    expect(rows(lab, turn())).toEqual(wanted);
    expect(await ledgers.beforeText(turn().id, lab.path("lib/new.txt"))).toBe(old);
    expect(await ledgers.afterText(turn().id, lab.path("lib/new.txt"))).toBe(edited);
    ledgers.dispose();
    const again = lab.open();
    await again.settled();
    expect(rows(lab, again.turns()[0])).toEqual(wanted);
  });

  it("is one undo and one redo: the name and the lines", async () => {
    const { lab, ledgers, turn } = await renamed(hasGit);
    for (const path of [undefined, lab.path("lib/new.txt"), lab.path("src/old.txt")]) {
      const undone = await ledgers.undo(turn().id, path === undefined ? {} : { path });
      expect(undone.files).toEqual([{ path: lab.path("lib/new.txt"), outcome: "undone", conflicts: 0 }]);
      expect(state(lab)).toEqual([old, undefined]);
      expect(rows(lab, turn())).toEqual([["src/old.txt > lib/new.txt", "changed", "+0 -0", "undone"]]);
      const undo = ledgers.lastUndo();
      expect(rows(lab, undo)).toEqual([["lib/new.txt > src/old.txt", "changed", "+2 -2", "unreviewed"]]);
      await ledgers.undo(undo?.id ?? "");
      expect(state(lab)).toEqual([undefined, edited]);
      expect(rows(lab, turn())).toEqual([["src/old.txt > lib/new.txt", "changed", "+2 -2", "unreviewed"]]);
    }
  });
});

it.each([true, false])(
  "a renamed file that is undone already is not undone again with its turn (at once: %s)",
  async (isAtOnce) => {
    const { lab, ledgers, turn } = await renamed();
    const path = lab.path("lib/new.txt");
    const first = ledgers.undo(turn().id, { path });
    if (!isAtOnce) await first;
    const whole = await ledgers.undo(turn().id);
    expect((await first).files).toEqual([{ path, outcome: "undone", conflicts: 0 }]);
    expect(whole.files.filter(({ outcome }) => outcome !== "undone")).toEqual([]);
    expect(state(lab)).toEqual([old, undefined]);
  },
);

it("a renamed file that the user changed since, or whose old name is taken, is left alone under both names", async () => {
  const { lab, ledgers, turn } = await renamed();
  lab.write("lib/new.txt", `${edited}mine\n`);
  const undone = await ledgers.undo(turn().id);
  expect(undone.files).toEqual([{ path: lab.path("lib/new.txt"), outcome: "conflict", conflicts: 0 }]);
  expect(state(lab)).toEqual([undefined, `${edited}mine\n`]);
  lab.write("lib/new.txt", edited);
  lab.write("src/old.txt", "mine\n");
  expect((await ledgers.undo(turn().id)).files).toMatchObject([{ outcome: "conflict" }]);
  expect(state(lab)).toEqual(["mine\n", edited]);
  lab.remove("src");
  expect((await ledgers.undo(turn().id)).files).toMatchObject([{ outcome: "undone" }]);
  expect(state(lab)).toEqual([old, undefined]);
});

it("one change in a renamed file is kept or undone by itself, and the name is still to be decided", async () => {
  const { lab, ledgers, turn } = await renamed();
  const path = lab.path("lib/new.txt");
  const [first, last] = changedHunks(old, edited);
  const at = (hunk = first): { start: number; end: number } => ({
    start: hunk?.afterStart ?? 0,
    end: hunk?.afterEnd ?? 0,
  });
  await ledgers.undo(turn().id, { path, hunk: at(last) });
  expect(state(lab)).toEqual([undefined, edited.replace("SIX", "six")]);
  expect(rows(lab, turn())).toEqual([["src/old.txt > lib/new.txt", "changed", "+1 -1", "partly"]]);
  await ledgers.keep(turn().id, path, at(first));
  expect(rows(lab, turn())).toEqual([["src/old.txt > lib/new.txt", "changed", "+0 -0", "partly"]]);
  await ledgers.undo(turn().id);
  // What was kept stays, under the old name.
  expect(state(lab)).toEqual([edited.replace("SIX", "six"), undefined]);
});

it("keeping a renamed file keeps both names, and an undo that waits takes both back", async () => {
  const { lab, ledgers, turn } = await renamed();
  await ledgers.keep(turn().id, lab.path("lib/new.txt"));
  expect(rows(lab, turn())).toEqual([["src/old.txt > lib/new.txt", "changed", "+2 -2", "kept"]]);
  ledgers.turnBegan(claude, "Do more");
  ledgers.aboutToRun(claude, "mv");
  await ledgers.settled();
  renameSync(lab.path("other.txt"), lab.path("another.txt"));
  ledgers.wrote(claude);
  await ledgers.settled();
  const [next] = ledgers.turns();
  expect((await ledgers.undo(next?.id ?? "")).files).toMatchObject([{ outcome: "queued" }]);
  expect(rows(lab, ledgers.turns()[0])).toEqual([["other.txt > another.txt", "changed", "+0 -0", "queued"]]);
  ledgers.turnEnded(claude);
  await ledgers.settled();
  expect([lab.read("other.txt"), lab.read("another.txt")]).toEqual(["something else\n", undefined]);
});

it("a file that comes while an unlike one goes, or one of several, is no rename; of two alike the name decides", async () => {
  const lab = new TurnLab();
  lab.commit({ "a/same.txt": old, "b/same.txt": old, "gone.txt": "alpha\nbeta\n", "empty.txt": "" });
  const ledgers = lab.open();
  await lab.command(ledgers, () => {
    for (const name of ["a", "gone.txt", "empty.txt"]) lab.remove(name);
    lab.write("new.txt", "gamma\ndelta\n");
    lab.write("empty2.txt", "");
    lab.write("c/copy.txt", old);
    lab.write("d/same.txt", old);
  });
  expect(rows(lab, ledgers.turns()[0])).toEqual([
    [" > c/copy.txt", "created", "+6 -0", "unreviewed"],
    ["a/same.txt > d/same.txt", "changed", "+0 -0", "unreviewed"],
    [" > empty.txt", "deleted", "+0 -0", "unreviewed"],
    [" > empty2.txt", "created", "+0 -0", "unreviewed"],
    [" > gone.txt", "deleted", "+0 -2", "unreviewed"],
    [" > new.txt", "created", "+2 -0", "unreviewed"],
  ]);
});

it("what the agent told of and what its command removed are one rename; a file that comes back is one of its own", async () => {
  const lab = new TurnLab();
  lab.commit({ "old.txt": old });
  const ledgers = lab.open({ door: lab.disk });
  ledgers.turnBegan(claude, "Rename it");
  await lab.told(ledgers, "new.txt", edited);
  ledgers.aboutToRun(claude, "rm old.txt");
  await ledgers.settled();
  lab.remove("old.txt");
  ledgers.wrote(claude);
  await ledgers.settled();
  expect(rows(lab, ledgers.turns()[0])).toEqual([["old.txt > new.txt", "changed", "+2 -2", "unreviewed"]]);
  expect(ledgers.turns()[0]?.files[0]?.attribution).toBe("likely");
  await lab.told(ledgers, "old.txt", `${old}seven\n`);
  ledgers.turnEnded(claude);
  await ledgers.settled();
  expect(rows(lab, ledgers.turns()[0])).toEqual([
    [" > new.txt", "created", "+6 -0", "unreviewed"],
    [" > old.txt", "changed", "+1 -0", "unreviewed"],
  ]);
});
