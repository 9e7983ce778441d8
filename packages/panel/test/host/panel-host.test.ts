import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PageReviews } from "../../src/host/index.ts";
import { changesMessageSchema, type HostMessage, type PageView } from "../../src/messages/index.ts";
import { createPanelLab, type ScriptedAgent, type TestPage, until } from "./panel-lab.ts";

const isList = (about: unknown): boolean =>
  typeof about === "object" && about !== null && Reflect.get(about, "type") === "reviews";

describe("a workspace of several folders", () => {
  it("has each new conversation in the folder that was chosen for it, for good, and lists those of all folders", async () => {
    const lab = createPanelLab();
    const first = await lab.talk();
    const { workspace } = lab.platform;
    lab.place.folders = [workspace, "/projects/docs"];
    lab.place.chosen = "/projects/docs";
    const { page, id } = await lab.talk();
    expect(page.last("conversation")?.open).toMatchObject({ id, folder: "/projects/docs" });
    await lab.panels.library.refresh();
    const folders = lab.panels.library.summaries.map((one) => [one.id, one.folder]);
    expect(Object.fromEntries(folders)).toEqual({ [first.id]: workspace, [id]: "/projects/docs" });
    const again = lab.page(id);
    again.say({ type: "ready" });
    expect((await until(() => again.last("hello")))?.open).toMatchObject({ folder: "/projects/docs" });
  });

  it("begins nothing where the user chose none", async () => {
    const lab = createPanelLab();
    lab.place.folders = [lab.platform.workspace, "/projects/docs"];
    const page = lab.page();
    page.say({ type: "ready" });
    await until(() => page.last("hello"));
    await page.link.begin("claude");
    expect(page.last("conversation")).toBeUndefined();
    expect(lab.done).toEqual([]);
  });
});

