import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNodePlatform } from "@patchbay/core";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { Contents } from "../src/ledger/contents.ts";
import type { Content } from "../src/ledger/records.ts";
import { CopyShelf, openShelfFile, type ShelfFile } from "../src/store/copy-shelf.ts";
import { DiskStore } from "../src/store/disk-store.ts";
import { TurnLab } from "./turn-lab.ts";

const kilobyte = 1024;

/** A file in memory. `mayWrite`: how much of what is to be written is written before it fails; undefined: all. */
function memoryFile(mayWrite: () => number | undefined = () => undefined): ShelfFile & { bytes: Buffer } {
  const file = {
    bytes: Buffer.alloc(0),
    append: async (bytes: Uint8Array) => {
      const most = mayWrite();
      file.bytes = Buffer.concat([file.bytes, bytes.subarray(0, most)]);
      if (most !== undefined) throw Object.assign(new Error("No space"), { code: "ENOSPC" });
    },
    read: async (at: number, length: number) => file.bytes.subarray(at, at + length),
    close: async () => {},
  };
  return file;
}

const sized = (name: string, size: number): Buffer => Buffer.alloc(size, `${name};`);

describe("a shelf of copies", () => {
  it("gives what was put there or nothing, whatever could not be written, and is asked for again", async () => {
    const step = fc.record({
      kind: fc.constantFrom("put", "put", "put", "has", "read", "begin"),
      name: fc.integer({ min: 0, max: 30 }).map(String),
      kilobytes: fc.integer({ min: 0, max: 64 }),
      /** Of a write that fails. */
      fails: fc.option(fc.integer({ min: 0, max: 300 * kilobyte }), { nil: undefined, freq: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        let fails: number | undefined;
        const shelf = new CopyShelf(
          async () => memoryFile(() => fails),
          () => 3_000 * kilobyte,
        );
        const held = new Map<string, Buffer>();
        for (const { kind, name, kilobytes, fails: most } of steps) {
          fails = most;
          // What has a name holds the same for ever.
          const bytes = held.get(name) ?? sized(name, kilobytes * kilobyte);
          if (kind === "put") {
            held.set(name, bytes);
            await shelf.put(name, bytes).catch(() => false);
          } else if (kind === "has") {
            if (await shelf.has(name).catch(() => false)) expect(await shelf.read(name)).toEqual(held.get(name));
          } else if (kind === "begin") await shelf.begin();
          expect(shelf.bytes).toBeLessThanOrEqual(3_000 * kilobyte);
          const found = await shelf.read(name);
          if (found !== undefined) expect(Buffer.compare(found, held.get(name) ?? Buffer.alloc(0))).toBe(0);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("keeps what is asked for, and lets go of the rest once it is the larger part", async () => {
    const shelf = new CopyShelf(
      async () => memoryFile(),
      () => Number.POSITIVE_INFINITY,
    );
    const wanted = Array.from({ length: 20 }, (_, number) => `w${number}`);
    for (const name of wanted) await shelf.put(name, sized(name, 50 * kilobyte));
    for (let turn = 0; turn < 200; turn += 1) {
      await shelf.begin();
      for (const name of wanted) expect(await shelf.has(name)).toBe(true);
      await shelf.put(`t${turn}`, sized("t", 60 * kilobyte));
      // As much as is wanted three times, and what is not counted by then.
      expect(shelf.bytes).toBeLessThan(6_000 * kilobyte);
    }
    for (const name of wanted) expect(await shelf.read(name)).toEqual(sized(name, 50 * kilobyte));
  });

  it("takes no more than its room", async () => {
    const shelf = new CopyShelf(
      async () => memoryFile(),
      () => 100,
    );
    expect(await shelf.put("a", sized("a", 60))).toBe(true);
    expect(await shelf.put("b", sized("b", 60))).toBe(false);
    expect(await shelf.read("b")).toBe(undefined);
  });

  it("has a file without a name, to which all is written and which gives it back", async () => {
    const directory = mkdtempSync(join(tmpdir(), "shelf-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const shelf = new CopyShelf(
      async () => await openShelfFile(directory, "x"),
      () => Number.POSITIVE_INFINITY,
    );
    const names = Array.from({ length: 40 }, (_, number) => `n${number}`);
    for (const name of names) await shelf.put(name, sized(name, 30 * kilobyte));
    expect(readdirSync(directory)).toEqual([]);
    for (const name of names) expect(await shelf.read(name)).toEqual(sized(name, 30 * kilobyte));
    shelf.dispose();
  });
});

it("of a file that is damaged at any byte, or ends there, no wrong text is kept", async () => {
  const kinds = ["flipped", "cut"] as const;
  await fc.assert(
    fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(...kinds), async (share, kind) => {
      const lab = new TurnLab();
      const file = memoryFile();
      const platform = createNodePlatform();
      const contents = new Contents({
        platform,
        logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
        health: { failed: () => {} },
        store: new DiskStore({ platform, directory: lab.storage, room: 10_000_000, age: 1e12 }),
        shelf: new CopyShelf(
          async () => file,
          () => Number.POSITIVE_INFINITY,
        ),
        objects: { read: async () => undefined, dispose: () => {} },
        mayKeep: () => true,
        limits: { file: 1_000_000, session: 10_000_000 },
      });
      const texts = Array.from({ length: 5 }, (_, number) => sized(`${number}`, 60 * kilobyte).toString());
      const paths = texts.map((text, number) => lab.write(`${number}.txt`, text));
      const copies: Content[] = [];
      for (const [number, path] of paths.entries())
        copies.push(
          number % 2 === 0
            ? await contents.copyOf(path, "look")
            : await contents.copy(Buffer.from(texts[number] ?? "")),
        );
      const at = Math.min(Math.floor(share * file.bytes.length), file.bytes.length - 1);
      expect(file.bytes.length).toBeGreaterThan(256 * kilobyte);
      if (kind === "cut") file.bytes = file.bytes.subarray(0, at);
      else file.bytes.writeUInt8(file.bytes.readUInt8(at) ^ 1, at);
      let lost = 0;
      for (const [number, copy] of copies.entries()) {
        const kept = await contents.keepCopy(paths[number] ?? "", copy, "look");
        if (kept.kind === "named") lost += 1;
        else expect(await contents.read(kept)).toBe(texts[number]);
      }
      expect(lost).toBeGreaterThan(0);
    }),
    { numRuns: 40 },
  );
});

it("what changed is kept in the store by name, also where another run reads it; what did not is not there", async () => {
  const lab = new TurnLab();
  for (const name of ["a.txt", "b.txt", "c.bin"]) lab.write(name, name === "c.bin" ? "c\0\u00ff" : `${name}\n`);
  const ledgers = lab.open({ door: lab.disk });
  await lab.command(ledgers, () => {
    lab.write("a.txt", "changed\n");
    lab.remove("c.bin");
  });
  expect(readdirSync(join(lab.storage, "texts")).length).toBe(3);
  ledgers.dispose();
  const later = lab.open({ door: lab.disk });
  await later.settled();
  const [turn] = later.turns();
  expect(await later.beforeText(turn?.id ?? "", lab.path("a.txt"))).toBe("a.txt\n");
  await later.undo(turn?.id ?? "");
  expect([lab.read("a.txt"), lab.read("c.bin")]).toEqual(["a.txt\n", "c\0\u00ff"]);
});
