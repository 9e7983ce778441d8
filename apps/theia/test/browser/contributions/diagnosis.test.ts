import type { AgentSettings, EditorFacts } from "@patchbay/core";
import { examineAgents, examineAsking, examineConnecting, examineEditor } from "@patchbay/core/diagnosis";
import { expect, it } from "vitest";
import { diagnosisGroups, diagnosisText } from "../../../src/browser/contributions/diagnosis.ts";

interface Facts extends EditorFacts {
  readonly agents: readonly AgentSettings[];
}

const wellFacts: Facts = {
  state: { kind: "listening", port: 4711, warnings: [] },
  folders: ["/workspace/one", "/workspace/two"],
  sessions: [
    {
      id: "1",
      agentName: "Claude Code",
      version: "2.1.328",
      dialect: "claude",
      state: "connected",
      openProposals: 0,
      since: 0,
    },
  ],
  trusted: true,
  sharing: true,
  terminalEnvironment: true,
  agents: [agent({ agentName: "Gemini CLI" }), agent({ agentName: "Claude Code" })],
};

function agent(facts: Partial<AgentSettings>): AgentSettings {
  return {
    agent: "qwen",
    agentName: "Qwen Code",
    isUsed: true,
    looksForEditor: "yes",
    looksOnContainerHost: false,
    showsChanges: true,
    asks: true,
    mode: "default",
    defaultMode: "auto",
    modeSetting: "tools.approvalMode",
    askingMode: "default",
    settingsFile: "/home/user/.qwen/settings.json",
    decidedBy: { looksForEditor: undefined, showsChanges: undefined, mode: undefined },
    traces: [],
    askingCommand: "qwen --approval-mode default",
    askingInput: undefined,
    hooksOff: undefined,
    hook: { kind: "absent" },
    ...facts,
  };
}

const yolo: Partial<AgentSettings> = {
  asks: false,
  mode: "yolo",
  decidedBy: { looksForEditor: undefined, showsChanges: undefined, mode: "/home/user/.qwen/settings.json" },
};

function pageOf(facts: Partial<Facts>): string {
  const all = { ...wellFacts, ...facts };
  return diagnosisText([...examineEditor(all), ...examineAgents(all.agents)]);
}

/** What is not well, each on one line. */
function troublesOf(facts: Partial<Facts>): readonly string[] {
  const lines = pageOf(facts).split("\n\n").slice(1, -1);
  return lines
    .filter((line) => !line.startsWith("✓"))
    .map((line) => line.replace("✗ ", "problem: ").replace("• ", "hint: ").replace("\n  ", " "));
}

it("finds nothing to do where all is well, and says what it looked at", () => {
  expect(troublesOf({})).toEqual([]);
  const text = pageOf({});
  expect(text).toContain("✓ Patchbay is listening for agents on 127.0.0.1, port 4711.");
  expect(text).toContain("started in /workspace/one, /workspace/two or below");
  expect(text).toContain("✓ Claude Code 2.1.328 is connected.");
});

it("says why there is no companion", () => {
  expect(troublesOf({ state: undefined, folders: [] })).toEqual([
    "problem: No folder is open in this window. Agents choose a window by its folders. Open the folder in which you start the agent.",
  ]);
  expect(troublesOf({ state: { kind: "starting" } })[0]).toContain("is still starting");
  expect(troublesOf({ state: { kind: "failed", message: "The disk is full." } })[0]).toContain("The disk is full.");
  expect(troublesOf({ state: { kind: "listening", port: 1, warnings: ["No record for Gemini CLI."] } })).toEqual([
    "problem: No record for Gemini CLI.",
  ]);
});

it("says what keeps an agent from connecting", () => {
  expect(troublesOf({ sessions: [] })[0]).toContain("Start the agent in a new terminal of this window");
  expect(troublesOf({ agents: [agent({ looksForEditor: "not-yet" })] })[0]).toContain("Type /ide enable in Qwen Code");
  expect(troublesOf({ agents: [agent({ looksOnContainerHost: true })] })[0]).toContain("export REMOTE_CONTAINERS=true");
  expect(troublesOf({ terminalEnvironment: false })[0]).toContain("patchbay.terminal.environment is off");
});

it("says what keeps an agent from seeing or asking", () => {
  expect(troublesOf({ sharing: false })[0]).toContain("Patchbay: Resume Sharing");
  expect(troublesOf({ trusted: false })[0]).toContain("untrusted");
  expect(troublesOf({ agents: [agent({ asks: false, mode: undefined })] })[0]).toContain(
    "Qwen Code: tools.approvalMode is not set; newer versions default to auto.",
  );
  expect(troublesOf({ agents: [agent(yolo)] })[0]).toMatch(
    /tools\.approvalMode is yolo.*qwen --approval-mode default.*Run Qwen Code/,
  );
  expect(troublesOf({ agents: [agent({ showsChanges: false })] })[0]).toContain("only in the terminal");
});

it("takes the agents' settings as seriously as the doctor does, and says nothing of an agent that is not used", () => {
  const cases: readonly Partial<AgentSettings>[] = [
    { looksForEditor: "no" },
    { looksForEditor: "not-yet" },
    { asks: false, mode: undefined },
    yolo,
    { showsChanges: false },
  ];
  for (const facts of cases) {
    const one = agent(facts);
    const levels = [...examineConnecting(one), ...examineAsking(one)].map(({ level }) => level);
    expect(levels).toHaveLength(1);
    expect(troublesOf({ agents: [one] }).map((text) => text.split(":")[0])).toEqual(levels);
    expect(troublesOf({ agents: [{ ...one, isUsed: false }] })).toEqual([]);
  }
});

it("is a page by agent with the window first, what is wrong first, and what can be done a click away", () => {
  const facts = { ...wellFacts, sharing: false, agents: [agent({ ...yolo, agentName: "Qwen Code" })] };
  const groups = diagnosisGroups([...examineEditor(facts), ...examineAgents(facts.agents)]);
  expect(groups.map(({ title }) => title)).toEqual(["This window", "Qwen Code"]);
  const [ownWindow, qwen] = groups;
  const links = (found: RegExp): readonly string[] =>
    groups.flatMap(({ lines }) =>
      lines.flatMap((line) => (found.test(line.found) ? line.links.map(({ label }) => label) : [])),
    );
  expect(ownWindow?.lines.map(({ level }) => level)).toEqual(["hint", "ok", "ok", "ok"]);
  expect(links(/Sharing is off/u)).toEqual(["Resume Sharing"]);
  expect(qwen?.lines[0]?.found).toContain("yolo");
  expect(links(/yolo/u)).toEqual(["Run Qwen Code", "Open /home/user/.qwen/settings.json"]);
});
