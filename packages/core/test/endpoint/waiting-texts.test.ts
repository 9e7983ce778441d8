import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  maximumWaitingBytes,
  type RepeatedText,
  type WaitingStorage,
  type WaitingText,
  WaitingTexts,
} from "../../src/endpoint/waiting-texts.ts";
import { nullLogger } from "../../src/support/logger.ts";

/** A disk that can be full, and takes its time. */
class Disk implements WaitingStorage {
  readonly files: Map<string, string> = new Map();
  isFull = false;

  async read(key: string): Promise<string | undefined> {
    return this.files.get(key);
  }

  async write(key: string, text: string): Promise<void> {
    await Promise.resolve();
    if (this.isFull) throw new Error("no space left");
    this.files.set(key, text);
  }

  async remove(key: string): Promise<void> {
    this.files.delete(key);
  }

  async list(prefix: string): Promise<readonly string[]> {
    return Array.from(this.files.keys()).filter((key) => key.startsWith(prefix));
  }
}

function start(maximumBytes: number): { readonly disk: Disk; readonly waiting: WaitingTexts } {
  const disk = new Disk();
  return { disk, waiting: new WaitingTexts({ storage: disk, logger: nullLogger, token: () => "run", maximumBytes }) };
}

/** A text in pieces, each of which says where it stands, and how many of them there are in memory that nobody asked for. */
function textOf(name: number, lengths: readonly number[]): { readonly whole: string; readonly units: number } {
  const whole = lengths.map((length, index) => `${name}.${index} `.padEnd(length, "é")).join("");
  return { whole, units: whole.length };
}

function piecesOf(whole: string, lengths: readonly number[]): Iterable<string> {
  let at = 0;
  const pieces = lengths.map((length) => whole.slice(at, (at += length)));
  return [...pieces, whole.slice(at)].filter((piece) => piece !== "");
}

