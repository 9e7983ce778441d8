import { beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/conversation/conversation.ts";
import type { SessionHost } from "../../src/driver.ts";
import { type Lab, makeLab, textBlock } from "./conversation-lab.ts";
import { noHost } from "./no-host.ts";

const path = "/w/a.txt";
const lines = (...values: readonly string[]): string => `${values.join("\n")}\n`;
const original = lines("one", "two", "three", "four", "five");

let lab: Lab;
let conversation: Conversation;
let disk: Map<string, string>;

beforeEach(async () => {
  lab = makeLab();
  disk = new Map([[path, original]]);
  lab.host = {
    ...noHost,
    readText: async (one) => disk.get(one),
    writeText: async (one, text) => void disk.set(one, text),
    removeFile: async (one) => void disk.delete(one),
  };
  conversation = await lab.open();
});

/** A turn in which the agent does what `work` does. */
async function turn(work: (host: SessionHost) => Promise<void>): Promise<string> {
  const id = conversation.prompt([textBlock("go")]) ?? "";
  await expect.poll(() => lab.sessions.some(({ prompts }) => prompts.some((one) => one.id === id))).toBe(true);
  await work(lab.session.request.host);
  lab.session.end();
  await expect.poll(() => conversation.snapshot().entries.at(-1)?.entry.kind).toBe("turn-end");
  return id;
}

/** The agent writes a file by itself, after its hook has asked for it to be saved. */
async function write(host: SessionHost, one: string, text: string, isAsked = false): Promise<void> {
  await host.saveIfDirty(one);
  disk.set(one, text);
  lab.session.say({ type: "file-changed", path: one, isAsked });
}

const files = async (): Promise<readonly unknown[]> => {
  // A redo of nothing waits for what is being looked at.
  await conversation.files.redo("none", "none");
  return conversation.snapshot().turns.flatMap((one) => one.files);
};

describe("the files of a turn", () => {
  it("are not waited for where their folder does not answer", async () => {
    lab.host = { ...lab.host, readText: () => new Promise(() => undefined) };
    conversation = await lab.open("stuck");
    conversation.prompt([textBlock("go")]);
    await expect.poll(() => lab.sessions.at(-1)?.prompts).toHaveLength(1);
    const over: string[] = [];
    void lab.session.request.host.saveIfDirty(path).then(() => over.push("saved"));
    lab.session.say({ type: "file-changed", path, isAsked: false });
    void conversation.close().then(() => over.push("closed"));
    await expect
      .poll(async () => {
        await lab.clock.advanceAsync(500);
        return over.toSorted();
      })
      .toEqual(["closed", "saved"]);
  });

  it("are listed, whether they were asked for or not, and can be undone and redone", async () => {
    const changed = lines("ONE", "two", "three", "four", "five");
    const id = await turn(async (host) => {
      await write(host, path, changed);
      await write(host, "/w/new.txt", "new\n", true);
    });
    expect(await files()).toEqual([
      { path, kind: "changed", state: "applied", isAsked: false },
      { path: "/w/new.txt", kind: "created", state: "applied", isAsked: true },
    ]);
    expect(await conversation.files.undo(id, path)).toEqual({ kind: "done", merged: false });
    expect(await conversation.files.undo(id, "/w/new.txt")).toEqual({ kind: "done", merged: false });
    expect(Array.from(disk)).toEqual([[path, original]]);
    expect(await files()).toMatchObject([{ state: "undone" }, { state: "undone" }]);
    expect(await conversation.files.redo(id, path)).toEqual({ kind: "done", merged: false });
    expect(disk.get(path)).toBe(changed);
    await conversation.close();
  });

  it("are the same with a byte order mark and without: an agent and an open document leave it out", async () => {
    const marked = `\uFEFF${original}`;
    disk.set(path, marked);
    const changed = lines("ONE", "two", "three", "four", "five");
    const id = await turn(async (host) => await write(host, path, `\uFEFF${changed}`));
    disk.set(path, changed);
    expect(await conversation.files.undo(id, path)).toEqual({ kind: "done", merged: false });
    expect(disk.get(path)).toBe(marked);
    disk.set(path, lines("one", "two", "three", "four", "FIVE"));
    expect(await conversation.files.redo(id, path)).toEqual({ kind: "done", merged: true });
    expect(disk.get(path)).toBe(lines("ONE", "two", "three", "four", "FIVE"));
    await conversation.close();
  });

  it("keep what was changed otherwise since; where that is in the same lines, an undo is refused", async () => {
    const id = await turn(async (host) => await write(host, path, lines("ONE", "two", "three", "four", "five")));
    disk.set(path, lines("ONE", "two", "three", "four", "FIVE"));
    expect(await conversation.files.undo(id, path)).toEqual({ kind: "done", merged: true });
    expect(disk.get(path)).toBe(lines("one", "two", "three", "four", "FIVE"));
    disk.set(path, lines("mine", "two", "three", "four", "FIVE"));
    expect(await conversation.files.redo(id, path)).toEqual({
      kind: "refused",
      reason: "The same lines have been changed since.",
    });
    expect(disk.get(path)).toBe(lines("mine", "two", "three", "four", "FIVE"));
    disk.delete(path);
    expect(await conversation.files.redo(id, path)).toMatchObject({ reason: "The file has been deleted since." });
    await conversation.close();
  });

  it("are never deleted by an undo where somebody has gone on with them", async () => {
    const id = await turn(async (host) => await write(host, "/w/new.txt", "new\n"));
    disk.set("/w/new.txt", "new\nmine\n");
    expect(await conversation.files.undo(id, "/w/new.txt")).toEqual({
      kind: "refused",
      reason: "The file has been changed since; delete it yourself if it is not needed.",
    });
    expect(disk.get("/w/new.txt")).toBe("new\nmine\n");
    await conversation.close();
  });

  it("go back to before the first of several changes in a turn", async () => {
    const id = await turn(async (host) => {
      await write(host, path, "first\n", false);
      await write(host, path, "second\n", true);
    });
    expect(await files()).toEqual([{ path, kind: "changed", state: "applied", isAsked: false }]);
    expect(await conversation.files.undo(id, path)).toEqual({ kind: "done", merged: false });
    expect(disk.get(path)).toBe(original);
    await conversation.close();
  });

  it("say where what was there before is not known", async () => {
    const id = await turn(async () => {
      disk.set(path, "changed\n");
      lab.session.say({ type: "file-changed", path, isAsked: false });
    });
    expect(await files()).toMatchObject([{ obstacle: "The earlier content of the file is not known." }]);
    expect(await conversation.files.undo(id, path)).toMatchObject({ kind: "refused" });
    await conversation.close();
  });

  it("are known from what a tool says that it has changed, where the agent writes without a hook", async () => {
    const id = await turn(async () => {
      const changes = [{ path, before: original, after: "changed\n" }];
      const tool = { kind: "tool", id: "t1", at: 0, tool: "edit", name: "edit", title: "Edit", changes } as const;
      lab.session.tell({ ...tool, state: "running" });
      disk.set(path, "changed\n");
      lab.session.say({ type: "file-changed", path, isAsked: false });
    });
    expect(await conversation.files.undo(id, path)).toEqual({ kind: "done", merged: false });
    expect(disk.get(path)).toBe(original);
    await conversation.close();
  });

  it("say that commands ran, whose effects stay", async () => {
    await turn(async (host) => {
      const tool = { kind: "tool", id: "t1", at: 0, tool: "execute", name: "Bash", title: "npm i" } as const;
      lab.session.tell({ ...tool, state: "done" });
      await write(host, path, "changed\n");
    });
    await files();
    expect(conversation.snapshot().turns).toMatchObject([{ ranCommands: true }]);
    await conversation.close();
  });

  it("can be undone after a reload, and rewound over several turns", async () => {
    const first = await turn(async (host) => await write(host, path, "first\n"));
    await turn(async (host) => {
      await write(host, path, "second\n");
      await write(host, "/w/new.txt", "new\n");
    });
    await files();
    await conversation.close();
    conversation = await lab.open();
    expect(await files()).toHaveLength(3);
    expect(await conversation.rewind(first, true)).toEqual({ canRewind: true, files: [path, "/w/new.txt"] });
    expect(disk.get(path)).toBe("second\n");
    expect(await conversation.rewind(first, false)).toMatchObject({ canRewind: true });
    expect(Array.from(disk)).toEqual([[path, original]]);
    await conversation.close();
  });

  it("cannot be undone by a window that may only read", async () => {
    const id = await turn(async (host) => await write(host, path, "changed\n"));
    await files();
    await conversation.flush();
    const other = await lab.open("c1", lab.storeOf(2));
    expect(other.snapshot().turns).toHaveLength(1);
    expect(await other.files.undo(id, path)).toMatchObject({ kind: "refused" });
    await conversation.close();
  });
});
