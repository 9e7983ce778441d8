// @vitest-environment jsdom
import "../../support/browser.ts";
import type { AgentActivity, ProposalInfo, SessionInfo } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { ageWords, allRows, decidableIds, type InboxRow } from "../../../src/browser/inbox/inbox-row.ts";
import { inboxRows } from "../../../src/browser/inbox/inbox-rows.ts";
import { waitingCount } from "../../../src/browser/inbox/inbox-row.ts";
import type { ListedTurn, WindowStatus } from "../../../src/common/protocol.ts";
import { hostileNames } from "../surfaces/hostile-names.ts";
import { listedTurn } from "../../support/turn-ledger.ts";

const session: SessionInfo = {
  id: "g1",
  dialect: "gemini",
  agentName: "Gemini CLI",
  version: "0.61",
  pid: 7,
  state: "connected",
  since: 0,
  openProposals: 0,
};

const proposal: ProposalInfo = {
  id: "one",
  sessionId: "g1",
  agentName: "Gemini CLI",
  path: "/workspace/src/lib/a.txt",
  kind: "change",
  state: "shown",
  standing: "unchanged",
  edited: false,
  isHeld: false,
  createdAt: 60_000,
  lines: { added: 2, removed: 1 },
  sessionTitle: undefined,
};

const activity: AgentActivity = {
  agent: "claude",
  session: "c",
  owner: "hook:claude c",
  processes: [9],
  folder: "/workspace",
  title: "make the tests pass",
  state: "working",
  since: 0,
  waitsFor: [],
};

const nothing: WindowStatus = {
  state: { kind: "listening", port: 1, warnings: [] },
  environment: {},
  sessions: [],
  proposals: [],
  keptTexts: [],
  activities: [],
  commands: { all: [] },
};

const around = { roots: ["/workspace"], now: 120_000 };

const turn = listedTurn({
  session: "c",
  prompt: "make the tests pass",
  lines: { added: 3, removed: 2 },
  files: [
    {
      path: "/workspace/src/a.txt",
      kind: "changed",
      attribution: "exact",
      review: "unreviewed",
      lines: { added: 3, removed: 2 },
    },
  ],
});

function rowsOf(status: Partial<WindowStatus>, turns: readonly ListedTurn[] = []): readonly InboxRow[] {
  return inboxRows({ ...nothing, ...status }, around, turns);
}

/** The tree as one reads it. */
function drawn(rows: readonly InboxRow[], depth = 0): readonly string[] {
  return rows.flatMap((row) => [
    `${"  ".repeat(depth)}${[row.label, row.state, ...row.facts].filter((part) => part !== "").join(" | ")}`,
    ...drawn(row.children, depth + 1),
  ]);
}

