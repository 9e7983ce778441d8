import { describe, expect, it } from "vitest";
import type { FolderLedgers } from "../src/folder-ledgers.ts";
import { claude, gemini, TurnLab } from "./turn-lab.ts";

const hour = 60 * 60_000;

/** A turn that works, and has written a file. */
async function working(
  lab: TurnLab,
  name = "a.txt",
): Promise<{ readonly ledgers: FolderLedgers; readonly id: string }> {
  lab.write(name, "one\ntwo\nthree\n");
  const ledgers = lab.open();
  ledgers.turnBegan(claude, "Shout");
  await lab.told(ledgers, name, "ONE\ntwo\nTHREE\n");
  return { ledgers, id: ledgers.turns()[0]?.id ?? "" };
}

describe("what the agent is to hear of an undo", () => {
  it("is kept over restarts until it was passed on, and is for that session alone", async () => {
    const lab = new TurnLab();
    const { ledgers: first, id } = await working(lab);
    first.turnEnded(claude);
    const { turn } = await first.undo(id, { reason: "Too loud" });
    expect(first.isToHear(turn ?? "")).toBe(true);
    first.dispose();
    const second = lab.open();
    const notes = await second.notes(claude);
    expect(notes.map(({ text }) => text)).toEqual([expect.stringMatching(/took back .* in a\.txt\..*Too loud$/u)]);
    expect(await second.notes({ ...claude, session: "s2" })).toEqual([]);
    second.dispose();
    const third = lab.open();
    expect(await third.notes(claude)).toEqual(notes);
    third.passedOn(notes.map((note) => note.id));
    await third.settled();
    expect([await third.notes(claude), third.isToHear(turn ?? "")]).toEqual([[], false]);
    third.dispose();
    expect(await lab.open().notes(claude)).toEqual([]);
  });

  it("is nothing where no prompt of the session is seen", async () => {
    const lab = new TurnLab();
    lab.write("a.txt", "one\n");
    const ledgers = lab.open();
    await lab.told(ledgers, "a.txt", "two\n");
    const { turn } = await ledgers.undo(ledgers.turns()[0]?.id ?? "", { now: true });
    expect(lab.read("a.txt")).toBe("one\n");
    expect(ledgers.isToHear(turn ?? "")).toBe(false);
    expect(await ledgers.notes(claude)).toEqual([]);
  });
});

