import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agents, type AgentSettings, type SessionInfo } from "@patchbay/core";
import { examineAsking, examineConnecting } from "@patchbay/core/diagnosis";
import { describe, expect, it } from "vitest";
import { findMissing, type HealthFacts, healthReport, healthText } from "../../src/health/health-report.ts";

const fine: HealthFacts = {
  editor: "Vim 9.0.2142",
  version: "1.0.0",
  nodeVersion: "22.0.0",
  state: { kind: "listening", port: 4711, warnings: [] },
  folders: ["/w"],
  storageDirectory: "/data",
  records: [{ agent: "gemini", path: "/tmp/gemini/ide/x", found: true }],
  sessions: [],
  sharing: true,
  agentSettings: [],
  inTmux: false,
  missing: [],
  openQuestions: 0,
};

const session: SessionInfo = {
  id: "1",
  dialect: "qwen",
  agentName: "Qwen Code",
  state: "connected",
  openProposals: 0,
  since: 0,
};

const problems = (facts: Partial<HealthFacts>): readonly string[] =>
  healthReport({ ...fine, ...facts })
    .filter((line) => line.level !== "ok")
    .map((line) => line.text);

describe("the health report", () => {
  it("only points at how to start an agent when all is well", () => {
    expect(problems({})).toEqual([
      "No agent is connected. Start one with :CocCommand patchbay.openAgent, or type /ide in it.",
    ]);
  });

  it("says first what is not installed and how to get it, and nothing else of it", () => {
    const records: HealthFacts["records"] = [
      { agent: "gemini", path: "/tmp/gemini/ide/x", found: true },
      { agent: "qwen", path: "/h/1.lock", found: false },
    ];
    const some = healthReport({ ...fine, records, missing: ["qwen", "mine"] });
    expect(some.slice(0, 2)).toEqual([
      {
        level: "hint",
        text: "Qwen Code is not installed, or not on this editor's PATH. To install it: npm install -g @qwen-code/qwen-code",
      },
      { level: "hint", text: "The command for mine in patchbay.agents is not on this editor's PATH." },
    ]);
    expect(some.slice(2).filter(({ text }) => text.includes("Qwen"))).toEqual([]);
    const none = healthReport({ ...fine, missing: agents.map(({ id }) => id) });
    expect(none.slice(0, agents.length + 1).map(({ level }) => level)).toEqual([...agents.map(() => "problem"), "ok"]);
  });

  it("finds what the editor can start", () => {
    const folder = mkdtempSync(join(tmpdir(), "patchbay-health-"));
    try {
      writeFileSync(join(folder, "gemini"), "", { mode: 0o755 });
      writeFileSync(join(folder, "qwen"), "", { mode: 0o644 });
      const agents = {
        gemini: "gemini --approval-mode default",
        qwen: "qwen",
        claude: `${join(folder, "gemini")} -x`,
        none: "",
      };
      expect(findMissing(agents, `/nowhere:${folder}`)).toEqual(["qwen", "none"]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("says what to do about each problem", () => {
    expect(problems({ folders: [] }).join()).toContain(":cd");
    expect(problems({ state: { kind: "failed", message: "It failed." } }).join()).toContain("patchbay.restart");
    expect(problems({ state: { kind: "listening", port: 1, warnings: ["a record was refused"] } })).toContain(
      "a record was refused",
    );
    expect(problems({ records: [{ agent: "qwen", path: "/h/1.lock", found: false }] }).join()).toContain("/h/1.lock");
    expect(problems({ sharing: false }).join()).toContain("patchbay.toggleSharing");
    expect(problems({ openQuestions: 1 }).join()).toContain("patchbay.answer");
  });

  it("says what keeps an agent from connecting or asking, and how to change that", () => {
    const qwen: AgentSettings = {
      agent: "qwen",
      agentName: "Qwen Code",
      isUsed: true,
      looksForEditor: "yes",
      looksOnContainerHost: false,
      showsChanges: true,
      asks: false,
      mode: undefined,
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
    const told = (facts: Partial<AgentSettings>): readonly string[] =>
      problems({ agentSettings: [{ ...qwen, ...facts }], sessions: [session] });
    expect(told({ asks: true })).toEqual([]);
    expect(told({}).join()).toContain(
      'without asking by default, so nothing is shown for review. Put "tools": {"approvalMode": "default"} into /home/user/.qwen/settings.json',
    );
    expect(told({ mode: "yolo", decidedBy: { ...qwen.decidedBy, mode: qwen.settingsFile } }).join()).toContain(
      "in mode yolo",
    );
    expect(told({ asks: true, showsChanges: false }).join()).toContain("only in the terminal");
    expect(told({ asks: true, looksForEditor: "no" }).join()).toContain("/ide enable");
    expect(told({ asks: true, looksOnContainerHost: true }).join()).toContain("export REMOTE_CONTAINERS=true");
    expect(told({ mode: "yolo", decidedBy: { ...qwen.decidedBy, mode: "/w/.qwen/settings.json" } }).join()).toContain(
      "into /w/.qwen/settings.json",
    );
    // As seriously as the doctor takes it.
    const cases: readonly Partial<AgentSettings>[] = [
      { asks: true, looksForEditor: "no" },
      { asks: true, looksForEditor: "not-yet" },
      { asks: true, showsChanges: false },
      { mode: "yolo" },
      {},
    ];
    for (const facts of cases) {
      const one = { ...qwen, ...facts };
      const levels = [...examineConnecting(one), ...examineAsking(one)].map(({ level }) => level);
      const lines = healthReport({ ...fine, sessions: [session], agentSettings: [one] });
      expect(
        lines.filter(({ text, level }) => text.includes("Qwen Code") && level !== "ok").map(({ level }) => level),
      ).toEqual(levels);
    }
  });

  it("is plain text", () => {
    expect(healthText([{ level: "problem", text: "x" }])).toEqual(["PROBLEM  x"]);
    expect(healthText([{ level: "problem", text: "x", code: "failed" }])[0]).toBe("PROBLEM  x [failed]");
    // Nothing is to be explained where all is well.
    expect(healthReport(fine).filter(({ level, code }) => level === "ok" && code !== undefined)).toEqual([]);
  });
});
