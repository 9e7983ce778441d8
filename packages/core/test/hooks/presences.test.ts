import { expect, it } from "vitest";
import type { SessionInfo } from "../../src/companion.ts";
import type { ProposalInfo } from "../../src/diff/model.ts";
import type { AgentActivity } from "../../src/hooks/activity.ts";
import { presencesOf, promptPaste } from "../../src/hooks/presences.ts";

const activity = (session: string, more: Partial<AgentActivity> = {}): AgentActivity => ({
  agent: "claude",
  session,
  owner: `hook:claude ${session}`,
  processes: [30, 20, 10],
  folder: "/a",
  title: "Count to two",
  state: "working",
  since: 1,
  waitsFor: [],
  ...more,
});

const session = (id: string, more: Partial<SessionInfo> = {}): SessionInfo => ({
  id,
  dialect: "claude",
  agentName: "Claude Code",
  state: "connected",
  since: 0,
  openProposals: 0,
  ...more,
});

const proposal = (sessionId: string, state: ProposalInfo["state"] = "shown"): ProposalInfo => ({
  id: sessionId,
  sessionId,
  agentName: "Claude Code",
  path: "/a/b.ts",
  kind: "change",
  edited: false,
  state,
  standing: "unchanged",
});

it("a session is there once, whether its hook, its own protocol or both tell of it", () => {
  const activities = [activity("s1"), activity("s2", { processes: [50] })];
  const sessions = [session("a", { pid: 20 }), session("b", { pid: 60 }), session("c", { dialect: "gemini", pid: 50 })];
  const found = presencesOf({ activities, sessions, proposals: [] });
  expect(found.map(({ id, session: one }) => [id, one?.id])).toEqual([
    ["hook:claude s2", undefined],
    ["hook:claude s1", "a"],
    ["b", "b"],
    ["c", "c"],
  ]);
});

it("a session waits for the user while one of its proposals does, by whichever door it came", () => {
  const activities = [activity("s1")];
  const sessions = [session("a", { pid: 20 }), session("b")];
  const stateOf = (...proposals: ProposalInfo[]): unknown =>
    presencesOf({ activities, sessions, proposals }).map(({ state, waitsFor }) => [state, waitsFor]);
  const quiet = ["connected", []];
  expect(stateOf()).toEqual([["working", []], quiet]);
  for (const owner of ["hook:claude s1", "a"])
    expect(stateOf(proposal(owner))).toEqual([["waiting", ["/a/b.ts"]], quiet]);
  expect(stateOf(proposal("b"))).toEqual([
    ["working", []],
    ["waiting", ["/a/b.ts"]],
  ]);
  expect(stateOf(proposal("b", "kept"))).toEqual([["working", []], quiet]);
});

it("a text is pasted into a prompt as one line that nothing sends, and not while the agent asks", () => {
  const hostile = "no\r\nrm -rf x\u001b[201~\r\u009b1m\u2028\u0003 end\n";
  expect(promptPaste(hostile, { state: "idle" })).toBe("\u001b[200~no rm -rf x [201~ 1m  end\u001b[201~");
  expect(promptPaste("why", { state: "connected" })).toBe("\u001b[200~why\u001b[201~");
  for (const state of ["waiting", "ended"] as const) expect(promptPaste("why", { state })).toBeUndefined();
  expect(promptPaste("\r\n", { state: "idle" })).toBeUndefined();
});
