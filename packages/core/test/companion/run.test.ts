import { createMemoryEditor, createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { AgentsOnDemand } from "../../src/companion/agents-on-demand.ts";
import { endRun, type Run } from "../../src/companion/run.ts";
import { ContextTracker } from "../../src/context/context-tracker.ts";
import { createSharingPolicy } from "../../src/context/sharing-policy.ts";
import { gemini } from "../../src/agents/gemini/agent.ts";
import { proposalKeyPrefix } from "../../src/diff/model.ts";
import { newIdentity } from "../../src/storage/endpoint-identity.ts";
import { createPrivateStorage } from "../../src/storage/private-storage.ts";
import type { CloseOptions } from "../../src/endpoint/endpoint.ts";
import type { Clock } from "../../src/support/time.ts";
import { DisposableStore, toDisposable } from "../../src/support/disposable.ts";
import { nullLogger } from "../../src/support/logger.ts";
import { HandTransport } from "../session/hand-transport.ts";

const path = "/ws/a.ts";

/** A run with one agent, for which a proposal is open and written down. */
async function start() {
  const platform = createMemoryPlatform();
  platform.files.addDirectory("/ws");
  const host = createMemoryEditor({ folders: ["/ws"] });
  const logger = nullLogger;
  const storage = createPrivateStorage({ platform, logger, directory: "/home/user/kept" });
  const policy = createSharingPolicy({ shareSelection: true });
  const agents = new AgentsOnDemand({
    host,
    platform,
    logger,
    dialects: [gemini],
    tracker: new ContextTracker({ host, clock: platform.clock, policy }),
    storage,
    listening: () => undefined,
    realFolders: async () => ["/ws"],
    policies: () => undefined,
    onDidChangeActivities: () => {},
    ending: new AbortController().signal,
    onDidLoad: () => {},
    onDidAccept: () => {},
  });
  const transport = new HandTransport();
  await agents.restore();
  await agents.accept({
    sessionId: "gemini.one",
    transport,
    headers: {},
    initialize: undefined,
    dialectHint: "gemini",
    tokenName: "gemini",
  });
  transport.openStream();
  const { side } = agents;
  const owner = side?.sessions.all[0]?.owner;
  if (side === undefined || owner === undefined) throw new Error("no agent");
  side.diffs.open(owner, { path, text: "new\n", handle: path }, { inside: true, kind: "change" });
  const view = await host.nextView();
  platform.clock.advance(500);
  const kept = (): readonly string[] => platform.files.paths.filter((name) => name.includes(`/${proposalKeyPrefix}`));
  await expect.poll(kept).toHaveLength(1);
  const run: Run = {
    storage,
    agents,
    following: new DisposableStore(),
    opened: undefined,
  };
  return { run, platform, logger, transport, side, owner, view, kept };
}

describe("the end of a run", () => {
  it("is not there before what agents still did is on disk", async () => {
    const { run, platform, logger, transport, side, owner, kept } = await start();
    const { remove } = platform.files;
    platform.files.remove = async (name) => {
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await remove.call(platform.files, name);
    };
    const close = transport.close.bind(transport);
    // The agent answers in its terminal as the last thing before its connection ends.
    transport.close = async () => {
      await side.diffs.closeByAgent(owner, path, { notify: false });
      await close();
    };
    await endRun(run, { reload: true }, { platform, logger });
    expect(transport.isClosed).toBe(true);
    expect(kept()).toEqual([]);
  });

  it.each([{ reload: true }, { reload: false }])(
    "waits two seconds at most for an editor that never answers (%j)",
    async (options) => {
      const { run, platform, logger, view, side } = await start();
      view.currentText = () => new Promise(() => {});
      view.close = () => new Promise(() => {});
      side.diffs.settled = () => new Promise(() => {});
      const waited: number[] = [];
      // Nothing that is waited for comes: every wait takes as long as it may.
      const clock: Clock = {
        now: () => platform.clock.now(),
        monotonic: () => platform.clock.monotonic() + waited.reduce((sum, ms) => sum + ms, 0),
        setTimeout: (callback, delayMs) => {
          waited.push(delayMs);
          setImmediate(callback);
          return toDisposable(() => {});
        },
      };
      await endRun(run, options, { platform: { ...platform, clock }, logger });
      expect(waited).not.toEqual([]);
      expect(waited.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(2_000);
    },
  );

  it("tells agents when to come back", async () => {
    const { run, platform, logger } = await start();
    const closed: unknown[] = [];
    const close = async (options?: CloseOptions): Promise<void> => void closed.push(options);
    const endpoint = {
      address: { kind: "tcp", port: 1 } as const,
      descriptor: undefined,
      take: () => {},
      leave: () => {},
      close,
    };
    run.opened = { endpoint, identity: newIdentity(platform.random), tokens: {} };
    await endRun(run, { reload: true, comeBackMs: 4_000 }, { platform, logger });
    expect(closed).toEqual([{ comeBackMs: 4_000 }]);
  });

  it.each([
    { isHere: true, noted: /^\{"at":\d+,"agents":"Gemini CLI","inputs":"\/ide enable \(Gemini CLI\)"\}$/ },
    { isHere: false, noted: /^$/ },
  ])("notes for the next run which agents were here ($noted)", async ({ isHere, noted }) => {
    const { run, platform, logger, transport } = await start();
    if (!isHere) transport.loseStream();
    await endRun(run, { reload: true }, { platform, logger });
    expect((await run.storage?.read("attached")) ?? "").toMatch(noted);
  });

  it("leaves what is open for the next run, with a reload", async () => {
    const { run, platform, logger, kept, transport } = await start();
    await endRun(run, { reload: true }, { platform, logger });
    expect(kept()).toHaveLength(1);
    expect(transport.pushed.filter((json) => json.includes("diffRejected"))).toEqual([]);
  });

  it("settles what is open without one", async () => {
    const { run, platform, logger, kept, transport } = await start();
    await endRun(run, {}, { platform, logger });
    expect(transport.pushed.filter((json) => json.includes("diffRejected"))).toHaveLength(1);
    expect(kept()).toEqual([]);
  });
});
