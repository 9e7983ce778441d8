import { mkdirSync, writeFileSync } from "node:fs";
import { createNodePlatform, type Platform } from "@patchbay/core";
import { expect, it } from "vitest";
import type { TurnInfo } from "../src/model.ts";
import { claude, TurnLab } from "./turn-lab.ts";

/** A command writes these files in a folder without git; what is listed then. */
async function changed(lab: TurnLab, names: readonly string[], home?: string): Promise<TurnInfo | undefined> {
  const platform: Platform = { ...createNodePlatform(), clock: lab.clock };
  const process = home === undefined ? platform.process : { ...platform.process, homeDirectory: home };
  const ledgers = lab.open({ door: lab.disk, platform: { ...platform, process } });
  await lab.command(ledgers, () => {
    for (const name of names) lab.write(name, "changed by a command\n");
  });
  return ledgers.turns()[0];
}

it("without git, what programs fill and folders with a dot are left out", async () => {
  const lab = new TurnLab();
  const names = ["a.txt", ".dotted", "sub/b.txt", "node_modules/m.js", ".cache/c", "target/d.o", "venv/e.py"];
  for (const name of names) lab.write(name, "old\n");
  lab.write("target/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
  const turn = await changed(lab, names);
  expect(lab.files(turn)).toEqual([".dotted changed likely", "a.txt changed likely", "sub/b.txt changed likely"]);
  expect(turn?.isPartial).toBe(false);
});

it("in a folder without git, what stands in a repository below it is git's to say, however deep", async () => {
  const lab = new TurnLab();
  lab.write("loose.txt", "old\n");
  lab.write("one/two/three/repository/tracked.txt", "old\n");
  lab.write("one/two/three/repository/.gitignore", "ignored\n");
  const repository = lab.path("one/two/three/repository");
  lab.gitIn(repository, "init", "-q", "-b", "main");
  lab.gitIn(repository, "add", "-A");
  lab.gitIn(repository, "commit", "-q", "-m", "all");
  lab.write("one/two/three/repository/ignored/file.txt", "old\n");
  const below = ["tracked.txt", "ignored/file.txt"].map((name) => `one/two/three/repository/${name}`);
  const turn = await changed(lab, ["loose.txt", ...below]);
  expect(lab.files(turn)).toEqual(["loose.txt changed likely", "one/two/three/repository/tracked.txt changed likely"]);
});

it("where there are too many files, or in the user's home, only what was told of is listed, and that is said", async () => {
  const home = new TurnLab();
  home.write("a.txt", "old\n");
  for (const above of [home.folder, home.path("somebody")]) {
    mkdirSync(above, { recursive: true });
    expect((await changed(home, ["a.txt"], above))?.files ?? []).toEqual([]);
  }
  const lab = new TurnLab();
  mkdirSync(lab.path("many"));
  for (let number = 0; number < 20_001; number += 1) writeFileSync(lab.path(`many/${number}`), "");
  const ledgers = lab.open();
  ledgers.turnBegan(claude, "Do it");
  await lab.told(ledgers, "many/1", "told\n", claude);
  lab.write("many/2", "not told\n");
  ledgers.turnEnded(claude);
  await ledgers.settled();
  const [turn] = ledgers.turns();
  expect([lab.files(turn), turn?.isPartial]).toEqual([["many/1 changed exact"], true]);
});

it("without git, a file that may not be copied is named, and nothing of it is kept", async () => {
  const lab = new TurnLab();
  for (const name of [".env", "a.txt"]) lab.write(name, "old\n");
  const turn = await changed(lab, [".env", "a.txt"]);
  expect(turn?.files.map(({ cannotUndo }) => cannotUndo)).toEqual(["withheld", undefined]);
});

it("without git, copies at a turn's begin leave room for what it changes", async () => {
  const lab = new TurnLab();
  const names = Array.from({ length: 30 }, (_, number) => `${number}.txt`);
  for (const name of names) lab.write(name, `${name}${"x".repeat(1_000)}\n`);
  const ledgers = lab.open({ door: lab.disk, limits: { all: 100_000 } });
  await lab.command(ledgers, () => {
    for (const name of names) lab.write(name, `${name}${"y".repeat(1_000)}\n`);
  });
  const [turn] = ledgers.turns();
  const why = turn?.files.map(({ cannotUndo }) => cannotUndo) ?? [];
  expect([why.length, why.filter((one) => one === "unread").length, turn?.isPartial]).toEqual([30, 16, true]);
  const { files } = await ledgers.undo(turn?.id ?? "");
  expect(files.filter(({ outcome }) => outcome === "undone")).toHaveLength(14);
});
