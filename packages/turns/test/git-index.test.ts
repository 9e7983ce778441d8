import { readdirSync, readFileSync, statSync } from "node:fs";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { countOf, type IndexEntry, readIndex } from "../src/git/git-index.ts";
import { joinIndexes, readSplitIndex } from "../src/git/split-index.ts";
import { asInWorkTree, GitReader } from "../src/git/git-reader.ts";
import { isClean } from "../src/look/disk-state.ts";
import { claude, TurnLab } from "./turn-lab.ts";

function read(lab: TurnLab): readonly IndexEntry[] | undefined {
  return readAll(readIndex(readFileSync(lab.path(".git/index")), 20));
}

function only<T>(steps: Generator<void, T | undefined>): T {
  const found = readAll(steps);
  if (found === undefined) throw new Error("it cannot be read");
  return found;
}

function readAll<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const files = { "a.txt": "a\n", "deep/er/b.txt": "b\n", "deep/er/bä.txt": "ä\n", "deep/z": "", x: "x" };

describe("git's index", () => {
  it.each([2, 3, 4])("is read in version %i as git itself reads it", (version) => {
    const lab = new TurnLab();
    lab.commit(files);
    lab.git("update-index", "--index-version", String(version));
    lab.write("intended.txt", "i\n");
    // Only version 3 and 4 have what this needs.
    if (version > 2) lab.git("add", "--intent-to-add", "intended.txt");
    const listed = lab
      .git("ls-files", "--stage", "-z")
      .split("\0")
      .filter((line) => line !== "");
    const entries = read(lab) ?? [];
    const shown = entries.map(({ mode, object, path }) => `${mode.toString(8)} ${object} 0\t${path}`);
    expect(shown).toEqual(listed);
    for (const entry of entries) {
      expect(entry.isUncertain).toBe(entry.path === "intended.txt");
      if (entry.isUncertain) continue;
      const { size, mtimeMs } = statSync(lab.path(entry.path));
      expect(entry.size).toBe(size);
      expect(Math.abs(entry.modifiedMs - mtimeMs)).toBeLessThan(0.001);
    }
  });

  it("is read for one directory alone, and not at all where that has too many", () => {
    const lab = new TurnLab();
    lab.commit({ ...files, "deep.txt": "d\n", "deeper/c.txt": "c\n" });
    for (const version of [2, 4]) {
      lab.git("update-index", "--index-version", String(version));
      const bytes = readFileSync(lab.path(".git/index"));
      const within = (directory: string, most: number): readonly string[] | undefined =>
        readAll(readIndex(bytes, 20, { directory, most }))?.map(({ path }) => path);
      expect(within("deep/", 3)).toEqual(["deep/er/b.txt", "deep/er/bä.txt", "deep/z"]);
      expect(within("deep/", 2)).toBeUndefined();
      expect(within("", 100)).toHaveLength(7);
      expect(countOf(bytes.subarray(0, 12))).toBe(7);
    }
  });

  it("vouches for no file whose size it has taken out", () => {
    const state = { kind: "file", modifiedMs: 1, changedMs: 1, size: 0, mode: 0o644, inode: 7 } as const;
    const entry = {
      path: "a.txt",
      object: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
      mode: 0o100644,
      modifiedMs: 1,
      changedMs: 1,
      inode: 7,
      size: 0,
      isUncertain: false,
      isSparse: false,
    };
    expect(isClean(state, entry, 2)).toBe(true);
    expect(isClean(state, { ...entry, object: "0".repeat(40) }, 2)).toBe(false);
    // Written as late as the index: what came after it has the same times.
    expect(isClean(state, entry, 1)).toBe(false);
  });

  it("is not read where it is split, torn or none", () => {
    const lab = new TurnLab();
    lab.commit(files);
    const bytes = readFileSync(lab.path(".git/index"));
    for (const torn of [bytes.subarray(0, 90), Buffer.from("DIRC"), Buffer.alloc(0), Buffer.alloc(500, "DIRC")]) {
      expect(readIndex(torn, 20).next().value).toBeUndefined();
    }
    lab.git("update-index", "--split-index");
    expect(read(lab)).toBeUndefined();
  });

  it("that is split is read whole: with what came, went and changed since", async () => {
    const lab = new TurnLab();
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`many/${1_000 + at}.txt`, `${at}\n`]));
    lab.commit({ ...files, ...many });
    lab.git("config", "splitIndex.maxPercentChange", "100");
    for (const version of [2, 4]) {
      lab.git("update-index", "--no-split-index");
      lab.git("update-index", "--index-version", String(version));
      lab.git("update-index", "--split-index");
      lab.write(`new-${version}.txt`, "new\n");
      lab.write("a.txt", `staged ${version}\n`);
      lab.git("add", `new-${version}.txt`, "a.txt");
      for (let at = 10 * version; at < 10 * version + 5; at += 1) lab.git("rm", "-q", "-f", `many/${1_000 + at}.txt`);
      const bytes = readFileSync(lab.path(".git/index"));
      expect(read(lab)).toBeUndefined();
      const split = only(readSplitIndex(bytes, 20, 1_000));
      const shared = only(readIndex(readFileSync(lab.path(`.git/sharedindex.${split.shared}`)), 20));
      const joined = (directory: string): readonly string[] | undefined =>
        joinIndexes(shared, split, { directory, most: 1_000 })?.map(
          ({ mode, object, path }) => `${mode} ${object} ${path}`,
        );
      const listed = (name: string): readonly string[] =>
        lab
          .git("ls-files", "--stage", "-z", name)
          .split("\0")
          .filter((line) => line !== "")
          .map((line) =>
            line.replace(/^(\d+) (\w+) 0\t/u, (_, mode: string, object: string) => `${parseInt(mode, 8)} ${object} `),
          );
      expect(joined("")?.toSorted()).toEqual(listed(".").toSorted());
      expect(joined("many/")?.toSorted()).toEqual(listed("many").toSorted());
    }
    const ledgers = lab.open();
    await lab.command(ledgers, () => {
      lab.write("x", "agent\n");
      lab.remove("many/1149.txt");
    });
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual(["many/1149.txt deleted likely", "x changed likely"]);
    expect(turn?.isPartial).toBe(false);
    await ledgers.undo(turn?.id ?? "");
    expect([lab.read("x"), lab.read("many/1149.txt")]).toEqual(["x", "149\n"]);
  });

  it("that is sparse is read: what is left out of the work tree is not gone", async () => {
    const lab = new TurnLab();
    lab.commit({ "in/a.txt": "a\n", "out/deep/b.txt": "b\n", "c.txt": "c\n" });
    lab.git("sparse-checkout", "set", "--cone", "--sparse-index", "in");
    expect(lab.read("out/deep/b.txt")).toBeUndefined();
    const ledgers = lab.open();
    await lab.command(ledgers, () => {
      lab.write("in/a.txt", "agent\n");
      lab.remove("c.txt");
    });
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual(["c.txt deleted likely", "in/a.txt changed likely"]);
    expect(turn?.isPartial).toBe(false);
  });

  it("that cannot be read makes a turn's look partial; what a hook tells is known all the same", async () => {
    const lab = new TurnLab();
    lab.commit(files);
    lab.git("update-index", "--split-index");
    for (const name of readdirSync(lab.path(".git"))) if (name.startsWith("sharedindex.")) lab.remove(`.git/${name}`);
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "");
    await lab.told(ledgers, "a.txt", "agent\n");
    ledgers.turnEnded(claude);
    await ledgers.settled();
    expect(ledgers.turns()[0]).toMatchObject({ isPartial: true });
    expect(lab.files(ledgers.turns()[0])).toEqual(["a.txt changed exact"]);
  });
});

