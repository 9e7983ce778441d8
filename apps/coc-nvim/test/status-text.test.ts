import type { ProposalInfo, SessionInfo } from "@patchbay/core";
import { expect, it } from "vitest";
import { statusText } from "../src/status-text.ts";

const session = (agentName: string, state: SessionInfo["state"] = "connected"): SessionInfo => ({
  id: agentName,
  dialect: "x",
  agentName,
  state,
  since: 0,
  openProposals: 0,
});
const proposal: ProposalInfo = {
  id: "1",
  sessionId: "1",
  agentName: "A",
  path: "/a",
  kind: "change",
  edited: false,
  state: "shown",
  standing: "unchanged",
  isHeld: false,
  createdAt: 0,
  lines: undefined,
  sessionTitle: undefined,
};
const listening = { kind: "listening", port: 1, warnings: [] } as const;

it.each([
  [[], [], true, ""],
  [[session("Gemini CLI")], [], true, "Gemini CLI"],
  [
    [session("Gemini CLI"), session("Gemini CLI"), session("Claude Code")],
    [proposal],
    true,
    "Gemini CLI ×2, Claude Code · 1 proposal",
  ],
  [[session("Gemini CLI", "away")], [proposal, proposal], false, "2 proposals · sharing paused"],
])("%#", (sessions, proposals, sharing, text) => {
  expect(statusText({ state: listening, sessions, proposals, activities: [], commands: undefined }, sharing)).toBe(
    text,
  );
});

it("counts the commands that agents ask about", () => {
  const question = { id: "1", agentName: "A", owner: "hook:x 1", command: "ls", folder: "/a", since: 0 };
  const facts = { state: listening, sessions: [], proposals: [proposal], activities: [] };
  expect(statusText({ ...facts, commands: { all: [question] } }, true)).toBe("1 proposal · 1 command");
  expect(statusText({ ...facts, commands: { all: [question, question] } }, true)).toBe("1 proposal · 2 commands");
});

it("says a failure and nothing else", () => {
  const facts = { sessions: [session("A")], proposals: [], activities: [], commands: undefined };
  expect(statusText({ ...facts, state: { kind: "failed", message: "x" } }, true)).toBe("Patchbay failed");
  expect(statusText({ ...facts, state: { kind: "stopped" } }, true)).toBe("");
});
