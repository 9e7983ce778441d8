import { describe, expect, it } from "vitest";
import { customAgents, needOf, settingsOf } from "../../src/agents/agent-settings.ts";

describe("the agents of the settings", () => {
  it("are any that speak the Agent Client Protocol; known programs get their own names and arguments", () => {
    const set = {
      claude: { program: "/opt/claude" },
      opencode: { program: "/opt/bin/opencode", environment: { ONE: "1", TWO: 2 } },
      mine: { program: " my-agent ", args: ["--acp", 1], name: "My Agent" },
      nothing: { args: ["x"] },
      wrong: "text",
    };
    expect(customAgents(set)).toEqual([
      { id: "opencode", command: "/opt/bin/opencode" },
      { id: "mine", command: "my-agent", args: ["--acp"], name: "My Agent" },
    ]);
    expect(needOf(set, "opencode")).toMatchObject({ agentName: "OpenCode", command: "/opt/bin/opencode" });
    expect(needOf(set, "mine")).toEqual({ agentName: "My Agent", command: "my-agent" });
    expect(settingsOf(set, "opencode")).toEqual({ program: "/opt/bin/opencode", environment: { ONE: "1" } });
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

  it("may have the name of an agent that has no conversations by itself", () => {
    const set = { copilot: { program: "copilot" } };
    expect(customAgents(set)).toEqual([{ id: "copilot", command: "copilot" }]);
    expect(needOf(set, "copilot").command).toBe("copilot");
    expect(() => needOf(undefined, "copilot")).toThrow("copilot is not an agent that the panel can run.");
  });

  it("are none where nothing, or nonsense, is set", () => {
    expect(customAgents(undefined)).toEqual([]);
    expect(customAgents(["opencode"])).toEqual([]);
    expect(settingsOf(undefined, "claude")).toEqual({});
    expect(needOf(undefined, "claude").command).toBe("claude");
  });
});
