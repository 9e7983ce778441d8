import type { EditorFinding, SessionInfo } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { wordsOf } from "../src/diagnosis.ts";

const said = (finding: EditorFinding, settings = { share: true }): string => {
  const words = wordsOf(finding, settings);
  return [words?.found ?? "", words?.advice ?? ""].join(" ").trim();
};

const session: SessionInfo = {
  id: "1",
  dialect: "qwen",
  agentName: "Qwen Code",
  version: "0.24.4",
  state: "connected",
  openProposals: 0,
  since: 0,
};

describe("the words of the diagnosis", () => {
  it("tell a pause from the setting", () => {
    const off: EditorFinding = { code: "sharing-off", level: "hint", agents: [], values: {} };
    expect(said(off)).toContain("Sharing is paused");
    expect(said(off, { share: false })).toContain("off in the settings");
  });

  it("name the agents that are connected, and no others", () => {
    const of = (one: SessionInfo): EditorFinding => ({
      code: "session",
      level: "ok",
      agents: [],
      values: { session: one },
    });
    expect(said(of(session))).toBe("Qwen Code 0.24.4 is connected.");
    expect(said(of({ ...session, state: "away" }))).toBe("");
  });

  it("say of an agent that never asks which mode it is in and what starts it otherwise", () => {
    const values = {
      mode: "auto",
      setting: "tools.approvalMode",
      asking: "default",
      userFile: "/home/user/.qwen/settings.json",
      command: "qwen --approval-mode default",
      input: undefined,
    };
    const never = (file: string | undefined): EditorFinding => ({
      code: "never-asks",
      level: "problem",
      agents: ["qwen"],
      values: { ...values, file },
    });
    expect(said(never(undefined))).toMatch(
      /^Qwen Code: tools\.approvalMode is not set; newer versions default to auto\. .*qwen --approval-mode default.*Run Qwen Code/u,
    );
    expect(said(never("/w/.qwen/settings.json"))).toContain("Qwen Code: tools.approvalMode is auto.");
  });

  it("say what has an agent look for an editor", () => {
    const off: EditorFinding = { code: "editor-mode-not-chosen", level: "problem", agents: ["gemini"], values: {} };
    expect(said(off)).toMatch(/^Gemini CLI: .* Type \/ide enable in Gemini CLI once\. If it offers/u);
    expect(said({ ...off, agents: ["claude"] })).toMatch(/ Type \/ide in Claude Code once\.$/u);
  });

  it("pass on what core has put into words", () => {
    const failed: EditorFinding = {
      code: "failed",
      level: "problem",
      agents: [],
      values: { sentence: "It is taken." },
    };
    expect(said(failed)).toMatch(/^It is taken\. .*Show Log/u);
  });
});
