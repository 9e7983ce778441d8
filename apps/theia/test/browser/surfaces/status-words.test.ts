import type { ProposalInfo, SessionInfo } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { keptWords, proposalWords, statusOf } from "../../../src/browser/surfaces/status-words.ts";
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
});

function status(sessions: readonly string[], proposals: readonly string[]): WindowStatus {
  return {
    state: { kind: "listening", port: 1, warnings: [] },
    environment: {},
    sessions: sessions.map(session),
    proposals: proposals.map(proposal),
    keptTexts: [],
    activities: [],
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

  it("says of a kept text in the list that it is the user's", () => {
    expect(keptWords("Gemini CLI")).toBe("Gemini CLI · your text is kept");
  });

  it("names whose proposals wait, and nobody else", () => {
    const connected = ["Gemini CLI", "Claude Code"];
    expect(statusOf(status(connected, ["Claude Code"])).words).toBe("Claude Code: 1 to review");
    expect(statusOf(status(connected, ["Claude Code", "Claude Code"])).words).toBe("Claude Code: 2 to review");
  });
});