describe("the rows of the view", () => {
  it("are agent, session by its title, and what it asks; what waits stands first", () => {
    const other: AgentActivity = { ...activity, owner: "hook:claude d", session: "d", title: "write docs" };
    const asked = {
      ...proposal,
      id: "two",
      sessionId: other.owner,
      agentName: "Claude Code",
      path: "/workspace/b.txt",
    };
    expect(drawn(rowsOf({ sessions: [session], activities: [activity, other], proposals: [asked] }))).toEqual([
      "Claude Code | 1 to review",
      "  write docs | waits for you: b.txt",
      "    b.txt | waits for you | 1 min",
      "  make the tests pass | working",
      "Gemini CLI | connected",
    ]);
  });

  it("leave out a session that has no name and stands alone", () => {
    const rows = rowsOf({ sessions: [session], proposals: [proposal] });
    expect(drawn(rows)).toEqual(["Gemini CLI | 1 to review", "  a.txt | waits for you | src/lib | 1 min"]);
    expect(rows[0]?.children[0]?.lines).toEqual({ added: 2, removed: 1 });
  });

  it("are folders with what waits in them where the user wants that, then who is there and what they changed", () => {
    const files = ["src/lib/a.txt", "src/b.txt", "c.txt", "test/d.txt"];
    const proposals = files.map(
      (name, at): ProposalInfo => ({
        ...proposal,
        id: name,
        path: `/workspace/${name}`,
        createdAt: at,
        isHeld: name === "test/d.txt",
      }),
    );
    const status = { ...nothing, sessions: [session], activities: [activity], proposals };
    const rows = inboxRows(status, { ...around, isByFolder: true }, [turn]);
    expect(drawn(rows)).toEqual([
      "src | 2 to review",
      "  lib | 1 to review",
      "    a.txt | waits for you | Gemini CLI | 2 min",
      "  b.txt | waits for you | Gemini CLI | 1 min",
      "test | 1 to review",
      "  d.txt | held | Gemini CLI | 1 min",
      "c.txt | waits for you | Gemini CLI | 1 min",
      "Claude Code",
      "  make the tests pass | working",
      "    1 changed file | 2 min",
      "      a.txt | src",
      "Gemini CLI | waits for you: a.txt, b.txt, c.txt, d.txt",
    ]);
    // As for agents: one alone has its own row for that, and what is held is decided by itself.
    expect(rows.slice(0, 2).map(({ actions }) => actions)).toEqual([["showAll", "acceptAll", "rejectAll"], []]);
    expect(decidableIds(rows.slice(0, 1))).toEqual(["src/lib/a.txt", "src/b.txt"]);
    const [first] = allRows(rows).filter(({ id }) => id === "proposal:src/lib/a.txt");
    expect(first?.subject).toMatchObject({ kind: "proposal", presence: { agentName: "Gemini CLI" } });
  });

  it.each<[Partial<ProposalInfo>, string, boolean]>([
    [{ standing: "conflict", edited: true }, "conflict", false],
    [{ isHeld: true, state: "hidden", edited: true }, "held", true],
    [{ state: "terminal" }, "answer in its terminal", false],
    [{ state: "away", edited: true }, "agent not connected", true],
    [{ state: "asking" }, "outside the workspace", false],
    [{ edited: true }, "edited", true],
    [{}, "waits for you", true],
  ])("say first what a proposal %j waits for: %s", (facts, state, isOpen) => {
    const [row] = rowsOf({ sessions: [session], proposals: [{ ...proposal, ...facts }] })[0]?.children ?? [];
    expect([row?.state, row?.actions.includes("accept")]).toEqual([state, isOpen]);
  });

  it("offer to decide all proposals of an agent or a session where there are several, those that are held left out", () => {
    const other: AgentActivity = { ...activity, owner: "hook:claude d", session: "d", title: "write docs" };
    const asked = (id: string, sessionId: string, facts: Partial<ProposalInfo> = {}): ProposalInfo => ({
      ...proposal,
      ...facts,
      id,
      sessionId,
      agentName: "Claude Code",
    });
    const proposals = [
      asked("one", activity.owner),
      asked("two", activity.owner, { standing: "conflict" }),
      asked("three", other.owner),
      asked("held", other.owner, { isHeld: true, state: "hidden" }),
      asked("outside", other.owner, { state: "asking" }),
      asked("elsewhere", other.owner, { state: "terminal" }),
    ];
    const [agent] = rowsOf({ activities: [activity, other], proposals });
    const both = ["showAll", "acceptAll", "rejectAll"];
    expect(agent?.actions).toEqual(both);
    expect(decidableIds(agent?.children ?? [])).toEqual(["two", "one", "three"]);
    const actions = agent?.children.map(({ label, actions: all }) => [label, all]);
    expect(actions).toEqual([
      ["make the tests pass", [...both, "terminal"]],
      ["write docs", ["terminal"]],
    ]);
    // An agent whose only session has no name stands for it.
    const two = [proposal, { ...proposal, id: "two" }];
    expect(rowsOf({ sessions: [session], proposals: two })[0]?.actions).toEqual([...both, "terminal"]);
  });

  it("tell sessions of one agent apart that have no prompt yet", () => {
    const sessions = [session, { ...session, id: "g2", pid: 8 }, { ...session, id: "g3", pid: 9 }];
    expect(drawn(rowsOf({ sessions, proposals: [{ ...proposal, sessionId: "g3" }] }))).toEqual([
      "Gemini CLI | 1 to review",
      "  Session without a prompt | waits for you: a.txt | 0.61 | process 9",
      "    a.txt | waits for you | src/lib | 1 min",
      "  Session without a prompt | connected | 0.61 | process 7",
      "  Session without a prompt | connected | 0.61 | process 8",
    ]);
  });

  it("keep what belongs to nobody who is there, and texts that no agent takes", () => {
    const lost = { ...proposal, sessionId: "gone" };
    const kept = { ...proposal, id: "kept", agentName: "Qwen Code", sessionId: "lost", state: "kept" } as const;
    const text = {
      id: "kept",
      agentName: "Qwen Code",
      path: "/elsewhere/k.txt",
      reason: "withdrawn",
      since: 0,
      isShown: true,
    } as const;
    const rows = rowsOf({ proposals: [lost, kept], keptTexts: [text] });
    expect(drawn(rows)).toEqual([
      "Gemini CLI | 1 to review",
      "  a.txt | waits for you | src/lib | 1 min",
      "Qwen Code",
      "  k.txt | your text is kept | /elsewhere | 2 min",
    ]);
    expect(waitingCount({ proposals: [lost, kept], commands: { all: [] } })).toBe(1);
    const unwritten = rowsOf({ proposals: [kept], keptTexts: [{ ...text, reason: "not-written" }] });
    expect(drawn(unwritten)).toEqual(["Qwen Code", "  k.txt | accepted, not written | /elsewhere | 2 min"]);
    expect(unwritten[0]?.tone).toBe("attention");
  });

  it("name shell commands that an agent asks about in one line, all of which is seen", () => {
    const command = {
      id: "x",
      agentName: "Claude Code",
      owner: activity.owner,
      command: "rm -r .\nls",
      folder: undefined,
      since: 0,
    };
    const [row] = rowsOf({ activities: [activity], commands: { all: [command] } })[0]?.children[0]?.children ?? [];
    expect([row?.label, row?.actions]).toEqual(["$ rm -r . ↵ ls", ["open"]]);
  });

  it("have what a session changed behind what it asks, and below its agent where the session is gone", () => {
    const asked = { ...proposal, sessionId: activity.owner, agentName: "Claude Code" };
    expect(drawn(rowsOf({ activities: [activity], proposals: [asked] }, [turn]))).toEqual([
      "Claude Code | 1 to review",
      "  make the tests pass | waits for you: a.txt",
      "    a.txt | waits for you | src/lib | 1 min",
      "    1 changed file | 2 min",
      "      a.txt | src",
    ]);
    const [left] = rowsOf({}, [{ ...turn, prompt: "", ended: undefined, border: "estimated" }]);
    expect(drawn(left === undefined ? [] : [left])).toEqual([
      "Claude Code",
      "  1 changed file | working | estimated",
      "    a.txt | src",
    ]);
    expect(waitingCount({ proposals: [], commands: { all: [] } })).toBe(0);
  });

  it.each([
    [{ attribution: "likely" }, "Likely changed by Claude Code", "diff-modified", ""],
    [{ attribution: "unknown" }, "Changed while Claude Code worked; you typed in it, too", "question", ""],
    [{ review: "queued" }, "Changed by Claude Code", "history", "undo waits"],
    [{ kind: "created", review: "partly" }, "Changed by Claude Code", "diff-added", "partly reviewed"],
  ] as const)("say of a changed file %j who changed it: %s", (facts, who, icon, state) => {
    const files = turn.files.map((file) => ({ ...file, ...facts }));
    const row = allRows(rowsOf({}, [{ ...turn, files }])).at(-1);
    expect([row?.tooltip.split("\n")[1], row?.icon, row?.state]).toEqual([who, icon, state]);
    expect(row?.actions).toEqual(["open", "keep", "undo"]);
  });

  it("say of a turn what git did in it, and that not all files were looked at", () => {
    const row = allRows(rowsOf({}, [{ ...turn, git: ["commit", "stash"], isPartial: true }])).find(
      ({ id }) => id === `turn:${turn.id}`,
    );
    expect(row?.facts.slice(-2)).toEqual(["changed in git: commit, stash", "not all files were looked at"]);
  });

  it("say of a renamed file where it was", () => {
    const files = turn.files.map(
      (file) => ({ ...file, kind: "changed", movedFrom: "/workspace/lib/there.txt" }) as const,
    );
    const row = allRows(rowsOf({}, [{ ...turn, files }])).at(-1);
    expect([row?.icon, row?.facts.at(-1)]).toEqual(["diff-renamed", "renamed from lib/there.txt"]);
  });

  it("show nothing that cannot be seen, whatever files and prompts are called", () => {
    for (const name of hostileNames) {
      const path = `/workspace/${name}/${name}`;
      const status = {
        ...nothing,
        activities: [{ ...activity, title: name }],
        proposals: [{ ...proposal, sessionId: activity.owner, path, agentName: name }],
      };
      const files = turn.files.map((file) => ({ ...file, path, movedFrom: path }));
      const turns = [{ ...turn, prompt: name, agents: [name, name], files }];
      const rows = [false, true].flatMap((isByFolder) => inboxRows(status, { ...around, isByFolder }, turns));
      const texts = allRows(rows).flatMap(({ label, state, facts }) => [label, state, ...facts]);
      expect(texts.filter((text) => /[\p{Cc}\u202E]/u.test(text))).toEqual([]);
    }
  });

  it("tell ages in one short word", () => {
    const at = (ms: number): string => ageWords(0, ms);
    expect([at(-5), at(59_000), at(60_000), at(3_599_000), at(3_600_000), at(90_000_000)]).toEqual([
      "now",
      "now",
      "1 min",
      "59 min",
      "1 h",
      "1 d",
    ]);
  });
});