async function quiet(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function readAll(text: WaitingText): Promise<string> {
  const parts: Buffer[] = [];
  for (let part = await text.next(); part !== undefined; part = await text.next()) parts.push(part);
  return Buffer.concat(parts).toString();
}

const step = fc.oneof(
  fc.record({ kind: fc.constant("hold"), lengths: fc.array(fc.integer({ min: 8, max: 60 }), { maxLength: 6 }) }),
  fc.record({ kind: fc.constant("read"), which: fc.nat(20), pieces: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ kind: fc.constant("leave"), which: fc.nat(20) }),
  fc.record({ kind: fc.constant("disk"), isFull: fc.boolean() }),
  fc.record({ kind: fc.constant("wait") }),
);

describe("texts that wait for their readers", () => {
  it("keep to their bytes, come whole to whoever reads on, and leave nothing behind", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { disk, waiting } = start(400);
        const held: { readonly text: WaitingText; readonly whole: string; got: string }[] = [];
        for (const one of steps) {
          if (one.kind === "hold" && "lengths" in one) {
            const { whole, units } = textOf(held.length, one.lengths);
            const text = waiting.hold({ units, pieces: () => piecesOf(whole, one.lengths) });
            held.push({ text, whole, got: "" });
          } else if (one.kind === "read" && "pieces" in one) {
            const at = held[one.which % Math.max(1, held.length)];
            for (let count = 0; at !== undefined && count < one.pieces; count += 1)
              at.got += (await at.text.next())?.toString() ?? "";
            if (at !== undefined) expect(at.whole.startsWith(at.got)).toBe(true);
          } else if (one.kind === "leave" && "which" in one) {
            const [left] = held.splice(one.which % Math.max(1, held.length), 1);
            left?.text.dispose();
          } else if (one.kind === "disk" && "isFull" in one) disk.isFull = one.isFull;
          else await quiet();
          expect(waiting.heldBytes).toBeLessThanOrEqual(400);
        }
        for (const { text, whole, got } of held) {
          expect(got + (await readAll(text))).toBe(whole);
          text.dispose();
        }
        await quiet();
        expect(waiting.heldBytes).toBe(0);
        expect(Array.from(disk.files.keys())).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("are on disk beyond their bytes, and none of them is read before its turn", async () => {
    const { disk, waiting } = start(100);
    const small = waiting.hold({ units: 50, pieces: () => ["a".repeat(50)] });
    const large = waiting.hold({ units: 50, pieces: () => ["b".repeat(25), "c".repeat(25)] });
    await quiet();
    expect(waiting.heldBytes).toBe(100);
    expect(Array.from(disk.files.values())).toEqual(["b".repeat(25), "c".repeat(25)]);
    expect((await large.next())?.toString()).toBe("b".repeat(25));
    // What was taken is on disk no more.
    expect(Array.from(disk.files.values())).toEqual(["c".repeat(25)]);
    large.dispose();
    small.dispose();
    await quiet();
    expect(disk.files.size).toBe(0);
  });

  it("are told at once where they are in memory, and not at all where they are not", async () => {
    const { waiting } = start(100);
    const small = waiting.hold({ units: 50, pieces: () => ["a", "b", "c"] });
    const large = waiting.hold({ units: 51, pieces: () => ["d"] });
    expect((await small.next())?.toString()).toBe("a");
    expect(small.rest()?.toString()).toBe("bc");
    expect(large.rest()).toBeUndefined();
  });

  it("say so where the disk has lost them", async () => {
    const { disk, waiting } = start(10);
    const text = waiting.hold({ units: 50, pieces: () => ["a"] });
    await quiet();
    disk.files.clear();
    await expect(text.next()).rejects.toThrow("An answer is no longer on disk.");
  });

  it("of an earlier run are removed, and those of this one stay", async () => {
    const { disk, waiting } = start(10);
    disk.files.set("waiting-earlier-1-0", "x");
    disk.files.set("proposal-1", "y");
    waiting.hold({ units: 50, pieces: () => ["a"] });
    await quiet();
    await waiting.sweep();
    expect(Array.from(disk.files.keys())).toEqual(["proposal-1", "waiting-run-1-0"]);
  });

  it("take 32 MB at most", () => {
    expect(maximumWaitingBytes).toBe(32 * 1024 * 1024);
  });
});

async function wholeOf(text: RepeatedText): Promise<string> {
  let whole = "";
  for await (const piece of text.pieces()) whole += piece;
  return whole;
}

const repeatedStep = fc.oneof(
  fc.record({ kind: fc.constant("keep"), lengths: fc.array(fc.integer({ min: 8, max: 60 }), { maxLength: 6 }) }),
  fc.record({ kind: fc.constant("begin"), which: fc.nat(20) }),
  fc.record({ kind: fc.constant("read"), which: fc.nat(20), pieces: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ kind: fc.constant("leave"), which: fc.nat(20) }),
  fc.record({ kind: fc.constant("arrive"), which: fc.nat(20) }),
  fc.record({ kind: fc.constant("disk"), isFull: fc.boolean() }),
  fc.record({ kind: fc.constant("wait") }),
);

interface Reader {
  readonly whole: string;
  readonly pieces: AsyncIterator<string>;
  got: string;
}

describe("messages that wait until they have arrived", () => {
  it("keep to their bytes, come whole to each reader, and leave nothing behind", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(repeatedStep, { maxLength: 60 }), async (steps) => {
        const { disk, waiting } = start(400);
        const kept: { readonly text: RepeatedText; readonly whole: string }[] = [];
        const readers: Reader[] = [];
        const take = async (reader: Reader): Promise<boolean> => {
          const { value, done } = await reader.pieces.next();
          if (done !== true) reader.got += value;
          return done !== true;
        };
        for (const one of steps) {
          if (one.kind === "keep" && "lengths" in one) {
            const { whole, units } = textOf(kept.length, one.lengths);
            kept.push({ whole, text: waiting.keep({ units, pieces: () => piecesOf(whole, one.lengths) }) });
          } else if (one.kind === "begin" && "which" in one) {
            const at = kept[one.which % Math.max(1, kept.length)];
            if (at !== undefined)
              readers.push({ whole: at.whole, pieces: at.text.pieces()[Symbol.asyncIterator](), got: "" });
          } else if (one.kind === "read" && "pieces" in one) {
            const at = readers[one.which % Math.max(1, readers.length)];
            for (let count = 0; at !== undefined && count < one.pieces; count += 1) await take(at);
            if (at !== undefined) expect(at.whole.startsWith(at.got)).toBe(true);
          } else if (one.kind === "leave" && "which" in one) {
            const [left] = readers.splice(one.which % Math.max(1, readers.length), 1);
            await left?.pieces.return?.();
          } else if (one.kind === "arrive" && "which" in one) {
            const [arrived] = kept.splice(one.which % Math.max(1, kept.length), 1);
            // Those who have not begun come too late for it.
            for (const reader of readers) if (reader.whole === arrived?.whole && reader.got === "") await take(reader);
            arrived?.text.dispose();
            arrived?.text.dispose();
          } else if (one.kind === "disk" && "isFull" in one) disk.isFull = one.isFull;
          else await quiet();
          expect(waiting.heldBytes).toBeLessThanOrEqual(400);
        }
        for (const reader of readers) {
          while (await take(reader));
          expect(reader.got).toBe(reader.whole);
        }
        for (const { text, whole } of kept) {
          expect(await wholeOf(text)).toBe(whole);
          text.dispose();
        }
        await quiet();
        expect(waiting.heldBytes).toBe(0);
        expect(Array.from(disk.files.keys())).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("are on disk beyond their bytes until they have arrived, and say so where the disk has lost them", async () => {
    const { disk, waiting } = start(100);
    const small = waiting.keep({ units: 50, pieces: () => ["a".repeat(50)] });
    const large = waiting.keep({ units: 50, pieces: () => ["b".repeat(25), "c".repeat(25)] });
    await quiet();
    expect(waiting.heldBytes).toBe(100);
    expect(await wholeOf(large)).toBe("b".repeat(25) + "c".repeat(25));
    expect(Array.from(disk.files.values())).toEqual(["b".repeat(25), "c".repeat(25)]);
    disk.files.clear();
    await expect(wholeOf(large)).rejects.toThrow("A message is no longer on disk.");
    small.dispose();
    expect(waiting.heldBytes).toBe(0);
  });

  it("stay in memory, and are whole, where the disk becomes full in their middle", async () => {
    const { disk, waiting } = start(10);
    const text = waiting.keep({
      units: 50,
      pieces: function* () {
        yield "first ";
        disk.isFull = true;
        yield "second";
      },
    });
    await quiet();
    expect(disk.files.size).toBe(0);
    expect(await wholeOf(text)).toBe("first second");
    expect(await wholeOf(text)).toBe("first second");
  });
});
