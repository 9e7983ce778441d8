import { createMemoryEditor, createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { AgentsOnDemand, type AgentsOnDemandOptions } from "../../src/companion/agents-on-demand.ts";
import { ContextTracker } from "../../src/context/context-tracker.ts";
import { createSharingPolicy } from "../../src/context/sharing-policy.ts";
import { gemini } from "../../src/agents/gemini/agent.ts";
import { createPrivateStorage } from "../../src/storage/private-storage.ts";
import { nullLogger } from "../../src/support/logger.ts";
import { HandTransport } from "../session/hand-transport.ts";

const initialize = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "gemini-cli", version: "1" },
};

function start(changes: Partial<AgentsOnDemandOptions> = {}) {
  const platform = createMemoryPlatform();
  const host = createMemoryEditor({ folders: ["/ws"] });
  const logger = nullLogger;
  const policy = createSharingPolicy({ shareSelection: true });
  const ending = new AbortController();
  const seen = { loads: 0, accepted: 0 };
  const agents = new AgentsOnDemand({
    host,
    platform,
    logger,
    dialects: [gemini],
    tracker: new ContextTracker({ host, clock: platform.clock, policy }),
    storage: createPrivateStorage({ platform, logger, directory: "/home/user/kept" }),
    listening: () => undefined,
    realFolders: async () => ["/ws"],
    policies: () => undefined,
    onDidChangeActivities: () => {},
    ending: ending.signal,
    onDidLoad: () => void (seen.loads += 1),
    onDidAccept: () => void (seen.accepted += 1),
    ...changes,
  });
  const accept = (sessionId: string, message?: unknown): Promise<void> =>
    agents.accept({
      sessionId,
      transport: new HandTransport(),
      headers: {},
      initialize: message,
      dialectHint: "gemini",
      tokenName: "gemini",
    });
  return { agents, accept, ending, seen };
}

const turns = async (): Promise<void> => {
  for (let count = 0; count < 20; count += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe("agents on demand", () => {
  it("are loaded with the first agent, once", async () => {
    const { accept, agents, seen } = start();
    expect(agents.side).toBeUndefined();
    expect(agents.sessionInfos).toEqual([]);
    expect(agents.mayForget("gemini.one")).toBe(true);
    await Promise.all([accept("gemini.one", initialize), accept("gemini.two", initialize)]);
    expect(seen).toEqual({ loads: 1, accepted: 2 });
    expect(agents.sessionInfos.map(({ id, state }) => [id, state])).toEqual([
      ["gemini.one", "connecting"],
      ["gemini.two", "connecting"],
    ]);
  });

  it("that come back by their id wait until what an earlier run left has been read; new ones do not", async () => {
    const { accept, agents, seen } = start();
    const returning = accept("gemini.one");
    await accept("gemini.two", initialize);
    await turns();
    expect(seen.accepted).toBe(1);
    await agents.restore();
    await returning;
    expect(seen.accepted).toBe(2);
  });

  it("wait for nothing once the end has begun, and nothing is loaded any more", async () => {
    const { accept, agents, ending, seen } = start();
    const returning = accept("gemini.one");
    ending.abort();
    await expect(returning).rejects.toMatchObject({ code: "stopped" });
    await agents.restore();
    expect(await agents.loaded()).toBeUndefined();
    expect(seen).toEqual({ loads: 0, accepted: 0 });
  });

  it("that come back while the end begins are not served before what they left was read: events of this run would count as that", async () => {
    const { accept, agents, ending } = start();
    await accept("gemini.two", initialize);
    const returning = accept("gemini.one");
    await turns();
    ending.abort();
    await expect(returning).rejects.toMatchObject({ code: "stopped" });
    expect(agents.sessionInfos.map(({ id }) => id)).toEqual(["gemini.two"]);
  });

  it("are loaded again by the next agent after that has failed", async () => {
    let isFirst = true;
    const { accept, agents } = start({
      onDidLoad: () => {
        if (!isFirst) return;
        isFirst = false;
        throw new Error("not this time");
      },
    });
    await expect(accept("gemini.one", initialize)).rejects.toThrow("not this time");
    await accept("gemini.two", initialize);
    expect(agents.sessionInfos.map(({ id }) => id)).toEqual(["gemini.two"]);
  });
});
