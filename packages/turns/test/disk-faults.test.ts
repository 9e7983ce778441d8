import { existsSync, promises, readdirSync, renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { createNodePlatform, type Files } from "@patchbay/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { diskStateOf } from "../src/look/disk-state.ts";
import type { FolderLedgersOptions } from "../src/model.ts";
import { claude, TurnLab } from "./turn-lab.ts";

/** A disk that refuses what a test wants refused, as long as the test wants it. */
class FaultyDisk {
  /** The code of the system's error, by what is asked of which path. */
  refuses: (asked: string, path: string) => string | undefined = () => undefined;

  options(lab: TurnLab): Pick<FolderLedgersOptions, "platform"> {
    const platform = createNodePlatform();
    const { files } = platform;
    const guarded = <Given extends readonly unknown[], T>(
      asked: string,
      work: (path: string, ...given: Given) => Promise<T>,
    ): ((path: string, ...given: Given) => Promise<T>) => {
      return async (path, ...given) => {
        const code = this.refuses(asked, path);
        if (code !== undefined) throw Object.assign(new Error(`${code}: refused`), { code });
        return await work(path, ...given);
      };
    };
    const faulty: Files = {
      ...files,
      lstat: guarded("lstat", files.lstat),
      list: guarded("list", files.list),
      readText: guarded("readText", files.readText),
      readReal: guarded("readReal", files.readReal),
      createExclusive: guarded("createExclusive", files.createExclusive),
    };
    return { platform: { ...platform, clock: lab.clock, files: faulty } };
  }
}

describe("a file that cannot be read", () => {
  it("was not made by the agent that is about to write it", async () => {
    const lab = new TurnLab();
    const disk = new FaultyDisk();
    lab.write("a.txt", "mine\n");
    const ledgers = lab.open(disk.options(lab));
    ledgers.turnBegan(claude, "Do it");
    await ledgers.settled();
    disk.refuses = (asked, path) => (asked === "readReal" && path === lab.path("a.txt") ? "EMFILE" : undefined);
    ledgers.aboutToWrite(claude, [{ path: lab.path("a.txt") }]);
    await ledgers.settled();
    disk.refuses = () => undefined;
    lab.write("a.txt", "the agent's\n");
    ledgers.wrote(claude);
    ledgers.turnEnded(claude);
    await ledgers.settled();
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual(["a.txt changed exact"]);
    const { files } = await ledgers.undo(turn?.id ?? "");
    expect(files.map(({ outcome }) => outcome)).toEqual(["unknown"]);
    expect(lab.read("a.txt")).toBe("the agent's\n");
  });

  it("is not gone: what the agent wrote is seen once it can be read", async () => {
    const lab = new TurnLab();
    const disk = new FaultyDisk();
    lab.write("a.txt", "one\n");
    const ledgers = lab.open(disk.options(lab));
    ledgers.turnBegan(claude, "Do it");
    ledgers.aboutToWrite(claude, [{ path: lab.path("a.txt") }]);
    await ledgers.settled();
    lab.write("a.txt", "two\n");
    disk.refuses = (asked, path) => (asked === "readReal" && path === lab.path("a.txt") ? "EIO" : undefined);
    ledgers.wrote(claude);
    await ledgers.settled();
    expect(lab.files(ledgers.turns()[0])).toEqual([]);
    disk.refuses = () => undefined;
    ledgers.turnEnded(claude);
    await ledgers.settled();
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual(["a.txt changed exact"]);
    expect(await ledgers.afterText(turn?.id ?? "", lab.path("a.txt"))).toBe("two\n");
  });

  it("is listed as changed where it cannot be read to the end of the turn", async () => {
    const lab = new TurnLab();
    const disk = new FaultyDisk();
    lab.write("a.txt", "one\n");
    const ledgers = lab.open(disk.options(lab));
    ledgers.turnBegan(claude, "Do it");
    ledgers.aboutToWrite(claude, [{ path: lab.path("a.txt") }]);
    await ledgers.settled();
    lab.write("a.txt", "two\n");
    disk.refuses = (asked, path) => (asked === "readReal" && path === lab.path("a.txt") ? "EIO" : undefined);
    ledgers.turnEnded(claude);
    await ledgers.settled();
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual(["a.txt changed exact"]);
    expect(await ledgers.afterText(turn?.id ?? "", lab.path("a.txt"))).toBeUndefined();
  });

  it("does not become one that the agent made when the first look could not list it", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "mine\n" });
    const ledgers = lab.open();
    renameSync(lab.path(".git/index"), lab.path(".git/away"));
    lab.write(".git/index", "torn");
    ledgers.turnBegan(claude, "Do it");
    ledgers.aboutToRun(claude, "something");
    await ledgers.settled();
    renameSync(lab.path(".git/away"), lab.path(".git/index"));
    lab.write("a.txt", "the agent's\n");
    ledgers.wrote(claude);
    ledgers.turnEnded(claude);
    await ledgers.settled();
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual(["a.txt changed likely"]);
    await ledgers.undo(turn?.id ?? "");
    expect(lab.read("a.txt")).toBe("the agent's\n");
  });

  it("does not become one that the agent made when its folder could not be listed, without git", async () => {
    const lab = new TurnLab();
    lab.write("sub/a.txt", "mine\n");
    const { opendir } = promises;
    const spy = vi.spyOn(promises, "opendir").mockImplementation(async (path, ...more) => {
      if (path === lab.path("sub")) throw Object.assign(new Error("EMFILE: refused"), { code: "EMFILE" });
      return await opendir(path, ...more);
    });
    onTestFinished(() => spy.mockRestore());
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "Do it");
    await ledgers.settled();
    spy.mockRestore();
    ledgers.aboutToRun(claude, "something");
    lab.write("sub/a.txt", "changed\n");
    ledgers.wrote(claude);
    ledgers.turnEnded(claude);
    await ledgers.settled();
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual(["sub/a.txt changed likely"]);
    expect(turn).toMatchObject({ isPartial: true, files: [{ cannotUndo: "unread" }] });
    await ledgers.undo(turn?.id ?? "");
    expect(lab.read("sub/a.txt")).toBe("changed\n");
  });

  it("is told from one that is not there", () => {
    const failing = (code: string) => (): never => {
      throw Object.assign(new Error(code), { code });
    };
    for (const code of ["EACCES", "EIO", "ENOMEM", "EPERM"]) expect(diskStateOf("/x", failing(code))).toBe("unknown");
    for (const code of ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"]) {
      expect(diskStateOf("/x", failing(code))).toBeUndefined();
    }
    expect(diskStateOf("/x\0y")).toBeUndefined();
  });
});

