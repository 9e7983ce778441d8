import { createMemoryEditor, createMemoryPlatform, type MemoryEditor, type MemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { type AgentSide, createAgentSide } from "../../src/companion/agent-side.ts";
import { ContextTracker } from "../../src/context/context-tracker.ts";
import { createSharingPolicy } from "../../src/context/sharing-policy.ts";
import { gemini } from "../../src/agents/gemini/agent.ts";
import { createPrivateStorage, type PrivateStorage } from "../../src/storage/private-storage.ts";
import { holderNoteKey } from "../../src/port-holder/order.ts";
import type { ProgramPipe } from "../../src/platform/platform.ts";
import { nullLogger } from "../../src/support/logger.ts";
import { HandTransport } from "../session/hand-transport.ts";

let over: Promise<void> = Promise.resolve();

/** Guardians of this test end with this. */
function holdBack(until: Promise<void>): void {
  over = until;
  onTestFinished(() => void (over = Promise.resolve()));
}

/** A guardian that was started, and what it was told. */
class TestPipe implements ProgramPipe {
  readonly lines: string[] = [];
  hasEnded = false;
  isOpen = true;

  send(line: string): void {
    this.lines.push(line);
  }

  /** Resolves once the test lets the program end. */
  end(): Promise<void> {
    this.hasEnded = true;
    return over;
  }

  /** The paths of the proposals in the order that stands. */
  get guarded(): unknown {
    const order: { sessions: { proposals: { path: string }[] }[] } = JSON.parse(this.lines.at(-1) ?? "{}");
    return order.sessions.flatMap(({ proposals }) => proposals.map(({ path }) => path));
  }
}

interface Setup {
  readonly platform: MemoryPlatform;
  readonly editor: MemoryEditor;
  readonly side: AgentSide;
  readonly storage: PrivateStorage;
  readonly pipes: readonly TestPipe[];
  readonly transport: HandTransport;
  /** Another agent of the same kind; gives what opens a proposal of its own. */
  join(sessionId: string): Promise<Setup["open"]>;
  open(path: string): void;
  /** What a port holder would find. */
  note(): Promise<string | undefined>;
}

/** The agents' side of a run with Gemini CLI connected. */
async function start(ready: Promise<void> = Promise.resolve()): Promise<Setup> {
  const pipes: TestPipe[] = [];
  const startAttached = async (): Promise<ProgramPipe> => {
    const pipe = new TestPipe();
    pipes.push(pipe);
    return pipe;
  };
  const memory = createMemoryPlatform();
  const platform = { ...memory, processes: { startDetached: async () => false, startAttached } };
  const editor = createMemoryEditor({ folders: ["/ws"] });
  const storage = createPrivateStorage({ platform, logger: nullLogger, directory: "/home/user/kept" });
  const policy = createSharingPolicy({ shareSelection: true });
  const side = createAgentSide({
    host: editor,
    platform,
    logger: nullLogger,
    dialects: [gemini],
    tracker: new ContextTracker({ host: editor, clock: platform.clock, policy }),
    storage,
    realFolders: async () => ["/ws"],
    policies: () => undefined,
    onDidChangeActivities: () => {},
    guarded: {
      storage,
      listening: () => ({
        endpoint: { address: { kind: "tcp", port: 4_000 }, descriptor: 12 },
        identity: { sessionKey: "key" },
        tokens: { gemini: "the token" },
      }),
      ready,
    },
  });
  side.diffs.onDidChange(() => side.guardian?.update());
  const join = async (sessionId: string, transport = new HandTransport()): Promise<Setup["open"]> => {
    await side.sessions.accept({
      sessionId,
      transport,
      headers: {},
      initialize: undefined,
      dialectHint: "gemini",
      tokenName: "gemini",
    });
    transport.openStream();
    const session = side.sessions.all.find(({ id }) => id === sessionId);
    if (session === undefined) throw new Error("no session");
    return (path) => {
      side.diffs.open(session.owner, { path, text: "new\n", handle: path }, { inside: true, kind: "change" });
    };
  };
  const transport = new HandTransport();
  const open = await join("gemini.one", transport);
  const note = (): Promise<string | undefined> => storage.read(holderNoteKey);
  return { platform: memory, editor, side, storage, pipes, transport, join, open, note };
}

describe("a guardian", () => {
  it("is not there while nobody waits, nor for a proposal that is decided at once", async () => {
    const { editor, open, pipes, platform, note, transport } = await start();
    await platform.clock.advanceAsync(60_000);
    open("/ws/a.ts");
    await platform.clock.advanceAsync(100);
    (await editor.nextView()).reject();
    transport.confirm();
    await platform.clock.advanceAsync(60_000);
    expect(pipes).toEqual([]);
    expect(await note()).toBeUndefined();
  });

  it("is there while an agent waits, told what for at each change, and gone some seconds after the last verdict has arrived", async () => {
    const { editor, open, pipes, platform, note, transport } = await start();
    open("/ws/a.ts");
    await platform.clock.advanceAsync(1_000);
    await expect.poll(() => pipes[0]?.lines.length).toBe(1);
    const [pipe] = pipes;
    const order: unknown = JSON.parse(pipe?.lines[0] ?? "");
    expect(order).toMatchObject({ address: { port: 4_000 }, tokens: ["the token"], holdMs: 13_500, listenMs: 13_500 });
    expect(await note()).toContain('"told":[]');
    open("/ws/b.ts");
    expect(pipe?.guarded).toEqual(["/ws/a.ts", "/ws/b.ts"]);
    (await editor.nextView((view) => view.request.path === "/ws/a.ts")).reject();
    // In the same moment: the next one may be the last of this process.
    expect(pipe?.guarded).toEqual(["/ws/b.ts"]);
    (await editor.nextView((view) => view.request.path === "/ws/b.ts")).reject();
    expect(pipe?.guarded).toEqual([]);
    expect(pipe?.hasEnded).toBe(false);
    transport.confirm();
    await platform.clock.advanceAsync(19_999);
    expect(pipe?.hasEnded).toBe(false);
    await platform.clock.advanceAsync(1);
    expect(pipe?.lines.at(-1)).toBe("");
    expect(pipe?.hasEnded).toBe(true);
    expect(pipes).toHaveLength(1);
    await expect.poll(note).toBeUndefined();
  });

  it("is one for a series of reviews, told of each, and that there is nothing to tell in between", async () => {
    const { editor, open, pipes, platform, transport } = await start();
    for (const path of ["/ws/a.ts", "/ws/b.ts", "/ws/c.ts"]) {
      open(path);
      await platform.clock.advanceAsync(300);
      await expect.poll(() => pipes[0]?.guarded).toEqual([path]);
      (await editor.nextView((view) => view.request.path === path)).reject();
      transport.confirm();
      expect(pipes[0]?.guarded).toEqual([]);
      await platform.clock.advanceAsync(15_000);
    }
    expect(pipes.map(({ hasEnded }) => hasEnded)).toEqual([false]);
    await platform.clock.advanceAsync(5_000);
    expect(pipes.map(({ hasEnded }) => hasEnded)).toEqual([true]);
  });

  it("that somebody has ended is followed by another one", async () => {
    const { editor, open, pipes, platform, transport } = await start();
    open("/ws/a.ts");
    await platform.clock.advanceAsync(300);
    await expect.poll(() => pipes[0]?.lines.length).toBe(1);
    (await editor.nextView()).reject();
    transport.confirm();
    const [first] = pipes;
    if (first !== undefined) first.isOpen = false;
    open("/ws/b.ts");
    await platform.clock.advanceAsync(300);
    await expect.poll(() => pipes[1]?.guarded).toEqual(["/ws/b.ts"]);
  });

  it("is not there for a burst in which somebody waits all the time, and nobody for long", async () => {
    const { side, open, join, pipes, platform } = await start();
    const openOther = await join("gemini.two");
    const [one, two] = side.sessions.all;
    for (let round = 0; round < 10; round += 1) {
      open("/ws/a.ts");
      if (two !== undefined) await side.diffs.closeAllOfSession(two.owner);
      await platform.clock.advanceAsync(100);
      openOther("/ws/b.ts");
      if (one !== undefined) await side.diffs.closeAllOfSession(one.owner);
      await platform.clock.advanceAsync(100);
    }
    expect(pipes).toEqual([]);
  });

  it("hears of another agent once that has waited for a moment, and of a verdict at once", async () => {
    const { editor, open, join, pipes, platform } = await start();
    const openOther = await join("gemini.two");
    open("/ws/a.ts");
    await platform.clock.advanceAsync(1_000);
    await expect.poll(() => pipes[0]?.lines.length).toBe(1);
    openOther("/ws/b.ts");
    await platform.clock.advanceAsync(149);
    expect(pipes[0]?.lines).toHaveLength(1);
    // The other one counts as idle until then.
    expect(JSON.parse(pipes[0]?.lines[0] ?? "")).toMatchObject({ holdMs: 13_500, listenMs: 27_000 });
    await platform.clock.advanceAsync(1);
    expect(JSON.parse(pipes[0]?.lines[1] ?? "")).toMatchObject({ listenMs: 13_500 });
    expect(pipes[0]?.guarded).toEqual(["/ws/a.ts", "/ws/b.ts"]);
    openOther("/ws/c.ts");
    expect(pipes[0]?.guarded).toEqual(["/ws/a.ts", "/ws/b.ts", "/ws/c.ts"]);
    (await editor.nextView((view) => view.request.path === "/ws/b.ts")).reject();
    expect(pipes[0]?.guarded).toEqual(["/ws/a.ts", "/ws/c.ts"]);
  });

  it("does not take the place of what the run before has left word of", async () => {
    let read: () => void = () => {};
    const { open, pipes, platform, note, storage } = await start(new Promise((resolve) => (read = resolve)));
    await storage.write(holderNoteKey, "of the run before");
    open("/ws/a.ts");
    await platform.clock.advanceAsync(60_000);
    expect(await note()).toBe("of the run before");
    read();
    await platform.clock.advanceAsync(1_000);
    await expect.poll(() => pipes.length).toBe(1);
  });

  it("leaves the note of an orderly end alone, and goes with it", async () => {
    const { open, pipes, platform, note, side, storage } = await start();
    open("/ws/a.ts");
    await platform.clock.advanceAsync(1_000);
    await expect.poll(() => pipes[0]?.lines.length).toBe(1);
    side.guardian?.leave();
    await storage.write(holderNoteKey, "of the port holder");
    await side.diffs.stop({ keep: true });
    expect(pipes[0]?.hasEnded).toBe(false);
    await side.guardian?.dispose();
    expect(pipes[0]?.lines.at(-1)).toBe("");
    expect(pipes[0]?.hasEnded).toBe(true);
    expect(await note()).toBe("of the port holder");
  });

  it.each([1_000, 0])("is waited for at that end, as it has the port: after %i ms", async (startedMs) => {
    const { open, pipes, platform, side } = await start();
    let end = (): void => {};
    holdBack(new Promise<void>((over) => (end = over)));
    open("/ws/a.ts");
    await platform.clock.advanceAsync(200);
    // One that is there, and one that is just coming up.
    if (startedMs > 0) await expect.poll(() => pipes[0]?.lines.length).toBe(1);
    let isOver = false;
    const disposing = side.guardian?.dispose().then(() => (isOver = true));
    await expect.poll(() => pipes[0]?.hasEnded).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isOver).toBe(false);
    end();
    await disposing;
    expect(isOver).toBe(true);
  });

  it("one that comes up when nobody waits any more has nothing to tell, and is sent away in the end", async () => {
    const { editor, open, pipes, platform, transport } = await start();
    open("/ws/a.ts");
    await editor.nextView();
    platform.clock.advance(1_000);
    (await editor.nextView()).reject();
    transport.confirm();
    await expect.poll(() => pipes[0]?.guarded).toEqual([]);
    await platform.clock.advanceAsync(20_000);
    expect(pipes.map(({ lines, hasEnded }) => [lines.at(-1), hasEnded])).toEqual([["", true]]);
  });
});
