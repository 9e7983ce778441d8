import {
  createMemoryEditor,
  createMemoryPlatform,
  type FakeClock,
  type FakeProcess,
  type MemoryEditor,
} from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { ContextTracker } from "../../src/context/context-tracker.ts";
import { createSharingPolicy } from "../../src/context/sharing-policy.ts";
import { claude } from "../../src/agents/claude/agent.ts";
import { gemini } from "../../src/agents/gemini/agent.ts";
import { qwen } from "../../src/agents/qwen/agent.ts";
import type { Dialect, DialectEngine } from "../../src/agents/dialect.ts";
import { DiffRegistry } from "../../src/diff/diff-registry.ts";
import { emptyProposalStore, type ProposalStore } from "../../src/diff/stored-proposals.ts";
import { ownerOf } from "../diff/registry-under-test.ts";
import type { ProposalOwner } from "../../src/diff/proposal.ts";
import { SessionRegistry } from "../../src/session/session-registry.ts";
import { nullLogger } from "../../src/support/logger.ts";
import { HandTransport } from "./hand-transport.ts";

interface Setup {
  readonly editor: MemoryEditor;
  readonly sessions: SessionRegistry;
  readonly diffs: DiffRegistry;
  readonly logged: readonly string[];
  readonly clock: FakeClock;
  readonly tracker: ContextTracker;
  readonly process: FakeProcess;
  /** Sessions whose end was told. */
  readonly ended: readonly string[];
  /** Sessions that have just been given something to write. */
  readonly atWork: Set<string>;
  /** Lets the engine be loaded. */
  readonly load: () => void;
  /** The next engine that is asked for cannot be loaded. */
  readonly failOnce: () => void;
  /** A session that comes back by its id, by default Gemini CLI's. */
  accept(transport: HandTransport, sessionId?: string): Promise<void>;
}

function start(store: ProposalStore = emptyProposalStore): Setup {
  const platform = createMemoryPlatform();
  const editor = createMemoryEditor({ folders: ["/ws"] });
  const loads: (() => void)[] = [];
  const failures: Error[] = [];
  const logged: string[] = [];
  const ended: string[] = [];
  const atWork = new Set<string>();
  const loaded = new Promise<void>((resolve) => loads.push(resolve));
  const dialects = [gemini, qwen, claude].map(
    (dialect): Dialect => ({
      ...dialect,
      load: async (): Promise<DialectEngine> => {
        await loaded;
        const failure = failures.pop();
        if (failure !== undefined) throw failure;
        if (dialect.load === undefined) throw new Error("It does not speak.");
        return await dialect.load();
      },
    }),
  );
  const policy = createSharingPolicy({ shareSelection: true });
  const tracker = new ContextTracker({ host: editor, clock: platform.clock, policy }).follow();
  const sessions: SessionRegistry = new SessionRegistry({
    host: editor,
    platform,
    logger: { ...nullLogger, info: (message) => void logged.push(message) },
    dialects,
    tracker,
    realFolders: async () => ["/ws"],
    diffs: () => diffs,
    onDidEnd: ({ sessionId }) => void ended.push(sessionId),
    isAtWork: (sessionId) => atWork.has(sessionId),
  });
  const diffs: DiffRegistry = new DiffRegistry({
    host: editor,
    clock: platform.clock,
    random: platform.random,
    files: platform.files,
    logger: nullLogger,
    store,
    carrier: sessions,
  });
  return {
    editor,
    sessions,
    diffs,
    logged,
    clock: platform.clock,
    process: platform.process,
    ended,
    atWork,
    tracker,
    load: () => loads[0]?.(),
    failOnce: () => void failures.push(new Error("too many open files")),
    accept: (transport, sessionId = "gemini.one") =>
      sessions.accept({
        sessionId,
        transport,
        headers: {},
        initialize: undefined,
        dialectHint: sessionId.slice(0, sessionId.indexOf(".")),
        tokenName: "gemini",
      }),
  };
}

