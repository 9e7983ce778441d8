import type { AgentActivity, ProposalInfo, SessionInfo } from "@patchbay/core";
import { presencesOf } from "@patchbay/core/presences";
import { describe, expect, it } from "vitest";
import { keptWords, presenceWords, proposalWords, statusOf } from "../../../src/browser/surfaces/status-words.ts";
import type { WindowStatus } from "../../../src/common/protocol.ts";

const session = (agentName: string): SessionInfo => ({
  id: agentName,
  dialect: "gemini",
  agentName,
  state: "connected",
  since: 0,
  openProposals: 0,
});

const proposal = (agentName: string): ProposalInfo => ({
  id: agentName,
  sessionId: agentName,
  agentName,
  path: "/w/a.txt",
  kind: "change",
  state: "shown",
  standing: "unchanged",
  edited: false,
  isHeld: false,
  createdAt: 0,
  lines: undefined,
  sessionTitle: undefined,
});

function status(sessions: readonly string[], proposals: readonly string[]): WindowStatus {
  return {
    state: { kind: "listening", port: 1, warnings: [] },
    environment: {},
    sessions: sessions.map(session),
    proposals: proposals.map(proposal),
    keptTexts: [],
    activities: [],
    commands: { all: [] },
  };
}

describe("the status bar", () => {
  it("names who is connected, once, while nothing waits", () => {
    expect(statusOf(status([], [])).words).toBe("Patchbay");
    expect(statusOf(status(["Gemini CLI", "Claude Code", "Gemini CLI"], [])).words).toBe("Gemini CLI, Claude Code");
  });

  it("counts no text that no agent takes any more among the proposals", () => {
    const kept = {
      id: "k",
      agentName: "Claude Code",
      path: "/w/a",
      reason: "agent-exited",
      since: 0,
      isShown: true,
    } as const;
    const left = { ...proposal("Claude Code"), state: "kept" } as const;
    const waiting = status([], ["Gemini CLI"]);
    expect(statusOf({ ...status([], []), proposals: [left], keptTexts: [kept] }).words).toBe("Claude Code: 1 kept");
    expect(statusOf({ ...waiting, proposals: [...waiting.proposals, left], keptTexts: [kept] }).words).toBe(
      "Gemini CLI: 1 to review",
    );
  });

  it("says of a proposal in the list what it waits for", () => {
    expect(proposalWords({ ...proposal("Gemini CLI"), state: "asking" })).toContain("outside the workspace");
    expect(proposalWords({ ...proposal("Gemini CLI"), standing: "conflict", edited: true })).toBe(
      "Gemini CLI · conflicts with the file: resolve first · edited",
    );
    expect(proposalWords({ ...proposal("Gemini CLI"), standing: "merged", kind: "create" })).toBe(
      "Gemini CLI · new file · merged with changes to the file",
    );
    expect(proposalWords({ ...proposal("Gemini CLI"), kind: "delete" })).toBe("Gemini CLI · empties the file");
  });

  it("says which command an agent waits for", () => {
    const owner = "hook:claude s1";
    const activity: AgentActivity = {
      agent: "claude",
      session: "s1",
      owner,
      processes: [],
      folder: undefined,
      title: undefined,
      state: "waiting",
      since: 0,
      waitsFor: ["c1"],
    };
    const all = [{ id: "c1", agentName: "Claude Code", owner, command: "npm test", folder: "/w", since: 0 }];
    const now = { ...status([], []), activities: [activity], commands: { all } };
    expect(presencesOf(now).map(presenceWords)).toEqual(["waits for you: $ npm test"]);
    expect(statusOf(now).words).toBe("Claude Code: 1 to answer");
  });

  it("says of a kept text in the list that it is the user's", () => {
    const agentName = "Gemini CLI";
    expect(keptWords({ agentName, reason: "withdrawn" })).toBe("Gemini CLI · your text is kept");
    expect(keptWords({ agentName, reason: "not-written" })).toBe("Gemini CLI · accepted, not written");
  });

  it("names whose proposals wait, and nobody else", () => {
    const connected = ["Gemini CLI", "Claude Code"];
    expect(statusOf(status(connected, ["Claude Code"])).words).toBe("Claude Code: 1 to review");
    expect(statusOf(status(connected, ["Claude Code", "Claude Code"])).words).toBe("Claude Code: 2 to review");
  });
});
