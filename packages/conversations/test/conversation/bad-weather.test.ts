import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PatchbayError, type PrivateStorage } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import type { Conversation } from "../../src/conversation/conversation.ts";
import { EntryList } from "../../src/conversation/entry-list.ts";
import { outputLimit } from "../../src/model/entries.ts";
import { CountedFiles, message } from "../transcript/transcript-lab.ts";
import { type Lab, makeLab, textBlock } from "./conversation-lab.ts";

async function begin(lab: Lab, conversation: Conversation): Promise<void> {
  const count = lab.sessions.length;
  conversation.prompt([textBlock("go")]);
  await expect.poll(() => lab.sessions[count]?.isInTurn).toBe(true);
}

const notices = (conversation: Conversation): readonly string[] =>
  conversation.snapshot().entries.flatMap(({ entry }) => (entry.kind === "notice" ? [entry.text] : []));

describe("a full disk", () => {
  it("is told once; the conversation goes on, and is saved when there is room", async () => {
    const files = new CountedFiles();
    const lab = makeLab({ files });
    const conversation = await lab.open();
    await begin(lab, conversation);
    await conversation.flush();
    files.freeBytes = 0;
    for (let count = 0; count < 5; count += 1) {
      lab.session.stream("m1", `${count} `);
      await conversation.flush();
    }
    expect(conversation.snapshot()).toMatchObject({ isKept: false });
    expect(notices(conversation)).toEqual([
      "The conversation goes on, but cannot be saved. The disk is full: free some space.",
    ]);
    expect(conversation.snapshot().entries[1]?.entry).toMatchObject({ text: "0 1 2 3 4 " });
    files.freeBytes = Number.POSITIVE_INFINITY;
    await conversation.flush();
    expect(conversation.snapshot()).toMatchObject({ isKept: true });
    await conversation.close();
    const again = await lab.open();
    expect(again.snapshot().entries.map(({ entry }) => entry.kind)).toEqual([
      "prompt",
      "message",
      "notice",
      "notice",
      "turn-end",
    ]);
    await again.close();
  });
});

describe("a draft that cannot be kept", () => {
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  const storageOn = (files: CountedFiles): PrivateStorage => ({
    read: () => Promise.resolve(undefined),
    write: async () => {
      if (files.freeBytes > 0) return;
      throw new PatchbayError("storage-failed", "Nothing could be kept.", { cause: full });
    },
    remove: () => Promise.resolve(),
    locate: () => Promise.resolve(undefined),
    list: () => Promise.resolve([]),
    claim: () => Promise.resolve(true),
    release: () => Promise.resolve(),
  });

  it("says why, once", async () => {
    const files = new CountedFiles();
    files.freeBytes = 0;
    const conversation = await makeLab({ storage: storageOn(files) }).open();
    for (const text of ["a", "ab"]) {
      conversation.setDraft({ blocks: [textBlock(text)], caret: 1 });
      await conversation.flush();
    }
    expect(notices(conversation)).toEqual([
      "What you have written but not sent could not be saved. The disk is full: free some space.",
    ]);
    await conversation.close();
  });

  it("says nothing where it was said that nothing can be saved", async () => {
    const files = new CountedFiles();
    const lab = makeLab({ files, storage: storageOn(files) });
    const conversation = await lab.open();
    await begin(lab, conversation);
    await conversation.flush();
    files.freeBytes = 0;
    lab.session.stream("m1", "text");
    await conversation.flush();
    conversation.setDraft({ blocks: [textBlock("a")], caret: 1 });
    await conversation.flush();
    expect(notices(conversation)).toEqual([
      "The conversation goes on, but cannot be saved. The disk is full: free some space.",
    ]);
    await conversation.close();
  });
});

describe("an agent that never starts", () => {
  it("can be stopped, and what waits goes to the one that is started next", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    lab.onStart = () => new Promise(() => undefined);
    const id = conversation.prompt([textBlock("go")]) ?? "";
    await expect.poll(() => lab.sessions).toHaveLength(1);
    await conversation.stop();
    expect(lab.session.isClosed).toBe(true);
    expect(conversation.status.queue.map((one) => one.id)).toEqual([id]);
    lab.onStart = () => {};
    await conversation.queue.sendNow(id);
    await expect.poll(() => lab.sessions[1]?.prompts.map((one) => one.id)).toEqual([id]);
    await conversation.close();
  });
});

