import { join } from "node:path";
import { nullLogger } from "@patchbay/core";
import { AcpAgent, AcpError, createAcpAgent, createFakeClock } from "@patchbay/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { geminiProfile, profileFor, qwenProfile } from "../../src/acp/profiles.ts";
import { AcpConnection } from "../../src/acp/connection.ts";
import { cleanLabs, geminiLab, labWith, qwenLab, type SessionLab } from "./session-lab.ts";

afterEach(cleanLabs);

const anyAgent = profileFor({ id: "any", name: "Any Agent", command: "any-agent" });

/** An agent that can do with sessions what is named, and answers all of it. */
function agentThatCan(...actions: readonly string[]): AcpAgent {
  const agent = new AcpAgent();
  const sessionCapabilities = Object.fromEntries(actions.map((action) => [action, {}]));
  const loadSession = actions.includes("load");
  agent.answers("initialize", () => ({ protocolVersion: 1, agentCapabilities: { loadSession, sessionCapabilities } }));
  agent.answers("session/new", () => ({ sessionId: "new" }));
  agent.answers("session/fork", () => ({ sessionId: "forked" }));
  agent.answers("session/load", () => ({}));
  agent.answers("session/resume", () => ({}));
  return agent;
}

/** What is said once the start has ended. */
async function notices(lab: SessionLab<AcpAgent>): Promise<readonly string[]> {
  await lab.clock.advanceAsync(1);
  return lab.entries().flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []));
}

const sessionIds = (lab: SessionLab<AcpAgent>): readonly string[] =>
  lab.updates.flatMap((update) => (update.type === "session" ? [update.sessionId] : []));

describe("opening a session", () => {
  it("offers files to the agents that keep what the user made of them, and to no others", async () => {
    const files = async (lab: SessionLab<AcpAgent>): Promise<unknown> => {
      await lab.session.start();
      return lab.agent.saidBy("initialize");
    };
    const withFiles = [{ protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } } }];
    const without = [{ clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } } }];
    expect(await files(geminiLab())).toMatchObject(withFiles);
    expect(await files(qwenLab())).toMatchObject(withFiles);
    expect(await files(labWith(agentThatCan(), anyAgent))).toMatchObject(without);
  });

  it("does not go on with an agent of another version, and says so", async () => {
    const agent = new AcpAgent();
    agent.answers("initialize", () => ({ protocolVersion: 2 }));
    const lab = labWith(agent, anyAgent);
    await expect(lab.session.start()).rejects.toThrow(
      "Any Agent speaks version 2 of the Agent Client Protocol; Patchbay speaks version 1.",
    );
    expect(agent.channel.exited).toBeDefined();
  });

  it("gives an agent up that does not answer", async () => {
    const agent = new AcpAgent();
    agent.answers("initialize", () => new Promise(() => {}));
    const lab = labWith(agent, anyAgent);
    const started = lab.session.start();
    const refused = expect(started).rejects.toThrow("Any Agent was started but does not answer.");
    await agent.until("initialize");
    await lab.clock.advanceAsync(60_000);
    await refused;
    expect(agent.channel.exited).toBeDefined();
  });

  it("tells what an agent that ends at once has said last", async () => {
    const agent = new AcpAgent();
    agent.answers("initialize", () => agent.exit({ lastErrors: "line\nNo home." }));
    await expect(labWith(agent, anyAgent).session.start()).rejects.toMatchObject({
      code: "host-failed",
      message: "Any Agent exited as soon as it was started: No home.",
      cause: "line\nNo home.",
    });
  });

  it.each(["line\nUnknown argument: acp", "Unknown arguments: acp\nOptions:\n  -h, --help  Show help"])(
    "tells that an agent is too old that does not know what it is started with: %j",
    async (lastErrors) => {
      const agent = new AcpAgent();
      agent.answers("initialize", () => agent.exit({ lastErrors }));
      await expect(labWith(agent, geminiProfile).session.start()).rejects.toMatchObject({
        code: "not-installed",
        message: "Gemini CLI is too old for Patchbay. Update it with: npm install --global @google/gemini-cli@latest",
        cause: lastErrors,
      });
    },
  );

  it("checks the folder itself: some agents take one that is not there", async () => {
    for (const cwd of [join("/", "no", "such", "folder"), "relative"]) {
      const lab = labWith(agentThatCan(), anyAgent, { cwd });
      await expect(lab.session.start()).rejects.toThrow(`The folder ${cwd} does not exist.`);
      expect(lab.agent.received).toEqual([]);
    }
  });

  it("passes servers to agents that take them", async () => {
    const mcpServers = [{ name: "patchbay", url: "http://127.0.0.1:1/mcp", headers: { authorization: "Bearer t" } }];
    const lab = geminiLab({ mcpServers });
    await lab.session.start();
    expect(lab.agent.saidBy("session/new")).toEqual([
      {
        cwd: lab.cwd,
        mcpServers: [
          {
            type: "http",
            name: "patchbay",
            url: "http://127.0.0.1:1/mcp",
            headers: [{ name: "authorization", value: "Bearer t" }],
          },
        ],
      },
    ]);
    const other = labWith(agentThatCan(), anyAgent, { mcpServers });
    await other.session.start();
    expect(other.agent.saidBy("session/new")).toEqual([{ cwd: other.cwd, mcpServers: [] }]);
  });
});

