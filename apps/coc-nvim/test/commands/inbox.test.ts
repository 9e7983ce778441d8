import { Emitter, type ProposalInfo } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import {
  actInFolder,
  actInInbox,
  type InboxServices,
  inboxRows,
  showInbox,
  waitingFolders,
} from "../../src/commands/inbox.ts";
import { ageOf } from "../../src/diff/review-names.ts";

const hour = 3_600_000;

const proposal = (id: string, more: Partial<ProposalInfo> = {}): ProposalInfo => ({
  id,
  sessionId: "s1",
  agentName: "Gemini CLI",
  path: `/w/src/${id}.ts`,
  kind: "change",
  edited: false,
  state: "shown",
  standing: "unchanged",
  isHeld: false,
  createdAt: 0,
  lines: { added: 3, removed: 1 },
  sessionTitle: undefined,
  ...more,
});

/** A companion with these proposals; what is asked of it, and of the user, is noted. */
function servicesWith(
  initial: readonly ProposalInfo[],
  chosen?: string,
): {
  readonly services: InboxServices;
  readonly done: string[];
  readonly pages: unknown[];
  readonly change: (next: readonly ProposalInfo[], isShown?: boolean) => void;
} {
  const [done, pages] = [[] as string[], [] as unknown[]];
  const changes = new Emitter<void>();
  let [proposals, shown] = [initial, true];
  const note =
    (what: string) =>
    async (id: string): Promise<boolean> => {
      done.push(`${what} ${id}`);
      return true;
    };
  const services: InboxServices = {
    folders: () => ["/w"],
    now: () => 2 * hour,
    choose: async (lines, title) => {
      done.push(title);
      return lines.find((line) => line === chosen);
    },
    vim: {
      call: async (name, args = []) => {
        pages.push([name, args[0]]);
        return name === "patchbay#inbox#update" && shown ? 1 : 0;
      },
    },
    companion: {
      get proposals() {
        return proposals;
      },
      sessions: [],
      activities: [],
      keptTexts: [],
      onDidChangeProposals: changes.event,
      accept: note("accept"),
      acceptAll: async (ids = []) => {
        done.push(`accept ${ids.join(" ")}`);
        return [];
      },
      reject: note("reject"),
      hold: note("hold"),
      reveal: note("open"),
      discardKeptText: note("discard"),
      readKeptText: async () => "",
      saveKeptText: async () => ({ kind: "saved", merged: false }),
    },
  };
  return {
    services,
    done,
    pages,
    change: (next, isShown = true) => {
      [proposals, shown] = [next, isShown];
      changes.fire();
    },
  };
}

describe("the page of all that waits", () => {
  it("says the state first, then the file, its lines and its age, below agent and session", () => {
    const rows = inboxRows(
      servicesWith([
        proposal("a", { createdAt: hour }),
        proposal("bigger", { standing: "conflict", lines: undefined, kind: "create", createdAt: 2 * hour }),
        proposal("c", { sessionId: "s2", agentName: "Claude Code", sessionTitle: "Fix it", isHeld: true }),
        proposal("d", { sessionId: "s3", agentName: "Claude Code", state: "kept", createdAt: 5 }),
        proposal("e", { agentName: "Qwen Code", state: "kept", keptReason: "not-written", createdAt: 5 }),
      ]).services,
    );
    expect(rows.map(({ text }) => text)).toEqual([
      "Enter opens, a accepts, r rejects, h holds, f groups by folder or session, q closes.",
      "Kept text: s saves it to the file, y yanks it, d discards it.",
      "",
      "Gemini CLI",
      "  conflict   src/bigger.ts             now      new file",
      "  waiting    src/a.ts       +3 -1      1 h",
      "",
      "Qwen Code",
      "  accepted, not written  src/e.ts  +3 -1      1 h",
      "",
      "Claude Code: Fix it",
      "  held       src/c.ts  +3 -1      2 h",
      "",
      `Claude Code, since ${new Date(5).toLocaleTimeString()}`,
      "  kept text  src/d.ts  +3 -1      1 h",
    ]);
    expect(rows.map(({ ids }) => ids.join(" ")).join("|")).toBe("|||bigger a|bigger|a||e|e||c|c||d|d");
  });

  it("says that nothing waits", () => {
    expect(inboxRows(servicesWith([]).services)).toEqual([{ text: "Nothing waits for you.", ids: [] }]);
  });

  it("follows what waits as long as it is shown, once however often it is opened", async () => {
    const { services, pages, change } = servicesWith([proposal("a")]);
    await showInbox(services);
    await showInbox(services);
    expect(pages).toHaveLength(2);
    change([]);
    await Promise.resolve();
    expect(pages.slice(2)).toEqual([["patchbay#inbox#update", [{ text: "Nothing waits for you.", ids: [] }]]]);
    change([], false);
    await Promise.resolve();
    await Promise.resolve();
    change([proposal("b")]);
    expect(pages).toHaveLength(4);
  });
});

