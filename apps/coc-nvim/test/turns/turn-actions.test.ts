import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNodePlatform, type TurnSource } from "@patchbay/core";
import { createDiskDoor, FolderLedgers, placedHunks } from "@patchbay/turns";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  actOnTurn,
  bringBack,
  decideLines,
  showLines,
  turnLabel,
  turnRows,
  type TurnServices,
} from "../../src/turns/turn-actions.ts";
import { heldLines } from "../../src/turns/turn-signs.ts";
import { asLines, asList } from "../../src/vim/shape.ts";

const platform = createNodePlatform();
const before = "one\ntwo\nthree\nfour\nfive\nsix\n";
const undone = "Undone; the agent reads about it with your next prompt.";
const broughtBack = "Brought back; the agent reads about it with your next prompt.";
const after = "ONE\ntwo\nthree\nnew\nfour\nfive\n";

let folder: string;
let path: string;
let ledgers: FolderLedgers;
let source: TurnSource;
let opened: unknown[];
let choice: string | undefined;
let services: TurnServices;

const linesNow = (): readonly string[] => readFileSync(path, "utf8").split("\n").slice(0, -1);

/** A turn that changes the first line, adds one below the third and removes the last. */
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-turns-")));
  path = join(folder, "a.txt");
  source = { agent: "claude", agentName: "Claude Code", session: "s1", folder };
  const door = createDiskDoor({ platform, folders: [folder] });
  ledgers = new FolderLedgers({
    platform,
    storageDirectory: mkdtempSync(join(tmpdir(), "patchbay-turns-")),
    folders: [folder],
    mayKeep: () => true,
    door,
  });
  opened = [];
  choice = undefined;
  const changes = {
    ledgers,
    signs: { hunks: async (file: string) => await placedHunks(ledgers, heldLines(file, linesNow()), platform.clock) },
  };
  services = {
    changes,
    vim: { call: async (name, args = []) => void opened.push([name, ...args]) },
    choose: async () => choice,
    folders: () => [folder],
    now: () => Date.now(),
  };
  writeFileSync(path, before);
  ledgers.turnBegan(source, "Change it");
  ledgers.aboutToWrite(source, [{ path, before }]);
  await ledgers.ready();
  writeFileSync(path, after);
  ledgers.wrote(source);
  await ledgers.settled();
});