describe("signing in", () => {
  it("is asked for with the agent's own ways, in a terminal where there is a command, and tried again", async () => {
    const lab = qwenLab();
    const authMethods = [
      { id: "openai", name: "Use a key", _meta: { type: "terminal", args: ["--auth-type=openai"] } },
    ];
    lab.agent.answers("session/new", () => {
      throw new AcpError(-32_000, "Authentication required", { authMethods });
    });
    await lab.session.start();
    expect(lab.updates.at(-1)).toEqual({
      type: "state",
      state: {
        kind: "signed-out",
        methods: [{ id: "openai", name: "Use a key", command: ["qwen", "--auth-type=openai"] }],
      },
    });
    expect(await lab.prompt("Hello")).toBe("failed");
    expect(lab.entries().at(-1)).toMatchObject({ kind: "notice", level: "error", action: "sign-in" });
    expect(lab.updates.at(-1)).not.toMatchObject({ state: { kind: "idle" } });
    lab.agent.answers("session/new", () => ({ sessionId: lab.agent.sessionId }));
    expect(await lab.prompt("Hello again")).toBe("done");
    expect(lab.updates.at(-1)).toEqual({ type: "state", state: { kind: "idle" } });
  });

  it("is asked for where the model service refuses the credentials, until it takes them", async () => {
    const lab = geminiLab();
    await lab.session.start();
    lab.agent.play(() => Promise.reject(new AcpError(401, '{"error":{"code":401,"message":"API key not valid"}}')));
    expect(await lab.prompt("Hello")).toBe("failed");
    expect(lab.entries().at(-1)).toMatchObject({ kind: "notice", action: "sign-in", detail: "API key not valid" });
    expect(lab.updates.at(-1)).toMatchObject({ type: "state", state: { kind: "signed-out" } });
    expect(await lab.prompt("Hello again")).toBe("done");
    expect(lab.updates.at(-1)).toEqual({ type: "state", state: { kind: "idle" } });
  });

  it("is asked for where only the prompt shows that it is missing", async () => {
    const agent = agentThatCan();
    agent.answers("session/prompt", () => {
      throw new AcpError(-32_000, "Authentication required");
    });
    const lab = labWith(agent, anyAgent);
    await lab.session.start();
    expect(await lab.prompt("Hello")).toBe("failed");
    const states = lab.updates.flatMap((update) => (update.type === "state" ? [update.state.kind] : []));
    expect(states.at(-1)).toBe("signed-out");
  });
});