describe("storage that fails for a while", () => {
  it("gets everything of a turn once it can be written", async () => {
    const lab = new TurnLab();
    const first = lab.open();
    // The directory is no directory.
    rmSync(lab.storage, { recursive: true });
    lab.writeStorage("");
    first.turnBegan(claude, "Do it");
    await first.settled();
    rmSync(lab.storage);
    await lab.told(first, "a.txt", "new\n");
    first.turnEnded(claude);
    await first.settled();
    first.dispose();
    const second = lab.open();
    await second.settled();
    expect(second.turns()[0]?.prompt).toBe("Do it");
    expect(lab.files(second.turns()[0])).toEqual(["a.txt created exact"]);
    expect(await second.afterText(second.turns()[0]?.id ?? "", lab.path("a.txt"))).toBe("new\n");
  });

  it("is tried again by itself when the last word of a turn could not be written", async () => {
    const lab = new TurnLab();
    const first = lab.open();
    first.turnBegan(claude, "Do it");
    await lab.told(first, "a.txt", "new\n");
    rmSync(lab.storage, { recursive: true });
    lab.writeStorage("");
    first.turnEnded(claude);
    await first.settled();
    rmSync(lab.storage);
    lab.clock.advance(60_000);
    await first.settled();
    first.dispose();
    const second = lab.open();
    await second.settled();
    expect(second.turns().map((turn) => [lab.files(turn), turn.ended !== undefined])).toEqual([
      [["a.txt created exact"], true],
    ]);
  });

  it("is made anew where somebody has removed it, and no text is taken for kept that is not", async () => {
    const lab = new TurnLab();
    lab.write("a.txt", "one\n");
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "first");
    await lab.told(ledgers, "a.txt", "two\n");
    ledgers.turnEnded(claude);
    await ledgers.settled();
    rmSync(lab.storage, { recursive: true });
    lab.write("a.txt", "one\n");
    ledgers.turnBegan(claude, "second");
    await lab.told(ledgers, "a.txt", "two\n");
    ledgers.turnEnded(claude);
    await ledgers.settled();
    ledgers.dispose();
    const later = lab.open();
    await later.settled();
    const turn = later.turns().find(({ prompt }) => prompt === "second");
    expect(await later.beforeText(turn?.id ?? "", lab.path("a.txt"))).toBe("one\n");
    expect(await later.afterText(turn?.id ?? "", lab.path("a.txt"))).toBe("two\n");
  });

  it.each([true, false])(
    "does not cost the undo of the next turn, when it can be written again; git: %s",
    async (hasGit) => {
      const lab = new TurnLab();
      if (hasGit) lab.commit({ "a.txt": "one\n" });
      lab.write("a.txt", "mine\n");
      const ledgers = lab.open();
      rmSync(lab.storage, { recursive: true });
      lab.writeStorage("");
      await lab.command(ledgers, () => void lab.write("b.txt", "new\n"));
      rmSync(lab.storage);
      lab.clock.advance(60_000);
      await lab.command(ledgers, () => void lab.write("a.txt", "agent\n"));
      const [turn] = ledgers.turns();
      expect(turn?.files.map(({ cannotUndo }) => cannotUndo)).toEqual([undefined]);
      await ledgers.undo(turn?.id ?? "");
      expect(lab.read("a.txt")).toBe("mine\n");
    },
  );

  it("says so once, and once more when it fails again", async () => {
    const lab = new TurnLab();
    const said: string[] = [];
    const ledgers = lab.open({ tellUser: async ({ text }) => said.push(text) });
    rmSync(lab.storage, { recursive: true });
    lab.writeStorage("");
    ledgers.turnBegan(claude, "Do it");
    await lab.told(ledgers, "a.txt", "new\n");
    await lab.told(ledgers, "b.txt", "new\n");
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(lab.storage);
    rmSync(lab.storage);
    lab.clock.advance(60_000);
    await ledgers.settled();
    rmSync(lab.storage, { recursive: true });
    lab.writeStorage("");
    await lab.told(ledgers, "c.txt", "newer\n");
    // A disk that comes and goes.
    expect(said).toHaveLength(1);
    rmSync(lab.storage);
    lab.clock.advance(10 * 60_000);
    await ledgers.settled();
    rmSync(lab.storage, { recursive: true });
    lab.writeStorage("");
    await lab.told(ledgers, "d.txt", "newest\n");
    expect(said).toHaveLength(2);
  });
});

