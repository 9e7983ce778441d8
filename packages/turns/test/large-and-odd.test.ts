import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createNodePlatform, type Files, type Platform } from "@patchbay/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiskStore } from "../src/store/disk-store.ts";
import type { FolderLedgers } from "../src/folder-ledgers.ts";
import { claude, TurnLab } from "./turn-lab.ts";

/** A machine some of whose files behave otherwise. */
function machineWith(lab: TurnLab, files: Partial<Files>): Platform {
  const platform = createNodePlatform();
  return { ...platform, clock: lab.clock, files: { ...platform.files, ...files } };
}

function bytesBelow(directory: string): number {
  if (!existsSync(directory)) return 0;
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(directory, name)))
    .reduce((sum, facts) => sum + (facts.isFile() ? facts.size : 0), 0);
}

function onlyTurn(ledgers: FolderLedgers): string {
  expect(ledgers.turns()).toHaveLength(1);
  return ledgers.turns()[0]?.id ?? "";
}

describe("a large turn", () => {
  it("of 2,000 files is listed, found again after a restart, and one of them is taken back", {
    timeout: 120_000,
  }, async () => {
    const lab = new TurnLab();
    const names = Array.from({ length: 2_000 }, (_, number) => `d${number % 20}/file${number}.ts`);
    lab.commit(Object.fromEntries(names.map((name) => [name, `was ${name}\n`])));
    const ledgers = lab.open();
    let changes = 0;
    ledgers.onDidChange(() => (changes += 1));
    await lab.command(ledgers, () => {
      for (const name of names) lab.write(name, `${name} is\n`);
    });
    const id = onlyTurn(ledgers);
    expect(ledgers.turns()[0]?.files).toHaveLength(2_000);
    expect(ledgers.turns()[0]?.files.every(({ lines }) => lines?.added === 1 && lines.removed === 1)).toBe(true);
    // Whoever shows it draws it anew each time.
    expect(changes).toBeLessThan(200);
    const listed = ledgers.turns();
    ledgers.dispose();
    const again = lab.open();
    await again.settled();
    expect(again.turns()).toEqual(listed);
    await again.undo(id, { path: lab.path("d7/file7.ts") });
    expect(lab.read("d7/file7.ts")).toBe("was d7/file7.ts\n");
    expect(lab.read("d8/file8.ts")).toBe("d8/file8.ts is\n");
  });

  it("leaves out what the repository ignores, as after `npm install`", async () => {
    const lab = new TurnLab();
    lab.commit({ ".gitignore": "node_modules/\n", "package.json": "{}\n", "package-lock.json": "{}\n" });
    const ledgers = lab.open();
    await lab.command(ledgers, () => {
      for (let number = 0; number < 500; number += 1)
        lab.write(`node_modules/package${number}/index.js`, `module.exports = ${number};\n`);
      lab.write("package-lock.json", '{ "packages": 500 }\n');
    });
    expect(lab.files(ledgers.turns()[0])).toEqual(["package-lock.json changed likely"]);
    expect(ledgers.turns()[0]?.isPartial).toBe(false);
    // The text from before is the repository's own.
    expect(readdirSync(join(lab.storage, "texts"))).toHaveLength(1);
  });

  it("names generated and binary files, and takes back what git has, or is not needed", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "a\n", "picture.png": "\0PNG before" });
    const ledgers = lab.open();
    await lab.command(ledgers, () => {
      lab.write("picture.png", "\0PNG after");
      lab.write("latin.txt", Buffer.from([0x66, 0xfc, 0x72, 0x0a]));
      lab.write("bundle.min.js", `x("${"y".repeat(2_000_000)}")`);
      lab.write("generated.ts", "export const value = 1;\n");
    });
    expect(lab.files(ledgers.turns()[0])).toEqual([
      "bundle.min.js large likely",
      "generated.ts created likely",
      "latin.txt binary likely",
      "picture.png binary likely",
    ]);
    expect(readdirSync(join(lab.storage, "texts"))).toHaveLength(3);
    const { files } = await ledgers.undo(onlyTurn(ledgers));
    expect(files.map(({ outcome }) => outcome)).toEqual(["undone", "undone", "undone", "undone"]);
    expect(lab.read("picture.png")).toBe("\0PNG before");
  });

  it("names a file of 100 MB without reading it", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "a\n" });
    const read: string[] = [];
    const { files } = createNodePlatform();
    const readReal: Files["readReal"] = async (path, ...others) => {
      read.push(path);
      return await files.readReal(path, ...others);
    };
    const ledgers = lab.open({ platform: machineWith(lab, { readReal }) });
    await lab.command(ledgers, () => {
      lab.write("video.bin", "");
      // Without blocks on disk.
      truncateSync(lab.path("video.bin"), 100 * 1024 * 1024);
      lab.write("a.txt", "b\n");
    });
    expect(lab.files(ledgers.turns()[0])).toEqual(["a.txt changed likely", "video.bin large likely"]);
    expect(read).toContain(lab.path("a.txt"));
    expect(read).not.toContain(lab.path("video.bin"));
    expect(bytesBelow(lab.storage)).toBeLessThan(10_000);
  });
});

