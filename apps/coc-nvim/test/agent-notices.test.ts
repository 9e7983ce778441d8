import type { AgentActivity } from "@patchbay/core";
import type { KnownSessions } from "@patchbay/core/presences";
import { describe, expect, it } from "vitest";
import { AgentNotices } from "../src/agent-notices.ts";

const activity: AgentActivity = {
  agent: "gemini",
  session: "s1",
  owner: "hook:gemini s1",
  processes: [process.pid],
  folder: "/w",
  title: "Count to two",
  state: "working",
  since: 0,
  waitsFor: [],
};

const knownIn = (state: AgentActivity["state"]): KnownSessions => ({
  activities: [{ ...activity, state }],
  sessions: [],
  proposals: [],
  commands: undefined,
});

describe("notices of agents", () => {
  it("tell of one that waits or has finished, unless the user sees its terminal", async () => {
    const told: (readonly string[])[] = [];
    const asked: unknown[] = [];
    let seen = 0;
    const call = async (name: string, args: readonly unknown[]): Promise<unknown> => {
      asked.push([name, args]);
      return seen;
    };
    const notices = new AgentNotices({ call }, (_kind, lines) => {
      told.push(lines);
      return { clicked: Promise.resolve(-1), close: () => {} };
    });
    for (const state of ["working", "waiting", "working"] as const) await notices.update(knownIn(state));
    seen = 1;
    await notices.update(knownIn("idle"));
    seen = 0;
    for (const state of ["working", "idle", "working", "ended"] as const) await notices.update(knownIn(state));
    expect(told).toEqual([
      ["Gemini CLI is waiting for your answer: Count to two"],
      ["Gemini CLI has finished: Count to two"],
      ["Gemini CLI has ended: Count to two"],
    ]);
    expect(asked[0]).toEqual(["patchbay#hooks#seen", [expect.arrayContaining([process.pid])]]);
  });
});
