import type { AgentActivity } from "@patchbay/core";
import type { KnownSessions } from "@patchbay/core/presences";
import type { SessionInfo } from "@patchbay/core";
import { expect, it } from "vitest";
import { sessionName } from "../../src/surfaces/session-names.ts";

const agentName = "Gemini CLI";
const connection = (id: string, pid?: number): SessionInfo => ({
  id,
  dialect: "gemini",
  agentName,
  state: "connected",
  since: 1,
  openProposals: 0,
  ...(pid === undefined ? {} : { pid }),
});
const hook = (owner: string, pid: number): AgentActivity => ({
  agent: "gemini",
  owner,
  session: owner,
  folder: undefined,
  waitsFor: [],
  title: undefined,
  state: "working",
  since: 2,
  processes: [pid],
});

class Known implements KnownSessions {
  activities: readonly AgentActivity[] = [];
  sessions: readonly SessionInfo[] = [];
  proposals = [];
  commands = undefined;
}

it("has no number where one agent is known by its hook and, a moment later, by its connection", () => {
  for (const first of ["hook", "connection"]) {
    const known = new Known();
    if (first === "hook") known.activities = [hook("h", 7)];
    else known.sessions = [connection("c")];
    expect(sessionName(known, { id: first === "hook" ? "h" : "c", agentName })).toBe(agentName);
    // Whose connection it is takes a moment to find out.
    known.activities = [hook("h", 7)];
    known.sessions = [connection("c")];
    sessionName(known, { id: "h", agentName });
    known.sessions = [connection("c", 7)];
    expect(sessionName(known, { id: "h", agentName })).toBe(agentName);
    expect(sessionName(known, { id: "c", agentName })).toBe(agentName);
  }
});

it("keeps its number as long as the session is known", () => {
  const known = new Known();
  known.sessions = [connection("one", 1), connection("two", 2)];
  expect(sessionName(known, { id: "one", agentName })).toBe("Gemini CLI 1");
  expect(sessionName(known, { id: "two", agentName })).toBe("Gemini CLI 2");
  known.sessions = [connection("two", 2)];
  expect(sessionName(known, { id: "two", agentName })).toBe("Gemini CLI 2");
  known.sessions = [connection("two", 2), connection("three", 3)];
  expect(sessionName(known, { id: "three", agentName })).toBe("Gemini CLI 1");
});
