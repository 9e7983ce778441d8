import type { KeptTextSaving, ProposalInfo } from "@patchbay/core";
import { expect, it } from "vitest";
import {
  createReviewActions,
  createReviewList,
  proposalLabel,
  type ReviewListCompanion,
} from "../../src/commands/reviews.ts";

const proposal = {
  id: "p",
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
} as const;

it("says who wants what, and what is special about it", () => {
  expect(proposalLabel({ ...proposal, kind: "change", state: "shown" })).toBe("Qwen Code changes a.ts  /w/a.ts");
  expect(proposalLabel({ ...proposal, kind: "delete", state: "kept", edited: true }, "agent-exited")).toBe(
    "Qwen Code empties a.ts  [the agent has exited: save, yank or discard it]  /w/a.ts",
  );
  expect(proposalLabel({ ...proposal, state: "hidden", isHeld: true })).toContain("[held]");
  expect(proposalLabel({ ...proposal, state: "hidden" })).toContain("[not shown]");
  expect(proposalLabel({ ...proposal, standing: "conflict" })).toContain("[conflict]");
});

it.each(["superseded", "answered-in-terminal", "not-delivered"] as const)(
  "does not say that an agent has exited which has not: %s",
  (reason) => {
    const label = proposalLabel({ ...proposal, state: "kept" }, reason);
    expect(label).toMatch(/agent.*: save, yank or discard it/u);
    expect(label).not.toContain("exited");
  },
);

it("says of what was accepted that it was not written", () => {
  const label = proposalLabel({ ...proposal, state: "kept" }, "not-written");
  expect(label).toContain("[accepted, not written: save, yank or discard it]");
});

/** A companion with one proposal and one text that has lost its agent. */
function companionWith(
  saving: KeptTextSaving = { kind: "saved", merged: false },
  proposals: readonly ProposalInfo[] = [],
): { readonly companion: ReviewListCompanion; readonly done: string[] } {
  const done: string[] = [];
  const note =
    (what: string) =>
    async (id: string): Promise<boolean> => {
      done.push(`${what} ${id}`);
      return true;
    };
  const kept = { agentName: "Claude Code", path: "/w/b.ts", reason: "agent-exited", since: 0, isShown: false } as const;
  return {
    done,
    companion: {
      proposals,
      keptTexts: [{ ...kept, id: "k" }],
      accept: note("accept"),
      acceptAll: async (ids = []) => {
        done.push(`accept ${ids.join(" ")}`);
        return ids.slice(2);
      },
      reject: note("reject"),
      hold: note("hold"),
      reveal: note("open"),
      discardKeptText: note("discard"),
      readKeptText: async () => "one\r\ntwo\n",
      saveKeptText: async (id) => {
        done.push(`save ${id}`);
        return saving;
      },
    },
  };
}

it.each(["accept", "reject", "hold"] as const)("%s is for a proposal that an agent waits for", async (name) => {
  const { companion, done } = companionWith();
  const actions = createReviewActions(companion, { call: async () => undefined }, []);
  expect(await actions[name]("p")).toBeUndefined();
  expect(await actions[name]("k")).toContain("save, yank or discard");
  expect(done).toEqual([`${name} p`]);
});

it.each(["save", "discard", "yank"] as const)("%s is for a text that no agent takes any more", async (name) => {
  const { companion, done } = companionWith();
  const actions = createReviewActions(companion, { call: async () => undefined }, []);
  expect(await actions[name]("p")).toContain("accept or reject");
  expect(done).toEqual([]);
});

it.each([
  [{ kind: "saved", merged: false }, "Saved to /w/b.ts."],
  [{ kind: "saved", merged: true }, "Saved to /w/b.ts, merged with the changes made there."],
  [
    { kind: "conflict" },
    "/w/b.ts has changed in the same lines, so nothing was written. The text is still in the list.",
  ],
  [{ kind: "failed", reason: "The disk is full." }, "Not saved: The disk is full."],
] as const)("says what became of it: %o", async (saving, text) => {
  const { companion, done } = companionWith(saving);
  expect(await createReviewActions(companion, { call: async () => undefined }, []).save("k")).toBe(text);
  expect(done).toEqual(["save k"]);
});

it("yanks the lines of it", async () => {
  const { companion } = companionWith();
  const calls: unknown[] = [];
  const call = async (name: string, args: readonly unknown[] = []): Promise<unknown> => calls.push([name, args]);
  await createReviewActions(companion, { call }, []).yank("k");
  expect(calls).toEqual([["patchbay#yank", [{ lines: ["one", "two"] }]]]);
});

it("accepts all that the list has shown, and says how many", async () => {
  const of = (id: string, state: ProposalInfo["state"]): ProposalInfo => ({ ...proposal, id, state });
  const all = [of("a", "shown"), of("b", "away"), of("c", "listed")];
  const held = { ...of("held", "away"), isHeld: true };
  const others = [of("asking", "asking"), of("terminal", "terminal"), of("k", "kept"), of("hidden", "hidden"), held];
  const ids = [...all, ...others].map(({ id }) => id);
  const { companion, done } = companionWith(undefined, [...all, ...others, of("new", "shown")]);
  const call = async (): Promise<undefined> => undefined;
  expect(await createReviewActions(companion, { call }, ids).acceptAll("")).toBe(
    "Accepted 2 of 3. The other reviews show why not.",
  );
  expect(await createReviewActions(companion, { call }, ["a", "b"]).acceptAll("")).toBe("Accepted 2 of 2.");
  expect(await createReviewActions(companion, { call }, ["asking"]).acceptAll("")).toContain("No proposal");
  expect(done).toEqual(["accept a b c", "accept a b"]);
});

it("of the list decide all in the folder of a proposal by what asks first", async () => {
  const { companion, done } = companionWith(undefined, [{ ...proposal, path: "/w/src/a.ts" }]);
  const asked: unknown[] = [];
  const list = createReviewList(companion, { call: async () => undefined }, async (...given) => {
    asked.push(given);
    return "Accepted 1 of 1.";
  });
  expect(await list.act("acceptFolder", proposal.id)).toBe("Accepted 1 of 1.");
  await list.act("rejectFolder", proposal.id);
  expect(await list.act("acceptFolder", "gone")).toBeUndefined();
  expect(asked).toEqual([
    ["accept", "/w/src"],
    ["reject", "/w/src"],
  ]);
  expect(done).toEqual([]);
});