describe("the page by folder", () => {
  const waiting = [
    proposal("lib/a", { createdAt: hour }),
    proposal("lib/deep/b", { agentName: "Claude Code", sessionId: "s2", createdAt: hour }),
    proposal("c", { createdAt: 2 * hour, path: "/w/c.ts" }),
    proposal("d", { createdAt: 2 * hour, path: "/w/test/d.ts", isHeld: true }),
  ];

  it("has a line for each folder, which is about all below it", () => {
    const rows = inboxRows(servicesWith(waiting).services, true);
    expect(rows.map(({ text, ids }) => [text, ids.join(" ")])).toEqual([
      ["Enter opens, a accepts, r rejects, h holds, f groups by folder or session, q closes.", ""],
      ["", ""],
      ["src/lib/", "lib/deep/b lib/a"],
      ["  src/lib/deep/", "lib/deep/b"],
      ["    waiting    b.ts (Claude Code)  +3 -1      1 h", "lib/deep/b"],
      ["  waiting    a.ts (Gemini CLI)  +3 -1      1 h", "lib/a"],
      ["", ""],
      ["test/", "d"],
      ["  held       d.ts (Gemini CLI)  +3 -1      now", "d"],
      ["", ""],
      ["./", "c"],
      ["  waiting    c.ts (Gemini CLI)  +3 -1      now", "c"],
    ]);
    expect(waitingFolders(servicesWith(waiting).services)).toEqual(["src/lib/", "src/lib/deep/", "test/"]);
  });

  it("is turned on and off by a key, and stays as it is when it is opened again", async () => {
    const { services, pages } = servicesWith(waiting);
    const shown = (): unknown => pages.at(-1);
    await actInInbox(services, "group", []);
    expect(shown()).toEqual(["patchbay#inbox#update", inboxRows(services, true)]);
    await showInbox(services);
    expect(shown()).toEqual(["patchbay#inbox#show", inboxRows(services, true)]);
    await actInInbox(services, "group", []);
    expect(shown()).toEqual(["patchbay#inbox#update", inboxRows(services)]);
  });
});