describe("session registry", () => {
  it("a session whose connection ended while its engine was loaded leaves nothing behind", async () => {
    const { accept, load, sessions } = start();
    const accepting = accept(new HandTransport());
    sessions.ended("gemini.one", "deleted");
    load();
    await expect(accepting).rejects.toMatchObject({ code: "stopped" });
    expect(sessions.all).toEqual([]);
  });

  it("an engine that could not be loaded is loaded anew for the next agent", async () => {
    const { accept, failOnce, load, sessions } = start();
    load();
    failOnce();
    await expect(accept(new HandTransport())).rejects.toThrow("too many open files");
    await accept(new HandTransport(), "gemini.two");
    expect(sessions.all.map(({ id }) => id)).toEqual(["gemini.two"]);
  });

  it("an agent is known by the token it has read, whatever it says of itself, where it comes the way of that agent", async () => {
    const { sessions } = start();
    const saysGemini = {
      clientInfo: { name: "streamable-http-client", version: "0.61.0" },
      protocolVersion: "2025-06-18",
    };
    const known = (
      tokenName: string,
      transport: "streamable-http" | "websocket" = "streamable-http",
    ): Promise<string> =>
      sessions.recognise({ transport, headers: {}, initialize: saysGemini, tokenName, ports: undefined });
    expect(await known("gemini")).toBe("gemini");
    expect(await known("qwen")).toBe("qwen");
    expect(await known("claude")).toBe("gemini");
    expect(await known("qwen", "websocket")).toBe("claude");
  });

  it("nobody is let in after the stop", async () => {
    const { accept, load, sessions } = start();
    const accepting = accept(new HandTransport());
    await sessions.stop();
    load();
    await expect(accepting).rejects.toMatchObject({ code: "stopped" });
    expect(sessions.all).toEqual([]);
  });

  it("an editor that cannot say what is open costs the agent its context, not its session", async () => {
    const { accept, editor, load, sessions } = start();
    load();
    const transport = new HandTransport();
    await accept(transport);
    editor.fail("editors.active", new Error("no editor"));
    transport.openStream();
    expect(transport.pushed).toEqual([]);
    expect(sessions.all.map((session) => session.state)).toEqual(["connected"]);
    transport.loseStream();
    transport.openStream();
    expect(transport.pushed).toHaveLength(1);
  });

  it("a stream that opens again gets the context again, equal as it may be", async () => {
    const { accept, load } = start();
    load();
    const transport = new HandTransport();
    await accept(transport);
    transport.openStream();
    transport.loseStream();
    transport.openStream();
    expect(transport.pushed).toHaveLength(2);
    expect(transport.pushed[0]).toBe(transport.pushed[1]);
  });

  it("the log says when an agent begins to be told what is open, and not each time it is told", async () => {
    const { accept, clock, editor, load, logged } = start();
    load();
    const transport = new HandTransport();
    await accept(transport);
    const begins = (): number => logged.filter((line) => line === "Context sent to an agent").length;
    transport.openStream();
    expect(begins()).toBe(1);
    for (const name of ["a.ts", "b.ts"]) {
      editor.openFile(`/ws/${name}`, "text\n");
      clock.advance(200);
    }
    expect(transport.pushed).toHaveLength(3);
    expect(begins()).toBe(2);
    transport.loseStream();
    transport.openStream();
    expect(begins()).toBe(3);
  });

  it("an agent is told the same but once, also when another one comes", async () => {
    const { accept, clock, load, tracker } = start();
    load();
    const first = new HandTransport();
    await accept(first);
    first.openStream();
    const second = new HandTransport();
    await accept(second, "gemini.two");
    second.openStream();
    tracker.setPolicy(createSharingPolicy({ shareSelection: true }), true);
    clock.advance(1_000);
    expect(first.pushed).toHaveLength(1);
    expect(second.pushed).toHaveLength(1);
  });

  it("each agent is told in its own protocol, from one picture", async () => {
    const { accept, clock, editor, load } = start();
    load();
    const transports = { gemini: new HandTransport(), claude: new HandTransport() };
    await accept(transports.gemini, "gemini.one");
    await accept(transports.claude, "claude.one");
    transports.gemini.openStream();
    transports.claude.openStream();
    clock.advance(1_000);
    editor.openFile("/ws/a.ts", "text\n");
    clock.advance(1_000);
    const methods = ({ pushed }: HandTransport): unknown => new Set(pushed.map((json) => JSON.parse(json).method));
    expect(methods(transports.gemini)).toEqual(new Set(["ide/contextUpdate"]));
    expect(methods(transports.claude)).toEqual(new Set(["selection_changed"]));
  });

  it("a mention counts the agents that are here", async () => {
    const { accept, clock, load, sessions } = start();
    load();
    const transport = new HandTransport();
    await accept(transport, "claude.one");
    expect(sessions.mention({ path: "/ws/a.ts" })).toBe(0);
    transport.openStream();
    clock.advance(1_000);
    expect(sessions.mention({ path: "/ws/a.ts" })).toBe(1);
    transport.loseStream();
    expect(sessions.mention({ path: "/ws/a.ts" })).toBe(0);
    expect(transport.pushed.filter((json) => json.includes("at_mentioned"))).toHaveLength(1);
  });

  it("a session may be forgotten only while nothing waits for its agent", async () => {
    const { accept, diffs, editor, load, sessions } = start();
    load();
    await accept(new HandTransport());
    const owner = sessions.all[0]?.owner;
    if (owner === undefined) throw new Error("no session");
    expect(sessions.mayForget("gemini.one")).toBe(true);
    diffs.open(owner, { path: "/ws/a.ts", text: "new\n", handle: "/ws/a.ts" }, { inside: true, kind: "change" });
    expect(sessions.mayForget("gemini.one")).toBe(false);
    (await editor.nextView()).accept();
    // Nobody has heard the answer yet.
    expect(sessions.mayForget("gemini.one")).toBe(false);
    expect(sessions.mayForget("gemini.two")).toBe(true);
  });

  it("an agent whose stream is gone is missed after ten seconds, and not where it comes back before", async () => {
    const { accept, clock, diffs, editor, load, sessions } = start();
    load();
    const transport = new HandTransport();
    await accept(transport);
    transport.openStream();
    const owner = sessions.all[0]?.owner;
    if (owner === undefined) throw new Error("no session");
    const input = { path: "/ws/a.ts", text: "new\n", handle: "/ws/a.ts" };
    await diffs.open(owner, input, { inside: true, kind: "change" }).shown;
    const view = await editor.nextView();
    transport.loseStream();
    clock.advance(9_999);
    expect(view.agentPresent).toBe(true);
    transport.openStream();
    clock.advance(60_000);
    expect(view.agentPresent).toBe(true);
    transport.loseStream();
    clock.advance(10_000);
    expect(view.agentPresent).toBe(false);
  });

  it("the untouched review of an agent that was killed goes within two seconds, the edited one's text stays, and it is not away", async () => {
    const { accept, clock, diffs, editor, load, process, sessions } = start();
    load();
    process.run(900, 1);
    process.connect(900, 5_000);
    const transport = new HandTransport();
    transport.ports = { localPort: 1, remotePort: 5_000 };
    await accept(transport);
    transport.openStream();
    const [session] = sessions.all;
    if (session === undefined) throw new Error("no session");
    for (const path of ["/ws/a.ts", "/ws/b.ts"]) {
      const input = { path, text: "new\n", handle: path };
      await diffs.open(session.owner, input, { inside: true, kind: "change" }).shown;
    }
    const edited = await editor.nextView((view) => view.request.path === "/ws/a.ts");
    const untouched = await editor.nextView((view) => view.request.path === "/ws/b.ts");
    edited.type("mine\n");
    // It opens its stream again after a moment, to what it waits for.
    transport.loseStream();
    transport.openStream();
    await clock.advanceAsync(0);
    expect(session.owner.process?.pid).toBe(900);
    process.end(900);
    transport.loseStream();
    await clock.advanceAsync(2_000);
    await editor.ended(untouched);
    expect(edited.isOpen).toBe(true);
    expect(edited.agentPresent).toBe(false);
    expect(diffs.kept.list).toMatchObject([{ path: "/ws/a.ts", reason: "agent-exited" }]);
    expect(sessions.all).toEqual([]);
    expect(transport.isClosed).toBe(true);
  });

  it.each(["put away", "only away"])(
    "an agent that exits after it was given something to write, and was %s, has ended",
    async (how) => {
      const { accept, atWork, clock, diffs, ended, load, process, sessions } = start();
      load();
      process.run(900, 1);
      process.connect(900, 5_000);
      const transport = new HandTransport();
      transport.ports = { localPort: 1, remotePort: 5_000 };
      await accept(transport);
      transport.openStream();
      const [session] = sessions.all;
      if (session === undefined) throw new Error("no session");
      await diffs.open(
        session.owner,
        { path: "/ws/a.ts", text: "new\n", handle: "a" },
        { inside: true, kind: "change" },
      ).shown;
      transport.loseStream();
      transport.openStream();
      await clock.advanceAsync(0);
      diffs.sessionEnded(session.id);
      atWork.add(session.id);
      transport.loseStream();
      await clock.advanceAsync(2_000);
      expect(ended).toEqual([]);
      if (how === "put away") {
        sessions.ended(session.id, "idle");
        expect(ended).toEqual([session.id]);
      }
      process.end(900);
      await clock.advanceAsync(2_000);
      expect(ended).toContain(session.id);
      expect(sessions.all).toEqual([]);
    },
  );

  it("of two terminals of Claude only the one that asked ends what an earlier run has left to it", async () => {
    const owner = ownerOf("claude.one", {
      dialect: "claude",
      outlivesConnection: false,
      process: { pid: 900, mark: "start-900" },
    });
    const input = { path: "/ws/a.ts", text: "new\n", handle: "tab" };
    const facts = { id: "left", owner, input, kind: "change", createdAt: 0 } as const;
    const record = { facts, draft: undefined, base: undefined, detached: false, outcome: undefined, sentAs: 0 };
    const { accept, diffs, load, process, sessions } = start({ ...emptyProposalStore, load: async () => [record] });
    load();
    await (await diffs.restore()).shown;
    for (const pid of [900, 901]) {
      process.run(pid, 1);
      process.connect(pid, 4_000 + pid);
    }
    const connect = async (pid: number): Promise<ProposalOwner> => {
      const transport = new HandTransport();
      transport.ports = { localPort: 1, remotePort: 4_000 + pid };
      await accept(transport, `claude.${pid}`);
      transport.onmessage?.({ jsonrpc: "2.0", method: "ide_connected", params: { pid } });
      const known = (): ProposalOwner | undefined => sessions.all.find(({ id }) => id === `claude.${pid}`)?.owner;
      await expect.poll(() => known()?.process?.pid).toBe(pid);
      const found = known();
      if (found === undefined) throw new Error("no session");
      return found;
    };
    const [own, other] = [await connect(900), await connect(901)];
    await diffs.closeAllOfSession(other);
    await diffs.closeByAgent(other, "tab", { notify: false });
    expect(diffs.proposals.map(({ state }) => state)).toEqual(["terminal"]);
    await diffs.closeAllOfSession(own);
    expect(diffs.proposals).toEqual([]);
  });

  it.each(["dropped", "idle"] as const)(
    "a session that was %s finds its proposals and its verdicts when it comes back",
    async (why) => {
      const { accept, diffs, editor, load, sessions } = start();
      load();
      const first = new HandTransport();
      await accept(first);
      first.openStream();
      const owner = sessions.all[0]?.owner;
      if (owner === undefined) throw new Error("no session");
      const open = (path: string) =>
        diffs.open(owner, { path, text: "new\n", handle: path }, { inside: true, kind: "change" });
      open("/ws/decided.ts");
      open("/ws/open.ts");
      (await editor.nextView((view) => view.request.path === "/ws/decided.ts")).reject();
      sessions.ended("gemini.one", why);
      expect((await editor.nextView()).agentPresent).toBe(false);
      const second = new HandTransport();
      await accept(second);
      second.openStream();
      expect(second.pushed.filter((json) => json.includes("ide/diffRejected"))).toHaveLength(1);
      (await editor.nextView((view) => view.request.path === "/ws/open.ts")).accept();
      await expect.poll(() => second.pushed.filter((json) => json.includes("ide/diffAccepted")).length).toBe(1);
    },
  );
});
