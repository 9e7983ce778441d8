import { strict as assert } from "node:assert";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PuppetAgent } from "../conversations/puppet-agent.ts";
import type { TestRunner } from "./contract-case.ts";
import { list, type PanelPageControls, record, SeenPage, until } from "./panel-page.ts";

/** One host of a panel, in the hands of a test. */
export interface PanelHostControls {
  /** Absolute path of the folder that is open, an empty one in which the contract may make files. */
  readonly folder: string;
  /** Makes one more page, whose document has started and said nothing yet. */
  openPage(): Promise<PanelPageControls>;
  /** Warnings and errors that were logged so far. */
  logged(): readonly string[];
  /** The user closes the window, or quits. Resolves when the host has done what it does then. */
  close(): Promise<void>;
  /** Removes what is left; also after `close`. */
  dispose(): Promise<void>;
}

export interface PanelHostContractOptions {
  /** E.g. `{ describe, it }` of vitest. */
  readonly runner: TestRunner;
  /** A host in whose settings this agent stands, by its id, name and program; a new one for each test. */
  readonly create: (agent: Pick<PuppetAgent, "id" | "name" | "program">) => Promise<PanelHostControls>;
}

/** Declares the tests of what every host of the panel must do, whatever carries its messages. */
export function panelHostContract({ runner, create }: PanelHostContractOptions): void {
  const test = (name: string, body: (one: PanelCase) => Promise<void>): unknown =>
    runner.it(name, async () => {
      const place = await realpath(await mkdtemp(join(tmpdir(), "patchbay-panel-host-")));
      const agent = await PuppetAgent.create(place);
      try {
        const host = await create(agent);
        try {
          await body(new PanelCase(host, agent));
        } finally {
          await host.dispose();
        }
      } finally {
        await agent.dispose();
        await rm(place, { recursive: true, force: true });
      }
    });

  runner.describe("the contract of a panel's host", () => {
    test("answers each ready with everything, says nothing before, and starts nothing for it", async (one) => {
      const page = await one.open();
      assert.deepEqual(page.controls.messages, []);
      const hello = await page.ready();
      assert.deepEqual(hello["settings"], { ...record(hello["settings"]), folders: [one.host.folder] });
      assert.ok(Object.keys(record(hello["strings"])).length > 100, "it has the texts of the page");
      assert.ok(list(hello["agents"]).some((agent) => record(agent)["id"] === one.agent.id));
      assert.deepEqual(list(hello["conversations"]), []);
      await page.ready();
      assert.equal(one.agent.starts, 0);
    });

    test("shows the newest entries, and the earlier ones when they are asked for", async (one) => {
      const { page, id } = await one.talk();
      one.agent.do({ act: "use-tools", count: 100 });
      one.agent.do({ act: "end" });
      await page.until(({ open }) => open?.entries.at(-1)?.entry.kind === "turn-end");
      await page.reload();
      const first = page.open?.entries[0]?.place ?? 0;
      assert.equal(page.open?.entries.length, 60);
      await page.controls.say({ type: "older", conversation: id, before: first });
      const older = await page.next("page");
      const entries = list(older["entries"]).map(record);
      assert.equal(entries.at(-1)?.["place"], first - 1);
      assert.equal(record(entries[0]?.["entry"])["kind"], "prompt");
    });

    test("tells a page that is reloaded in the middle of an answer all of it, and goes on from there", async (one) => {
      const { page, id } = await one.talk();
      one.agent.do({ act: "say", text: "one " });
      await page.until(({ text }) => text.includes("one "));
      await page.controls.leave();
      one.agent.do({ act: "say", text: "two " });
      await page.controls.comeBack();
      await page.ready(id);
      one.agent.do({ act: "say", text: "three" });
      one.agent.do({ act: "end" });
      await page.until(({ open, text }) => text.includes("one two three") && open?.state.kind === "idle");
      assert.equal(one.agent.starts, 1);
      assert.deepEqual(one.agent.prompts, ["Begin"]);
    });

    test("has an open question again after a reload, and its answer reaches the agent once", async (one) => {
      const { page, id } = await one.talk();
      one.agent.do({ act: "ask", command: "make all" });
      await page.until(({ question }) => question !== undefined);
      await page.reload();
      const { question } = page;
      assert.equal(question?.entry.question.type === "permission" && question.entry.question.command, "make all");
      const answer = { type: "choice", choiceId: "yes" };
      for (let time = 0; time < 2; time += 1) {
        await page.controls.say({ type: "answer", conversation: id, id: question?.entry.id, answer });
      }
      await page.until((now) => now.question === undefined);
      one.agent.do({ act: "end" });
      await page.until(({ open }) => open?.state.kind === "idle");
      assert.deepEqual(one.agent.answers, ["yes"]);
    });

    test("settles a change that is allowed in the page", async (one) => {
      const { page, id } = await one.talk();
      const path = join(one.host.folder, "a.txt");
      await writeFile(path, "one\n");
      one.agent.do({ act: "ask-change", path, before: "one\n", after: "two\n" });
      const { question } = await page.until((now) => now.question !== undefined);
      const answer = { type: "choice", choiceId: "yes" };
      await page.controls.say({ type: "answer", conversation: id, id: question?.entry.id, answer });
      await page.until((now) => now.question === undefined);
      await until(() => one.agent.answers.length > 0);
      assert.deepEqual(one.agent.answers, ["yes"]);
    });

    test("shows what a turn changed, undoes it and brings it back, as the ledger has it", async (one) => {
      const { page, id } = await one.talk();
      const path = join(one.host.folder, "a.txt");
      await writeFile(path, "one\n");
      one.agent.do({ act: "ask-change", path, before: "one\n", after: "two\n" });
      const { question } = await page.until((now) => now.question !== undefined);
      const answer = { type: "choice", choiceId: "yes" };
      await page.controls.say({ type: "answer", conversation: id, id: question?.entry.id, answer });
      await until(() => one.agent.answers.length > 0);
      // As an agent does that writes by itself.
      await writeFile(path, "two\n");
      one.agent.do({ act: "end" });
      await page.until(({ open }) => open?.turns.at(-1)?.files[0]?.path === path && open.state.kind === "idle");
      const [turn] = page.open?.turns ?? [];
      assert.deepEqual([turn?.files.length, turn?.files[0]?.kind, turn?.files[0]?.mark], [1, "changed", "exact"]);
      const about = { type: "changes", conversation: id, turn: turn?.turn, path };
      await page.controls.say({ ...about, action: "undo" });
      await page.until(({ open }) => open?.turns[0]?.files[0]?.state === "undone");
      assert.equal(await readFile(path, "utf8"), "one\n");
      await page.reload();
      await page.until(({ open }) => open?.turns[0]?.files[0]?.canRedo === true);
      await page.controls.say({ ...about, action: "redo" });
      await page.until(({ open }) => open?.turns[0]?.files[0]?.canRedo === false);
      assert.equal(await readFile(path, "utf8"), "two\n");
    });

    test("has two pages on one conversation: both see all of it, and an answer in one settles the other", async (one) => {
      const { page, id } = await one.talk();
      const other = await one.open();
      await other.ready(id);
      one.agent.do({ act: "say", text: "to both" });
      one.agent.do({ act: "ask", command: "make" });
      await page.until(({ text, question }) => text.includes("to both") && question !== undefined);
      const { question } = await other.until((now) => now.text.includes("to both") && now.question !== undefined);
      const answer = { type: "choice", choiceId: "no" };
      await other.controls.say({ type: "answer", conversation: id, id: question?.entry.id, answer });
      await page.until((now) => now.question === undefined);
      await other.controls.leave();
      one.agent.do({ act: "say", text: " and to one" });
      await page.until(({ text }) => text.includes("and to one"));
      assert.deepEqual(one.agent.answers, ["no"]);
    });

    test("keeps what was begun to be written, and tells it to the other pages", async (one) => {
      const { page, id } = await one.talk();
      const other = await one.open();
      await other.ready(id);
      const draft = { blocks: [{ type: "text", text: "Half a" }], caret: 6, at: 7 };
      await page.controls.say({ type: "draft", conversation: id, draft });
      assert.deepEqual((await other.next("draft"))["draft"], draft);
      await page.reload();
      assert.deepEqual(page.open?.draft, draft);
    });

    test("prompts once what is sent twice under one name", async (one) => {
      const { page, id } = await one.talk();
      one.agent.do({ act: "end" });
      await page.until(({ open }) => open?.state.kind === "idle");
      const send = {
        type: "send",
        conversation: id,
        id: "0b5d5c1e-7e4f-4c5e-8a1c-1f2e3d4c5b6a",
        blocks: [{ type: "text", text: "Only once" }],
      };
      await page.controls.say(send);
      await until(() => one.agent.prompts.length === 2);
      await page.reload();
      await page.controls.say(send);
      one.agent.do({ act: "end" });
      await page.until(({ open }) => open?.state.kind === "idle");
      await page.controls.say({ ...send, id: "0b5d5c1e-7e4f-4c5e-8a1c-1f2e3d4c5b6b" });
      await until(() => one.agent.prompts.length > 2);
      assert.deepEqual(one.agent.prompts, ["Begin", "Only once", "Only once"]);
      assert.deepEqual(page.open?.queue, []);
    });

    test("logs what is no message of a page, and goes on", async (one) => {
      const { page, id } = await one.talk();
      const before = one.host.logged().length;
      const babble = [
        {},
        "ready",
        7,
        [],
        { type: "exec", command: "rm" },
        { type: "send", conversation: id, blocks: 1 },
      ];
      for (const message of babble) await page.controls.say(message);
      await until(() => one.host.logged().length >= before + babble.length);
      await page.controls.say({ type: "draft", conversation: "no-such-one", draft: { blocks: [], caret: 0 } });
      await page.controls.say({ type: "send", conversation: "no-such-one", blocks: [{ type: "text", text: "Lost" }] });
      one.agent.do({ act: "say", text: "still here" });
      await page.until(({ text }) => text.includes("still here"));
      assert.deepEqual(one.agent.prompts, ["Begin"]);
    });

    test("sends the whole conversation to a page that has missed a part", async (one) => {
      const { page, id } = await one.talk();
      one.agent.do({ act: "say", text: "all of it" });
      await page.until(({ text }) => text.includes("all of it"));
      await page.controls.say({ type: "resync", conversation: id });
      const whole = await page.next("conversation");
      assert.ok(JSON.stringify(whole["open"]).includes("all of it"));
    });

    test("goes on without any page, and loses nothing of it", async (one) => {
      const { page, id } = await one.talk();
      await page.controls.leave();
      one.agent.do({ act: "say", text: "unseen" });
      one.agent.do({ act: "ask", command: "make unseen" });
      await page.controls.comeBack();
      await page.ready(id);
      await page.until(({ text, question }) => text.includes("unseen") && question !== undefined);
    });

    test("ends all that it has started when it is closed, also in the middle of a turn", async (one) => {
      const { page } = await one.talk();
      one.agent.do({ act: "say", text: "working" });
      await page.until(({ text }) => text.includes("working"));
      assert.equal(one.agent.running, 1);
      await one.host.close();
      await until(() => one.agent.running === 0);
    });
  });
}

/** One test of the contract: a host, its agent, and short words for what all tests do. */
class PanelCase {
  readonly host: PanelHostControls;
  readonly agent: PuppetAgent;

  constructor(host: PanelHostControls, agent: PuppetAgent) {
    this.host = host;
    this.agent = agent;
  }

  async open(): Promise<SeenPage> {
    return new SeenPage(await this.host.openPage());
  }

  /** A page with a conversation in which the agent has been sent its first prompt, `Begin`. */
  async talk(): Promise<{ readonly page: SeenPage; readonly id: string }> {
    const page = await this.open();
    await page.ready();
    await page.controls.say({ type: "new-conversation", agent: this.agent.id });
    const { open } = await page.until((now) => now.open !== undefined);
    const id = open?.id ?? "";
    await page.controls.say({ type: "send", conversation: id, blocks: [{ type: "text", text: "Begin" }] });
    await until(() => this.agent.prompts.length > 0);
    return { page, id };
  }
}
