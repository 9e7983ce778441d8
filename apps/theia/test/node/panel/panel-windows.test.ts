import { join } from "node:path";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { PuppetAgent } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settle } from "../../support/backend.ts";
import { PanelBackend, type PanelEnd } from "../../support/panel-window.ts";

type Message = Readonly<Record<string, unknown>>;
type Page = Awaited<ReturnType<PanelEnd["openPage"]>>;

const messagesOf = (page: Page): readonly Message[] => page.messages.map((message) => Object(message));
const textOf = (page: Page): string => JSON.stringify(page.messages);
const patience = { timeout: 10_000 };

describe("the panel of several windows", () => {
  let panel: PanelBackend;
  let agent: PuppetAgent;

  beforeEach(async () => {
    agent = await PuppetAgent.create(realpathSync(mkdtempSync(join(tmpdir(), "patchbay-theia-panel-"))));
    panel = new PanelBackend();
  });

  afterEach(async () => {
    await panel.end();
    await agent.dispose();
  });

  async function open(name: string, folder?: string): Promise<PanelEnd> {
    const window = await panel.open(name, folder);
    window.agents = { [agent.id]: { name: agent.name, program: agent.program } };
    return window;
  }

  /** A page in which the agent has its first prompt. */
  async function talk(window: PanelEnd): Promise<{ readonly page: Page; readonly id: string }> {
    const page = await window.openPage();
    await page.say({ type: "ready" });
    await page.say({ type: "new-conversation", agent: agent.id });
    const opened = await expect
      .poll(() => messagesOf(page).find(({ type }) => type === "conversation"), patience)
      .toBeDefined()
      .then(() => messagesOf(page).find(({ type }) => type === "conversation"));
    const id = String(Object(opened?.["open"])["id"]);
    await page.say({ type: "send", conversation: id, blocks: [{ type: "text", text: "Begin" }] });
    await expect.poll(() => agent.prompts.length, patience).toBe(1);
    return { page, id };
  }

  it("adds an agent that has answered to the preferences of the window that asked for it", async () => {
    const window = await open("one");
    const page = await window.openPage();
    await page.say({ type: "ready" });
    window.wishes.push({ kind: "try", command: agent.program }, { kind: "save", name: "Mine" });
    await page.say({ type: "add-agent" });
    const added = { name: "Mine", program: agent.program, args: [] };
    await expect
      .poll(() => window.opened, patience)
      .toEqual([`trying ${agent.program}`, `mine: ${JSON.stringify(added)}`]);
    expect(window.asks).toMatchObject([{ command: "" }, { command: agent.program, trial: { kind: "answered" } }]);
  });

  it("goes on over the end of a window, and the next one is told everything", async () => {
    const first = await open("one");
    const { id } = await talk(first);
    first.close();
    agent.do({ act: "say", text: "while nobody looked" });
    const second = await open("two");
    const page = await second.openPage();
    await page.say({ type: "ready", conversation: id });
    await expect.poll(() => textOf(page), patience).toContain("while nobody looked");
    expect([agent.starts, agent.running]).toEqual([1, 1]);
  });

  it("tells pages everything anew over a new connection, without their asking", async () => {
    const window = await open("one");
    const { page } = await talk(window);
    await page.leave();
    window.cut();
    agent.do({ act: "say", text: "behind the cut" });
    await page.comeBack();
    await window.attach();
    await expect.poll(() => textOf(page), patience).toContain("behind the cut");
  });

  it("keeps conversations from windows on other folders", async () => {
    const { id } = await talk(await open("one"));
    agent.do({ act: "say", text: "a secret of one folder" });
    const stranger = await open("two", join(panel.machine.root, "another"));
    const page = await stranger.openPage();
    await page.say({ type: "ready", conversation: id });
    await page.say({ type: "select", conversation: id });
    await page.say({ type: "search", text: "secret" });
    await expect.poll(() => messagesOf(page).filter(({ type }) => type === "hello").length, patience).toBe(1);
    await expect.poll(() => stranger.server.run({ kind: "show", conversation: id }), patience).toBe("done");
    expect(textOf(page)).not.toContain("a secret");
    expect(textOf(page)).not.toContain(id);
  });

  it("reaches nothing before its window is attached to a workspace", async () => {
    const window = await open("one");
    window.close();
    await expect(window.server.run({ kind: "begin" })).rejects.toThrow("Open a folder first");
  });

  it("says in every window how many questions wait, and tells it where nobody sees it", async () => {
    const window = await open("one");
    const { page } = await talk(window);
    await page.leave();
    agent.do({ act: "ask", command: "make" });
    const other = await open("two");
    await expect.poll(() => window.window.statuses.at(-1)?.questions, patience).toBe(1);
    await expect.poll(() => other.window.statuses.at(-1)?.questions, patience).toBe(1);
    const told = [window, other].flatMap((one) => one.window.editor.messages.shown.map(({ message }) => message.text));
    expect(told).toEqual([expect.stringMatching(/is waiting for your answer: Begin/u)]);
  });

  it("tells what waits also where no window has a page of it", async () => {
    const window = await open("one");
    const { page } = await talk(window);
    await page.say({ type: "deselect" });
    window.server.notifyClosed("page-1");
    agent.do({ act: "ask", command: "make" });
    await expect.poll(() => window.window.statuses.at(-1)?.questions, patience).toBe(1);
    await expect.poll(() => window.window.editor.messages.shown.length, patience).toBe(1);
  });

  it("outlasts the time for which an unused workspace is kept, as long as a turn runs", async () => {
    const window = await open("one");
    const { id } = await talk(window);
    window.close();
    await settle();
    await panel.backend.clock.advanceAsync(400_000);
    await settle();
    agent.do({ act: "say", text: "still at work" });
    const later = await open("two");
    const page = await later.openPage();
    await page.say({ type: "ready", conversation: id });
    await expect.poll(() => textOf(page), patience).toContain("still at work");
    later.close();
    await settle();
    agent.do({ act: "end" });
    const running = async (): Promise<number> => {
      await panel.backend.clock.advanceAsync(400_000);
      return agent.running;
    };
    await expect.poll(running, patience).toBe(0);
  });

  it("has what a turn of it changed in the list of what agents changed", async () => {
    const window = await open("one");
    const path = join(window.folder, "a.txt");
    writeFileSync(path, "one\n");
    // Without a repository, open files are looked at.
    window.window.editor.openFile(path);
    await settle();
    await talk(window);
    writeFileSync(path, "two\n");
    agent.do({ act: "end" });
    const turns = (await panel.backend.workspaces.companionOf(window.window))?.turns;
    // The agent has told of nothing that it did.
    const files = [{ path, kind: "changed", attribution: "unknown", review: "unreviewed" }];
    await expect
      .poll(() => turns?.list(), patience)
      .toMatchObject([{ agents: [agent.name], prompt: "Begin", border: "exact", ended: expect.any(Number), files }]);
  });

  it("starts nothing in a folder that nobody trusts, and says why", async () => {
    const window = await open("one");
    const { server } = window.window;
    if (server !== undefined) await window.window.attach(server, { trusted: false });
    const page = await window.openPage();
    await page.say({ type: "ready" });
    await expect.poll(() => textOf(page), patience).toContain('"notice":"Not trusted."');
    await page.say({ type: "new-conversation", agent: agent.id });
    await expect.poll(() => textOf(page), patience).toContain('"reason":"Not trusted."');
    expect(agent.starts).toBe(0);
  });
});
