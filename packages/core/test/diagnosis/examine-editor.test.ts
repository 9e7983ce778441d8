import { describe, expect, it } from "vitest";
import { examineAgents, examineAsking, examineConnecting, examineEditor } from "../../src/diagnosis/index.ts";
import type { AgentSettings, EditorFacts, SessionInfo } from "../../src/index.ts";

const fine: EditorFacts = {
  state: { kind: "listening", port: 4711, warnings: [] },
  folders: ["/w"],
  trusted: true,
  sharing: true,
  terminalEnvironment: true,
  sessions: [],
};

const session: SessionInfo = {
  id: "1",
  dialect: "qwen",
  agentName: "Qwen Code",
  state: "connected",
  openProposals: 0,
  since: 0,
};

const qwen: AgentSettings = {
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
};

/** What is found beside what is fine. */
const found = (facts: Partial<EditorFacts>): readonly (readonly [string, string])[] =>
  examineEditor({ ...fine, sessions: [session], ...facts })
    .filter(({ level }) => level !== "ok")
    .map(({ code, level }) => [code, level]);

describe("an editor about itself", () => {
  it("says what an agent needs, in that order", () => {
    expect(examineEditor({ ...fine, sessions: [session] })).toEqual([
      { code: "listening", level: "ok", agents: [], values: { port: 4711 } },
      { code: "folders-open", level: "ok", agents: [], values: { folders: ["/w"] } },
      { code: "session", level: "ok", agents: [], values: { session } },
    ]);
  });

  it.each([
    [{ state: { kind: "listening", port: 1, warnings: ["A record was refused."] } }, "listening-but", "problem"],
    [{ state: { kind: "failed", message: "The port is taken." } }, "failed", "problem"],
    [{ state: { kind: "starting" } }, "not-yet-listening", "hint"],
    [{ state: { kind: "stopped" } }, "stopped", "problem"],
    [{ state: undefined, folders: [] }, "no-folder-open", "problem"],
    [{ trusted: false }, "workspace-untrusted", "hint"],
    [{ sharing: false }, "sharing-off", "hint"],
    [{ terminalEnvironment: false }, "terminal-environment-off", "hint"],
    [{ sessions: [] }, "no-agent-connected", "hint"],
  ] satisfies readonly [Partial<EditorFacts>, string, string][])("weighs %j", (facts, code, level) => {
    expect(found(facts)).toEqual([[code, level]]);
  });

  it("knows an agent that is away from one that is connected", () => {
    expect(found({ sessions: [{ ...session, state: "away" }] })).toEqual([
      ["session", "hint"],
      ["no-agent-connected", "hint"],
    ]);
  });
});

describe("the agents' settings, as an editor sees them", () => {
  const codes = (facts: Partial<AgentSettings>): readonly (readonly [string, string])[] =>
    examineAgents([{ ...qwen, ...facts }]).map(({ code, level }) => [code, level]);

  it("are fine where the agent asks", () => {
    expect(examineAgents([qwen])).toEqual([{ code: "asks", level: "ok", agents: ["qwen"], values: {} }]);
  });

  it("are not looked at where the agent is not used", () => {
    expect(codes({ isUsed: false, asks: false })).toEqual([]);
  });

  it.each([
    { looksForEditor: "no" },
    { looksForEditor: "not-yet" },
    { asks: false, mode: undefined },
    { asks: false, mode: "yolo" },
    { showsChanges: false },
  ] satisfies readonly Partial<AgentSettings>[])("with %j are taken as seriously as in a terminal", (facts) => {
    const one = { ...qwen, ...facts };
    expect(examineAgents([one]).filter(({ code }) => code !== "asks")).toEqual([
      ...examineConnecting(one),
      ...examineAsking(one),
    ]);
    expect(codes(facts)).toContainEqual([expect.any(String), "problem"]);
  });

  it("are nothing to go by where the agent cannot read them, and each such file is named", () => {
    const files = ["/home/user/.qwen/settings.json", "/w/.qwen/settings.json"];
    expect(examineAgents([{ ...qwen, asks: false, invalidFiles: files }])).toEqual(
      files.map((file) => ({ code: "settings-not-json", level: "problem", agents: ["qwen"], values: { file } })),
    );
    expect(codes({ isUsed: false, invalidFiles: files })).toEqual([]);
  });

  it("may lead an agent to the container's host, though not in the editor's own terminals", () => {
    expect(codes({ looksOnContainerHost: true })).toContainEqual(["looks-on-container-host", "hint"]);
  });
});
