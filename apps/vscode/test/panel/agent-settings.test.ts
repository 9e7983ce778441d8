import { beforeEach, describe, expect, it } from "vitest";
import { customAgents, needOf, settingsOf } from "../../src/panel/agent-settings.ts";
import { openFakeWindow } from "../fake-vscode/index.ts";
import type { FakeWorkbench } from "../fake-vscode/workbench.ts";

let bench: FakeWorkbench;

beforeEach(() => void (bench = openFakeWindow()));

describe("the agents of the settings", () => {
  it("are any that speak the Agent Client Protocol; known programs get their own names and arguments", () => {
    bench.configure("patchbay.panel.agents", {
      claude: { program: "/opt/claude" },
      opencode: { program: "/opt/bin/opencode", environment: { ONE: "1", TWO: 2 } },
      mine: { program: " my-agent ", args: ["--acp", 1], name: "My Agent" },
      nothing: { args: ["x"] },
      wrong: "text",
    });
    expect(customAgents()).toEqual([
      { id: "opencode", command: "/opt/bin/opencode" },
      { id: "mine", command: "my-agent", args: ["--acp"], name: "My Agent" },
    ]);
    expect(needOf("opencode")).toMatchObject({ agentName: "OpenCode", command: "/opt/bin/opencode" });
    expect(needOf("mine")).toEqual({ agentName: "My Agent", command: "my-agent" });
    expect(settingsOf("opencode")).toEqual({ program: "/opt/bin/opencode", environment: { ONE: "1" } });
    expect(() => needOf("nothing")).toThrow("nothing is not an agent that the panel can run.");
  });

  it("say what a listed agent is started with and begins with, too", () => {
    bench.configure("patchbay.panel.agents", {
      claude: { args: ["--verbose", 1], model: "opus", mode: "plan" },
      mine: { program: "my-agent", args: ["--acp"], model: "" },
    });
    expect(settingsOf("claude")).toEqual({ moreArgs: ["--verbose"], model: "opus", mode: "plan" });
    // Its arguments are those by which it is spoken to.
    expect(settingsOf("mine")).toEqual({ program: "my-agent" });
  });

  it("are none where nothing, or nonsense, is set", () => {
    expect(customAgents()).toEqual([]);
    bench.configure("patchbay.panel.agents", ["opencode"]);
    expect(customAgents()).toEqual([]);
    expect(settingsOf("claude")).toEqual({});
    expect(needOf("claude").command).toBe("claude");
  });
});
