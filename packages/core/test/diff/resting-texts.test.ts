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

/** The same of one session that is there and does not read what it is told, until nobody waits any more for what it would write. */
async function answersOfADeafAgent(edits = false): Promise<RegistryUnderTest & { readonly store: ReadableStore }> {
  const store = new ReadableStore();
  const under = startRegistry({ store });
  Object.assign(under.carrier, { confirms: false, areTaken: false, nextEventId: 0 });
  for (let index = 0; index < count; index += 1) {
    under.open("one", textOf(index), pathOf(index));
    const view = await under.editor.nextView(({ request }) => request.path === pathOf(index));
    if (edits) view.type(`${textOf(index)}typed`);
    view.accept();
    await under.editor.ended(view);
    await turns();
  }
  for (let minute = 0; minute < 10; minute += 1) {
    under.clock.advance(60_000);
    await turns();
  }
  store.asked.splice(0);
  return { ...under, store };
}

const allPaths = Array.from({ length: count }, (_unused, index) => pathOf(index));

describe("answers that an agent does not read", () => {
  it("are kept for the user, and beyond the bound on disk only; each is handed over once", async () => {
    const { registry, carrier, store } = await answersOfADeafAgent();
    expect(registry.kept.list.map(({ path }) => path).toSorted()).toEqual(allPaths);
    for (const { deliver } of carrier.handles) deliver();
    await turns();
    // What rested was read once, and not all of it rested.
    expect(store.asked.length).toBeGreaterThan(0);
    expect(new Set(store.asked).size).toBe(store.asked.length);
    expect(store.asked.length).toBeLessThan(count);
    expect(carrier.carried.map(({ path }) => path)).toEqual(allPaths);
    expect(registry.concerns("one")).toBe(false);
    for (const { id, path } of registry.kept.list)
      expect((await registry.kept.read(id)) === textOf(Number(/\d+/u.exec(path)?.[0]))).toBe(true);
    // The next run does not tell the agent again.
    for (const { outcome } of store.kept.values()) expect(outcome).toBeUndefined();
  });

  it("are kept, with their texts, when it goes", async () => {
    const { registry, carrier } = await answersOfADeafAgent();
    carrier.reachable.delete("one");
    registry.setAgentPresent("one", false);
    registry.sessionEnded("one");
    await turns();
    expect(registry.kept.list.map(({ path }) => path).toSorted()).toEqual(allPaths);
    for (const { id, path } of registry.kept.list)
      expect((await registry.kept.read(id)) === textOf(Number(/\d+/u.exec(path)?.[0]))).toBe(true);
  });

  it("come to it again, with their texts, when it is back", async () => {
    const { registry, carrier } = await answersOfADeafAgent();
    carrier.carried.splice(0);
    carrier.reachable.delete("one");
    registry.setAgentPresent("one", false);
    await turns();
    carrier.reachable.add("one");
    Object.assign(carrier, { confirms: true });
    registry.setAgentPresent("one", true);
    await turns();
    expect(carrier.carried.map(({ path }) => path)).toEqual(allPaths);
    const texts = carrier.carried.map(({ outcome }) => outcome.kind === "accepted" && outcome.text);
    expect(texts.every((text, index) => text === textOf(index))).toBe(true);
    expect(registry.concerns("one")).toBe(false);
  });

  it("are fetched by closeDiff once, though they are on their way", async () => {
    const { registry, carrier } = await answersOfADeafAgent();
    for (const path of allPaths) {
      const fetched = await registry.closeByAgent(ownerOf("one"), path, { notify: false });
      expect(fetched?.text === textOf(allPaths.indexOf(path))).toBe(true);
      expect(await registry.closeByAgent(ownerOf("one"), path, { notify: false })).toBeUndefined();
    }
    // They come too late.
    for (const { deliver } of carrier.handles) deliver();
    await turns();
    expect(registry.concerns("one")).toBe(false);
  });

  it("that the user discards are rejected on disk, too", async () => {
    const { registry, carrier, store } = await answersOfADeafAgent();
    carrier.carried.splice(0);
    for (const { id } of registry.kept.list) registry.kept.discard(id);
    await turns();
    expect(carrier.carried.map(({ outcome }) => outcome.kind)).toEqual(allPaths.map(() => "rejected"));
    expect(Array.from(store.kept.values(), ({ outcome }) => outcome?.kind)).toEqual(allPaths.map(() => "rejected"));
  });

  it("that the agent replaces by a new proposal are the user's again, where the user had typed in them", async () => {
    const { registry, open } = await answersOfADeafAgent(true);
    for (const path of allPaths) open("one", "again\n", path);
    await turns();
    expect(registry.kept.list.map(({ path }) => path).toSorted()).toEqual(allPaths);
    for (const { id, path } of registry.kept.list)
      expect((await registry.kept.read(id)) === `${textOf(Number(/\d+/u.exec(path)?.[0]))}typed`).toBe(true);
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
