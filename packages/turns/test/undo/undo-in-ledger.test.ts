import { chmodSync, rmSync, statSync } from "node:fs";
import { createNodePlatform } from "@patchbay/core";
import { expect, it } from "vitest";
import { createDiskDoor } from "../../src/undo/disk-door.ts";
import { claude, TurnLab } from "../turn-lab.ts";

it("takes a hunk back when the agent's turn has ended, also after a restart, and can undo that", async () => {
  const lab = new TurnLab();
  const path = lab.write("a.txt", "one\ntwo\nthree\n");
  const door = createDiskDoor({ platform: createNodePlatform(), folders: [lab.folder] });
  const options = { door };
  const first = lab.open(options);
  first.turnBegan(claude, "Change it");
  first.aboutToWrite(claude, [{ path, before: "one\ntwo\nthree\n" }]);
  await first.ready();
  lab.write("a.txt", "ONE\ntwo\nTHREE\n");
  first.wrote(claude);
  await first.settled();
  const [turn] = first.turns();
  const id = turn?.id ?? "";
  const result = await first.undo(id, { path, hunk: { start: 0, end: 1 }, reason: "Lower case" });
  expect(result.files).toEqual([{ path, outcome: "queued", conflicts: 0 }]);
  expect(lab.read("a.txt")).toBe("ONE\ntwo\nTHREE\n");
  first.dispose();

  const second = lab.open(options);
  await second.settled();
  second.turnEnded(claude);
  await second.settled();
  expect(lab.read("a.txt")).toBe("one\ntwo\nTHREE\n");
  const told = (await second.notes(claude)).map(({ text }) => text);
  expect(told).toEqual([expect.stringMatching(/took back changes of yours in a\.txt.*Lower case$/u)]);
  const [undo] = second.turns();
  expect(undo).toMatchObject({ undoes: id, files: [{ path, review: "unreviewed" }] });
  await second.undo(undo?.id ?? "");
  expect(lab.read("a.txt")).toBe("ONE\ntwo\nTHREE\n");
  expect(await second.afterText(id, path)).toBe("ONE\ntwo\nTHREE\n");
  second.dispose();
});

it("takes some lines of a created file back, after the turn and a restart, and the rest goes to the trash", async () => {
  const lab = new TurnLab();
  const path = lab.path("new.txt");
  const removed: string[] = [];
  const disk = createDiskDoor({ platform: createNodePlatform(), folders: [lab.folder] });
  const door = {
    ...disk,
    remove: async (one: string): Promise<boolean> => {
      removed.push(one);
      return await disk.remove(one);
    },
  };
  const first = lab.open({ door });
  first.turnBegan(claude, "Make it");
  first.aboutToWrite(claude, [{ path, before: undefined }]);
  await first.ready();
  lab.write("new.txt", "one\ntwo\nthree\nfour\n");
  first.wrote(claude);
  await first.settled();
  const id = first.turns()[0]?.id ?? "";
  const { files } = await first.undo(id, { path, hunk: { start: 1, end: 3, isPart: true } });
  expect(files).toEqual([{ path, outcome: "queued", conflicts: 0 }]);
  first.dispose();

  const second = lab.open({ door });
  await second.settled();
  second.turnEnded(claude);
  await second.settled();
  expect(lab.read("new.txt")).toBe("one\nfour\n");
  expect(second.turns().find((turn) => turn.id === id)?.files).toMatchObject([{ kind: "created", review: "partly" }]);
  expect(removed).toEqual([]);
  await second.undo(id, { path });
  expect(removed).toEqual([path]);
  second.dispose();
});

it.each([0o755, 0o600])("brings a removed file back with its mode %o, also after a restart", async (mode) => {
  const lab = new TurnLab();
  lab.commit({ "run.sh": "echo one\n", "other.txt": "stays\n" });
  lab.chmod("run.sh", mode);
  const door = createDiskDoor({ platform: createNodePlatform(), folders: [lab.folder] });
  const first = lab.open({ door });
  await lab.command(first, () => lab.remove("run.sh"));
  const [turn] = first.turns();
  expect(lab.files(turn)).toEqual(["run.sh deleted likely"]);
  first.dispose();

  const second = lab.open({ door });
  await second.settled();
  const { files } = await second.undo(turn?.id ?? "");
  expect(files.map(({ outcome }) => outcome)).toEqual(["undone"]);
  expect(lab.read("run.sh")).toBe("echo one\n");
  expect(statSync(lab.path("run.sh")).mode & 0o777).toBe(mode);
});

