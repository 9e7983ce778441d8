import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { createGeminiDriver, createQwenDriver, type MemoryDiffView, isMissing } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Review, ReviewRequest } from "../../src/companion.ts";
import { createWorkspaceLab, type EditorRun, portOf, type WorkspaceLab } from "../workspace-lab.ts";

const conversation = { id: "c1", agent: "gemini", agentName: "Gemini CLI" };
const proposed = "one\n2\n";

interface Setup extends WorkspaceLab, EditorRun {
  /** Asks as the conversation does; `by` asks another run. */
  ask(changes?: Partial<ReviewRequest>, by?: EditorRun): Promise<Review>;
}

/** A workspace whose companion was not started. */
function setUp(text?: string): Setup {
  const lab = createWorkspaceLab(text);
  const run = lab.build();
  const ask: Setup["ask"] = (changes = {}, { companion } = run) =>
    companion.review({ conversation, path: lab.file, text: proposed, isEditable: true, ...changes });
  return { ...lab, ...run, ask };
}

/** Does as an agent of a conversation does with its answer. */
async function write({ outcome }: Review, path: string): Promise<void> {
  const ended = await outcome;
  if (ended.kind === "accepted") writeFileSync(path, ended.text);
}

describe("a change that a conversation asks for", () => {
  it("is reviewed although nothing listens, and names its conversation in the lists", async () => {
    const { ask, companion, editor, file } = setUp();
    const review = await ask();
    const view = await editor.nextView();
    expect(view.request).toMatchObject({
      id: review.id,
      agentName: "Gemini CLI",
      path: file,
      kind: "change",
      originalText: "one\ntwo\n",
      proposedText: proposed,
    });
    expect(view.request.isReadOnly).toBeUndefined();
    expect(companion.proposals).toMatchObject([{ id: review.id, conversationId: "c1", state: "shown" }]);
    expect(companion.sessions).toEqual([]);
    expect(companion.state.kind).toBe("stopped");
    view.type("one\n2, or two\n");
    view.accept();
    expect(await review.outcome).toEqual({ kind: "accepted", text: "one\n2, or two\n", edited: true });
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
    expect(companion.proposals).toEqual([]);
    expect(await review.accept()).toBe(false);
  });

  it.each(["accept", "reject"] as const)("is settled in the diff, too, by %s in the conversation", async (verdict) => {
    const { ask, companion, editor } = setUp();
    await companion.start();
    const review = await ask();
    const view = await editor.nextView();
    view.type("typed\n");
    expect(await review[verdict]()).toBe(true);
    expect(await review.outcome).toEqual(
      verdict === "accept" ? { kind: "accepted", text: "typed\n", edited: true } : { kind: "rejected" },
    );
    await editor.ended(view);
    expect(await review[verdict]()).toBe(false);
    expect(companion.keptTexts).toEqual([]);
  });

  it("is reviewed where the port cannot be had, and stays under review when it can", async () => {
    const { build, file, agent } = createWorkspaceLab();
    const { server, port } = await listen();
    const { companion, editor } = build(undefined, port);
    await expect(companion.start()).rejects.toMatchObject({ code: "port-unavailable" });
    const review = await companion.review({ conversation, path: file, text: proposed, isEditable: true });
    const view = await editor.nextView();
    view.type("typed\n");
    await expect(companion.start()).rejects.toMatchObject({ code: "port-unavailable" });
    expect(companion.proposals).toMatchObject([{ conversationId: "c1" }]);
    await new Promise((resolve) => server.close(resolve));
    await companion.start();
    expect(portOf(companion)).toBe(port);
    const driver = await agent();
    editor.openFile(file);
    await driver.until("the file", (status) => status.view?.active === file);
    expect(companion.proposals).toMatchObject([{ id: review.id, edited: true }]);
    expect(await review.accept()).toBe(true);
    expect(companion.keptTexts).toEqual([]);
  });

  it("is not asked for once the editor closes", async () => {
    const { ask, companion } = setUp();
    const review = await ask();
    await companion.stop();
    expect(await review.outcome).toEqual({ kind: "stopped" });
    await expect(ask()).rejects.toMatchObject({ code: "stopped" });
  });

  it("stays asked when its view is closed, and comes back with what was typed", async () => {
    const { ask, companion, editor } = setUp();
    const review = await ask();
    const view = await editor.nextView();
    view.type("typed\n");
    view.closeByUser();
    await expect.poll(() => companion.proposals).toMatchObject([{ id: review.id, state: "hidden", edited: true }]);
    editor.forgetEndedViews();
    expect(await companion.reveal(review.id)).toBe(true);
    expect((await editor.nextView()).text).toBe("typed\n");
    expect(await review.accept()).toBe(true);
    expect(await review.outcome).toMatchObject({ text: "typed\n" });
  });

  it("is answered in the conversation after its view was closed", async () => {
    const { ask, companion, editor } = setUp();
    const review = await ask();
    (await editor.nextView()).closeByUser();
    await expect.poll(() => companion.proposals).toMatchObject([{ state: "hidden" }]);
    expect(await review.accept()).toBe(true);
    expect(await review.outcome).toEqual({ kind: "accepted", text: proposed, edited: false });
  });

  it("gives way to a newer one of its conversation for the file, and to none of another", async () => {
    const { ask, companion } = setUp();
    const first = await ask();
    const other = await ask({ conversation: { id: "c2", agent: "claude", agentName: "Claude Code" } });
    const second = await ask({ text: "one\nII\n" });
    expect(await first.outcome).toEqual({ kind: "superseded" });
    expect(companion.proposals.map(({ id }) => id)).toEqual([other.id, second.id]);
  });

  it("is asked about first where it leaves the workspace, and refused where its path is none", async () => {
    const { ask, companion, editor, platform } = setUp();
    await expect(ask({ path: "main.ts" })).rejects.toMatchObject({ code: "path-refused" });
    const review = await ask({ path: join(platform.root, "outside.txt") });
    await editor.messages.next("outside-workspace");
    expect(companion.proposals).toMatchObject([{ id: review.id, kind: "create", state: "asking" }]);
    expect(editor.openViews).toEqual([]);
  });

  it("is merged onto a file that has changed since its agent read it", async () => {
    const { ask, editor, file } = setUp("one\ntwo\nthree\n");
    const review = await ask({ base: "one\ntwo\n", text: "1\ntwo\n" });
    const view = await editor.nextView();
    expect(view).toMatchObject({ originalText: "one\ntwo\nthree\n", text: "1\ntwo\nthree\n", standing: "merged" });
    await review.accept();
    await write(review, file);
    expect(readFileSync(file, "utf8")).toBe("1\ntwo\nthree\n");
  });
});