afterEach(() => {
  ledgers.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const end = async (): Promise<void> => {
  ledgers.turnEnded(source);
  await ledgers.settled();
};

describe("changes of a turn in a buffer", () => {
  const placed = async (lines: readonly string[]): Promise<readonly string[]> =>
    (await placedHunks(ledgers, heldLines(path, lines), platform.clock)).map(
      ({ start, end: stop, kind }) => `${kind} ${start} ${stop}`,
    );

  it("stand where the turn put them, from the bottom up", async () => {
    expect(await placed(linesNow())).toEqual(["delete 6 6", "add 3 4", "change 0 1"]);
  });

  it("move with lines that come and go above them, and are gone where somebody changed the same lines", async () => {
    expect(await placed(["zero", ...linesNow()])).toEqual(["delete 7 7", "add 4 5", "change 1 2"]);
    expect(await placed(["ONE", "three", "new", "four", "five"])).toEqual(["delete 5 5", "add 2 3", "change 0 1"]);
    expect(await placed(["mine", "two", "three", "mine, too", "four", "five"])).toEqual(["delete 6 6"]);
  });
});

describe("lines of a file", () => {
  it("are undone as one change each, and the rest stays", async () => {
    await end();
    expect(await decideLines(services, "undo", [path, 4, 4])).toBe(undone);
    expect(readFileSync(path, "utf8")).toBe("ONE\ntwo\nthree\nfour\nfive\n");
    // What was removed stands at the line above.
    expect(await decideLines(services, "undo", [path, 5, 5])).toBe(undone);
    expect(readFileSync(path, "utf8")).toBe("ONE\ntwo\nthree\nfour\nfive\nsix\n");
    expect(await decideLines(services, "undo", [path, 2, 3])).toBe("No change by an agent is waiting for review here.");
  });

  it("are undone all at once, and brought back", async () => {
    await end();
    expect(await decideLines(services, "undo", [path, 1, 6])).toBe(undone);
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(await bringBack(services)).toBe(broughtBack);
    expect(readFileSync(path, "utf8")).toBe(after);
    expect(await bringBack(services)).toBe("There is nothing to bring back.");
  });

  it("wait while the agent works, unless that is not wanted", async () => {
    expect(await decideLines(services, "undo", [path, 1, 1, "why"])).toContain("Claude Code is working");
    expect(readFileSync(path, "utf8")).toBe(after);
    expect(await decideLines(services, "undo", [path, 4, 4, "", 1])).toBe(undone);
    expect(readFileSync(path, "utf8")).toBe("ONE\ntwo\nthree\nfour\nfive\n");
    await end();
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\nthree\nfour\nfive\n");
  });

  it("are kept, and no longer to be found", async () => {
    expect(await decideLines(services, "keep", [path, 1, 4])).toBe("Kept.");
    expect((await services.changes.signs.hunks(path))?.map(({ kind }) => kind)).toEqual(["delete"]);
    expect(readFileSync(path, "utf8")).toBe(after);
  });

  it("that changed since are left alone", async () => {
    await end();
    writeFileSync(path, after.replace("ONE", "mine"));
    const rows = turnRows(services);
    expect(await actOnTurn(services, "undo", rows[1]?.data ?? "", [])).toBe(
      "Undone; the agent reads about it with your next prompt. Changed again since, and left alone: 1 of the changes, in a.txt.",
    );
    expect(readFileSync(path, "utf8")).toBe(before.replace("one", "mine"));
  });
});

describe("what is shown of a line", () => {
  const shown = async (first: number, last = first): Promise<unknown> => {
    const said = await showLines(services, [path, first, last]);
    const call = opened.pop();
    return Array.isArray(call) ? call : said;
  };

  it("is whose change it is, the lines as they were and the lines as they are", async () => {
    expect(await shown(1)).toEqual(["patchbay#turns#peek", ["Claude Code: Change it  1 of 3", "-one", "+ONE"]]);
    expect(await shown(4)).toEqual(["patchbay#turns#peek", ["Claude Code: Change it  2 of 3", "+new"]]);
    // What was removed stands at the line above.
    expect(await shown(6)).toEqual(["patchbay#turns#peek", ["Claude Code: Change it  3 of 3", "-six"]]);
    expect(await shown(1, 4)).toEqual([
      "patchbay#turns#peek",
      ["Claude Code: Change it  1 of 3", "-one", "+ONE", "Claude Code: Change it  2 of 3", "+new"],
    ]);
    expect(await shown(2)).toBe("No change by an agent is waiting for review here.");
  });

  it("is found where the line is by now, and is not too much", async () => {
    writeFileSync(path, `zero\n${after}`);
    expect(await shown(2)).toEqual(["patchbay#turns#peek", ["Claude Code: Change it  1 of 3", "-one", "+ONE"]]);
    writeFileSync(path, after);
    ledgers.aboutToWrite(source, [{ path, before: after }]);
    await ledgers.ready();
    writeFileSync(path, `${after}${"more\n".repeat(300)}`);
    ledgers.wrote(source);
    await ledgers.settled();
    const lines = asLines(asList(await shown(8))[1]);
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toBe("… 102 more lines");
  });
});

describe("the list of turns", () => {
  it("has each turn with its files, and what is known of them", async () => {
    expect(turnRows(services).map(({ label }) => label)).toEqual([
      "Claude Code: Change it  +2 -2  [working]",
      "    M a.txt  +2 -2",
    ]);
    await end();
    expect(turnRows(services)[0]?.label).toContain("+2 -2  now");
  });

  it("says what was renamed, and that not everything could be looked at", async () => {
    await end();
    writeFileSync(join(folder, "old.txt"), "old\n");
    ledgers.turnBegan(source, "Move it");
    ledgers.aboutToRun(source, "mv");
    await ledgers.settled();
    renameSync(join(folder, "old.txt"), join(folder, "new.txt"));
    await end();
    const labels = (): readonly string[] => turnRows(services).map(({ label }) => label);
    expect(labels()[0]).not.toContain("[not all files were looked at]");
    expect(labels().slice(1, 3)).toEqual([
      "    R new.txt  +0 -0  [renamed from old.txt, likely]",
      expect.stringContaining("Change it"),
    ]);
    const said = ledgers.turns().map((turn) => turnLabel({ ...turn, git: ["commit", "stash"] }, 0));
    expect(said[0]).toContain("  [changed in git: commit, stash]");
    // A repository that git cannot read.
    mkdirSync(join(folder, ".git"));
    writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
    ledgers.turnBegan(source, "Change it again");
    ledgers.aboutToWrite(source, [{ path }]);
    await ledgers.settled();
    writeFileSync(path, before);
    await end();
    expect(labels()[0]).toContain("[not all files were looked at]");
  });

  it("opens the file as it was, and keeps and undoes", async () => {
    await end();
    const [turn] = turnRows(services).map(({ data }) => data);
    await actOnTurn(services, "open", turn ?? "", []);
    expect(opened).toMatchObject([
      ["patchbay#turns#open", { path, isGone: 0, hasBefore: 1, lines: before.split("\n").slice(0, -1) }],
    ]);
    choice = "Change nothing";
    expect(await actOnTurn(services, "undoAll", turn ?? "", [turn ?? ""])).toBeUndefined();
    expect(readFileSync(path, "utf8")).toBe(after);
    choice = "Undo this turn";
    expect(await actOnTurn(services, "undoAll", turn ?? "", [turn ?? ""])).toBe(undone);
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(turnRows(services)).toEqual([]);
  });
});