describe("a conversation of ten thousand messages", () => {
  it("is in memory as far as it is shown, and is read in pages", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await begin(lab, conversation);
    for (let count = 1; count < 10_000; count += 1) {
      lab.session.tell(message(`m${count}`, `message ${count}`));
      if (count % 500 === 0) await conversation.flush();
    }
    const snapshot = conversation.snapshot();
    expect(snapshot.entries.map(({ place }) => place)).toEqual(Array.from({ length: 60 }, (_, index) => 9_940 + index));
    const page = await conversation.entries.before(9_940);
    expect(page.map(({ place }) => place)).toEqual(Array.from({ length: 100 }, (_, index) => 9_840 + index));
    expect((await conversation.entries.before(101))[0]?.entry).toEqual(message("m1", "message 1"));
    // An old one changes: its place stays, and it is found as it is now.
    lab.session.tell(message("m20", "changed"));
    expect((await conversation.entries.before(21)).at(-1)).toEqual({ place: 20, entry: message("m20", "changed") });
    expect(await conversation.entries.entry("m20")).toEqual(message("m20", "changed"));
    expect(await conversation.entries.find("MESSAGE 999", new AbortController().signal)).toHaveLength(11);
    let count = 0;
    for await (const { place } of conversation.entries.all()) {
      expect(place).toBe(count);
      count += 1;
    }
    expect(count).toBe(10_000);
    await conversation.close();
  });

  it("lets go of what is on disk, and of nothing else", () => {
    const list = new EntryList([], 0);
    for (let count = 0; count < 10_000; count += 1) list.upsert(message(`m${count}`, "text"));
    list.trim(({ place }) => place !== 7);
    expect(list.all).toHaveLength(401);
    expect(list.at(7)).toBeDefined();
    const large = new EntryList([], 0);
    for (let count = 0; count < 200; count += 1) large.upsert(message(`m${count}`, "x".repeat(1_000_000)));
    large.trim(() => true);
    expect(large.all.length).toBeLessThan(70);
    expect(large.all.length).toBeGreaterThanOrEqual(60);
  });
});

describe("an output of fifty megabytes", () => {
  it("keeps its end, in memory and on disk", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await begin(lab, conversation);
    const piece = `${"0123456789".repeat(100)}\n`;
    const path = join(lab.directory, "c1.ndjson");
    let largest = 0;
    for (let count = 0; count < 50_000; count += 1) {
      lab.session.say({ type: "append", id: "t1", to: "output", text: piece });
      if (count % 1_000 !== 0) continue;
      await conversation.flush();
      largest = Math.max(largest, statSync(path).size);
    }
    expect(largest).toBeLessThan(20_000_000);
    const [, held] = conversation.snapshot().entries;
    if (held?.entry.kind !== "tool") throw new Error("There is no tool.");
    const { output = "", outputOmitted = 0 } = held.entry;
    expect(output.length).toBeLessThanOrEqual(outputLimit);
    expect(output.length).toBeGreaterThan(outputLimit / 2);
    expect(output.length + outputOmitted).toBe(50_000 * piece.length);
    lab.session.end();
    await expect.poll(() => conversation.snapshot().entries.at(-1)?.entry.kind).toBe("turn-end");
    await conversation.close();
    expect(statSync(path).size).toBeLessThan(2_500_000);
    const again = await lab.open();
    expect(again.snapshot().entries[1]?.entry).toMatchObject({
      output,
      outputOmitted,
    });
    await again.close();
  });
});

describe("an answer in a million pieces", () => {
  it("is told and written in as many steps as time has, and none is lost", async () => {
    const files = new CountedFiles();
    const lab = makeLab({ files });
    const conversation = await lab.open();
    await begin(lab, conversation);
    lab.session.tell(message("m1", "", false));
    lab.clock.advance(100);
    let [told, heard] = [0, 0];
    conversation.onDidChange((change) => {
      told += 1;
      if (change.kind === "patch") heard += change.patch.appends.reduce((sum, { text }) => sum + text.length, 0);
    });
    // A hundred a millisecond: ten seconds.
    for (let count = 0; count < 1_000_000; count += 1) {
      lab.session.say({ type: "append", id: "m1", to: "message", text: "y" });
      if (count % 5_000 === 4_999) lab.clock.advance(50);
    }
    lab.clock.advance(100);
    expect(heard).toBe(1_000_000);
    expect(told).toBeLessThanOrEqual(201);
    await conversation.flush();
    expect(readFileSync(join(lab.directory, "c1.ndjson"), "utf8").split("\n").length).toBeLessThan(210);
    const said = conversation
      .snapshot()
      .entries.flatMap(({ entry }) => (entry.kind === "message" ? [entry.text.length] : []));
    expect(said).toEqual([1_000_000]);
    await conversation.close();
  });
});

describe("an agent that sends whole texts again and again", () => {
  it("makes as little of it on disk as one that sends pieces", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await begin(lab, conversation);
    let text = "";
    for (let count = 0; count < 200; count += 1) {
      text += "some more words ";
      lab.session.tell(message("m1", text, false));
      await conversation.flush();
    }
    const lines = readFileSync(join(lab.directory, "c1.ndjson"), "utf8").split("\n");
    expect(lines.filter((line) => line.includes('"append"')).length).toBeGreaterThan(190);
    expect(lines.join("").length).toBeLessThan(20_000);
    await conversation.close();
  });
});