describe("the store", () => {
  it("never takes more room than it may, whatever is kept, written, removed and swept", {
    timeout: 120_000,
  }, async () => {
    const room = 6_000;
    const step = fc.record({
      turn: fc.nat(5),
      bytes: fc.oneof(fc.nat(50), fc.nat(2_000)),
      seed: fc.nat(9),
      isOver: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const lab = new TurnLab();
        const open = (): FolderLedgers => lab.open({ limits: { all: room } });
        let ledgers = open();
        for (const { turn, bytes, seed, isOver } of steps) {
          await lab.told(ledgers, `file${turn}.txt`, `${seed}${"x".repeat(bytes)}\n`);
          if (isOver) ledgers.turnEnded(claude);
          await ledgers.settled();
          expect(bytesBelow(lab.storage)).toBeLessThanOrEqual(room);
          if (seed !== 0) continue;
          ledgers.dispose();
          ledgers = open();
          await ledgers.settled();
          expect(bytesBelow(lab.storage)).toBeLessThanOrEqual(room);
        }
        ledgers.dispose();
        rmSync(lab.root, { recursive: true });
      }),
      { numRuns: 25 },
    );
  });

  it("knows after a restart how much there is, journals included", async () => {
    const lab = new TurnLab();
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "Do it");
    for (let number = 0; number < 30; number += 1) await lab.told(ledgers, `file${number}.txt`, `${number}\n`);
    ledgers.turnEnded(claude);
    await ledgers.settled();
    const platform = createNodePlatform();
    const store = new DiskStore({ platform, directory: lab.storage, room: 1_000_000, age: 1e12 });
    const [turn] = await store.load();
    expect(store.size).toBe(bytesBelow(lab.storage));
    if (turn !== undefined) await store.remove(turn);
    expect(store.size).toBe(bytesBelow(lab.storage));
  });
});