describe("continuing a session", () => {
  const resume = { kind: "resume", sessionId: "old" } as const;

  it("resumes without a replay where the agent can", async () => {
    const lab = labWith(agentThatCan("load", "resume"), anyAgent, { start: resume });
    await lab.session.start();
    expect(lab.agent.saidBy("session/resume")).toEqual([{ sessionId: "old", cwd: lab.cwd, mcpServers: [] }]);
    expect(sessionIds(lab)).toEqual(["old"]);
    expect(await notices(lab)).toEqual([]);
  });

  it("loads where that is all it can, or its replay is wanted, and tells what was said", async () => {
    const agent = agentThatCan("load", "resume");
    const update = (sessionUpdate: string, text: string): void =>
      agent.notify("session/update", { sessionId: "old", update: { sessionUpdate, content: { type: "text", text } } });
    agent.answers("session/load", () => {
      update("user_message_chunk", "<session_context>\nToday is…");
      update("user_message_chunk", "The number is 4711");
      update("agent_message_chunk", "I keep that in mind.");
      update("user_message_chunk", "[Function Response: read_file]");
      update("user_message_chunk", "Thanks");
      // It says that the session is loaded, and goes on.
      const more = (): void => {
        update("agent_message_chunk", "You are welcome.");
        const commands = { sessionUpdate: "available_commands_update", availableCommands: [] };
        agent.notify("session/update", { sessionId: "old", update: commands });
      };
      setImmediate(more);
      return {};
    });
    const lab = labWith(agent, geminiProfile, { start: resume, wantsHistory: true });
    await lab.session.start();
    expect(lab.entries()).toMatchObject([
      { kind: "prompt", id: "old/1", blocks: [{ type: "text", text: "The number is 4711" }] },
      { kind: "message", text: "I keep that in mind.", isComplete: true },
      { kind: "prompt", id: "old/2", blocks: [{ type: "text", text: "Thanks" }] },
      { kind: "message", text: "You are welcome.", isComplete: true },
    ]);
  });

  it("does not load what the agent would lose, and says that it starts over once it has started", async () => {
    const lab = geminiLab({ start: { ...resume, begunAt: createFakeClock().now() } });
    await lab.clock.advanceAsync(119_000);
    await lab.session.start();
    expect(lab.agent.saidBy("session/load")).toEqual([]);
    expect(sessionIds(lab)).toEqual([lab.agent.sessionId]);
    expect(lab.entries()).toEqual([]);
    expect(await notices(lab)).toEqual(["Gemini CLI starts over: it does not remember what was said before."]);
  });

  it.each([
    ["by its code", new AcpError(-32_002, "Resource not found")],
    ["by its words", new AcpError(-32_603, "Internal error", { details: "No previous sessions found" })],
  ])("starts over where the session is not there any more: %s", async (_, error) => {
    const lab = geminiLab({ start: resume });
    lab.agent.answers("session/load", () => {
      throw error;
    });
    await lab.session.start();
    expect(sessionIds(lab)).toEqual([lab.agent.sessionId]);
    expect(await notices(lab)).toHaveLength(1);
  });

  it("forks where the agent can, but not up to a prompt", async () => {
    const lab = labWith(agentThatCan("fork"), anyAgent, { start: { kind: "fork", sessionId: "old" } });
    await lab.session.start();
    expect(sessionIds(lab)).toEqual(["forked"]);
    const other = labWith(agentThatCan("fork"), anyAgent, { start: { kind: "fork", sessionId: "old", upTo: "p1" } });
    await other.session.start();
    expect(sessionIds(other)).toEqual(["new"]);
    expect(await notices(other)).toHaveLength(1);
  });

  it("says what it can", async () => {
    const lab = geminiLab();
    expect(lab.session.capabilities).toMatchObject({ images: false, resume: false });
    await lab.session.start();
    expect(lab.session.capabilities).toEqual({
      images: true,
      excerpts: true,
      editableChanges: true,
      rejectionMessages: true,
      rejectsByPrompt: true,
      fork: false,
      forkBefore: false,
      rewind: false,
      resume: true,
    });
  });
});

