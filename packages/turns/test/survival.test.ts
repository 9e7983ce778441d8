import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createNodePlatform } from "@patchbay/core";
import { isMissing } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { claude, gemini, TurnLab } from "./turn-lab.ts";

describe("what is kept of turns", () => {
  it("survives a reload, with what was decided", async () => {
    const lab = new TurnLab();
    lab.write("a.txt", "one\n");
    const first = lab.open();
    first.turnBegan(claude, "Do it");
    await lab.told(first, "a.txt", "two\n");
    await lab.told(first, "b.txt", "new\n");
    first.turnEnded(claude);
    await first.settled();
    const id = first.turns()[0]?.id ?? "";
    await first.keep(id, lab.path("b.txt"));
    const before = first.turns();
    first.dispose();
    const second = lab.open();
    await second.settled();
    expect(second.turns()).toEqual(before);
    expect(before[0]?.files.map(({ review }) => review)).toEqual(["unreviewed", "kept"]);
    expect(await second.beforeText(id, lab.path("a.txt"))).toBe("one\n");
    expect(await second.afterText(id, lab.path("a.txt"))).toBe("two\n");
  });

  it("is enough where the editor is killed just before a write", async () => {
    const lab = new TurnLab();
    lab.write("a.txt", "one\n");
    const first = lab.open();
    first.turnBegan(claude, "Do it");
    first.aboutToWrite(claude, [{ path: lab.path("a.txt"), before: "one\n" }]);
    await first.ready();
    first.dispose();
    lab.write("a.txt", "two\n");
    const second = lab.open();
    second.wrote(claude);
    second.turnEnded(claude);
    await second.settled();
    expect(second.turns()).toHaveLength(1);
    expect(lab.files(second.turns()[0])).toEqual(["a.txt changed exact"]);
    expect(await second.beforeText(second.turns()[0]?.id ?? "", lab.path("a.txt"))).toBe("one\n");
  });

  it("ends a turn of an earlier run of which nobody hears", async () => {
    const lab = new TurnLab();
    const first = lab.open();
    first.turnBegan(claude, "Do it");
    await lab.told(first, "a.txt", "new\n");
    first.dispose();
    const second = lab.open();
    await second.settled();
    expect(second.turns()[0]?.ended).toBeUndefined();
    lab.clock.advance(10 * 60_000);
    await second.settled();
    expect(second.turns()[0]?.ended).toBeDefined();
  });

  it("is read up to what is torn, and goes on behind it", async () => {
    const lab = new TurnLab();
    const first = lab.open();
    first.turnBegan(claude, "Do it");
    await lab.told(first, "a.txt", "new\n");
    first.dispose();
    const journals = join(lab.storage, "turns");
    const [name = ""] = readdirSync(journals);
    appendFileSync(join(journals, name), '{"type":"file","file":{"path":"/x","bef');
    writeFileSync(join(journals, "nonsense.jsonl"), "{}\n\0");
    const second = lab.open();
    await lab.told(second, "b.txt", "new, too\n");
    second.turnEnded(claude);
    await second.settled();
    second.dispose();
    const third = lab.open();
    await third.settled();
    expect(third.turns().map((turn) => lab.files(turn))).toEqual([["a.txt created exact", "b.txt created exact"]]);
  });

  it("takes a verdict behind half a line", async () => {
    const lab = new TurnLab();
    const first = lab.open();
    first.turnBegan(claude, "Do it");
    await lab.told(first, "a.txt", "new\n");
    first.turnEnded(claude);
    await first.settled();
    first.dispose();
    const id = first.turns()[0]?.id ?? "";
    appendFileSync(join(lab.storage, "turns", `${id}.jsonl`), '{"type":"file","file":{"path":"/x","bef');
    const second = lab.open();
    await second.keep(id, lab.path("a.txt"));
    second.dispose();
    const third = lab.open();
    await third.settled();
    expect(third.turns()[0]?.files[0]?.review).toBe("kept");
  });

  it("gives no text that somebody has changed in the store", async () => {
    const lab = new TurnLab();
    lab.write("a.txt", "one\n");
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "");
    await lab.told(ledgers, "a.txt", "two\n");
    ledgers.turnEnded(claude);
    await ledgers.settled();
    for (const name of readdirSync(join(lab.storage, "texts")))
      writeFileSync(join(lab.storage, "texts", name), "bad\n");
    // The run that copied it when the turn began has that copy still.
    expect(await ledgers.beforeText(ledgers.turns()[0]?.id ?? "", lab.path("a.txt"))).toBe("one\n");
    ledgers.dispose();
    const later = lab.open();
    await later.settled();
    expect(await later.beforeText(later.turns()[0]?.id ?? "", lab.path("a.txt"))).toBeUndefined();
  });

  it.skipIf(isMissing("permission bits"))("is nobody else's to read, and is not put behind a link", async () => {
    const lab = new TurnLab();
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "");
    await lab.told(ledgers, "a.txt", "one\n");
    const modes = ["texts", "turns"].flatMap((name) => {
      const directory = join(lab.storage, name);
      const files = readdirSync(directory).map((file) => statSync(join(directory, file)).mode & 0o777);
      return [statSync(directory).mode & 0o777, ...files];
    });
    expect(new Set(modes)).toEqual(new Set([0o700, 0o600]));
    const other = new TurnLab();
    symlinkSync(lab.root, join(other.storage, "texts"));
    const refused = other.open();
    refused.turnBegan(claude, "");
    await other.told(refused, "a.txt", "one\n");
    expect(readdirSync(lab.root).toSorted()).toEqual(["storage", "work"]);
    // It is known all the same until the editor ends.
    expect(other.files(refused.turns()[0])).toHaveLength(1);
  });

  it("is not read, nor written, behind a link in the directory for state, and the user hears why", async () => {
    const lab = new TurnLab();
    const state = join(lab.root, "state");
    const environment = (name: string): string | undefined => (name === "XDG_STATE_HOME" ? state : undefined);
    const platform = createNodePlatform();
    const options = {
      platform: { ...platform, clock: lab.clock, process: { ...platform.process, environment } },
      storageDirectory: join(state, "patchbay", "turns", "x"),
    };
    mkdirSync(join(state, "patchbay"), { recursive: true, mode: 0o700 });
    const first = lab.open(options);
    first.turnBegan(claude, "Planted");
    await lab.told(first, "a.txt", "one\n");
    first.turnEnded(claude);
    await first.settled();
    first.dispose();
    const planted = join(lab.root, "planted");
    renameSync(join(state, "patchbay"), planted);
    symlinkSync(planted, join(state, "patchbay"));
    const before = readdirSync(planted, { recursive: true, encoding: "utf8" }).toSorted();
    const told: string[] = [];
    const second = lab.open({ ...options, tellUser: async ({ text }) => void told.push(text) });
    await second.settled();
    expect(second.turns()).toEqual([]);
    second.turnBegan(claude, "Own");
    await lab.told(second, "a.txt", "two\n");
    expect(readdirSync(planted, { recursive: true, encoding: "utf8" }).toSorted()).toEqual(before);
    expect(told).toEqual([
      expect.stringContaining(
        `could not be written (${join(state, "patchbay")} is a symbolic link, which is not followed). Replace it by`,
      ),
    ]);
  });

  it("takes no more room than it may, and the oldest goes first", async () => {
    const lab = new TurnLab();
    const ledgers = lab.open({ limits: { all: 10_000 } });
    for (let turn = 0; turn < 12; turn += 1) {
      ledgers.turnBegan(claude, `turn ${turn}`);
      await lab.told(ledgers, `file${turn}.txt`, `${turn}${"x".repeat(2_000)}\n`);
      ledgers.turnEnded(claude);
      await ledgers.settled();
      const kept = readdirSync(join(lab.storage, "texts")).map(
        (name) => statSync(join(lab.storage, "texts", name)).size,
      );
      expect(kept.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(10_000);
    }
    expect(ledgers.turns()[0]?.prompt).toBe("turn 11");
    expect(ledgers.turns().every(({ files }) => files[0]?.kind === "created")).toBe(true);
    expect(ledgers.turns().length).toBeLessThan(6);
  });

  it("names what is too much for one session, and keeps what other sessions write", async () => {
    const lab = new TurnLab();
    const ledgers = lab.open({ limits: { session: 1_500 } });
    ledgers.turnBegan(claude, "");
    await lab.told(ledgers, "a.txt", `${"a".repeat(1_000)}\n`);
    await lab.told(ledgers, "b.txt", `${"b".repeat(1_000)}\n`);
    ledgers.turnEnded(claude);
    ledgers.turnBegan(gemini, "");
    await lab.told(ledgers, "c.txt", `${"c".repeat(1_000)}\n`, gemini);
    ledgers.turnEnded(gemini);
    await ledgers.settled();
    const files = ledgers.turns().map((turn) => lab.files(turn));
    expect(files).toEqual([["c.txt created exact"], ["a.txt created exact", "b.txt large exact"]]);
  });

  it("sweeps old turns when it begins, but for the newest, and texts that no turn names", async () => {
    const lab = new TurnLab();
    const first = lab.open({ limits: { age: 1_000 } });
    for (let turn = 0; turn < 25; turn += 1) {
      first.turnBegan(claude, `turn ${turn}`);
      await lab.told(first, `file${turn}.txt`, `${turn}\n`);
      first.turnEnded(claude);
    }
    await first.settled();
    first.dispose();
    const texts = join(lab.storage, "texts");
    for (const name of readdirSync(texts)) utimesSync(join(texts, name), 1_000, 1_000);
    lab.clock.advance(100_000);
    const second = lab.open({ limits: { age: 1_000 } });
    await second.settled();
    expect(second.turns().map(({ prompt }) => prompt)).toEqual(
      Array.from({ length: 20 }, (_, at) => `turn ${24 - at}`),
    );
    const kept = readdirSync(texts).map((name) => readFileSync(join(texts, name), "utf8"));
    expect(kept).toHaveLength(20);
    expect(kept).not.toContain("4\n");
  });

  it("is shared by two windows, each of which writes its own turns", async () => {
    const lab = new TurnLab();
    const [one, other] = [lab.open(), lab.open()];
    one.turnBegan(claude, "one");
    other.turnBegan(gemini, "other");
    await lab.told(one, "a.txt", "a\n");
    await lab.told(other, "b.txt", "b\n", gemini);
    one.turnEnded(claude);
    other.turnEnded(gemini);
    await Promise.all([one.settled(), other.settled()]);
    one.dispose();
    other.dispose();
    const third = lab.open();
    await third.settled();
    const prompts = third.turns().map(({ prompt }) => prompt);
    expect(prompts.toSorted((left, right) => (left < right ? -1 : 1))).toEqual(["one", "other"]);
  });
});

