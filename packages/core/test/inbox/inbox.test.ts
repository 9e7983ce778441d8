import { describe, expect, it } from "vitest";
import type { SessionInfo } from "../../src/companion.ts";
import type { ProposalInfo } from "../../src/diff/model.ts";
import type { AgentActivity } from "../../src/hooks/activity.ts";
import { byFolder, entriesBelow, foldersIn, type InboxFolder } from "../../src/inbox/folders.ts";
import { entriesIn, entriesOf, type InboxAgent, inboxOf, positionIn, titled } from "../../src/inbox/inbox.ts";

const proposal = (id: string, sessionId: string, more: Partial<ProposalInfo> = {}): ProposalInfo => ({
  id,
  sessionId,
  agentName: "Claude Code",
  path: `/ws/src/${id}.ts`,
  kind: "change",
  edited: false,
  state: "shown",
  standing: "unchanged",
  isHeld: false,
  createdAt: 100,
  lines: undefined,
  sessionTitle: undefined,
  ...more,
});

const session = (id: string, pid: number): SessionInfo => ({
  id,
  dialect: "claude",
  agentName: "Claude Code",
  state: "connected",
  since: pid,
  pid,
  openProposals: 1,
});

const activity = (name: string, title: string, processes: readonly number[] = []): AgentActivity => ({
  agent: "claude",
  session: name,
  owner: `hook:claude ${name}`,
  processes,
  folder: "/ws",
  title,
  state: "working",
  since: 1,
  waitsFor: [],
});

/** Agents with their sessions' titles and entries, short. */
function drawn(inbox: readonly InboxAgent[]): unknown {
  return inbox.map(({ agentName, sessions }) => [
    agentName,
    ...sessions.map(({ title, entries }) => [title, ...entries.map(({ id, state }) => `${id} ${state}`)]),
  ]);
}

