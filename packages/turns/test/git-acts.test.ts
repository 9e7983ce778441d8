import { utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { FolderLedgers } from "../src/folder-ledgers.ts";
import { claude, TurnLab } from "./turn-lab.ts";

/** One step of a turn: a command of the agent, or something that somebody else does while one may run. */
async function step(lab: TurnLab, ledgers: FolderLedgers, work: () => void): Promise<void> {
  ledgers.aboutToRun(claude, "something");
  await ledgers.settled();
  work();
  ledgers.wrote(claude);
  lab.clock.advance(3_000);
  await ledgers.settled();
}

describe("what git did in a turn", () => {
  it.each<readonly [string, readonly string[], (lab: TurnLab) => void]>([
    ["git mv", ["index"], (lab) => void lab.git("mv", "a.txt", "c.txt")],
    ["git add", ["index"], (lab) => void lab.git("add", "new.txt")],
    ["a commit", ["commit"], (lab) => lab.commit({ "b.txt": "committed\n" })],
    ["another branch", ["checkout"], (lab) => void lab.git("checkout", "-q", "-b", "other")],
    ["stash", ["stash"], (lab) => void lab.git("stash", "push", "-q", "a.txt")],
    ["reset", ["reset"], (lab) => void lab.git("reset", "-q", "--soft", "HEAD~1")],
    [
      "a branch and a commit",
      ["checkout", "commit"],
      (lab) => {
        lab.git("checkout", "-q", "-b", "other");
        lab.git("commit", "-q", "-am", "more");
      },
    ],
  ])("is said: %s", async (_name, wanted, work) => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n", "b.txt": "two\n" });
    lab.git("commit", "-q", "--allow-empty", "-m", "second");
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "Do it");
    await step(lab, ledgers, () => void lab.write("new.txt", "new\n"));
    lab.write("a.txt", "changed\n");
    await step(lab, ledgers, () => work(lab));
    ledgers.turnEnded(claude);
    await ledgers.settled();
    expect(ledgers.turns()[0]?.git).toEqual(wanted);
    // Kept.
    ledgers.dispose();
    const again = lab.open();
    await again.settled();
    expect(again.turns()[0]?.git).toEqual(wanted);
  });

  it("is nothing where git only looks", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "Do it");
    await step(lab, ledgers, () => {
      lab.write("new.txt", "new\n");
      // Git writes down the new times that it sees.
      utimesSync(lab.path("a.txt"), 1, 1);
      lab.git("status", "--porcelain");
    });
    ledgers.turnEnded(claude);
    await ledgers.settled();
    expect(lab.files(ledgers.turns()[0])).toEqual(["new.txt created likely"]);
    expect(ledgers.turns()[0]).not.toHaveProperty("git");
  });
});

describe("what somebody puts aside by git while an agent works, and takes back", () => {
  it("is not the agent's", async () => {
    const lab = new TurnLab();
    lab.commit({ "mine.txt": "one\n", "sub dir/mine.txt": "two\n" });
    lab.write("mine.txt", "my work\n");
    lab.write("sub dir/mine.txt", "my other work\n");
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "Do it");
    await step(lab, ledgers, () => {
      lab.git("stash", "-q");
      lab.write("agent.txt", "new\n");
    });
    expect(lab.read("mine.txt")).toBe("one\n");
    expect(lab.files(ledgers.turns()[0])).toEqual(["agent.txt created likely"]);
    await step(lab, ledgers, () => void lab.git("stash", "pop", "-q"));
    expect(lab.read("mine.txt")).toBe("my work\n");
    expect(lab.files(ledgers.turns()[0])).toEqual(["agent.txt created likely"]);
    // What is changed in it then is.
    await step(lab, ledgers, () => void lab.write("mine.txt", "my work\nand more\n"));
    expect(lab.files(ledgers.turns()[0])).toEqual(["agent.txt created likely", "mine.txt changed likely"]);
    ledgers.turnEnded(claude);
    await ledgers.undo(ledgers.turns()[0]?.id ?? "");
    expect(lab.read("mine.txt")).toBe("my work\n");
  });

  it("is the agent's where it changed that", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "Do it");
    await lab.told(ledgers, "a.txt", "two\n");
    await step(lab, ledgers, () => void lab.git("stash", "-q"));
    expect(lab.read("a.txt")).toBe("one\n");
    await step(lab, ledgers, () => void lab.git("stash", "pop", "-q"));
    ledgers.turnEnded(claude);
    await ledgers.settled();
    const [turn] = ledgers.turns();
    expect(turn?.files.map(({ path, kind }) => [path, kind])).toEqual([[lab.path("a.txt"), "changed"]]);
    await ledgers.undo(turn?.id ?? "");
    expect(lab.read("a.txt")).toBe("one\n");
  });
});