describe("an object of git", () => {
  it("is read as it stood in the work tree, or not at all", () => {
    const text = Buffer.from("one\ntwo\r\nthree\n");
    expect(asInWorkTree(text, text.length)).toEqual(text);
    expect(asInWorkTree(text, text.length + 2)?.toString()).toBe("one\r\ntwo\r\nthree\r\n");
    expect(asInWorkTree(text, text.length + 1)).toBeUndefined();
  });

  it("comes in its order, however many are wanted, and too large ones do not come", async () => {
    const lab = new TurnLab();
    const texts = Array.from({ length: 50 }, (_, at) => `${at}\n`.repeat(at * 40));
    lab.commit(Object.fromEntries(texts.map((text, at) => [`f${at}`, text])));
    const reader = new GitReader({ platform: createNodePlatform(), logger: nullLogger });
    const names = texts.map((_, at) => lab.git("rev-parse", `HEAD:f${at}`).trim());
    const repository = lab.path(".git");
    const found = await Promise.all(
      names.map((object, at) => reader.read({ repository, object, size: Buffer.byteLength(texts[at] ?? "") }, 4_000)),
    );
    expect(found.map((bytes) => bytes && Buffer.from(bytes).toString())).toEqual(
      texts.map((text) => (text.length > 4_000 ? undefined : text)),
    );
    expect(await reader.read({ repository, object: "0".repeat(40), size: 1 }, 10)).toBeUndefined();
    expect(await reader.read({ repository, object: "HEAD", size: 1 }, 10)).toBeUndefined();
    reader.dispose();
  });
});