describe("what was typed into a change of a conversation", () => {
  it("is kept when the question is taken back, and taken up when it is asked again", async () => {
    const { ask, companion, editor } = setUp();
    const review = await ask();
    (await editor.nextView()).type("typed\n");
    review.withdraw();
    expect(await review.outcome).toEqual({ kind: "agent-gone" });
    expect(companion.keptTexts).toMatchObject([{ id: review.id, reason: "withdrawn", isShown: true }]);
    expect(await review.reject()).toBe(false);
    const other = await ask({ text: "something else\n" });
    expect(companion.keptTexts).toHaveLength(1);
    other.withdraw();
    const again = await ask();
    expect(companion.keptTexts).toEqual([]);
    expect((await editor.nextView(({ request }) => request.id === again.id)).text).toBe("typed\n");
    await again.accept();
    expect(await again.outcome).toEqual({ kind: "accepted", text: "typed\n", edited: true });
  });

  it("is kept when the agent's process has ended; an untouched review goes", async () => {
    const { ask, companion, editor, platform } = setUp();
    const review = await ask();
    const untouched = await ask({ path: join(platform.workspace, "new.ts") });
    const view = await editor.nextView(({ request }) => request.id === review.id);
    view.type("typed\n");
    companion.conversationEnded("c2");
    companion.conversationEnded("c1");
    expect(await review.outcome).toEqual({ kind: "agent-gone" });
    expect(await untouched.outcome).toEqual({ kind: "agent-gone" });
    await expect.poll(() => editor.openViews).toEqual([view]);
    expect(view.agentPresent).toBe(false);
    expect(companion.keptTexts).toMatchObject([{ id: review.id, reason: "agent-exited" }]);
  });

  it("survives a reload as a kept text, and a continued conversation takes it up on the file as it is then", async () => {
    const { ask, build, companion, editor, file, platform } = setUp("one\ntwo\nthree\n");
    await companion.start();
    const first = await ask({ text: "1\ntwo\nthree\n" });
    await ask({ path: join(platform.workspace, "new.ts") });
    (await editor.nextView(({ request }) => request.id === first.id)).type("1, or one\ntwo\nthree\n");
    const stopping = companion.stop({ reload: true });
    // Its process ends with the editor's.
    companion.conversationEnded("c1");
    await stopping;

    const next = build();
    await next.companion.start();
    await next.companion.restored;
    const kept = await next.editor.nextView();
    expect(kept).toMatchObject({ text: "1, or one\ntwo\nthree\n", agentPresent: false });
    expect(next.companion.proposals).toMatchObject([{ conversationId: "c1", state: "kept" }]);
    expect(next.companion.keptTexts).toMatchObject([{ reason: "agent-exited", path: file }]);
    writeFileSync(file, "one\ntwo\nthree\nfour\n");
    const again = await ask({ text: "1\ntwo\nthree\n" }, next);
    const view = await next.editor.nextView(({ request }) => request.id === again.id);
    expect(view).toMatchObject({ text: "1, or one\ntwo\nthree\nfour\n", standing: "merged", agentPresent: true });
    await next.editor.ended(kept);
    expect(next.companion.keptTexts).toEqual([]);
  });
});

