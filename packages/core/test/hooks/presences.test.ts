import process from "node:process";
import { createGeminiDriver } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SessionInfo } from "../../src/companion.ts";
import type { ProposalInfo } from "../../src/diff/model.ts";
import type { AgentActivity } from "../../src/hooks/activity.ts";
import { namedPlace, PresenceWatch, presencesOf, promptPaste } from "../../src/hooks/presences.ts";
import { createHookLab } from "./hook-lab.ts";

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
  isHeld: false,
  createdAt: 0,
  lines: undefined,
  sessionTitle: undefined,
});

it("a session is there once, whether its hook, its own protocol or both tell of it", () => {
  const activities = [activity("s1"), activity("s2", { processes: [50] })];
  const sessions = [session("a", { pid: 20 }), session("b", { pid: 60 }), session("c", { dialect: "gemini", pid: 50 })];
  const found = presencesOf({ activities, sessions, proposals: [], commands: undefined });
  expect(found.map(({ id, session: one }) => [id, one?.id])).toEqual([
    ["hook:claude s2", undefined],
    ["hook:claude s1", "a"],
    ["b", "b"],
    ["c", "c"],
  ]);
});

it("the process of a connected agent is looked up when its hook speaks: by that both are known to be one", async () => {
  const lab = await createHookLab();
  const driver = await lab.agent((options) => createGeminiDriver({ ...options, writesFile: false }));
  onTestFinished(() => driver.end());
  const processes = (): readonly unknown[] => lab.companion.sessions.map(({ pid }) => pid);
  expect(processes()).toEqual([undefined]);
  await lab.tell("gemini", { hook_event_name: "BeforeAgent", prompt: "Do it" });
  await expect.poll(processes).toEqual([process.pid]);
});

it("a session waits for the user while one of its proposals does, by whichever door it came", () => {
  const activities = [activity("s1")];
  const sessions = [session("a", { pid: 20 }), session("b")];
  const stateOf = (...proposals: ProposalInfo[]): unknown =>
    presencesOf({ activities, sessions, proposals, commands: undefined }).map(({ state, waitsFor }) => [
      state,
      waitsFor,
    ]);
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

describe("a place in a prompt", () => {
  const path = "src/my file.ts";

  it("is the file, as agents read it, and its lines in words", () => {
    expect(namedPlace({ path })).toBe(String.raw`@src/my\ file.ts`);
    expect(namedPlace({ path, lines: { start: 2, end: 6 } })).toBe(String.raw`@src/my\ file.ts (lines 3-7)`);
    expect(namedPlace({ path, lines: { start: 2, end: 2 } })).toBe(String.raw`@src/my\ file.ts (line 3)`);
  });

  it("tells a problem in one line, with who found it", () => {
    const lines = { start: 2, end: 2 };
    const message = "Cannot find name\n  'x'.\u001b[31m";
    expect(namedPlace({ path: "a.ts", lines, problem: { message, source: "ts", code: "2304" } })).toBe(
      "@a.ts (line 3): Cannot find name 'x'. [31m [ts 2304]",
    );
    expect(namedPlace({ path: "a.ts", lines, problem: { message: "Odd." } })).toBe("@a.ts (line 3): Odd.");
  });

  it.each(["a\nb.ts", "a\u001b.ts", "a\u202eb.ts", "a\u2028b.ts"])(
    "is nothing where a terminal would obey %j",
    (hostile) => {
      expect(namedPlace({ path: hostile })).toBeUndefined();
    },
  );
});

describe("news of sessions", () => {
  it("come once: when one begins to wait, has finished or has ended", () => {
    const watch = new PresenceWatch();
    const look = (...states: AgentActivity["state"][]): readonly unknown[] => {
      const activities = states.map((state, index) => activity(`s${index}`, { state, processes: [100 + index] }));
      const news = watch.look({ activities, sessions: [], proposals: [], commands: undefined });
      return news.map(({ presence, what }) => [presence.id, what]);
    };
    expect(look("working", "idle", "waiting")).toEqual([["hook:claude s2", "waits"]]);
    expect(look("working", "idle", "waiting")).toEqual([]);
    expect(look("waiting", "working", "working")).toEqual([["hook:claude s0", "waits"]]);
    expect(look("idle", "ended", "ended")).toEqual([
      ["hook:claude s2", "ended"],
      ["hook:claude s1", "ended"],
      ["hook:claude s0", "finished"],
    ]);
    expect(look("ended")).toEqual([]);
  });
});