describe("an inbox", () => {
  it("keeps three sessions of one agent apart by what they were asked, whichever way they ask", () => {
    const activities = [activity("s1", "Count"), activity("s2", "Sort", [7, 20])];
    const sessions = [session("a", 20), session("b", 30)];
    const proposals = [
      proposal("p1", "hook:claude s1"),
      proposal("p2", "hook:claude s2"),
      proposal("p3", "a"),
      proposal("p4", "b"),
    ];
    const inbox = inboxOf(proposals, sessions, activities);
    expect(drawn(inbox)).toEqual([
      ["Claude Code", ["Count", "p1 waiting"], ["Sort", "p2 waiting", "p3 waiting"], [undefined, "p4 waiting"]],
    ]);
    expect(inbox[0]?.sessions.map(({ since, pid }) => [since, pid])).toEqual([
      [100, undefined],
      [20, 20],
      [30, 30],
    ]);
    expect(titled(proposals, sessions, activities).map(({ sessionTitle }) => sessionTitle)).toEqual([
      "Count",
      "Sort",
      "Sort",
      undefined,
    ]);
  });

  it("gives a process that has begun a new session to that one alone", () => {
    const activities = [activity("old", "Yesterday", [20]), activity("new", "Today", [20])];
    const inbox = inboxOf(
      [proposal("p1", "hook:claude old"), proposal("p2", "a"), proposal("p3", "hook:claude new")],
      [session("a", 20)],
      activities,
    );
    expect(drawn(inbox)).toEqual([["Claude Code", ["Yesterday", "p1 waiting"], ["Today", "p2 waiting", "p3 waiting"]]]);
    expect(inbox[0]?.sessions.map(({ pid }) => pid)).toEqual([undefined, 20]);
  });

  it("says of each entry what the user most needs to know", () => {
    const stateOf = (more: Partial<ProposalInfo>): unknown =>
      entriesOf(inboxOf([proposal("p", "s", more)], [], []))[0]?.state;
    expect(stateOf({})).toBe("waiting");
    expect(stateOf({ state: "listed" })).toBe("waiting");
    expect(stateOf({ edited: true })).toBe("edited");
    expect(stateOf({ edited: true, standing: "conflict" })).toBe("conflict");
    expect(stateOf({ isHeld: true, standing: "conflict", state: "hidden" })).toBe("held");
    expect(stateOf({ isHeld: true, state: "away" })).toBe("away");
    expect(stateOf({ isHeld: true, state: "terminal" })).toBe("terminal");
    expect(stateOf({ edited: true, state: "kept" })).toBe("kept");
    expect(stateOf({ edited: true, state: "kept", keptReason: "withdrawn" })).toBe("kept");
    expect(stateOf({ edited: true, state: "kept", keptReason: "not-written" })).toBe("unwritten");
  });

  it("has first what waits most urgently, then what has waited longest, at each level", () => {
    const proposals = [
      proposal("kept", "old", { state: "kept", createdAt: 1 }),
      proposal("held", "one", { isHeld: true, createdAt: 2 }),
      proposal("late", "one", { createdAt: 9 }),
      proposal("edited", "one", { edited: true, createdAt: 8 }),
      proposal("waiting", "two", { createdAt: 5 }),
      proposal("away", "q", { agentName: "Qwen Code", state: "away", createdAt: 1 }),
      proposal("conflict", "g", { agentName: "Gemini CLI", standing: "conflict", createdAt: 50 }),
    ];
    expect(drawn(inboxOf(proposals, [], []))).toEqual([
      ["Gemini CLI", [undefined, "conflict conflict"]],
      [
        "Claude Code",
        [undefined, "waiting waiting"],
        [undefined, "edited edited", "late waiting", "held held"],
        [undefined, "kept kept"],
      ],
      ["Qwen Code", [undefined, "away away"]],
    ]);
  });

  it.each([
    ["/ws/src/a.ts", "a.ts", "/ws/src"],
    ["/a.ts", "a.ts", "/"],
    ["C:\\ws\\a.ts", "a.ts", "C:\\ws"],
    ["C:\\a.ts", "a.ts", "C:\\"],
  ])("names file and folder of %s", (path, name, folder) => {
    expect(entriesOf(inboxOf([proposal("p", "s", { path })], [], []))).toMatchObject([{ name, folder }]);
  });

  it("gives the entries of an agent, a session and a folder with what is below it, and no namesake's", () => {
    const inbox = inboxOf(
      [
        proposal("a", "one", { path: "/ws/src/a.ts", createdAt: 1 }),
        proposal("b", "one", { path: "/ws/src/deep/b.ts", createdAt: 2 }),
        proposal("c", "two", { path: "/ws/src2/c.ts", createdAt: 3 }),
        proposal("d", "three", { path: "/ws/src/d.ts", agentName: "Gemini CLI", createdAt: 4 }),
      ],
      [],
      [],
    );
    const idsIn = (part: Parameters<typeof entriesIn>[1]): readonly string[] =>
      entriesIn(inbox, part).map(({ id }) => id);
    expect(idsIn({ agentName: "Claude Code" })).toEqual(["a", "b", "c"]);
    expect(idsIn({ session: "one" })).toEqual(["a", "b"]);
    expect(idsIn({ folder: "/ws/src" })).toEqual(["a", "b", "d"]);
    expect(idsIn({ folder: "/ws/src", agentName: "Gemini CLI" })).toEqual(["d"]);
    expect(idsIn({ folder: "/" })).toEqual(["a", "b", "c", "d"]);
  });

  it("says which of how many an entry is, and goes round", () => {
    const inbox = inboxOf([proposal("a", "s"), proposal("b", "s"), proposal("c", "s")], [], []);
    expect(positionIn(inbox, "a")).toEqual({ number: 1, count: 3, next: "b", previous: "c" });
    expect(positionIn(inbox, "c")).toEqual({ number: 3, count: 3, next: "a", previous: "b" });
    expect(positionIn(inbox, "gone")).toBeUndefined();
    expect(positionIn(inboxOf([proposal("a", "s")], [], []), "a")).toMatchObject({ next: "a", previous: "a" });
  });
});