describe("texts of turns", () => {
  it("stay while a journal cannot be read", async () => {
    const lab = new TurnLab();
    const disk = new FaultyDisk();
    lab.write("a.txt", "one\n");
    const first = lab.open();
    first.turnBegan(claude, "Do it");
    await lab.told(first, "a.txt", "two\n");
    first.turnEnded(claude);
    await first.settled();
    first.dispose();
    const texts = join(lab.storage, "texts");
    for (const name of readdirSync(texts)) utimesSync(join(texts, name), 1_000, 1_000);
    disk.refuses = (asked, path) => (asked === "lstat" && path.endsWith(".jsonl") ? "EIO" : undefined);
    const second = lab.open(disk.options(lab));
    await second.settled();
    expect(readdirSync(texts)).toHaveLength(2);
    disk.refuses = () => undefined;
    second.turnBegan(claude, "more");
    await second.settled();
    const turn = second.turns().find(({ prompt }) => prompt === "Do it");
    expect(await second.beforeText(turn?.id ?? "", lab.path("a.txt"))).toBe("one\n");
  });

  it("are there still when a turn names what an earlier one only compared, whoever has swept meanwhile", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "committed\n" });
    lab.write("a.txt", "mine\n");
    const window = lab.open();
    await lab.command(window, () => {});
    // A day later somebody types `patchbay turns`.
    const texts = join(lab.storage, "texts");
    for (const name of readdirSync(texts)) utimesSync(join(texts, name), 1_000, 1_000);
    const other = lab.open();
    await other.settled();
    other.dispose();
    await lab.command(window, () => lab.write("a.txt", "the agent's\n"));
    const [turn] = window.turns();
    expect(await window.beforeText(turn?.id ?? "", lab.path("a.txt"))).toBe("mine\n");
  });

  it("are not swept by another window while a turn that will name them is open", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "committed\n" });
    lab.write("a.txt", "mine\n");
    const window = lab.open();
    await lab.command(window, () => {});
    const texts = join(lab.storage, "texts");
    for (const name of readdirSync(texts)) utimesSync(join(texts, name), 1_000, 1_000);
    window.turnBegan(claude, "Do it");
    window.aboutToRun(claude, "something");
    await window.settled();
    const other = lab.open({ looks: false });
    await other.settled();
    other.dispose();
    lab.write("a.txt", "the agent's\n");
    window.turnEnded(claude);
    await window.settled();
    const [turn] = window.turns();
    expect(await window.beforeText(turn?.id ?? "", lab.path("a.txt"))).toBe("mine\n");
  });

  it("are not kept for somebody who only reads", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "committed\n" });
    const window = lab.open({ mayKeep: () => false });
    window.turnBegan(claude, "Do it");
    await window.settled();
    lab.write("a.txt", "secret\n");
    const reader = lab.open({ looks: false });
    await reader.settled();
    reader.dispose();
    const texts = join(lab.storage, "texts");
    expect(existsSync(texts) ? readdirSync(texts) : []).toEqual([]);
  });
});

