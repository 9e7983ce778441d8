import { lstatSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { foldersMadeSince } from "../src/ledger/folders.ts";
import { TurnLab } from "./turn-lab.ts";

/** Everything that is there by now has been there for an hour. */
function hourLater(): { readonly isOver: () => void } {
  const { now } = Date;
  const spy = vi.spyOn(Date, "now").mockImplementation(() => now.call(Date) + 3_600_000);
  onTestFinished(() => spy.mockRestore());
  return { isOver: () => spy.mockRestore() };
}

const named = (lab: TurnLab): readonly string[] =>
  readdirSync(lab.folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.startsWith(".git"))
    .toSorted();

it.each([true, false])(
  "a folder that a command renames is undone whole, also one of long ago; git: %s",
  async (hasGit) => {
    const lab = new TurnLab();
    for (const name of ["dir/a.txt", "dir/sub/b.txt", "x.txt"]) lab.write(name, `${name}\n`);
    if (hasGit) lab.commit({});
    lab.write("dir/untracked.txt", "untracked\n");
    const before = named(lab);
    const hour = hourLater();
    const ledgers = lab.open({ door: lab.disk });
    await lab.command(ledgers, () => renameSync(lab.path("dir"), lab.path("moved")));
    hour.isOver();
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual([
      "moved/a.txt changed likely",
      "moved/sub/b.txt changed likely",
      "moved/untracked.txt changed likely",
    ]);
    expect(turn?.files.map(({ movedFrom, lines }) => [movedFrom, lines])).toEqual(
      ["dir/a.txt", "dir/sub/b.txt", "dir/untracked.txt"].map((name) => [lab.path(name), { added: 0, removed: 0 }]),
    );
    const { turn: undo } = await ledgers.undo(turn?.id ?? "");
    expect(named(lab)).toEqual(before);
    await ledgers.undo(undo ?? "");
    expect(named(lab)).toEqual(before.map((name) => name.replace(/^dir/u, "moved")).toSorted());
  },
);

it("a folder that takes the place of a file is gone where that comes back, however old the folder is", async () => {
  const lab = new TurnLab();
  lab.write("dir/sub/b.txt", "b\n");
  lab.write("file", "file\n");
  const before = named(lab);
  // Folders get their times from a clock that is a little behind.
  await expect.poll(() => Date.now() - lstatSync(lab.path("dir")).birthtimeMs).toBeGreaterThan(50);
  const ledgers = lab.open({ door: lab.disk });
  await lab.command(ledgers, () => {
    lab.write("dir/sub/b.txt", "quite another text\n");
    lab.remove("file");
    renameSync(lab.path("dir"), lab.path("file"));
  });
  const { files } = await ledgers.undo(ledgers.turns()[0]?.id ?? "");
  expect(files.map(({ outcome }) => outcome)).toEqual(["undone", "undone", "undone"]);
  expect(named(lab)).toEqual(before);
});

it("a file of long ago that git has ignored so far is not new, and no undo removes it", async () => {
  const lab = new TurnLab();
  lab.commit({ ".gitignore": "mine.txt\n", "a.txt": "a\n" });
  lab.write("mine.txt", "mine\n");
  hourLater();
  const ledgers = lab.open({ door: lab.disk });
  await lab.command(ledgers, () => void lab.write(".gitignore", "\n"));
  expect(lab.files(ledgers.turns()[0])).toEqual([".gitignore changed likely"]);
});

it("counts as made what was moved there, and no folder that was there", async () => {
  const lab = new TurnLab();
  lab.write("dir/sub/b.txt", "b\n");
  lab.write("gone/other/c.txt", "c\n");
  mkdirSync(lab.path("there"));
  // Folders get their times from a clock that is a little behind.
  await expect.poll(() => Date.now() - lstatSync(lab.path("there")).birthtimeMs).toBeGreaterThan(50);
  const since = Date.now();
  renameSync(lab.path("dir"), lab.path("moved"));
  // All that was in one of them, and not the folder itself.
  renameSync(lab.path("gone/other"), lab.path("there/other"));
  lab.remove("gone");
  expect(foldersMadeSince(lab.path("moved/sub/b.txt"), since, lab.path("dir/sub/b.txt"))).toEqual([
    lab.path("moved/sub"),
    lab.path("moved"),
  ]);
  expect(foldersMadeSince(lab.path("there/other/c.txt"), since, lab.path("gone/other/c.txt"))).toEqual([
    lab.path("there/other"),
  ]);
});
