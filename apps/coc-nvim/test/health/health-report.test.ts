import { describe, expect, it } from "vitest";
import { type HealthFacts, healthReport, healthText } from "../../src/health/health-report.ts";

const fine: HealthFacts = {
  editor: "Vim 9.0.2142",
  version: "1.0.0",
  nodeVersion: "22.0.0",
  state: { kind: "listening", port: 4711, warnings: [] },
  folders: ["/w"],
  storageDirectory: "/data",
  temporaryDirectory: "/tmp",
  records: [{ agent: "Gemini CLI", path: "/tmp/gemini/ide/x", found: true }],
  sessions: [],
  sharing: true,
  agentSettings: [],
  inTmux: false,
  openQuestions: 0,
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

  it("says what to do about each problem", () => {
    expect(problems({ folders: [] }).join()).toContain(":cd");
    expect(problems({ state: { kind: "failed", message: "It failed." } }).join()).toContain("patchbay.restart");
    expect(problems({ state: { kind: "listening", port: 1, warnings: ["a record was refused"] } })).toContain(
      "a record was refused",
    );
    expect(problems({ records: [{ agent: "Qwen Code", path: "/h/1.lock", found: false }] }).join()).toContain(
      "/h/1.lock",
    );
    expect(problems({ sharing: false }).join()).toContain("patchbay.toggleSharing");
    expect(problems({ openQuestions: 1 }).join()).toContain("patchbay.answer");
  });

  it("says which agents never ask, and how to change that", () => {
    const modes = (agent: string, mode: string | undefined): string =>
      problems({ agentSettings: [{ agent, file: "/f", mode }] }).join();
    expect(modes("Qwen Code", undefined)).toContain('"approvalMode": "default"');
    expect(modes("Qwen Code", "default")).not.toContain("without asking");
    expect(modes("Claude Code", "acceptEdits")).toContain("acceptEdits");
    expect(modes("Gemini CLI", undefined)).not.toContain("without asking");
    expect(modes("Gemini CLI", "yolo")).toContain("without asking");
  });

  it("is plain text", () => {
    expect(healthText([{ level: "problem", text: "x" }])).toEqual(["PROBLEM  x"]);
  });
});
