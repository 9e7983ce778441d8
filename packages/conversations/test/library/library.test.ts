import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nullLogger } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import type { Conversation } from "../../src/conversation/conversation.ts";
import type { ListedSession, SessionLister } from "../../src/driver.ts";
import { ConversationLibrary } from "../../src/library/conversation-library.ts";
import type { Keeping } from "../../src/library/sweep.ts";
import type { ConversationStore } from "../../src/transcript/conversation-store.ts";
import { nodeLineFiles } from "../../src/transcript/line-files.ts";
import { type Lab, makeLab, textBlock } from "../conversation/conversation-lab.ts";
import { noHost } from "../conversation/no-host.ts";
import { ScriptedSession } from "../conversation/scripted-session.ts";

const folder = "/w";

interface Shelf {
  readonly listers?: readonly SessionLister[];
  readonly store?: ConversationStore;
  readonly keeping?: Keeping;
}

function makeLibrary(lab: Lab, { listers = [], store = lab.store, keeping }: Shelf = {}): ConversationLibrary {
  return new ConversationLibrary({
    store,
    files: nodeLineFiles,
    host: noHost,
    connect: (request) => {
      const session = new ScriptedSession(request, lab.onStart);
      lab.sessions.push(session);
      return session;
    },
    clock: lab.clock,
    random: lab.platform.random,
    logger: nullLogger,
    listers,
    ...(keeping === undefined ? {} : { keeping }),
  });
}

/** One turn of a conversation: what is asked, and what is answered. */
async function talk(lab: Lab, conversation: Conversation, question: string, answer: string): Promise<string> {
  const id = conversation.prompt([textBlock(question)]) ?? "";
  const session = (): ScriptedSession | undefined =>
    lab.sessions.findLast(({ request }) => request.about.id === conversation.id);
  await expect.poll(() => session()?.prompts.at(-1)?.id).toBe(id);
  session()?.tell({ kind: "message", id: `answer to ${id}`, at: 0, text: answer, isComplete: true });
  session()?.end();
  await expect.poll(() => conversation.snapshot().entries.at(-1)?.entry.kind).toBe("turn-end");
  return id;
}

const said = (conversation: Conversation | undefined): readonly string[] =>
  (conversation?.snapshot().entries ?? []).flatMap(({ entry }) =>
    entry.kind === "message"
      ? [entry.text]
      : entry.kind === "prompt"
        ? entry.blocks.map((block) => ("text" in block ? block.text : ""))
        : [],
  );

const titles = async (library: ConversationLibrary): Promise<readonly string[]> =>
  (await library.list(folder)).map(({ title }) => title);

