import { expect, it } from "vitest";
import { claude, TurnLab } from "./turn-lab.ts";

const ignore = "*.local\n*.o\nnode_modules\n/out/\n";

function labWith(names: readonly string[]): TurnLab {
  const lab = new TurnLab();
  lab.commit({ ".gitignore": ignore, "a.txt": "a\n", "src/a.c": "a\n" });
  for (const name of names) lab.write(name, `${name}\n`);
  return lab;
}

it("lists files that git ignores by themselves, and none in folders that it ignores", async () => {
  const lab = labWith(["old.local", "gone.local", "src/mine.local", "out/b.txt"]);
  const ledgers = lab.open({ door: lab.disk });
  await lab.command(ledgers, () => {
    lab.write("a.txt", "changed\n");
    lab.write("src/new.local", "new\n");
    lab.write("old.local", "changed\n");
    lab.remove("gone.local");
    for (const name of ["node_modules/m.js", "out/b.txt", "out/c.txt", "objects/only.o"]) lab.write(name, "made\n");
  });
  const [turn] = ledgers.turns();
  expect(lab.files(turn)).toEqual([
    "a.txt changed likely",
    "gone.local deleted unknown",
    "old.local changed unknown",
    "src/new.local created likely",
  ]);
  // What was there may have been changed by anybody: it is undone where it is named.
  const { files } = await ledgers.undo(turn?.id ?? "");
  expect(files.map(({ outcome }) => outcome)).toEqual(["undone", "undone", "unsure", "unsure"]);
  expect([lab.read("src/new.local"), lab.read("old.local")]).toEqual([undefined, "changed\n"]);
  for (const name of ["old.local", "gone.local"]) await ledgers.undo(turn?.id ?? "", { path: lab.path(name) });
  expect([lab.read("old.local"), lab.read("gone.local")]).toEqual(["old.local\n", "gone.local\n"]);
});

it("a second change to an ignored file that the turn created is as certain as the first", async () => {
  const lab = labWith([]);
  const ledgers = lab.open();
  ledgers.turnBegan(claude, "Do it");
  await ledgers.settled();
  for (const text of ["one\n", "two\n"]) {
    ledgers.aboutToRun(claude, "something");
    await ledgers.settled();
    lab.write("new.local", text);
    ledgers.wrote(claude);
    lab.clock.advance(60_000);
    await ledgers.settled();
  }
  ledgers.turnEnded(claude);
  await ledgers.settled();
  expect(lab.files(ledgers.turns()[0])).toEqual(["new.local created likely"]);
});

it("where git ignores very many by themselves, they are what a build makes, and none is listed", async () => {
  const lab = labWith(["old.local"]);
  for (let number = 0; number < 101; number += 1) lab.write(`src/${number}.o`, "made\n");
  const ledgers = lab.open();
  await lab.command(ledgers, () => lab.write("old.local", "changed\n"));
  expect(ledgers.turns()[0]?.files ?? []).toEqual([]);
});

it("an ignored file that was there where nobody looked is not taken for a new one", async () => {
  const lab = labWith(["objects/only.o"]);
  const ledgers = lab.open({ door: lab.disk });
  await lab.command(ledgers, () => void lab.write("objects/known.c", "new\n"));
  expect(lab.files(ledgers.turns()[0])).toEqual(["objects/known.c created likely"]);
});
