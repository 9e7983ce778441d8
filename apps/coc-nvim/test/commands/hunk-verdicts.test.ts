import type { HunkDecision, ProposalInfo } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { decideHunk, type HunkServices, undoHunk } from "../../src/commands/reviews.ts";

const place = { id: "p1", side: "right", line: 4 };

/** A companion that says so of each verdict; what is asked of it and of Vim is noted. */
function servicesWith(decision: HunkDecision, at: unknown = place): { services: HunkServices; done: unknown[] } {
  const done: unknown[] = [];
  const proposal: ProposalInfo = {
    id: "p1",
    sessionId: "s",
    agentName: "Qwen Code",
    path: "/w/a.ts",
    kind: "change",
    edited: false,
    standing: "unchanged",
    isHeld: false,
    createdAt: 0,
    lines: undefined,
    sessionTitle: undefined,
    state: "shown",
    hunks: { undecided: 2, accepted: 3, rejected: 1 },
  };
  const services: HunkServices = {
    vim: {
      call: async (name, args = []) => {
        if (name === "patchbay#hunk#place") return at;
        if (name === "patchbay#go#current") return asked;
        done.push([name, ...args]);
        return 0;
      },
    },
    companion: {
      proposals: [proposal],
      hunks: async () => [
        { left: { start: 1, end: 1 }, right: { start: 1, end: 3 } },
        { left: { start: 5, end: 6 }, right: { start: 7, end: 8 } },
      ],
      decideHunk: async (...args) => {
        done.push(args);
        return decision;
      },
      undoHunk: async (id) => {
        done.push(["undo", id]);
        return decision.kind === "decided";
      },
    },
  };
  const asked = "p1";
  return { services, done };
}

const decided = (left: number, start?: number): HunkDecision => ({
  kind: "decided",
  left,
  next: start === undefined ? undefined : { start, end: start + 1 },
});

describe("a verdict on a hunk", () => {
  it("is about the hunk at the cursor, leads to the next one, and says how many are left", async () => {
    const { services, done } = servicesWith(decided(2, 9));
    expect(await decideHunk(services, "accept", [])).toBe("2 hunks are left.");
    expect(done).toEqual([
      ["p1", "accept", 4],
      ["patchbay#hunk#decided", "p1", 3, 1, 9],
    ]);
  });

  it.each([
    [0, 1],
    [1, 1],
    [2, 7],
    [5, 7],
    [9, 7],
  ])("given in line %i of the left side is about line %i of the right one", async (line, right) => {
    const { services, done } = servicesWith(decided(1));
    expect(await decideHunk(services, "reject", ["p1", "left", line])).toBe("1 hunk is left.");
    expect(done).toEqual([
      ["p1", "reject", right],
      ["patchbay#hunk#decided", "p1", 3, 1, -1],
    ]);
  });

  it.each([
    ["ended", undefined],
    ["conflict", "resolve the conflict first"],
    ["read-only", "accept or reject the whole proposal"],
    ["none", "There is no hunk"],
  ] as const)("that is %s says what it is, and moves nothing", async (kind, text) => {
    const { services, done } = servicesWith({ kind });
    const said = await decideHunk(services, "accept", ["p1", "right", 0]);
    if (text === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(text);
    expect(done).toEqual([["p1", "accept", 0]]);
  });

  it("is none where the cursor is in no review, which has been said", async () => {
    const { services, done } = servicesWith({ kind: "ended" }, {});
    expect(await decideHunk(services, "accept", [])).toBeUndefined();
    expect(done).toEqual([]);
  });

  it("is taken back, where there is one", async () => {
    const { services, done } = servicesWith(decided(1));
    expect(await undoHunk(services, "")).toContain("is taken back");
    expect(done).toEqual([
      ["undo", "p1"],
      ["patchbay#hunk#decided", "p1", 3, 1, -1],
    ]);
    expect(await undoHunk(servicesWith({ kind: "none" }).services, "p1")).toContain("no verdict");
  });
});
