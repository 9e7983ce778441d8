import { createNodePlatform } from "@patchbay/core";
import { expect, it } from "vitest";
import type { UndoNotice } from "../../src/model.ts";
import { createDiskDoor } from "../../src/undo/disk-door.ts";
import { claude, TurnLab } from "../turn-lab.ts";

it("takes a hunk back when the agent's turn has ended, also after a restart, and can undo that", async () => {
  const lab = new TurnLab();
  const path = lab.write("a.txt", "one\ntwo\nthree\n");
  const notices: UndoNotice[] = [];
  const door = createDiskDoor({ platform: createNodePlatform(), folders: [lab.folder] });
  const options = { door, onDidUndo: (notice: UndoNotice) => void notices.push(notice) };
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
  expect(notices).toMatchObject([{ turn: { id, agents: ["Claude Code"] }, reason: "Lower case" }]);
  const [undo] = second.turns();
  expect(undo).toMatchObject({ undoes: id, files: [{ path, review: "unreviewed" }] });
  await second.undo(undo?.id ?? "");
  expect(lab.read("a.txt")).toBe("ONE\ntwo\nTHREE\n");
  expect(await second.afterText(id, path)).toBe("ONE\ntwo\nTHREE\n");
  second.dispose();
});