describe("the end", () => {
  it("is told with what the process said last, in a turn and outside of one", async () => {
    const lab = geminiLab();
    await lab.session.start();
    const turn = lab.prompt("Edit");
    lab.agent.play(() => new Promise(() => {}));
    await lab.agent.until("session/prompt");
    lab.agent.exit({ lastErrors: "out of memory" });
    expect(await turn).toBe("exited");
    expect(lab.entries().at(-1)).toMatchObject({ kind: "notice", detail: "out of memory", action: "restart" });
    const reason = "Gemini CLI exited unexpectedly (code 1).";
    expect(lab.updates.at(-1)).toEqual({ type: "state", state: { kind: "ended", reason } });
    expect(await lab.prompt("Anybody there")).toBe("exited");
  });

  it("is quiet where it was wanted; the agent may close its session first", async () => {
    const agent = agentThatCan("close");
    agent.answers("session/close", () => ({}));
    const lab = labWith(agent, anyAgent);
    await lab.session.start();
    await lab.session.close();
    await lab.session.close();
    expect(agent.saidBy("session/close")).toEqual([{ sessionId: "new" }]);
    expect(await notices(lab)).toEqual([]);
    expect(lab.updates.at(-1)).toEqual({ type: "state", state: { kind: "ended" } });
  });
});

describe("the sessions that an agent keeps", () => {
  const connect = async (agent: AcpAgent): Promise<AcpConnection> =>
    await AcpConnection.open(
      {
        profile: anyAgent,
        createProcess: () => Promise.resolve(agent.channel),
        version: "0.0.0",
        clock: createFakeClock(),
        logger: nullLogger,
      },
      { onRequest: () => undefined, onNotification: () => {} },
    );

  it("are listed page by page, of one folder; none where it keeps no list", async () => {
    const agent = agentThatCan("list");
    agent.answers("session/list", (params) =>
      JSON.stringify(params).includes("cursor")
        ? { sessions: [{ sessionId: "b", cwd: "/w", title: "B", updatedAt: "2026-11-01T00:00:01.000Z" }] }
        : {
            sessions: [
              { sessionId: "a", cwd: "/w", updatedAt: 1 },
              { sessionId: "x", cwd: "/other" },
              { title: "no id" },
            ],
            nextCursor: "2",
          },
    );
    expect(await (await connect(agent)).listSessions("/w")).toEqual([
      { sessionId: "a", cwd: "/w", updatedAt: 1 },
      { sessionId: "b", cwd: "/w", title: "B", updatedAt: Date.UTC(2026, 10, 1, 0, 0, 1) },
    ]);
    expect(await (await connect(agentThatCan())).listSessions("/w")).toEqual([]);
  });

  it("are deleted where it can", async () => {
    expect(await (await connect(agentThatCan())).deleteSession("a")).toBe(false);
    const agent = agentThatCan("delete");
    agent.answers("session/delete", () => ({}));
    expect(await (await connect(agent)).deleteSession("a")).toBe(true);
    expect(agent.saidBy("session/delete")).toEqual([{ sessionId: "a" }]);
  });
});

describe("profiles", () => {
  it("recognise an agent that was driven by its command, and are cautious with others", () => {
    expect(profileFor({ id: "mine", command: "/opt/bin/qwen", args: ["--acp", "--x"] })).toMatchObject({
      id: "mine",
      name: "Qwen Code",
      command: "/opt/bin/qwen",
      args: ["--acp", "--x"],
      usesFiles: true,
      modes: qwenProfile.modes,
    });
    expect(profileFor({ id: "opencode", command: "opencode.cmd" })).toMatchObject({ args: ["acp"], usesFiles: false });
    expect(anyAgent).toMatchObject({ usesFiles: false, sendsWholeFiles: false, args: [] });
    expect(createAcpAgent("gemini").style).toBe("gemini");
  });
});