describe("two windows of one folder", () => {
  it("number their turns without a number twice, and each keeps its own over restarts", async () => {
    const lab = new TurnLab();
    const [first, second] = [lab.open(), lab.open()];
    await Promise.all([first.settled(), second.settled()]);
    // Neither has looked yet at what the other did.
    for (const [ledgers, source, name] of [
      [first, claude, "a.txt"],
      [second, gemini, "b.txt"],
      [first, claude, "c.txt"],
      [second, gemini, "d.txt"],
    ] as const) {
      lab.write(name, "one\n");
      ledgers.turnBegan(source, name);
      await lab.told(ledgers, name, "two\n", source);
      ledgers.turnEnded(source);
      await ledgers.settled();
    }
    const third = lab.open();
    await third.settled();
    const numbers = (ledgers: FolderLedgers): readonly string[] =>
      ledgers.turns().map(({ number, prompt }) => `${number} ${prompt}`);
    expect(numbers(third)).toEqual(["4 d.txt", "3 c.txt", "2 b.txt", "1 a.txt"]);
    await third.undo(third.turns()[1]?.id ?? "", { now: true });
    expect(numbers(third)).toEqual(["5 c.txt", "4 d.txt", "3 c.txt", "2 b.txt", "1 a.txt"]);
    expect(third.lastUndo()).toMatchObject({ number: 5 });
    expect(third.lastUndo(third.turns()[2]?.id)).toMatchObject({ number: 5 });
    expect(third.lastUndo(third.turns()[3]?.id)).toBeUndefined();
  });

  it("know of each other's turns, and what one queues the other carries out when its agent has finished", async () => {
    const lab = new TurnLab();
    const { ledgers: working1, id } = await working(lab);
    const other = lab.open();
    await other.settled();
    expect(other.turns()).toMatchObject([{ id, ended: undefined }]);
    const { files } = await other.undo(id, { path: lab.path("a.txt"), hunk: { start: 0, end: 1 } });
    expect(files).toMatchObject([{ outcome: "queued" }]);
    expect(lab.read("a.txt")).toBe("ONE\ntwo\nTHREE\n");
    working1.turnEnded(claude);
    await working1.settled();
    expect(lab.read("a.txt")).toBe("one\ntwo\nTHREE\n");
    // Files are watched: what happened is seen without a question.
    await expect
      .poll(() => {
        lab.clock.advance(1_000);
        return other.turns().map(({ undoes, ended }) => [undoes, ended !== undefined]);
      })
      .toEqual([
        [id, true],
        [undefined, true],
      ]);
    await other.settled();
    expect(lab.read("a.txt")).toBe("one\ntwo\nTHREE\n");
  });

  it("wait for an agent of the other that has changed the same file", async () => {
    const lab = new TurnLab();
    const { ledgers: one, id } = await working(lab);
    one.turnEnded(claude);
    await one.settled();
    const other = lab.open();
    other.turnBegan(gemini, "More");
    await lab.told(other, "a.txt", "ONE\ntwo\nTHREE\nfour\n", gemini);
    expect((await one.undo(id)).files).toMatchObject([{ outcome: "queued" }]);
    other.turnEnded(gemini);
    await other.settled();
    await expect
      .poll(async () => {
        lab.clock.advance(1_000);
        await one.settled();
        return lab.read("a.txt");
      })
      .toBe("one\ntwo\nthree\nfour\n");
  });

  it("leave what an agent does to the window that hears of it, also where its turn takes long", async () => {
    const lab = new TurnLab();
    lab.commit({ "b.txt": "b\n" });
    const { ledgers: one, id } = await working(lab);
    const other = lab.open();
    await other.settled();
    await lab.command(other, () => lab.write("b.txt", "gemini\n"), gemini);
    expect(other.turns().map((turn) => lab.files(turn))).toEqual([["b.txt changed likely"], ["a.txt changed exact"]]);
    for (let minutes = 0; minutes < 40; minutes += 8) {
      lab.clock.advance(8 * 60_000);
      await lab.told(one, "a.txt", `ONE\ntwo\n${minutes}\n`);
      await other.settled();
      expect(other.turns().find((turn) => turn.id === id)?.ended).toBeUndefined();
    }
    one.turnEnded(claude);
    await one.settled();
    expect((await other.undo(id)).files).toMatchObject([{ outcome: "undone" }]);
    expect(lab.read("a.txt")).toBe("one\ntwo\nthree\n");
  });
});

describe("an undo that waits", () => {
  it("is carried out when an agent that says nothing any more counts as ended", async () => {
    const lab = new TurnLab();
    const { ledgers, id } = await working(lab);
    await ledgers.undo(id);
    lab.clock.advance(hour - 1_000);
    await ledgers.settled();
    expect(lab.read("a.txt")).toBe("ONE\ntwo\nTHREE\n");
    lab.clock.advance(1_000);
    await ledgers.settled();
    expect(lab.read("a.txt")).toBe("one\ntwo\nthree\n");
    expect(ledgers.turns().every(({ ended }) => ended !== undefined)).toBe(true);
  });

  it("is carried out at once where the run that began the turn ended long ago", async () => {
    const lab = new TurnLab();
    const { ledgers: first, id } = await working(lab);
    await first.undo(id);
    first.dispose();
    lab.clock.advance(hour);
    const second = lab.open();
    await second.settled();
    lab.clock.advance(0);
    await second.settled();
    expect(lab.read("a.txt")).toBe("one\ntwo\nthree\n");
  });

  it.each([-hour * 24 * 365, hour * 24 * 365])("survives a clock that jumps by %d ms", async (jump) => {
    const lab = new TurnLab();
    const { ledgers, id } = await working(lab);
    await ledgers.undo(id);
    lab.clock.jump(jump);
    ledgers.turnEnded(claude);
    await ledgers.settled();
    expect(lab.read("a.txt")).toBe("one\ntwo\nthree\n");
    const [undo, turn] = ledgers.turns();
    expect([undo?.undoes, (turn?.ended ?? 0) >= (turn?.began ?? 0)]).toEqual([id, true]);
    ledgers.turnBegan(claude, "Next");
    await lab.told(ledgers, "b.txt", "new\n");
    ledgers.dispose();
    const second = lab.open();
    await second.settled();
    expect(second.turns().map(({ prompt, undoes }) => [prompt, undoes])).toEqual([
      ["Next", undefined],
      ["Shout", id],
      ["Shout", undefined],
    ]);
  });
});