describe("storage that cannot be written", () => {
  const full = (): Promise<never> =>
    Promise.reject(Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }));

  it("the disk is full: the turn is listed, and its undo says that nobody kept what was there; a new file goes to the trash", async () => {
    const lab = new TurnLab();
    lab.write("a.txt", "one\n");
    const ledgers = lab.open({ platform: machineWith(lab, { createExclusive: full }) });
    ledgers.turnBegan(claude, "Do it");
    await lab.told(ledgers, "a.txt", "two\n");
    await lab.told(ledgers, "b.txt", "new\n");
    ledgers.turnEnded(claude);
    await ledgers.settled();
    const id = onlyTurn(ledgers);
    expect(lab.files(ledgers.turns()[0])).toEqual(["a.txt changed exact", "b.txt created exact"]);
    expect(ledgers.turns()[0]?.files.map(({ lines }) => lines)).toEqual([undefined, undefined]);
    expect((await ledgers.undo(id)).files.map(({ outcome }) => outcome)).toEqual(["unknown", "undone"]);
    expect([lab.read("a.txt"), lab.read("b.txt")]).toEqual(["two\n", undefined]);
    expect(
      ledgers
        .turns()
        .find((one) => one.id === id)
        ?.files.map(({ review }) => review),
    ).toEqual(["unreviewed", "undone"]);
  });

  it("the disk is full later: what is kept already is taken back, and a file that cannot be written is left as it is", async () => {
    const lab = new TurnLab();
    lab.write("a.txt", "one\n");
    lab.write("b.txt", "one\n");
    let isFull = false;
    const { files } = createNodePlatform();
    const createExclusive: Files["createExclusive"] = (...given) => (isFull ? full() : files.createExclusive(...given));
    const door = { ...lab.door };
    const ledgers = lab.open({
      platform: machineWith(lab, { createExclusive }),
      door: {
        ...door,
        replace: (path, ...given) => (path === lab.path("b.txt") ? full() : door.replace(path, ...given)),
      },
    });
    ledgers.turnBegan(claude, "Do it");
    await lab.told(ledgers, "a.txt", "two\n");
    await lab.told(ledgers, "b.txt", "two\n");
    ledgers.turnEnded(claude);
    await ledgers.settled();
    isFull = true;
    // The user has added a line, which the store has never seen.
    lab.write("a.txt", "two\nmine\n");
    const { files: undone, turn } = await ledgers.undo(onlyTurn(ledgers));
    expect(undone.map(({ outcome }) => outcome)).toEqual(["undone", "failed"]);
    expect([lab.read("a.txt"), lab.read("b.txt")]).toEqual(["one\nmine\n", "two\n"]);
    // Of what was there nobody could keep a copy: the entry says what was done, and cannot be undone.
    expect((await ledgers.undo(turn ?? "")).files.map(({ outcome }) => outcome)).toEqual(["unknown"]);
    expect(lab.read("a.txt")).toBe("one\nmine\n");
  });

  it("nothing can be made there: turns are listed until the editor ends", async () => {
    const lab = new TurnLab();
    lab.write("a.txt", "one\n");
    rmSync(lab.storage, { recursive: true });
    writeFileSync(lab.storage, "a file\n");
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "Do it");
    await lab.told(ledgers, "a.txt", "two\n");
    ledgers.turnEnded(claude);
    await ledgers.settled();
    const id = onlyTurn(ledgers);
    expect(lab.files(ledgers.turns()[0])).toEqual(["a.txt changed exact"]);
    expect((await ledgers.undo(id)).files.map(({ outcome }) => outcome)).toEqual(["unknown"]);
    expect(lab.read("a.txt")).toBe("two\n");
    expect(statSync(lab.storage).isFile()).toBe(true);
  });
});

describe("what editors put beside a file", () => {
  const ofEditors = [
    ".a.txt.swp",
    "sub/.b.txt.swo",
    "a.txt~",
    ".a.txt.un~",
    "4913",
    ".#a.txt",
    "#a.txt#",
    ".a.txt.kate-swp",
    "a.txt___jb_tmp___",
    ".goutputstream-X1Y2Z3",
    ".~lock.a.odt#",
    "~$a.docx",
  ];
  const others = ["49130", "a.swp", "b~c.txt", "#a.txt", ".a.swp.txt", "sub/a.txt"];

  it.each(["with git", "without git"])("is nobody's change, unless the agent told of it, %s", async (how) => {
    const lab = new TurnLab();
    if (how === "with git") lab.commit({ "a.txt": "old\n" });
    else lab.write("a.txt", "old\n");
    const ledgers = lab.open();
    await lab.command(ledgers, () => {
      for (const name of [...ofEditors, ...others]) lab.write(name, "new\n");
    });
    expect(lab.files(ledgers.turns()[0])).toEqual(others.map((name) => `${name} created likely`).toSorted());
    await lab.told(ledgers, "told.txt~", "an agent's own\n");
    expect(lab.files(ledgers.turns()[0])).toEqual(["told.txt~ created exact"]);
  });
});
