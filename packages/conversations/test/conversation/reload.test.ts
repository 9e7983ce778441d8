import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { shownMode } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import type { Conversation } from "../../src/conversation/conversation.ts";
import { makeLab, textBlock } from "./conversation-lab.ts";

const said = (conversation: Conversation): readonly unknown[] =>
  conversation
    .snapshot()
    .entries.map(({ place, entry }) =>
      entry.kind === "message"
        ? [place, entry.text]
        : entry.kind === "turn-end"
          ? [place, entry.reason]
          : [place, entry.kind],
    );

describe("after a reload", () => {
  it("everything is there before and without the agent, and the session goes on", async () => {
    const lab = makeLab();
    const before = await lab.open();
    before.prompt([textBlock("one")]);
    await expect.poll(() => lab.sessions[0]?.prompts).toHaveLength(1);
    lab.session.stream("m1", "An answer");
    lab.session.end();
    await expect
      .poll(() => said(before))
      .toEqual([
        [0, "prompt"],
        [1, "An answer"],
        [2, "done"],
      ]);
    await before.close();

    const after = await lab.open();
    expect(said(after)).toEqual([
      [0, "prompt"],
      [1, "An answer"],
      [2, "done"],
    ]);
    expect(after.snapshot()).toMatchObject({ title: "one", state: { kind: "ended" } });
    expect(lab.sessions).toHaveLength(1);
    after.prompt([textBlock("two")]);
    await expect.poll(() => lab.sessions).toHaveLength(2);
    expect(lab.session.request).toMatchObject({ wantsHistory: false });
    // Since when there is the session: one agent loses what is loaded too soon.
    const begunAt = lab.clock.now();
    expect(lab.session.request.start).toEqual({ kind: "resume", sessionId: "session of c1", begunAt });
    await after.close();
  });

  it("a draft and the prompts that waited are there, and nothing is sent by itself", async () => {
    const lab = makeLab();
    const before = await lab.open();
    before.prompt([textBlock("one")]);
    await expect.poll(() => lab.sessions[0]?.prompts).toHaveLength(1);
    before.prompt([textBlock("two")]);
    before.setDraft({ blocks: [textBlock("thr")], caret: 3 });
    await before.close();
    const after = await lab.open();
    expect(after.snapshot()).toMatchObject({
      queue: [{ blocks: [textBlock("two")] }],
      draft: { blocks: [textBlock("thr")], caret: 3 },
    });
    expect(lab.sessions).toHaveLength(1);
    await after.close();
  });

  it("what the agent can do is offered before it runs again", async () => {
    const lab = makeLab();
    const before = await lab.open();
    expect(before.status.capabilities).toBeUndefined();
    // Chosen from, and closed again: nothing of it is kept.
    await before.wake();
    await before.close();
    expect(readdirSync(lab.directory).filter((name) => name.startsWith("c1."))).toEqual([]);
    const used = await lab.open();
    used.prompt([textBlock("one")]);
    await expect.poll(() => lab.session.prompts).toHaveLength(1);
    await used.close();
    const after = await lab.open();
    expect(lab.sessions).toHaveLength(2);
    expect(after.status.capabilities).toMatchObject({ forkBefore: true, rewind: false });
    await after.close();
  });

  it("a draft is on disk half a second after it was typed", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    conversation.setDraft({ blocks: [textBlock("typed")], caret: 5 });
    lab.clock.advance(300);
    await expect.poll(() => readdirSync(lab.directory)).toContain("unsent.c1.json");
    const file = join(lab.directory, "unsent.c1.json");
    expect(statSync(file).mode & 0o777).toBe(shownMode(0o600));
    await conversation.close();
  });

  it("what was open in the middle of a turn has ended", async () => {
    const lab = makeLab();
    const before = await lab.open("c1", lab.storeOf(200_000));
    before.prompt([textBlock("one")]);
    await expect.poll(() => lab.sessions[0]?.prompts).toHaveLength(1);
    lab.session.stream("m1", "half");
    lab.session.tell({
      kind: "tool",
      id: "t1",
      at: 0,
      tool: "execute",
      name: "Bash",
      title: "npm test",
      state: "running",
    });
    // The window is killed: what was written is what the file has.
    await before.flush();
    const after = await lab.open();
    expect(after.status.access.kind).toBe("own");
    expect(said(after)).toEqual([
      [0, "prompt"],
      [1, "half"],
      [2, "tool"],
      [3, "exited"],
    ]);
    expect(after.snapshot().entries[2]?.entry).toMatchObject({ state: "cancelled" });
    await after.close();
  });

  describe("with a text of the user's that was accepted", () => {
    const change = { path: "/w/a.txt", before: "one", after: "two", isEditable: true } as const;
    const choices = [{ id: "yes", name: "Yes", kind: "allow-once" }] as const;
    const question = { type: "permission", toolId: "t1", title: "Edit", change, choices } as const;
    const lost = (conversation: Conversation): readonly unknown[] =>
      conversation.snapshot().entries.flatMap(({ entry }) => (entry.kind === "notice" ? [entry] : []));

    /** Accepts it with other words, in a window that may be killed from then on. */
    async function accept(lab: ReturnType<typeof makeLab>): Promise<Conversation> {
      const before = await lab.open("c1", lab.storeOf(200_000));
      before.prompt([textBlock("one")]);
      await expect.poll(() => lab.sessions[0]?.prompts).toHaveLength(1);
      lab.session.tell({ kind: "question", id: "q1", at: 0, question });
      expect(before.answer("q1", { type: "choice", choiceId: "yes", text: "my own words" })).toBe(true);
      await before.flush();
      await expect.poll(() => readdirSync(lab.directory)).toContain("unsent.c1.json");
      return before;
    }

    it("that did not reach its file it is shown, once", async () => {
      const lab = makeLab();
      await accept(lab);
      const after = await lab.open();
      const text = "Your text for /w/a.txt was not written. It is kept here.";
      expect(lost(after)).toMatchObject([{ level: "warning", text, detail: "my own words" }]);
      await after.close();
      const again = await lab.open();
      expect(lost(again)).toHaveLength(1);
      await again.close();
    });

    it("that is in its file nothing is said", async () => {
      const lab = makeLab();
      await accept(lab);
      lab.host = { ...lab.host, readText: async () => "my own words" };
      const after = await lab.open();
      expect(lost(after)).toEqual([]);
      await after.close();
    });

    it("that the agent has written nothing is kept of it", async () => {
      const lab = makeLab();
      await accept(lab);
      const tool = { kind: "tool", id: "t1", at: 0, tool: "edit", name: "Edit", title: "Edit" } as const;
      lab.session.tell({ ...tool, state: "done" });
      await expect.poll(() => readdirSync(lab.directory)).not.toContain("unsent.c1.json");
    });
  });

  it("another window shows it read-only, writes nothing, and takes over when the first one has ended", async () => {
    const lab = makeLab();
    const first = await lab.open();
    first.prompt([textBlock("one")]);
    await expect.poll(() => lab.sessions[0]?.prompts).toHaveLength(1);
    await first.flush();
    const second = await lab.open("c1", lab.storeOf(2));
    expect(second.snapshot().access).toEqual({ kind: "read-only" });
    expect(said(second)).toEqual([[0, "prompt"]]);
    expect(second.prompt([textBlock("two")])).toBeUndefined();
    expect(await second.takeOver()).toBe(false);
    lab.session.stream("m1", "An answer");
    await first.close();
    const changes: string[] = [];
    second.onDidChange(({ kind }) => changes.push(kind));
    expect(await second.takeOver()).toBe(true);
    expect(changes).toContain("reset");
    expect(said(second)).toEqual([
      [0, "prompt"],
      [1, "An answer"],
      [2, "exited"],
    ]);
    expect(second.prompt([textBlock("two")])).toBeDefined();
    await second.close();
  });
});
