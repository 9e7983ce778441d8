import { describe, expect, it } from "vitest";
import { maximumHeldUnits } from "../../src/diff/drafts.ts";
import { maximumWaitingBytes } from "../../src/endpoint/waiting-texts.ts";
import type { StoredProposal } from "../../src/diff/stored-proposals.ts";
import { ownerOf, type RegistryUnderTest, startRegistry, TestStore } from "./registry-under-test.ts";

const units = 4 * 1024 * 1024;
/** So many answers of that length are one more than may be held. */
const count = maximumHeldUnits / units + 1;

/** A disk that can be read in the run that wrote it, and says what was. */
class ReadableStore extends TestStore {
  readonly asked: string[] = [];

  read = async (id: string): Promise<StoredProposal | undefined> => {
    this.asked.push(id);
    return this.kept.get(id);
  };
}

const pathOf = (index: number): string => `/ws/${index}.ts`;
const textOf = (index: number): string => `${index} `.padEnd(units, "x");

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Accepts one proposal more than may be held in memory, each of a session that is away, and lets the sessions end. */
async function answersOfVanishedAgents(): Promise<RegistryUnderTest & { readonly store: ReadableStore }> {
  const store = new ReadableStore();
  const under = startRegistry({ store });
  for (let index = 0; index < count; index += 1) {
    const session = `session-${index}`;
    under.carrier.reachable.add(session);
    under.open(session, textOf(index), pathOf(index));
    const view = await under.editor.nextView(({ request }) => request.path === pathOf(index));
    under.carrier.reachable.delete(session);
    view.accept();
    await under.editor.ended(view);
    under.registry.sessionEnded(session);
    await turns();
  }
  return { ...under, store };
}

it("64 MB are the bound of all that waits, whatever the script: a unit takes two bytes at most", () => {
  expect(2 * maximumHeldUnits + maximumWaitingBytes).toBe(64 * 1024 * 1024);
});

describe("answers of agents that vanished", () => {
  it("beyond the bound are on disk only, and still there for their agent", async () => {
    const { registry, carrier, store } = await answersOfVanishedAgents();
    expect(store.asked).toEqual([]);
    for (const index of [0, count - 1]) {
      carrier.reachable.add(`session-${index}`);
      registry.setAgentPresent(`session-${index}`, true);
      await turns();
    }
    // The one that was longest unused had to be read again.
    expect(store.asked).toHaveLength(1);
    expect(carrier.carried.map(({ path }) => path)).toEqual([pathOf(0), pathOf(count - 1)]);
    const texts = carrier.carried.map(({ outcome }) => outcome.kind === "accepted" && outcome.text);
    expect(texts.every((text, index) => text === textOf(index === 0 ? 0 : count - 1))).toBe(true);
  });

  it("beyond the bound are still there for another session of the kind", async () => {
    const { registry, clock, store } = await answersOfVanishedAgents();
    clock.advance(10_000);
    const fetched = await registry.closeByAgent(ownerOf("two"), pathOf(0), { notify: false });
    expect(fetched?.text === textOf(0)).toBe(true);
    expect(store.asked).toHaveLength(1);
    expect(await registry.closeByAgent(ownerOf("two"), pathOf(0), { notify: false })).toBeUndefined();
  });

  it("beyond the bound are still in the list, with their text", async () => {
    const { registry, store } = await answersOfVanishedAgents();
    const entry = registry.kept.list.find(({ path }) => path === pathOf(0));
    expect((await registry.kept.read(entry?.id ?? "")) === textOf(0)).toBe(true);
    expect(store.asked).toEqual([entry?.id]);
  });

  it("that are dropped for room are told to the user, and reach nobody", async () => {
    const { registry, carrier, editor, store } = await answersOfVanishedAgents();
    const [first] = Array.from(store.kept.keys());
    const id = first ?? "";
    const before = editor.messages.shown.length;
    store.kept.delete(id);
    registry.droppedForRoom(id);
    expect(editor.messages.shown.slice(before).map(({ message }) => [message.code, message.values["path"]])).toEqual([
      ["answer-lost", pathOf(0)],
    ]);
    expect(registry.kept.list.map(({ path }) => path)).not.toContain(pathOf(0));
    carrier.reachable.add("session-0");
    registry.setAgentPresent("session-0", true);
    await turns();
    expect(carrier.carried).toEqual([]);
  });
});

it("an answer on its way still arrives, though what is on disk of it was dropped for room", async () => {
  const { carrier, editor, open, registry } = startRegistry();
  carrier.confirms = false;
  const { id } = open("one");
  const view = await editor.nextView();
  view.accept();
  await editor.ended(view);
  registry.droppedForRoom(id);
  expect(editor.shownMessages).toEqual([]);
  expect(registry.concerns("one")).toBe(true);
  carrier.handles[0]?.deliver();
  expect(registry.concerns("one")).toBe(false);
});

describe("open proposals", () => {
  it("are refused beyond what may be held of them, until some are decided", async () => {
    const { registry, editor, open } = startRegistry();
    const text = "x".repeat(100 * 1024 * 1024);
    open("one", text, "/ws/a.ts");
    open("two", text, "/ws/b.ts");
    const refused = (): void =>
      expect(() => open("one", text, "/ws/c.ts")).toThrow(expect.objectContaining({ code: "too-large" }));
    const told = (): number => editor.shownMessages.filter(({ message }) => message.code === "no-room").length;
    refused();
    refused();
    // Not once for each try of the agent.
    expect(told()).toBe(1);
    const view = await editor.nextView(({ request }) => request.path === "/ws/a.ts");
    view.reject();
    await editor.ended(view);
    open("one", text, "/ws/c.ts");
    expect(registry.proposals.map(({ path }) => path)).toEqual(["/ws/b.ts", "/ws/c.ts"]);
    expect(() => open("one", text, "/ws/d.ts")).toThrow();
    expect(told()).toBe(2);
  });

  it("are taken one by one, however long one is", () => {
    const { registry, open } = startRegistry();
    open("one", "x".repeat(300 * 1024 * 1024), "/ws/a.ts");
    expect(registry.proposals).toHaveLength(1);
  });
});
