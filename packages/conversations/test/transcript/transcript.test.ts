import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { shownMode } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import type { PlacedEntry } from "../../src/model/snapshot.ts";
import type { Transcript } from "../../src/transcript/transcript.ts";
import { about, makeTranscriptLab, message } from "./transcript-lab.ts";

const all = (transcript: Transcript): Promise<readonly PlacedEntry[]> =>
  transcript.before(Number.POSITIVE_INFINITY, 1_000_000);

/** As earlier versions noted turns that changed files. */
function writeOldTurns(path: string, places: readonly number[]): void {
  for (const place of places)
    appendFileSync(path, `${JSON.stringify({ turn: { turn: `t${place}`, place, ranCommands: false, files: [] } })}\n`, {
      mode: 0o600,
    });
}

const texts = async (transcript: Transcript): Promise<readonly unknown[]> =>
  (await all(transcript)).map(({ place, entry }) => [place, entry.kind === "message" ? entry.text : entry.kind]);

describe("a transcript", () => {
  it("gives back what was written, private to the user", async () => {
    const lab = makeTranscriptLab();
    const transcript = await lab.open();
    transcript.describe(about);
    transcript.upsert(0, message("a", "one"));
    transcript.upsert(1, message("b", "tw", false));
    await transcript.flush();
    transcript.append(1, "o");
    transcript.upsert(0, message("a", "ONE"));
    await transcript.close();
    expect(statSync(lab.path).mode & 0o777).toBe(shownMode(0o600));
    const again = await lab.open();
    expect(again.about).toEqual(about);
    expect(again.next).toBe(2);
    expect(await all(again)).toEqual([
      { place: 0, entry: message("a", "ONE") },
      { place: 1, entry: message("b", "two", false) },
    ]);
  });

  it("is written less than half a second after a change, and as little as has changed", async () => {
    const lab = makeTranscriptLab();
    const transcript = await lab.open();
    transcript.upsert(0, message("a", "", false));
    await transcript.flush();
    const before = statSync(lab.path).size;
    for (let count = 0; count < 100; count += 1) transcript.append(0, "some text ");
    lab.clock.advance(450);
    await transcript.flush();
    expect(statSync(lab.path).size - before).toBeLessThan(1_100);
    expect(readFileSync(lab.path, "utf8").split("\n")).toHaveLength(3);
  });

  it("does without a last line that was torn, and goes on behind it", async () => {
    const lab = makeTranscriptLab();
    const transcript = await lab.open();
    transcript.upsert(0, message("a", "one"));
    transcript.upsert(1, message("b", "two"));
    await transcript.close();
    const whole = readFileSync(lab.path);
    // Wherever the line is torn, also in the middle of a character.
    const torn = Buffer.from(`{"place":2,"first":true,"entry":${JSON.stringify(message("c", "drei für 3 €"))}}\n`);
    for (let length = 1; length < torn.length; length += 1) {
      writeFileSync(lab.path, Buffer.concat([whole, torn.subarray(0, length)]));
      const again = await lab.open();
      expect(again.next).toBe(2);
      again.upsert(2, message("c", "three"));
      await again.close();
      expect(await texts(await lab.open()), `torn after ${length}`).toEqual([
        [0, "one"],
        [1, "two"],
        [2, "three"],
      ]);
    }
  });

  it("skips what it cannot read: other kinds, other programs' lines, broken ones", async () => {
    const lab = makeTranscriptLab();
    const transcript = await lab.open();
    transcript.describe(about);
    transcript.upsert(0, message("a", "one"));
    await transcript.close();
    appendFileSync(lab.path, '{"place":1,"first":true,"entry":{"id":"x","at":0,"kind":"hologram"}}\n');
    appendFileSync(lab.path, '\0\0\0\n{"place":2,"entry":{\nnot json\n{"other":1}\n\n');
    const again = await lab.open();
    again.upsert(again.next, message("b", "two"));
    await again.close();
    expect((await texts(await lab.open())).map((one) => (Array.isArray(one) ? one[1] : one))).toEqual(["one", "two"]);
  });

  it("of ten thousand entries reads as much as sixty take, and pages of a hundred", async () => {
    const lab = makeTranscriptLab();
    const transcript = await lab.open();
    transcript.describe(about);
    for (let place = 0; place < 10_000; place += 1) {
      transcript.upsert(place, message(`m${place}`, `${place} `.padEnd(1_000, "x")));
      if (place % 100 === 99) await transcript.flush();
    }
    // An old one changes late.
    transcript.upsert(5_000, message("m5000", "changed"));
    await transcript.close();
    lab.files.readBytes = 0;
    const again = await lab.open();
    const newest = await again.before(Number.POSITIVE_INFINITY, 60);
    expect(newest.map(({ place }) => place)).toEqual(Array.from({ length: 60 }, (_, index) => 9_940 + index));
    expect(lab.files.readBytes).toBeLessThan(400_000);
    lab.files.readBytes = 0;
    expect((await again.before(9_940, 100)).map(({ place }) => place)).toEqual(
      Array.from({ length: 100 }, (_, index) => 9_840 + index),
    );
    expect(lab.files.readBytes).toBeLessThan(400_000);
    expect((await again.before(5_001, 1))[0]?.entry).toEqual(message("m5000", "changed"));
    expect((await again.before(5, 100)).map(({ place }) => place)).toEqual([0, 1, 2, 3, 4]);
  });

  it("is compacted when more than half of it counts no more", async () => {
    const lab = makeTranscriptLab();
    writeOldTurns(lab.path, [1]);
    const transcript = await lab.open();
    transcript.describe(about);
    for (let round = 0; round < 40; round += 1) {
      for (let place = 0; place < 20; place += 1)
        transcript.upsert(place, message(`m${place}`, `${round} `.padEnd(1_000, "y"), round === 39));
      await transcript.flush();
    }
    const before = await all(transcript);
    const size = statSync(lab.path).size;
    await transcript.close();
    expect(statSync(lab.path).size).toBeLessThan(size / 20);
    expect(statSync(lab.path).mode & 0o777).toBe(shownMode(0o600));
    expect(readdirSync(dirname(lab.path)).filter((name) => name.includes("tmp"))).toEqual(["tmp"]);
    const again = await lab.open();
    expect(await all(again)).toEqual(before);
    expect(again.about).toEqual(about);
    expect(again.turns).toMatchObject([{ turn: "t1" }]);
  });

  it("has the newest turns near its end when it has been compacted", async () => {
    const lab = makeTranscriptLab();
    writeOldTurns(lab.path, [0, 100, 300]);
    const transcript = await lab.open();
    for (let place = 0; place < 1_000; place += 1) transcript.upsert(place, message(`m${place}`, "x".repeat(2_000)));
    await transcript.flush();
    await transcript.compact();
    expect(transcript.turns.map(({ turn }) => turn)).toEqual(["t300"]);
    await transcript.before(200, 1);
    expect(transcript.turns.map(({ turn }) => turn)).toEqual(["t100", "t300"]);
    await transcript.close();
  });

  it("tells once that the disk is full, loses nothing, and goes on when there is room", async () => {
    const lab = makeTranscriptLab();
    const transcript = await lab.open();
    const told: (string | undefined)[] = [];
    transcript.onDidChangeKeeping(({ failure }) => told.push(failure === undefined ? "kept" : "failed"));
    transcript.upsert(0, message("a", "one", false));
    await transcript.flush();
    lab.files.freeBytes = 50;
    transcript.append(0, " and more");
    transcript.upsert(1, message("b", "two"));
    await transcript.flush();
    transcript.append(0, " and more");
    await transcript.flush();
    expect(told).toEqual(["failed"]);
    expect(transcript.isKept(0)).toBe(false);
    expect(await texts(await lab.open(false))).toEqual([[0, "one"]]);
    lab.files.freeBytes = Number.POSITIVE_INFINITY;
    lab.clock.advance(20_000);
    await transcript.flush();
    expect(told).toEqual(["failed", "kept"]);
    expect(await texts(await lab.open(false))).toEqual([
      [0, "one and more and more"],
      [1, "two"],
    ]);
  });

  it("keeps images beside it, and gives them back", async () => {
    const lab = makeTranscriptLab();
    const transcript = await lab.open();
    const data = Buffer.alloc(300_000, 7).toString("base64");
    const blocks = [
      { type: "text", text: "See" },
      { type: "image", mimeType: "image/png", data, name: "a.png" },
    ] as const;
    transcript.upsert(0, { kind: "prompt", id: "p", at: 0, blocks });
    await transcript.close();
    expect(statSync(lab.path).size).toBeLessThan(1_000);
    expect(await all(await lab.open())).toEqual([{ place: 0, entry: { kind: "prompt", id: "p", at: 0, blocks } }]);
  });

  it("writes nothing where another window has it", async () => {
    const lab = makeTranscriptLab();
    const transcript = await lab.open(false);
    transcript.upsert(0, message("a", "one"));
    await transcript.close();
    expect(() => statSync(lab.path)).toThrow("ENOENT");
  });

  it("keeps a line short whatever a tool has written", async () => {
    const lab = makeTranscriptLab();
    const transcript = await lab.open();
    const large = "x".repeat(30_000_000);
    transcript.upsert(0, {
      kind: "tool",
      id: "t",
      at: 0,
      tool: "edit",
      name: "Write",
      title: "Write a.txt",
      state: "done",
      changes: [{ path: "/w/a.txt", after: large }],
      input: large,
    });
    await transcript.close();
    expect(statSync(lab.path).size).toBeLessThan(100_000);
    expect(await all(await lab.open())).toMatchObject([
      { entry: { changes: [{ path: "/w/a.txt", isFragment: true }] } },
    ]);
  });
});