it("a journal loses no more than the lines that cannot be read, however long it is", { timeout: 60_000 }, async () => {
  const lab = new TurnLab();
  const first = lab.open();
  first.turnBegan(claude, "Do it");
  await lab.told(first, "a.txt", "new\n");
  first.turnEnded(claude);
  await first.settled();
  first.dispose();
  const journal = join(lab.storage, "turns", `${first.turns()[0]?.id}.jsonl`);
  // No UTF-8, as of a disk that fails.
  appendFileSync(journal, Buffer.from([0x0a, 0xff, 0xfe, 0x80, 0x0a]));
  // As long as one of a hundred thousand files that were undone.
  const noise = `${JSON.stringify({ type: "gone", path: "x".repeat(1_000_000) })}\n`;
  for (let count = 0; count < 70; count += 1) appendFileSync(journal, noise);
  const file = { path: lab.path("b.txt"), before: { kind: "none" }, after: { kind: "none" } };
  const entry = { type: "file", file: { ...file, attribution: "exact", review: "unreviewed" } };
  appendFileSync(journal, `${JSON.stringify(entry)}\n`);
  const second = lab.open();
  await second.settled();
  expect(second.turns()[0]?.files.map(({ path }) => path)).toEqual([lab.path("a.txt"), lab.path("b.txt")]);
});