describe("an inbox by folder", () => {
  /** Names of folders with what is in them, and of files. */
  const drawnParts = ({ folders, entries }: Pick<InboxFolder, "folders" | "entries">): unknown => [
    ...folders.map((one) => [one.name, drawnParts(one)]),
    ...entries.map(({ name }) => name),
  ];
  const partsOf = (paths: readonly string[], roots: readonly string[]) =>
    byFolder(
      entriesOf(
        inboxOf(
          paths.map((path, at) => proposal(path, "s", { path, createdAt: at })),
          [],
          [],
        ),
      ),
      roots,
    );

  it("has a row for what shares a folder, and none for a folder that holds only another one", () => {
    const paths = [
      "/ws/src/a.ts",
      "/ws/src/deep/er/b.ts",
      "/ws/test/unit/c.ts",
      "/ws/test/e2e/d.ts",
      "/ws/e.ts",
      "/ws/docs/de/f.md",
    ];
    const parts = partsOf(paths, ["/ws"]);
    expect(drawnParts(parts)).toEqual([
      ["src", [["deep/er", ["b.ts"]], "a.ts"]],
      [
        "test",
        [
          ["unit", ["c.ts"]],
          ["e2e", ["d.ts"]],
        ],
      ],
      ["docs/de", ["f.md"]],
      "e.ts",
    ]);
    expect(foldersIn(parts).map(({ folder }) => folder)).toEqual([
      "/ws/src",
      "/ws/src/deep/er",
      "/ws/test",
      "/ws/test/unit",
      "/ws/test/e2e",
      "/ws/docs/de",
    ]);
    expect(entriesBelow(parts)).toHaveLength(paths.length);
  });

  it("keeps namesakes, several roots and what is outside apart", () => {
    expect(drawnParts(partsOf(["/ws/src/a.ts", "/ws/src2/b.ts"], ["/ws"]))).toEqual([
      ["src", ["a.ts"]],
      ["src2", ["b.ts"]],
    ]);
    expect(drawnParts(partsOf(["/one/src/a.ts", "/two/b.ts", "/one/in/c.ts"], ["/one", "/two", "/one/in"]))).toEqual([
      ["one", [["src", ["a.ts"]]]],
      ["two", ["b.ts"]],
      ["in", ["c.ts"]],
    ]);
    expect(drawnParts(partsOf(["/ws/a.ts", "/etc/x/b", "/etc/y/c", "/d"], ["/ws"]))).toEqual([
      ["ws", ["a.ts"]],
      [
        "/",
        [
          [
            "etc",
            [
              ["x", ["b"]],
              ["y", ["c"]],
            ],
          ],
          "d",
        ],
      ],
    ]);
    expect(drawnParts(partsOf(["/ws/a\\b/c.ts", "/ws/a\\b/x/e.ts", "/ws/a/d.ts"], ["/ws"]))).toEqual([
      ["a\\b", [["x", ["e.ts"]], "c.ts"]],
      ["a", ["d.ts"]],
    ]);
  });

  it("knows the paths of Windows", () => {
    expect(drawnParts(partsOf(["C:\\ws\\src\\a.ts", "C:\\ws\\src\\deep\\b.ts"], ["C:\\ws"]))).toEqual([
      ["src", [["deep", ["b.ts"]], "a.ts"]],
    ]);
    expect(drawnParts(partsOf(["C:\\ws\\a.ts", "D:\\x\\b.ts"], ["C:\\ws"]))).toEqual([
      ["ws", ["a.ts"]],
      ["D:\\x", ["b.ts"]],
    ]);
  });

  it("has first what waits most urgently, whoever asks", () => {
    const proposals = [
      proposal("one", "s", { createdAt: 1, isHeld: true }),
      proposal("two", "s", { createdAt: 2 }),
      proposal("three", "t", { agentName: "Gemini CLI", createdAt: 3 }),
      proposal("four", "t", { agentName: "Gemini CLI", createdAt: 9, path: "/ws/test/four.ts", standing: "conflict" }),
    ];
    expect(drawnParts(byFolder(entriesOf(inboxOf(proposals, [], [])), ["/ws"]))).toEqual([
      ["test", ["four.ts"]],
      ["src", ["two.ts", "three.ts", "one.ts"]],
    ]);
  });

  it("is empty where nothing waits", () => {
    expect(partsOf([], ["/ws"])).toEqual({ folders: [], entries: [] });
  });
});