describe("the library", () => {
  it("lists conversations of all agents, those that wait first, and opens them again after a reload", async () => {
    const lab = makeLab();
    const library = makeLibrary(lab);
    const one = await library.create("claude", folder);
    await talk(lab, one, "First question", "First answer");
    lab.clock.jump(1_000);
    const two = await library.create("gemini", folder);
    await talk(lab, two, "Second question", "Second answer");
    expect(await titles(library)).toEqual(["Second question", "First question"]);
    lab.clock.jump(1_000);
    one.prompt([textBlock("more")]);
    await expect.poll(() => lab.sessions[0]?.prompts).toHaveLength(2);
    lab.sessions[0]?.tell({
      kind: "question",
      id: "q",
      at: 0,
      question: { type: "form", message: "Which?", fields: [] },
    });
    expect((await library.list(folder))[0]).toMatchObject({ title: "First question", state: "waiting", waiting: 1 });
    await library.dispose();

    const after = makeLibrary(lab);
    expect(await after.list(folder)).toMatchObject([
      { agent: "claude", state: "closed" },
      { agent: "gemini", title: "Second question", state: "closed", preview: "Second answer" },
    ]);
    expect(await after.list("/elsewhere")).toEqual([]);
    const sessions = lab.sessions.length;
    expect(said(await after.open(two.id))).toEqual(["Second question", "Second answer"]);
    expect(lab.sessions).toHaveLength(sessions);
    expect(await after.open(two.id)).toBe(await after.open(two.id));
    expect(await after.open("unknown")).toBeUndefined();
    await after.dispose();
  });

  it("makes its index anew where it is missing or broken", async () => {
    const lab = makeLab();
    const library = makeLibrary(lab);
    await talk(lab, await library.create("claude", folder), "A question", "An answer");
    await library.dispose();
    const index = join(lab.directory, "index.json");
    await makeLibrary(lab).list();
    expect(existsSync(index)).toBe(true);
    for (const broken of ["", "{", '{"conversations":[{"about":{}}]}', '{"conversations":[]}']) {
      writeFileSync(index, broken, { mode: 0o600 });
      expect(await titles(makeLibrary(lab))).toEqual(["A question"]);
      expect(readFileSync(index, "utf8")).toContain("A question");
    }
  });

  it("leaves nothing of a conversation in which nothing was written, and keeps one that has a draft", async () => {
    const lab = makeLab();
    const library = makeLibrary(lab);
    const empty = await library.create("claude", folder);
    await library.close(empty.id);
    const drafted = await library.create("claude", folder);
    drafted.setDraft({ blocks: [textBlock("not sent")], caret: 3 });
    await library.dispose();
    expect(readdirSync(lab.directory).filter((name) => name.includes(empty.id))).toEqual([]);
    const again = await makeLibrary(lab).open(drafted.id);
    expect(again?.snapshot().draft).toEqual({ blocks: [textBlock("not sent")], caret: 3 });
    await again?.close();
  });

  it("lists the agents' own sessions too, takes one in when it is opened, and never lists it twice", async () => {
    const lab = makeLab();
    const session: ListedSession = { sessionId: "s1", folder, title: "From a terminal", usedAt: 5 };
    const lister: SessionLister = {
      agent: "claude",
      list: async () => [session],
      history: async () => [{ kind: "message", id: "m", at: 0, text: "Earlier", isComplete: true }],
    };
    const failing: SessionLister = { agent: "gemini", list: () => Promise.reject(new Error("It does not answer.")) };
    const library = makeLibrary(lab, { listers: [failing, lister] });
    let changes = 0;
    library.onDidChange(() => (changes += 1));
    expect(await library.list(folder)).toEqual([]);
    await expect.poll(() => changes).toBe(1);
    const [listed] = await library.list(folder);
    expect(listed).toMatchObject({ id: "session:claude:s1", state: "agent", title: "From a terminal" });
    const conversation = await library.open(listed?.id ?? "");
    expect(said(conversation)).toEqual(["Earlier"]);
    expect(conversation?.snapshot().entries.at(-1)?.entry).toMatchObject({ kind: "turn-end", reason: "done" });
    expect((await library.list(folder)).map(({ id }) => id)).toEqual([conversation?.id]);
    conversation?.prompt([textBlock("Go on")]);
    await expect
      .poll(() => lab.sessions[0]?.request)
      .toMatchObject({ start: { kind: "resume", sessionId: "s1" }, wantsHistory: false });
    await library.dispose();
  });

  it("takes a session in once, and has the agent tell what was said where nobody else can", async () => {
    const lab = makeLab();
    const session: ListedSession = { sessionId: "s1", folder, title: "From a terminal", usedAt: 5 };
    const library = makeLibrary(lab, { listers: [{ agent: "qwen", list: async () => [session] }] });
    lab.onStart = (started) =>
      started.tell({ kind: "message", id: "m", at: 0, text: "What the agent remembers", isComplete: true });
    await expect.poll(async () => (await library.list(folder)).length).toBe(1);
    const conversation = await library.open("session:qwen:s1");
    await expect.poll(() => said(conversation)).toEqual(["What the agent remembers"]);
    expect(lab.session.request).toMatchObject({ start: { kind: "resume", sessionId: "s1" }, wantsHistory: true });
    await expect.poll(() => conversation?.snapshot().entries.at(-1)?.entry).toMatchObject({ reason: "done" });
    // A page that has an old list asks once more.
    expect(await library.open("session:qwen:s1")).toBe(conversation);
    await library.dispose();
  });

  it("does not list a deleted conversation again as the session that the agent still has", async () => {
    const lab = makeLab();
    const sessions: ListedSession[] = [{ sessionId: "s1", folder, title: "From a terminal", usedAt: 5 }];
    const lister: SessionLister = { agent: "claude", list: async () => sessions };
    const library = makeLibrary(lab, { listers: [lister] });
    await expect.poll(async () => titles(library)).toEqual(["From a terminal"]);
    expect(await library.delete("session:claude:s1")).toBe(true);
    expect(await titles(library)).toEqual([]);
    const conversation = await library.create("claude", folder);
    await talk(lab, conversation, "A question", "An answer");
    sessions.push({ sessionId: `session of ${conversation.id}`, folder, title: "A question", usedAt: 6 });
    await library.delete(conversation.id);
    await library.dispose();
    const after = makeLibrary(lab, { listers: [lister] });
    let changes = 0;
    after.onDidChange(() => (changes += 1));
    await after.list(folder);
    await expect.poll(() => changes).toBe(1);
    expect(await titles(after)).toEqual([]);
    await after.dispose();
  });

  it("knows no conversation by what is no id: nothing outside its folder is read, made or removed", async () => {
    const lab = makeLab();
    const library = makeLibrary(lab);
    const outside = join(lab.directory, "..", "outside.ndjson");
    await talk(lab, await library.create("claude", folder), "A question", "An answer");
    writeFileSync(outside, "kept");
    expect(await library.open("../outside")).toBeUndefined();
    await expect(library.delete("../outside")).rejects.toThrow("not the id of a conversation");
    expect(readFileSync(outside, "utf8")).toBe("kept");
    await library.dispose();
  });

  it("finds a text in titles and in what was said, without regard to case, and can be stopped", async () => {
    const lab = makeLab();
    const library = makeLibrary(lab);
    const two = await library.create("gemini", folder);
    await talk(lab, two, "About lexers", "Nothing.");
    lab.clock.jump(1_000);
    const one = await library.create("claude", folder);
    await talk(lab, one, "About parsers", 'The "Lexer" reads\nbytes.');
    const find = async (text: string, limit = 10): Promise<readonly unknown[]> => {
      const stop = new AbortController();
      const hits: unknown[] = [];
      for await (const { conversation, excerpt, place } of library.search(text, stop.signal, folder)) {
        hits.push([conversation.id, excerpt, place]);
        if (hits.length >= limit) stop.abort();
      }
      return hits;
    };
    expect(await find("LEXER")).toEqual([
      [two.id, "About lexers", undefined],
      [one.id, 'The "Lexer" reads bytes.', 1],
      [two.id, "About lexers", 0],
    ]);
    expect(await find('"lexer" reads\nby')).toEqual([[one.id, 'The "Lexer" reads bytes.', 1]]);
    expect(await find("lexer", 1)).toHaveLength(1);
    expect(await find("isComplete")).toEqual([]);
    expect(await find(" ")).toEqual([]);
    await library.dispose();
  });

  it("renames what is open and what is not", async () => {
    const lab = makeLab();
    const library = makeLibrary(lab);
    const conversation = await library.create("claude", folder);
    await talk(lab, conversation, "A question", "An answer");
    expect(await library.rename(conversation.id, "Open")).toBe(true);
    expect(conversation.snapshot().title).toBe("Open");
    await library.close(conversation.id);
    expect(await library.rename(conversation.id, "Closed")).toBe(true);
    expect(library.conversations).toEqual([]);
    expect(await titles(makeLibrary(lab))).toEqual(["Closed"]);
    await library.dispose();
  });

  it("opens what is just being closed as its own", async () => {
    const lab = makeLab();
    const library = makeLibrary(lab);
    const conversation = await library.create("claude", folder);
    await talk(lab, conversation, "A question", "An answer");
    const closing = library.close(conversation.id);
    const again = await library.open(conversation.id);
    expect(again?.status.access.kind).toBe("own");
    expect(again).not.toBe(conversation);
    await closing;
    await library.dispose();
  });

  it("gives a deleted conversation back for ten seconds", async () => {
    const lab = makeLab();
    const library = makeLibrary(lab);
    const conversation = await library.create("claude", folder);
    await talk(lab, conversation, "A question", "An answer");
    expect(await library.delete(conversation.id)).toBe(true);
    expect(await titles(library)).toEqual([]);
    expect(await library.open(conversation.id)).toBeUndefined();
    lab.clock.advance(9_000);
    expect(library.undelete(conversation.id)).toBe(true);
    expect(said(await library.open(conversation.id))).toEqual(["A question", "An answer"]);
    await library.delete(conversation.id);
    lab.clock.advance(11_000);
    await expect.poll(() => readdirSync(lab.directory).filter((name) => name.includes(conversation.id))).toEqual([]);
    expect(library.undelete(conversation.id)).toBe(false);
    await library.dispose();
  });

  it("deletes and removes nothing that another window has", async () => {
    const lab = makeLab();
    const library = makeLibrary(lab);
    const conversation = await library.create("claude", folder);
    await talk(lab, conversation, "A question", "An answer");
    const other = makeLibrary(lab, { store: lab.storeOf(2), keeping: { days: 0, megabytes: 0 } });
    expect(await other.delete(conversation.id)).toBe(false);
    lab.clock.jump(1_000_000);
    await other.sweep();
    expect(await titles(other)).toEqual(["A question"]);
    expect(await other.rename(conversation.id, "Mine")).toBe(false);
    await other.dispose();
    await library.dispose();
  });

  it("takes a conversation from a window that lives, with its draft and what waits, and gives it back the same way", async () => {
    const lab = makeLab();
    const library = makeLibrary(lab);
    const conversation = await library.create("claude", folder);
    await talk(lab, conversation, "A question", "An answer");
    conversation.prompt([textBlock("At work")]);
    await expect.poll(() => lab.session.prompts).toHaveLength(2);
    conversation.prompt([textBlock("Later")]);
    conversation.setDraft({ blocks: [textBlock("Half")], caret: 4 });
    await conversation.flush();
    const other = makeLibrary(lab, { store: lab.storeOf(2) });
    const seen = await other.open(conversation.id);
    if (seen === undefined) throw new Error("It is not there.");
    const take = async (from: typeof library): Promise<boolean> => {
      let isTaken: boolean | undefined;
      void from.takeOver(conversation.id).then((result) => (isTaken = result));
      await expect.poll(() => (lab.clock.advance(100), isTaken)).toBeDefined();
      return isTaken === true;
    };
    expect(await take(other)).toBe(true);
    expect(conversation.status).toMatchObject({ access: { kind: "read-only" }, queue: [], state: { kind: "ended" } });
    expect(lab.session.isClosed).toBe(true);
    expect(seen.snapshot()).toMatchObject({
      access: { kind: "own" },
      draft: { blocks: [textBlock("Half")] },
      queue: [{ blocks: [textBlock("Later")] }],
    });
    await lab.clock.advanceAsync(20_000);
    expect(seen.status.access.kind).toBe("own");
    expect(await take(library)).toBe(true);
    expect(conversation.snapshot()).toMatchObject({ queue: [{ blocks: [textBlock("Later")] }] });
    expect(seen.status.access.kind).toBe("read-only");
    await other.dispose();
    await library.dispose();
  });

  it("says where a window does not let go of a conversation, and does not ask for ever", async () => {
    const lab = makeLab();
    const other = lab.storeOf(2);
    const library = makeLibrary(lab);
    const conversation = await library.create("claude", folder);
    await talk(lab, conversation, "A question", "An answer");
    await library.close(conversation.id);
    // Nobody looks there any more.
    const held = await other.open(conversation.id);
    await library.open(conversation.id);
    let isTaken: boolean | undefined;
    void library.takeOver(conversation.id).then((result) => (isTaken = result));
    await expect.poll(() => (lab.clock.advance(1_000), isTaken)).toBe(false);
    expect(await lab.store.values.read(`wanted.${conversation.id}`)).toBeUndefined();
    await held.release();
    await library.dispose();
  });

  it("goes on with a conversation when the window that had it has let go", async () => {
    const lab = makeLab();
    const library = makeLibrary(lab);
    const conversation = await library.create("claude", folder);
    await talk(lab, conversation, "A question", "An answer");
    await conversation.flush();
    const other = makeLibrary(lab, { store: lab.storeOf(2) });
    const seen = await other.open(conversation.id);
    expect(seen?.status.access.kind).toBe("read-only");
    await lab.clock.advanceAsync(6_000);
    expect(seen?.status.access.kind).toBe("read-only");
    await library.dispose();
    await lab.clock.advanceAsync(6_000);
    await expect.poll(() => seen?.status.access.kind).toBe("own");
    await other.dispose();
  });

  it("forks a conversation: all of it, or what was before a prompt where the agent can go back", async () => {
    const lab = makeLab();
    const points: unknown[] = [];
    const lister: SessionLister = {
      agent: "claude",
      list: async () => [],
      pointBefore: async (...request) => {
        points.push(request);
        return "point";
      },
    };
    const library = makeLibrary(lab, { listers: [lister] });
    const one = await library.create("claude", folder);
    await talk(lab, one, "First", "One");
    const second = await talk(lab, one, "Second", "Two");
    const whole = await library.fork(one.id);
    expect(said(whole)).toEqual(["First", "One", "Second", "Two"]);
    expect(whole?.status.capabilities).toMatchObject({ fork: true });
    const part = await library.fork(one.id, second);
    expect(said(part)).toEqual(["First", "One"]);
    const sessionId = `session of ${one.id}`;
    expect(points).toEqual([[sessionId, folder, second]]);
    expect(whole?.about.sessionId).toBeUndefined();
    whole?.prompt([textBlock("Go on")]);
    part?.prompt([textBlock("Go on otherwise")]);
    await expect
      .poll(() => lab.sessions.map(({ request }) => request.start))
      .toEqual([{ kind: "new" }, { kind: "fork", sessionId }, { kind: "fork", sessionId, upTo: "point" }]);
    expect(said(one)).toEqual(["First", "One", "Second", "Two"]);
    await library.dispose();
    // A fork that has been started is a session of its own.
    expect((await makeLibrary(lab).open(part?.id ?? ""))?.about).toMatchObject({ sessionId: `session of ${part?.id}` });
  });

  it("says with the first prompt of a fork that the agent starts over, where it cannot go back to that point", async () => {
    const lab = makeLab();
    const library = makeLibrary(lab);
    const one = await library.create("gemini", folder);
    const first = await talk(lab, one, "First", "One");
    const second = await talk(lab, one, "Second", "Two");
    const part = await library.fork(one.id, second);
    part?.prompt([textBlock("Go on otherwise")]);
    await expect.poll(() => lab.session.request.about.id).toBe(part?.id);
    expect(lab.session.request.start).toEqual({ kind: "new" });
    const notices = (conversation: Conversation | undefined): readonly string[] =>
      (conversation?.snapshot().entries ?? []).flatMap(({ entry }) => (entry.kind === "notice" ? [entry.text] : []));
    await expect.poll(() => notices(part)).toEqual(["The agent starts over: it does not remember the messages above."]);
    // Before the first prompt there is nothing that could be forgotten.
    const empty = await library.fork(one.id, first);
    empty?.prompt([textBlock("From the beginning")]);
    await expect.poll(() => lab.session.prompts).toHaveLength(1);
    expect(notices(empty)).toEqual([]);
    await library.dispose();
  });

  it("removes what is old, then what is too much, at most once a day, and never what is open", async () => {
    const lab = makeLab();
    const library = makeLibrary(lab, { keeping: { days: 30, megabytes: 1 } });
    const day = 24 * 60 * 60 * 1_000;
    const now = lab.clock.now();
    const made: Conversation[] = [];
    for (const [age, size] of [
      [40, 10],
      [20, 700_000],
      [10, 700_000],
      [5, 10],
    ] as const) {
      const conversation = await library.create("claude", folder);
      await talk(lab, conversation, `${age} days`, "x".repeat(size));
      made.push(conversation);
      await library.close(conversation.id);
      const path = join(lab.directory, `${conversation.id}.ndjson`);
      utimesSync(path, (now - age * day) / 1_000, (now - age * day) / 1_000);
    }
    const open = await library.create("claude", folder);
    await talk(lab, open, "open", "…");
    utimesSync(join(lab.directory, `${open.id}.ndjson`), 1, 1);
    await library.sweep();
    expect((await titles(library)).toSorted()).toEqual(["10 days", "5 days", "open"]);
    const third = join(lab.directory, `${made[3]?.id}.ndjson`);
    utimesSync(third, 1, 1);
    await library.sweep();
    expect(existsSync(third)).toBe(true);
    lab.clock.jump(day + 1);
    await library.sweep();
    expect(existsSync(third)).toBe(false);
    await library.dispose();
  });
});
