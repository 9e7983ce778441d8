import { describe, expect, it } from "vitest";
import { factsOf } from "../../src/claude-stream/facts.ts";
import { startClaude } from "./claude-lab.ts";

describe("what Claude Code tells of itself", () => {
  it("is its context and its MCP servers, without what they are started with", async () => {
    const { session, updates, logged } = await startClaude();
    const facts = await session.facts();
    expect(facts).toEqual({
      context: {
        used: 12_589,
        size: 1_000_000,
        parts: [
          { name: "System prompt", tokens: 2339 },
          { name: "System tools", tokens: 10_250 },
        ],
      },
      servers: [
        { name: "tracker", state: "connected", tools: 2, canChange: true },
        {
          name: "broken",
          state: "failed",
          error: "ENOENT: no such file or directory, posix_spawn 'stdio'",
          canChange: true,
        },
        { name: "companion", state: "connected", tools: 0, canChange: false },
      ],
    });
    expect(JSON.stringify([facts, updates, logged])).not.toContain("not for anybody");
  });

  it("is the account and the limits of its plan, where it has one", async () => {
    const rateLimits = {
      five_hour: { utilization: 42, resets_at: "2026-11-24T05:00:00Z" },
      seven_day: { utilization: 130, resets_at: null },
      seven_day_opus: null,
      model_scoped: [{ display_name: "Large", utilization: 7.5, resets_at: null }],
    };
    const account = {
      email: "you@example.com",
      organization: "Example Ltd",
      subscriptionType: "max",
      tokenSource: "claude.ai",
      apiProvider: "firstParty",
    };
    const { session } = await startClaude({ initialized: { account }, rateLimits });
    expect(await session.facts()).toMatchObject({
      account: "you@example.com · Example Ltd",
      plan: "max",
      limits: [
        { window: "5-hours", used: 0.42, resetsAt: Date.UTC(2026, 10, 24, 5) },
        { window: "7-days", used: 1 },
        { window: "7-days", model: "Large", used: 0.075 },
      ],
    });
  });

  it("is what can be read of answers in other shapes", () => {
    expect(factsOf({ account: undefined, context: undefined, usage: undefined, servers: undefined })).toEqual({});
    expect(
      factsOf({
        account: {},
        context: { totalTokens: 1, maxTokens: 0 },
        usage: { subscription_type: 1, rate_limits: { five_hour: { utilization: "much" }, model_scoped: "none" } },
        servers: { mcpServers: [{ name: "new", status: "resting", tools: "many" }] },
      }),
    ).toEqual({ servers: [{ name: "new", state: "failed", canChange: true }] });
  });

  it("is asked again after a server was switched, and a refusal is in the program's words", async () => {
    const { session, claude } = await startClaude();
    const state = async (name: string): Promise<unknown> =>
      (await session.facts()).servers?.find((server) => server.name === name)?.state;
    await session.changeServer("tracker", "disable");
    expect(await state("tracker")).toBe("disabled");
    await session.changeServer("tracker", "enable");
    expect(await state("tracker")).toBe("connected");
    await session.changeServer("tracker", "reconnect");
    expect(claude.process.requests.at(-1)).toEqual({ subtype: "mcp_reconnect", serverName: "tracker" });
    await expect(session.changeServer("broken", "reconnect")).rejects.toThrow("Claude Code: ENOENT");
  });
});