describe("an undo whose process is killed", () => {
  it.each(["before the write", "after it"])("%s can be undone, and is told as it was", async (when) => {
    const lab = new TurnLab();
    lab.write("a.txt", "one\n");
    let isKilled = false;
    const door: FolderLedgersOptions["door"] = {
      ...lab.door,
      replace: async (path, held, text, mode) => {
        if (when === "after it") await lab.door.replace(path, held, text, mode);
        isKilled = true;
        // Nothing more is ever done there.
        return await new Promise(() => {});
      },
    };
    const first = lab.open({ door });
    await lab.command(first, () => {});
    first.turnBegan(claude, "Do it");
    await lab.told(first, "a.txt", "two\nmine\n");
    first.turnEnded(claude);
    await first.settled();
    const id = first.turns()[0]?.id ?? "";
    void first.undo(id);
    await expect.poll(() => isKilled).toBe(true);
    first.dispose();

    const second = lab.open();
    await second.settled();
    // Another window might be at it.
    lab.clock.advance(15_000);
    await second.settled();
    const undo = second.turns().find(({ undoes }) => undoes === id);
    if (when === "before the write") expect(undo).toBeUndefined();
    else {
      expect(undo?.files.map(({ path, review }) => [path, review])).toEqual([[lab.path("a.txt"), "unreviewed"]]);
      await second.undo(undo?.id ?? "", { now: true });
    }
    expect(lab.read("a.txt")).toBe("two\nmine\n");
  });

  it("is not ended by somebody who reads while it is written", async () => {
    const lab = new TurnLab();
    lab.write("a.txt", "one\n");
    let reading: Promise<void> = Promise.resolve();
    const door: FolderLedgersOptions["door"] = {
      ...lab.door,
      replace: async (path, held, text, mode) => {
        for (const looks of [true, false]) {
          const reader = lab.open({ looks });
          reading = reader.settled();
          await reading;
          reader.dispose();
        }
        return await lab.door.replace(path, held, text, mode);
      },
    };
    const first = lab.open({ door });
    first.turnBegan(claude, "Do it");
    await lab.told(first, "a.txt", "two\n");
    first.turnEnded(claude);
    await first.settled();
    const id = first.turns()[0]?.id ?? "";
    await first.undo(id);
    first.dispose();
    const later = lab.open();
    await later.settled();
    const undo = later.turns().find(({ undoes }) => undoes === id);
    expect(undo?.files).toHaveLength(1);
    await later.undo(undo?.id ?? "");
    expect(lab.read("a.txt")).toBe("two\n");
  });
});
