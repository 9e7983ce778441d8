import { describe, expect, it } from "vitest";
import { createStoredProposals, type StoredProposal, type TextStorage } from "../../src/diff/stored-proposals.ts";
import { ownerOf } from "./registry-under-test.ts";

const day = 24 * 60 * 60 * 1000;

function proposal(id: string, createdAt: number): StoredProposal {
  const input = { path: "/ws/a.ts", text: "new\n", handle: "/ws/a.ts" };
  return {
    facts: { id, owner: ownerOf("one"), input, kind: "change", createdAt },
    draft: "mine\n",
    base: undefined,
    detached: false,
    outcome: undefined,
    sentAs: 0,
  };
}

/** A storage in memory that counts what is asked of it. */
function createStorage() {
  const values = new Map<string, string>();
  const removed: string[] = [];
  const storage: TextStorage = {
    read: async (key) => values.get(key),
    write: async (key, text) => void values.set(key, typeof text === "string" ? text : [...text.pieces()].join("")),
    remove: async (key) => {
      removed.push(key);
      values.delete(key);
    },
    list: async (prefix) => [...values.keys()].filter((key) => key.startsWith(prefix)),
  };
  return { storage, values, removed };
}

describe("proposals in a storage", () => {
  it("come back as they were, oldest first", async () => {
    const { storage } = createStorage();
    const store = createStoredProposals(storage, () => day);
    const kept = [proposal("a", 1), proposal("b", 2)];
    for (const one of kept) await store.save(one);
    expect(await createStoredProposals(storage, () => day).load()).toEqual(kept);
  });

  it("are let go of after seven days, and where they cannot be read", async () => {
    const { storage, values } = createStorage();
    const before = createStoredProposals(storage, () => 0);
    await before.save(proposal("old", 0));
    await before.save(proposal("young", 1));
    const [prefix = ""] = [...values.keys()].map((key) => key.slice(0, -"old".length));
    values.set(`${prefix}broken`, "{");
    values.set("another", "x");
    const after = createStoredProposals(storage, () => 7 * day + 1);
    expect((await after.load()).map(({ facts }) => facts.id)).toEqual(["young"]);
    expect([...values.keys()].toSorted()).toEqual([`${prefix}young`, "another"].toSorted());
  });

  it("are removed only where they were written", async () => {
    const { storage, removed } = createStorage();
    const store = createStoredProposals(storage, () => 0);
    await store.remove("never");
    expect(removed).toEqual([]);
    await store.save(proposal("a", 0));
    await store.remove("a");
    await store.remove("a");
    expect(removed).toHaveLength(1);
  });

  it("of an earlier run are removed, too", async () => {
    const { storage, values } = createStorage();
    await createStoredProposals(storage, () => 0).save(proposal("a", 0));
    const after = createStoredProposals(storage, () => 0);
    await after.load();
    await after.remove("a");
    expect(values.size).toBe(0);
  });
});
