import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { createFakeClock, PuppetAgent } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addedAgent, idFor, wordsOf } from "../../src/agents/agent-trial.ts";
import { AgentPrograms } from "../../src/agents/index.ts";

describe("a command that starts an agent", () => {
  it.each([
    ["my-agent --acp", ["my-agent", "--acp"]],
    [' "/opt/my agent/run"  --name=\'a b\' ""', ["/opt/my agent/run", "--name=a b", ""]],
    ["a; rm -rf $HOME `b` | c", ["a;", "rm", "-rf", "$HOME", "`b`", "|", "c"]],
    ["   ", []],
  ])("is its words, of which no shell makes anything: %s", (line, words) => {
    expect(wordsOf(line)).toEqual(words);
  });

  it("is kept with the name that the user gives it, or that it has, and with what it is started with as a rule", () => {
    expect(addedAgent("/opt/mine --acp", " Mine ")).toEqual({ name: "Mine", program: "/opt/mine", args: ["--acp"] });
    expect(addedAgent("/opt/mine", "")).toEqual({ name: "mine", program: "/opt/mine", args: [] });
    expect(addedAgent("/opt/opencode", "")).toEqual({ name: "opencode", program: "/opt/opencode", args: ["acp"] });
    expect(addedAgent(" ", "Mine")).toBeUndefined();
  });

  it("gets an id that nobody has", () => {
    expect(idFor("My Agent 2!", new Set())).toBe("my-agent-2");
    expect(idFor("Pi", new Set(["pi", "pi-2"]))).toBe("pi-3");
    expect(idFor("我的", new Set())).toBe("agent");
  });
});

describe("a program that is tried", () => {
  let folder: string;

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-trial-")));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const programs = (more: { readonly reason?: string; readonly clock?: ReturnType<typeof createFakeClock> } = {}) => {
    const platform = createNodePlatform();
    return new AgentPrograms({
      platform: { ...platform, ...(more.clock === undefined ? {} : { clock: more.clock }) },
      logger: nullLogger,
      version: "0.0.0",
      settings: { agents: () => ({}), autosave: () => true, reasonNotToStart: () => more.reason },
    });
  };
  const script = (name: string, source: string): string => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${source}\n`, { mode: 0o755 });
    return path;
  };

  it("says what it is, and does not live on", async () => {
    const agent = await PuppetAgent.create(folder);
    expect(await programs().tryAgent(agent.program, folder)).toMatchObject({ kind: "answered", signIn: [] });
    await expect.poll(() => agent.running).toBe(0);
    await agent.dispose();
  });

  it("says how it signs in, and its version", async () => {
    const answer = JSON.stringify({
      jsonrpc: "2.0",
      id: 0,
      result: {
        protocolVersion: 1,
        agentInfo: { name: "mine", title: "My Agent", version: "2.1.0" },
        authMethods: [{ id: "key", name: "API key" }, { id: "login" }],
      },
    });
    const program = script("mine", `read line; echo '${answer}'; cat > /dev/null`);
    const trial = await programs().tryAgent(program, folder);
    expect(trial).toEqual({ kind: "answered", name: "My Agent 2.1.0", signIn: ["API key", "login"] });
  });

  it.each([
    ["ends at once", "echo 'usage: broken FILE' >&2; exit 2", "broken exited as soon as it was started"],
    [
      "speaks something else",
      `read line; echo '{"jsonrpc":"2.0","id":0,"result":{}}'; cat`,
      "does not speak the Agent",
    ],
    ["echoes", "echo 'hello' >&2; cat", "does not speak the Agent Client Protocol"],
  ])("that %s is told as it is, with its own words", async (_how, source, reason) => {
    const trial = await programs().tryAgent(script("broken", source), folder);
    expect(trial).toMatchObject({ kind: "failed", reason: expect.stringContaining(reason) });
    if (source.includes(">&2"))
      expect(trial).toMatchObject({ words: expect.stringMatching(/usage: broken FILE|hello/u) });
  });

  it("that says nothing is not waited for for ever", async () => {
    const clock = createFakeClock();
    const trying = programs({ clock }).tryAgent(
      script("silent", "echo 'thinking' >&2; exec tail -f /dev/null"),
      folder,
    );
    const state = { isOver: false };
    void trying.then(() => (state.isOver = true));
    await expect
      .poll(
        async () => {
          await clock.advanceAsync(1_000);
          return state.isOver;
        },
        { timeout: 20_000 },
      )
      .toBe(true);
    expect(await trying).toMatchObject({ kind: "failed", reason: expect.stringContaining("does not answer") });
    expect(clock.monotonic()).toBeLessThan(200_000);
  });

  it("that is not there, or may not be started here, is not started", async () => {
    const missing = join(folder, "missing");
    expect(await programs().tryAgent(`${missing} --acp`, folder)).toEqual({
      kind: "failed",
      reason: `${missing} was not found, or cannot be run.`,
      words: "",
    });
    expect(await programs({ reason: "Not trusted." }).tryAgent("sh", folder)).toMatchObject({ reason: "Not trusted." });
    expect(await programs().tryAgent(" ", folder)).toMatchObject({ reason: "Type the command that starts the agent." });
  });
});