it.each(["a hook told of it", "a command did it"])(
  "leaves alone what the user typed in a file that the agent had changed in the same turn: %s",
  async (how) => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "first\nlast\n" });
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "Change it");
    await ledgers.settled();
    const changed = "first\nagent\nlast\n";
    if (how === "a hook told of it") await lab.told(ledgers, "a.txt", changed);
    else {
      ledgers.aboutToRun(claude, "x");
      await ledgers.settled();
      lab.write("a.txt", changed);
      ledgers.wrote(claude);
      await ledgers.settled();
    }
    // Typed now, saved when another command has been looked for.
    ledgers.touched(lab.path("a.txt"));
    await lab.told(ledgers, "b.txt", "new\n");
    lab.write("a.txt", `${changed}user\n`);
    ledgers.turnEnded(claude);
    await ledgers.settled();
    const id = ledgers.turns()[0]?.id ?? "";
    const { files } = await ledgers.undo(id, { path: lab.path("a.txt") });
    expect(files.map(({ outcome }) => outcome)).toEqual(["undone"]);
    expect(lab.read("a.txt")).toBe("first\nlast\nuser\n");
  },
);

it("does not take back later what was kept meanwhile", async () => {
  const lab = new TurnLab();
  lab.write("a.txt", "one\n");
  const ledgers = lab.open();
  ledgers.turnBegan(claude, "Change it");
  await lab.told(ledgers, "a.txt", "two\n");
  await lab.told(ledgers, "b.txt", "new\n");
  const id = ledgers.turns()[0]?.id ?? "";
  expect((await ledgers.undo(id)).files.map(({ outcome }) => outcome)).toEqual(["queued", "queued"]);
  await ledgers.keep(id, lab.path("a.txt"));
  await lab.told(ledgers, "a.txt", "three\n");
  ledgers.turnEnded(claude);
  await ledgers.settled();
  expect([lab.read("a.txt"), lab.read("b.txt")]).toEqual(["three\n", undefined]);
});

it("leaves alone what the user typed between two writes of the agent while the undo waited", async () => {
  const lab = new TurnLab();
  lab.write("a.txt", "first\nlast\n");
  const ledgers = lab.open();
  ledgers.turnBegan(claude, "Change it");
  await lab.told(ledgers, "a.txt", "first\nagent\nlast\n");
  const id = ledgers.turns()[0]?.id ?? "";
  await ledgers.undo(id);
  ledgers.touched(lab.path("a.txt"));
  lab.write("a.txt", "first\nagent\nlast\nuser\n");
  await lab.told(ledgers, "a.txt", "first\nagent\nmore\nlast\nuser\n");
  ledgers.turnEnded(claude);
  await ledgers.settled();
  expect(lab.read("a.txt")).toBe("first\nlast\nuser\n");
});

it("after a restart in a turn takes away nothing that the user typed, where the agent told of no command", async () => {
  const lab = new TurnLab();
  lab.commit({ "a.txt": "one\n", "b.txt": "one\n" });
  const first = lab.open();
  first.turnBegan(claude, "Change a");
  await lab.told(first, "a.txt", "two\n");
  first.dispose();
  const second = lab.open();
  await second.settled();
  second.touched(lab.path("b.txt"));
  lab.write("b.txt", "one\nmine\n");
  lab.write("c.txt", "by a command that nobody heard of\n");
  await lab.told(second, "a.txt", "three\n");
  second.turnEnded(claude);
  await second.settled();
  expect(lab.files(second.turns()[0])).toEqual(["a.txt changed exact", "c.txt created likely"]);
  await second.undo(second.turns()[0]?.id ?? "");
  expect([lab.read("a.txt"), lab.read("b.txt"), lab.read("c.txt")]).toEqual(["one\n", "one\nmine\n", undefined]);
});

it("permissions that came and went again make no text of the user's the turn's own", async () => {
  const lab = new TurnLab();
  const path = lab.write("run.sh", "#!/bin/sh\n");
  lab.write("a.txt", "one\n");
  chmodSync(path, 0o644);
  const ledgers = lab.open({ door: lab.disk });
  await lab.command(ledgers, () => chmodSync(path, 0o700));
  await ledgers.undo(ledgers.turns()[0]?.id ?? "");
  await ledgers.undo(ledgers.turns()[0]?.id ?? "");
  expect(statSync(path).mode & 0o777).toBe(0o700);
  rmSync(path);
  lab.write("run.sh", "mine\n");
  await lab.command(ledgers, () => rmSync(lab.path("a.txt")));
  for (let round = 0; round < 3; round += 1) {
    for (const { id } of ledgers.turns()) {
      await ledgers.undo(id);
      expect(lab.read("run.sh")).toBe("mine\n");
    }
  }
});