describe("a review that cannot be edited", () => {
  const opened = async (setup: Setup): Promise<{ readonly review: Review; readonly view: MemoryDiffView }> => {
    const review = await setup.ask({ text: "1\ntwo\nthree\n", isEditable: false });
    return { review, view: await setup.editor.nextView() };
  };

  it("says so, and is accepted as it came", async () => {
    const { review, view } = await opened(setUp("one\ntwo\nthree\n"));
    expect(view.request.isReadOnly).toBe(true);
    view.accept();
    expect(await review.outcome).toEqual({ kind: "accepted", text: "1\ntwo\nthree\n", edited: false });
  });

  it("is accepted at the second go where its file has changed: the agent writes what it likes", async () => {
    const setup = setUp("one\ntwo\nthree\n");
    const { review, view } = await opened(setup);
    writeFileSync(setup.file, "one\ntwo\n3\n");
    expect(await review.accept()).toBe(false);
    await setup.editor.messages.next("not-accepted-changed-read-only");
    await setup.editor.viewBecomes(view, ({ text }) => text === "1\ntwo\n3\n");
    expect(await review.accept()).toBe(true);
    expect(await review.outcome).toMatchObject({ kind: "accepted", edited: false });
  });

  it("is refused where the same lines have changed: nobody could resolve that", async () => {
    const setup = setUp("one\ntwo\nthree\n");
    const { review } = await opened(setup);
    writeFileSync(setup.file, "I\ntwo\nthree\n");
    expect(await review.accept()).toBe(false);
    expect(await review.accept()).toBe(false);
    await setup.editor.messages.next("not-accepted-conflict-read-only");
    expect(await review.reject()).toBe(true);
  });
});

describe("conversations and agents in terminals", () => {
  it("on one file: accepting all leaves the changes of both in it", async () => {
    const setup = setUp("one\ntwo\nthree\nfour\nfive\n");
    const { agent, ask, companion, editor, file } = setup;
    await companion.start();
    const proposal = (await agent()).propose({ path: file, text: "one\ntwo\nthree\nfour\n5\n" });
    await editor.nextView();
    const review = await ask({ text: "1\ntwo\nthree\nfour\nfive\n" });
    const written = write(review, file);
    expect(companion.proposals.map(({ conversationId }) => conversationId)).toEqual([undefined, "c1"]);
    expect(await companion.acceptAll()).toEqual([]);
    await Promise.all([proposal.outcome, written]);
    expect(readFileSync(file, "utf8")).toBe("1\ntwo\nthree\nfour\n5\n");
    // It has its answer: nothing of it is left when it goes.
    companion.conversationEnded("c1");
    expect(await companion.reveal(review.id)).toBe(false);
    expect(companion.keptTexts).toEqual([]);
    expect(editor.shownMessages).toEqual([]);
  });

  it.skipIf(isMissing("facts about processes"))(
    "an agent that the editor runs itself is not let in, nor what it has started; others are",
    async () => {
      const { agent, companion } = setUp();
      await companion.start();
      const asked: number[] = [];
      companion.excludeProcesses((pid) => asked.push(pid) > 0 && pid === process.ppid);
      // The driver runs in this process, which its parent has started.
      await expect(agent(createGeminiDriver)).rejects.toThrow();
      expect(asked).toEqual([process.pid, process.ppid]);
      expect(companion.sessions).toEqual([]);
      companion.excludeProcesses(() => false);
      await agent(createGeminiDriver);
      expect(companion.sessions).toHaveLength(1);
    },
  );

  it.skipIf(isMissing("facts about processes"))(
    "is known by its connection when somebody asks, before it has proposed anything",
    async () => {
      const { agent, companion } = setUp();
      await companion.start();
      await agent(createQwenDriver);
      const [session] = companion.sessions;
      expect(session?.pid).toBeUndefined();
      expect(await companion.processOf(session?.id ?? "")).toBe(process.pid);
      expect(companion.sessions[0]?.pid).toBe(process.pid);
      expect(await companion.processOf("none")).toBeUndefined();
    },
  );
});

async function listen(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { server, port: address.port };
}

describe("a change that is asked for before the one before it is written", () => {
  it("stands on what was accepted, and the file does not take that back", async () => {
    const { ask, editor, file } = setUp("one\ntwo\nthree\n");
    const ahead = { conversation: { ...conversation, asksAhead: true } };
    const first = await ask({ ...ahead, text: "1\ntwo\nthree\n", base: "one\ntwo\nthree\n" });
    (await editor.nextView()).accept();
    expect(await first.outcome).toMatchObject({ kind: "accepted" });
    const second = await ask({ ...ahead, text: "1\ntwo\n3\n", base: "1\ntwo\nthree\n" });
    const view = await editor.nextView();
    expect(view.request).toMatchObject({ originalText: "1\ntwo\nthree\n", proposedText: "1\ntwo\n3\n", path: file });
    view.accept();
    expect(await second.outcome).toMatchObject({ kind: "accepted", text: "1\ntwo\n3\n" });
  });
});