describe("a verdict on all in a folder", () => {
  const waiting = [
    proposal("lib/a"),
    proposal("lib/deep/b", { state: "listed" }),
    proposal("lib/held", { isHeld: true, state: "hidden" }),
    proposal("lib/kept", { state: "kept" }),
    proposal("lib/terminal", { state: "terminal" }),
    proposal("lib2/c"),
  ];
  const listed = [
    "Gemini CLI changes a.ts  /w/src/lib/a.ts",
    "Gemini CLI changes b.ts  [open shows it]  /w/src/lib/deep/b.ts",
    "Gemini CLI changes terminal.ts  [answer in the agent's terminal]  /w/src/lib/terminal.ts",
  ];

  it.each([
    ["accept", "Accept all 2", ["accept lib/a lib/deep/b"], "Accepted 2 of 2.", listed.slice(0, 2)],
    [
      "reject",
      "Reject all 3",
      ["reject lib/a", "reject lib/deep/b", "reject lib/terminal"],
      "Rejected 3 of 3.",
      listed,
    ],
  ] as const)("lists them, asks, and does so: %s", async (verdict, yes, expected, said, lines) => {
    const agreed = servicesWith(waiting, yes);
    const offered: (readonly string[])[] = [];
    const { choose } = agreed.services;
    const services = {
      ...agreed.services,
      choose: async (all: readonly string[], title: string) => {
        offered.push(all);
        return await choose(all, title);
      },
    };
    expect(await actInFolder(services, verdict, ["src/lib/", "/elsewhere/src/lib/"])).toBe(said);
    expect(agreed.done).toEqual([`${yes}?`, ...expected]);
    expect(offered).toEqual([[yes, "Change nothing", ...lines]]);
    const refused = servicesWith(waiting, "Change nothing");
    expect(await actInFolder(refused.services, verdict, ["src/lib"])).toBeUndefined();
    expect(refused.done).toEqual([`${yes}?`]);
  });

  it("opens the review of a line that is chosen from the list, and decides nothing", async () => {
    const { services, done } = servicesWith(waiting, listed[0]);
    expect(await actInFolder(services, "accept", ["src/lib"])).toBeUndefined();
    expect(done).toEqual(["Accept all 2?", "open lib/a"]);
  });

  it("is about all that waits where no folder is named, and says where nothing does", async () => {
    const { services, done } = servicesWith(waiting, "Accept all 3");
    expect(await actInFolder(services, "accept")).toBe("Accepted 3 of 3.");
    expect(done).toEqual(["Accept all 3?", "accept lib/a lib/deep/b lib2/c"]);
    expect(await actInFolder(services, "reject", ["test", "/w/test"])).toBe("Nothing waits for you in test.");
    expect(await actInFolder(servicesWith([]).services, "accept")).toBe("Nothing waits for you.");
  });

  it("takes a folder as the editor understands it where the workspace has none of that name", async () => {
    const { services, done } = servicesWith(waiting, "Reject all 1");
    await actInFolder(services, "reject", ["lib/deep", "/w/src/lib/deep/"]);
    expect(done).toEqual(["Reject all 1?", "reject lib/deep/b"]);
  });
});

describe("a key of the page", () => {
  it.each(["accept", "reject", "hold", "open"])("%s does so with the proposal of its line", async (name) => {
    const { services, done } = servicesWith([proposal("a")]);
    expect(await actInInbox(services, name, ["a"])).toBeUndefined();
    expect(done).toEqual([`${name} a`]);
  });

  it.each([
    ["accept", "Accept all 2", ["accept a b"]],
    ["reject", "Reject all 2", ["reject a", "reject b"]],
    ["hold", "Hold all 2", ["hold a", "hold b"]],
  ])("%s asks before it does so with all of an agent", async (name, yes, expected) => {
    const both = [proposal("a"), proposal("b")];
    const agreed = servicesWith(both, yes);
    await actInInbox(agreed.services, name, ["a", "b"]);
    expect(agreed.done).toEqual([`${yes}?`, ...expected]);
    const refused = servicesWith(both, "Change nothing");
    await actInInbox(refused.services, name, ["a", "b"]);
    expect(refused.done).toHaveLength(1);
  });

  it("says so where it is for one line", async () => {
    const { services, done } = servicesWith([proposal("a"), proposal("b")]);
    expect(await actInInbox(services, "open", ["a", "b"])).toBe("Go to one of the lines below.");
    expect(await actInInbox(services, "nonsense", ["a"])).toBeUndefined();
    expect(done).toEqual([]);
  });
});

it.each([
  [-5, "now"],
  [59_999, "now"],
  [60_000, "1 min"],
  [hour, "1 h"],
  [47 * hour, "47 h"],
  [49 * hour, "2 d"],
])("an age of %i ms is %s", (ms, text) => {
  expect(ageOf(ms)).toBe(text);
});
