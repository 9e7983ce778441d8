import { describe, expect, it } from "vitest";
import { customAgents, listed, needOf, settingsOf, terminalNeedOf } from "../../src/agents/agent-settings.ts";

describe("the agents of the settings", () => {
  it("are any that speak the Agent Client Protocol; known programs get their own names and arguments", () => {
    const set = {
      claude: { program: "/opt/claude" },
      adapter: { program: "/opt/bin/claude-agent-acp", environment: { ONE: "1", TWO: 2 } },
      mine: { program: " my-agent ", args: ["--acp", 1], name: "My Agent" },
      nothing: { args: ["x"] },
      wrong: "text",
    };
    expect(customAgents(set)).toEqual([
      { id: "adapter", command: "/opt/bin/claude-agent-acp" },
      { id: "mine", command: "my-agent", args: ["--acp"], name: "My Agent" },
    ]);
    expect(needOf(set, "adapter")).toMatchObject({
      agentName: "Claude Code (ACP)",
      command: "/opt/bin/claude-agent-acp",
    });
    expect(needOf(set, "mine")).toEqual({ agentName: "My Agent", command: "my-agent" });
    expect(settingsOf(set, "adapter")).toEqual({ program: "/opt/bin/claude-agent-acp", environment: { ONE: "1" } });
    expect(() => needOf(set, "nothing")).toThrow("nothing is not an agent that the panel can run.");
  });

  it("say what a listed agent is started with and begins with, too", () => {
    const set = {
      claude: { args: ["--verbose", 1], model: "opus", mode: "plan" },
      mine: { program: "my-agent", args: ["--acp"], model: "" },
    };
    expect(settingsOf(set, "claude")).toEqual({ moreArgs: ["--verbose"], model: "opus", mode: "plan" });
    // Its arguments are those by which it is spoken to.
    expect(settingsOf(set, "mine")).toEqual({ program: "my-agent" });
  });

  it("are not needed for those that were driven: they are offered where they are installed", () => {
    expect(listed.map(({ id, program }) => [id, program.command])).toEqual([
      ["gemini", "gemini"],
      ["qwen", "qwen"],
      ["claude", "claude"],
      ["pi", "pi"],
      ["opencode", "opencode"],
      ["kilo", "kilo"],
      ["copilot", "copilot"],
      ["codex", "codex-acp"],
      ["cline", "cline"],
    ]);
    expect(customAgents({ copilot: { program: "/opt/copilot" } })).toEqual([]);
    expect(needOf(undefined, "copilot")).toMatchObject({ agentName: "Copilot CLI", command: "copilot" });
  });

  it("start what is meant for people in a terminal", () => {
    expect(terminalNeedOf(undefined, "codex").command).toBe("codex");
    expect(terminalNeedOf(undefined, "cline").command).toBe("cline");
    expect(terminalNeedOf({ mine: { program: "my-agent" } }, "mine").command).toBe("my-agent");
  });

  it("are none where nothing, or nonsense, is set", () => {
    expect(customAgents(undefined)).toEqual([]);
    expect(customAgents(["opencode"])).toEqual([]);
    expect(settingsOf(undefined, "claude")).toEqual({});
    expect(needOf(undefined, "claude").command).toBe("claude");
  });
});