describe("a page", () => {
  it("gets everything with each ready, and nothing before", async () => {
    const { page, agents } = createPanelLab();
    const one = page();
    expect(one.messages).toEqual([]);
    one.say({ type: "ready" });
    const hello = await until(() => one.last("hello"));
    expect(hello).toMatchObject({ agents: [{ id: "claude", isInstalled: false }], conversations: [] });
    // What takes longer comes behind.
    expect((await until(() => one.last("agents"))).agents).toMatchObject([{ isInstalled: true }]);
    one.say({ type: "ready" });
    await until(() => (one.messages.filter(({ type }) => type === "hello").length === 2 ? true : undefined));
    expect(agents).toEqual([]);
  });

  it("begins a conversation, and follows it by patches", async () => {
    const { talk } = createPanelLab();
    const { page, agent, id } = await talk();
    agent.say({ type: "append", id: "m1", to: "message", text: "Hello" });
    const patch = await until(() =>
      page.messages.find((one) => one.type === "patch" && JSON.stringify(one.patch).includes("Hello")),
    );
    expect(patch).toMatchObject({ conversation: id });
    expect(agent.prompts).toMatchObject([{ blocks: [{ type: "text", text: "Do it" }] }]);
  });

  it("has the agent of a new conversation started at once, so that its mode can be chosen before the first prompt", async () => {
    const { page, agents } = createPanelLab();
    const one = page();
    one.say({ type: "ready" });
    await until(() => one.last("hello"));
    one.say({ type: "new-conversation", agent: "claude" });
    await until(() => agents.at(0));
    expect(agents.at(0)?.prompts).toEqual([]);
  });

  it("does not wait with a new conversation until its agent has started", async () => {
    const { page, place, agents } = createPanelLab();
    place.starting = new Promise(() => undefined);
    const one = page();
    await one.link.begin("claude");
    expect(one.link.conversation?.about.agent).toBe("claude");
    await until(() => agents.at(0));
  });

  it("that was away is told the whole conversation when it is back", async () => {
    const { talk } = createPanelLab();
    const { page, agent, id } = await talk();
    page.isThere = false;
    agent.say({ type: "append", id: "m1", to: "message", text: "While you were away" });
    await until(() => (page.link.conversation?.snapshot().entries.length === 2 ? true : undefined));
    page.isThere = true;
    page.messages.length = 0;
    page.say({ type: "ready", conversation: id });
    const { open } = await until(() => page.last("hello"));
    expect(open?.entries.map(({ entry }) => entry)).toMatchObject([
      { kind: "prompt" },
      { text: "While you were away" },
    ]);
    page.say({ type: "resync", conversation: id });
    expect((await until(() => page.last("conversation"))).open).toMatchObject({ id });
  });

  it("is told what is written in another page that shows the same conversation", async () => {
    const { talk, page: open } = createPanelLab();
    const { page, id } = await talk();
    const other = open(id);
    other.say({ type: "ready" });
    await until(() => other.last("hello")?.open);
    const draft = { blocks: [{ type: "text", text: "Both" }], caret: 4, at: 7 } as const;
    page.say({ type: "draft", conversation: id, draft });
    expect(await until(() => other.last("draft"))).toEqual({ type: "draft", conversation: id, draft });
    expect(page.last("draft")).toBeUndefined();
  });

  it("goes on in a copy when an earlier prompt is sent again in other words", async () => {
    const { talk, agents } = createPanelLab();
    const { page, id } = await talk();
    const { entries = [] } = page.link.conversation?.snapshot() ?? {};
    const blocks = [{ type: "text", text: "Do it well" }] as const;
    page.say({ type: "resend", conversation: id, prompt: entries[0]?.entry.id ?? "", blocks });
    const copy = await until(() =>
      page.messages.flatMap((one) => (one.type === "conversation" ? [one.open?.id] : [])).at(1),
    );
    expect(copy).not.toBe(id);
    expect((await until(() => agents[1]?.prompts[0])).blocks).toEqual(blocks);
  });

  it("gets what a command sent while it was being loaded, and loses the keyboard when it is hidden", async () => {
    const { page, panels } = createPanelLab();
    const one = page();
    const other = page();
    const block = { type: "mention", path: "/a.ts" } as const;
    one.link.send({ type: "insert", blocks: [block] });
    one.say({ type: "ready" });
    expect(await until(() => one.last("insert"))).toEqual({ type: "insert", blocks: [block] });
    expect(one.messages[0]?.type).toBe("hello");
    one.say({ type: "focus", hasFocus: true, isInQuestion: false });
    expect(panels.active).toBe(one.link);
    one.link.hidden();
    expect(one.link.hasFocus).toBe(false);
    // Where the user was last, and not where the newest page is.
    expect(panels.active).toBe(one.link);
    expect(panels.active).not.toBe(other.link);
  });

  it("leads to a session of its own in a terminal, which the panel lets go of first", async () => {
    const { talk, done } = createPanelLab();
    const { page, id } = await talk();
    page.say({ type: "act", conversation: id, action: "terminal" });
    await until(() => (done.length > 0 ? true : undefined));
    expect(done).toEqual(["start claude s1"]);
    expect(page.link.conversation?.status.state).toMatchObject({ kind: "ended" });
  });

  it("leads to the agent itself for a sign-in that no command does", async () => {
    const { talk, done } = createPanelLab();
    const { page, agent, id } = await talk();
    agent.say({ type: "state", state: { kind: "signed-out", methods: [{ id: "oauth", name: "Log in" }] } });
    await until(() => (page.link.conversation?.status.state.kind === "signed-out" ? true : undefined));
    page.say({ type: "act", conversation: id, action: "sign-in" });
    await until(() => (done.length > 0 ? true : undefined));
    expect(done).toEqual(["start claude "]);
  });

  it("opens the file that an agent names, or the one that it means, and says where there is none", async () => {
    const { talk, done, file, place } = createPanelLab();
    const { page, id: conversation } = await talk();
    place.files = ["/w/other/util/index.ts", "/w/packages/app/src/util/index.ts", "/w/src/index.ts"];
    const open = async (path: string, line?: number): Promise<string | undefined> => {
      const count = done.length;
      page.say({ type: "open-file", conversation, path, ...(line === undefined ? {} : { line }) });
      return await until(() => done[count]);
    };
    expect(await open("main.ts", 2)).toBe(`file ${file}:2`);
    expect(await open("src/util/index.ts", 7)).toBe("file /w/packages/app/src/util/index.ts:7");
    expect(await open("index.ts")).toBe("file /w/src/index.ts:");
    expect(await open("src/nowhere.ts")).toBe("warning: There is no file src/nowhere.ts.");
  });

  it("opens what a turn did to its files: one as a diff, several together", async () => {
    const { talk, done, file } = createPanelLab({ keepsLedger: true });
    const { agent, page, id } = await talk();
    const second = file.replace("main", "second");
    await writesUntold(agent, file, "one\n2\n");
    const [turn = ""] = await until(() => turnsWith(page, 1));
    page.say({ type: "changes", conversation: id, turn, action: "review" });
    await until(() => (done.length === 1 ? true : undefined));
    await writesUntold(agent, second, "new\n");
    await until(() => turnsWith(page, 2));
    page.say({ type: "changes", conversation: id, turn, action: "review" });
    await until(() => (done.length === 2 ? true : undefined));
    expect(done).toEqual([`changes ${file}`, `changes ${file} ${second}`]);
  });

  it("keeps, undoes and brings back what a turn did to its files, and says what it left alone", async () => {
    const { talk, done, file } = createPanelLab({ keepsLedger: true });
    const { agent, page, id } = await talk();
    const states = (): string | undefined =>
      page.link.conversation?.status.turns.flatMap(({ files }) => files.map(({ state }) => state)).join();
    await writesUntold(agent, file, "1\ntwo\n");
    agent.end("done");
    const [turn = ""] = await until(() => turnsWith(page, 1));
    const about = { type: "changes", conversation: id, turn } as const;
    page.say({ ...about, action: "keep", path: file });
    await until(() => (states() === "kept" ? true : undefined));
    page.say({ ...about, action: "undo", path: file });
    await until(() => (states() === "undone" ? true : undefined));
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
    page.say({ ...about, action: "redo" });
    await until(() => (states() === "applied" ? true : undefined));
    expect(readFileSync(file, "utf8")).toBe("1\ntwo\n");
    writeFileSync(file, "mine\ntwo\n");
    page.say({ ...about, action: "undo" });
    await until(() => done[0]);
    expect(done).toEqual([`warning: ${file}: It has been changed since, and stays.`]);
    expect(readFileSync(file, "utf8")).toBe("mine\ntwo\n");
  });

  it("undoes at once what waits for the end of the turn where it is asked again", async () => {
    const { talk, file } = createPanelLab({ keepsLedger: true });
    const { agent, page, id } = await talk();
    await writesUntold(agent, file, "1\ntwo\n");
    const [turn = ""] = await until(() => turnsWith(page, 1));
    const undo = { type: "changes", conversation: id, turn, action: "undo", path: file } as const;
    page.say(undo);
    const isIn = (state: string) => (): true | undefined =>
      page.link.conversation?.status.turns[0]?.files[0]?.state === state ? true : undefined;
    await until(isIn("queued"));
    expect(readFileSync(file, "utf8")).toBe("1\ntwo\n");
    page.say(undo);
    await until(isIn("undone"));
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
  });

  it("shows the hunks of a file, as much as a page draws, and decides one by itself, also one that waits", async () => {
    const { talk, done, file } = createPanelLab({ keepsLedger: true });
    const { agent, page, id } = await talk();
    const many = Array.from({ length: 500 }, (_, at) => `${at}\n`).join("");
    await writesUntold(agent, file, `1\ntwo\n${many}`);
    const [turn = ""] = await until(() => turnsWith(page, 1));
    const about = { type: "changes", conversation: id, turn, path: file } as const;
    const look = async (): Promise<PageView | undefined> => {
      const all = (): readonly HostMessage[] => page.messages.filter(({ type }) => type === "changes");
      const before = all().length;
      page.say({ ...about, action: "view" });
      const found = await until(() => all()[before]);
      const message = changesMessageSchema.parse(found.type === "changes" ? found.about : undefined);
      return message.kind === "view" && message.path === file ? message.view : undefined;
    };
    const shown = async (): Promise<readonly unknown[]> =>
      ((await look())?.hunks ?? []).map(({ state, after, more }) => [state, after.length, more]);
    expect(await shown()).toEqual([
      ["open", 1, 0],
      ["open", 200, 300],
    ]);
    const [first, rest] = ((await look())?.hunks ?? []).map(({ id: hunk }) => hunk);
    page.say({ ...about, action: "undo", hunk: rest ?? "" });
    await expect.poll(shown).toEqual([
      ["open", 1, 0],
      ["queued", 200, 300],
    ]);
    expect(readFileSync(file, "utf8")).toContain("499");
    page.say({ ...about, action: "undo", hunk: rest ?? "" });
    await expect.poll(() => readFileSync(file, "utf8")).toBe("1\ntwo\n");
    agent.end("done");
    page.say({ ...about, action: "redo", hunk: rest ?? "" });
    await expect.poll(() => readFileSync(file, "utf8")).toBe(`1\ntwo\n${many}`);
    page.say({ ...about, action: "keep", hunk: first ?? "" });
    await expect.poll(async () => (await shown())[0]).toEqual(["kept", 1, 0]);
    page.say({ ...about, action: "undo", hunk: "none" });
    await until(() => done[0]);
    expect(done).toEqual([`warning: ${file}: It was changed just now. Try again.`]);
  });

  it("has the page show what a turn did to its files where there is no editor that would", async () => {
    const { talk, done, file } = createPanelLab({ keepsLedger: true, reviews: new PageReviews() });
    const { agent, page, id } = await talk();
    await writesUntold(agent, file, "one\n2\n");
    await writesUntold(agent, file.replace("main", "second"), "new\n");
    const [turn = ""] = await until(() => turnsWith(page, 2));
    const second = file.replace("main", "second");
    const about = { type: "changes", conversation: id, turn } as const;
    const shown = async (): Promise<unknown> =>
      await until(() => page.messages.findLast((one) => one.type === "review" && !isList(one.about)));
    page.say({ ...about, action: "review" });
    expect(await shown()).toMatchObject({ about: { type: "past", turn, paths: [file, second] } });
    page.say({ ...about, action: "sides", path: file });
    const hunk = { state: "open", left: { start: 1, end: 2 }, right: { start: 1, end: 2 } };
    const sides = { path: file, before: "one\ntwo\n", after: "one\n2\n", hunks: [hunk] };
    await expect.poll(shown).toMatchObject({ about: { type: "past-sides", turn, sides } });
    // One change of a tool needs no ledger.
    const change = { path: file, before: "a\n", after: "b\n", isFragment: true };
    const tool = { kind: "tool", id: "t1", at: 0, tool: "edit", name: "Edit", title: "Edit", state: "done" } as const;
    agent.tell({ ...tool, changes: [change] });
    await until(() => page.link.conversation?.snapshot().entries.find(({ entry }) => entry.id === "t1"));
    page.say({ type: "open-diff", conversation: id, entry: "t1", path: file });
    await expect.poll(shown).toMatchObject({ about: { type: "past", paths: [file], sides: change } });
    expect(done).toEqual([]);
  });

  it("shows what an undo of several turns would bring back and leave, in the user's language, and then does it", async () => {
    const { talk, file } = createPanelLab({ keepsLedger: true, locale: "de" });
    const { agent, page, id } = await talk();
    const yours = file.replace("main", "yours");
    await writesUntold(agent, file, "1\ntwo\n");
    await writesUntold(agent, yours, "agent\n");
    agent.end("done");
    await until(() => turnsWith(page, 2));
    writeFileSync(yours, "mine\n");
    const prompt = page.link.conversation?.snapshot().entries[0]?.entry.id ?? "";
    page.say({ type: "rewind", conversation: id, prompt, dryRun: true });
    expect((await until(() => page.last("changes"))).about).toEqual({
      kind: "restoring",
      prompt,
      restoring: {
        canRewind: true,
        files: [
          { path: file, kind: "changed", fate: "back" },
          {
            path: yours,
            kind: "created",
            isNew: true,
            fate: "yours",
            reason: "Die Datei wurde seitdem geändert und bleibt.",
          },
        ],
      },
    });
    page.say({ type: "rewind", conversation: id, prompt, dryRun: false });
    await until(() => (readFileSync(file, "utf8") === "one\ntwo\n" ? true : undefined));
    expect(readFileSync(yours, "utf8")).toBe("mine\n");
  });

  it("has nothing to say of what turns changed where nobody keeps a ledger", async () => {
    const { talk, file } = createPanelLab();
    const { agent, page } = await talk();
    await writesUntold(agent, file, "1\ntwo\n");
    agent.end("done");
    const last = (): string | undefined => page.link.conversation?.snapshot().entries.at(-1)?.entry.kind;
    await until(() => (last() === "turn-end" ? true : undefined));
    expect(page.link.conversation?.status.turns).toEqual([]);
  });

  it("is told the whole conversation with its hello, and only there", async () => {
    const { talk, page } = createPanelLab();
    const { page: first, id } = await talk();
    const one = page(id);
    one.say({ type: "ready" });
    expect((await until(() => one.last("hello"))).open).toMatchObject({ id });
    expect(one.messages.filter(({ type }) => type === "conversation")).toEqual([]);
    first.say({ type: "resync", conversation: id });
    expect((await until(() => first.last("conversation"))).open).toMatchObject({ id });
  });

  it("has what Patchbay says in an agent's place in the user's language, and the agent's words as they are", async () => {
    const { talk } = createPanelLab({ locale: "de" });
    const { page, agent, id } = await talk();
    agent.say({
      type: "options",
      options: [
        {
          id: "mode",
          category: "mode",
          name: "Mode",
          value: "plan",
          values: [
            { id: "plan", name: "Never ask", description: "Everything runs without a question." },
            { id: "own", name: "Turbo", description: "Very fast." },
          ],
        },
      ],
    });
    const choices = [
      { id: "allow", name: "Allow", kind: "allow-once" },
      { id: "own", name: "Yes, please", kind: "allow-once" },
    ] as const;
    const reason = "Gemini CLI writes this file without having asked.";
    const question = { type: "permission", toolId: "t", title: "Edit", reason, choices } as const;
    const outcome = { type: "answered", summary: "Allow", isAllowed: true } as const;
    agent.tell({ kind: "question", id: "q", at: 0, question, outcome });
    page.say({ type: "resync", conversation: id });
    const open = await until(() => {
      const shown = page.last("conversation")?.open;
      return shown?.entries.some(({ entry }) => entry.id === "q") === true ? shown : undefined;
    });
    expect(open.options).toMatchObject([
      {
        name: "Modus",
        values: [
          { name: "Nie fragen", description: "Alles läuft ohne Frage." },
          { name: "Turbo", description: "Very fast." },
        ],
      },
    ]);
    expect(open.entries.at(-1)?.entry).toMatchObject({
      question: {
        reason: "Gemini CLI schreibt diese Datei, ohne gefragt zu haben.",
        choices: [{ name: "Erlauben" }, { name: "Yes, please" }],
      },
      outcome: { summary: "Erlauben" },
    });
  });

  it("changes the order of the queue", async () => {
    const { talk } = createPanelLab();
    const { page, id } = await talk();
    const queued = (): readonly unknown[] =>
      page.link.conversation?.status.queue.map(({ blocks: [block] }) => block?.type === "text" && block.text) ?? [];
    for (const text of ["a", "b", "c"]) page.say({ type: "send", conversation: id, blocks: [{ type: "text", text }] });
    await until(() => (queued().length === 3 ? true : undefined));
    const last = page.link.conversation?.status.queue.at(-1)?.id ?? "";
    page.say({ type: "queue", conversation: id, id: last, action: "earlier" });
    await until(() => (queued()[1] === "c" ? true : undefined));
    page.say({ type: "queue", conversation: id, id: last, action: "earlier" });
    page.say({ type: "queue", conversation: id, id: last, action: "earlier" });
    await until(() => (queued()[0] === "c" ? true : undefined));
    expect(queued()).toEqual(["c", "a", "b"]);
  });

  it("has what the user wrote taken also where the host was started anew since, and shows something else", async () => {
    const before = createPanelLab();
    const { id } = await before.talk();
    await before.panels.close();
    const { page, agents } = createPanelLab({ beside: before });
    const one = page();
    one.say({ type: "ready" });
    await until(() => one.last("hello"));
    one.say({ type: "send", conversation: id, blocks: [{ type: "text", text: "Sent while away" }] });
    const prompt = await until(() => agents[0]?.prompts[0]);
    expect(prompt.blocks).toEqual([{ type: "text", text: "Sent while away" }]);
  });

  it("puts a queued prompt that was changed back to its place", async () => {
    const { talk } = createPanelLab();
    const { page, id } = await talk();
    const waiting = () => page.link.conversation?.status.queue ?? [];
    const queued = (): readonly unknown[] =>
      waiting().map(({ blocks: [block] }) => block?.type === "text" && block.text);
    const send = (text: string, before?: readonly string[]): void =>
      page.say({
        type: "send",
        conversation: id,
        blocks: [{ type: "text", text }],
        ...(before === undefined ? {} : { before }),
      });
    for (const text of ["a", "b", "c"]) send(text);
    await until(() => (queued().length === 3 ? true : undefined));
    const [, taken, last] = waiting().map((prompt) => prompt.id);
    page.say({ type: "queue", conversation: id, id: taken ?? "", action: "edit" });
    send("B", [last ?? ""]);
    await until(() => (queued()[1] === "B" ? true : undefined));
    expect(queued()).toEqual(["a", "B", "c"]);
  });

  it("that is slow gets no queue of old patches", async () => {
    const { talk } = createPanelLab();
    const { page, agent } = await talk();
    const arrived = page.hold();
    page.messages.length = 0;
    for (const text of ["a", "b", "c"]) {
      agent.say({ type: "append", id: "m1", to: "message", text });
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(page.messages.filter(({ type }) => type === "patch").length).toBeLessThanOrEqual(1);
    arrived();
    await until(() => (JSON.stringify(page.messages).includes('"c"') ? true : undefined));
  });

  it("keeps what was written, also where it has gone on to another conversation by now", async () => {
    const { talk, panels } = createPanelLab();
    const { page, agent, id } = await talk();
    agent.end("done");
    page.say({ type: "new-conversation", agent: "claude" });
    await until(() => (page.link.conversation?.id === id ? undefined : true));
    page.say({ type: "send", conversation: id, blocks: [{ type: "text", text: "late" }] });
    page.say({ type: "draft", conversation: id, draft: { blocks: [{ type: "text", text: "typed" }], caret: 5 } });
    await until(() => (agent.prompts.length === 2 ? true : undefined));
    expect(panels.library.opened(id)?.conversation.snapshot().draft.blocks).toEqual([{ type: "text", text: "typed" }]);
  });

  it("that is closed ends an agent that has nothing to do, and leaves one alone that is at work", async () => {
    const { talk, panels, page } = createPanelLab();
    const { page: one, agent, id } = await talk();
    panels.disconnect(one.link, true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(agent.isClosed).toBe(false);
    const other = page(id);
    other.say({ type: "ready" });
    await until(() => other.last("hello"));
    agent.end("done");
    agent.say({ type: "state", state: { kind: "idle" } });
    await until(() => (other.link.conversation?.status.state.kind === "idle" ? true : undefined));
    expect(agent.isClosed).toBe(false);
    other.say({ type: "deselect" });
    await until(() => (agent.isClosed ? true : undefined));
    expect(panels.library.opened(id)).toBeUndefined();
    // It is on disk.
    other.say({ type: "select", conversation: id });
    expect(
      await until(() => other.messages.findLast((message) => message.type === "conversation" && message.open)),
    ).toMatchObject({
      open: { id },
    });
  });

  it("that is closed leaves an agent alone that goes on with something in the background, until that is stopped", async () => {
    const { talk, panels, page } = createPanelLab();
    const { page: one, agent, id } = await talk();
    agent.say({ type: "tasks", tasks: [{ id: "t1", kind: "command", title: "Serves", since: 0 }] });
    agent.end("done");
    agent.say({ type: "state", state: { kind: "idle" } });
    await until(() => (one.link.conversation?.status.state.kind === "idle" ? true : undefined));
    panels.disconnect(one.link, true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(agent.isClosed).toBe(false);
    const other = page(id);
    other.say({ type: "ready" });
    expect(await until(() => other.last("hello"))).toMatchObject({ open: { tasks: [{ title: "Serves" }] } });
    other.say({ type: "stop-task", conversation: id, id: "t1" });
    await until(() => (other.link.conversation?.status.tasks?.length === 0 ? true : undefined));
    expect(agent.stopped).toEqual(["t1"]);
    other.say({ type: "deselect" });
    await until(() => (agent.isClosed ? true : undefined));
  });

  it("shows no conversation that was deleted in another page", async () => {
    const { talk, page } = createPanelLab();
    const { page: one, id } = await talk();
    const other = page(id);
    other.say({ type: "ready" });
    await until(() => other.last("hello"));
    one.say({ type: "delete", conversation: id });
    await until(() => (other.link.conversation === undefined ? true : undefined));
    expect(other.last("conversation")).toEqual({ type: "conversation" });
  });

  it("finds conversations by what was said in them", async () => {
    const { talk } = createPanelLab();
    const { page, agent, id } = await talk();
    agent.tell({ kind: "message", id: "m1", at: 0, text: "About the lexer", isComplete: true });
    page.messages.length = 0;
    const ids = (): readonly string[] | undefined => page.last("conversations")?.conversations.map((one) => one.id);
    page.say({ type: "search", text: "nowhere" });
    await until(() => (ids()?.length === 0 ? true : undefined));
    page.say({ type: "search", text: "LEXER" });
    await until(() => (ids()?.length === 1 ? true : undefined));
    page.say({ type: "search", text: "" });
    expect(ids()).toEqual([id]);
  });

  it("begins a new conversation before a prompt, with its words to be changed and sent again", async () => {
    const { talk } = createPanelLab();
    const { page, agent, id } = await talk();
    agent.end("done");
    await until(() =>
      page.link.conversation?.snapshot().entries.at(-1)?.entry.kind === "turn-end" ? true : undefined,
    );
    const prompt = page.link.conversation?.snapshot().entries[0]?.entry.id ?? "";
    page.say({ type: "fork", conversation: id, upTo: prompt });
    const forked = await until(() =>
      page.last("conversation")?.open?.id === id ? undefined : page.last("conversation")?.open,
    );
    expect(forked).toMatchObject({ entries: [], draft: { blocks: [{ type: "text", text: "Do it" }], caret: 5 } });
  });

  it("shows the conversation that was chosen last, however long each takes to open", async () => {
    const { talk, page } = createPanelLab();
    const { page: one, agent, id } = await talk();
    agent.end("done");
    agent.say({ type: "state", state: { kind: "idle" } });
    const other = page();
    other.say({ type: "ready" });
    await until(() => other.last("hello"));
    other.say({ type: "new-conversation", agent: "claude" });
    const second = (await until(() => other.last("conversation")?.open)).id;
    await until(() => (one.link.conversation?.status.state.kind === "idle" ? true : undefined));
    one.say({ type: "deselect" });
    await until(() => (agent.isClosed ? true : undefined));
    // The first has to be read; the second is open.
    one.say({ type: "select", conversation: id });
    one.say({ type: "select", conversation: second });
    await until(() => (one.link.conversation?.id === second ? true : undefined));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(one.link.conversation?.id).toBe(second);
  });

  it("cannot make the host do what is no message, or what is about another conversation", async () => {
    const { talk, done } = createPanelLab();
    const { page, agent } = await talk();
    for (const message of [undefined, "ready", { type: "exec", command: "rm" }, { type: "send", blocks: 1 }])
      page.babble(message);
    page.say({ type: "stop", conversation: "another" });
    page.say({ type: "open-link", href: "https://example.org" });
    await until(() => (done.length > 0 ? true : undefined));
    expect(done).toEqual(["link https://example.org"]);
    expect(agent.prompts).toHaveLength(1);
  });
});

describe("what the agent tells of itself", () => {
  it("is asked of the agent that runs, and again after one of its servers was changed", async () => {
    const { talk } = createPanelLab();
    const { page, id: conversation } = await talk();
    page.say({ type: "facts", conversation });
    const first = await until(() => page.last("facts"));
    expect(first).toEqual({
      type: "facts",
      conversation,
      facts: { account: "you@example.com", servers: [{ name: "tracker", state: "connected", canChange: true }] },
    });
    page.say({ type: "mcp-server", conversation, name: "tracker", change: "disable" });
    const second = await until(() => (page.last("facts") === first ? undefined : page.last("facts")));
    expect(second.facts).toMatchObject({ servers: [{ state: "disabled" }] });
  });

  it("comes also where a server could not be changed, which is said", async () => {
    const lab = createPanelLab();
    const { page, id: conversation } = await lab.talk();
    page.say({ type: "mcp-server", conversation, name: "nobody", change: "reconnect" });
    await until(() => page.last("facts"));
    await until(() => (lab.done.some((what) => what.includes("There is no nobody.")) ? true : undefined));
  });

  it("is nothing where no agent runs, and starts none", async () => {
    const lab = createPanelLab();
    const { page, id: conversation } = await lab.talk();
    await lab.panels.library.opened(conversation)?.conversation.endAgent();
    const { length } = lab.agents;
    page.say({ type: "facts", conversation });
    expect(await until(() => page.last("facts"))).toMatchObject({ facts: null });
    expect(lab.agents).toHaveLength(length);
  });
});

/** The agent writes a file without asking, after its hook has told of it. */
async function writesUntold(agent: ScriptedAgent, path: string, text: string): Promise<void> {
  await agent.host.aboutToWrite?.(path);
  writeFileSync(path, text);
  agent.say({ type: "file-changed", path, isAsked: false });
}

/** The turns of the conversation that a page shows, once they have changed so many files. */
function turnsWith(page: TestPage, count: number): readonly string[] | undefined {
  const turns = page.link.conversation?.status.turns ?? [];
  return turns.flatMap(({ files }) => files).length === count ? turns.map(({ turn }) => turn) : undefined;
}
