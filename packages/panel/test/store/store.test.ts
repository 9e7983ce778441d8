import type { ConversationPatch, Entry } from "@patchbay/conversations/model";
import { describe, expect, it } from "vitest";
import { sampleConversation } from "../../bench/sample.ts";
import type { Bridge } from "../../src/bridge.ts";
import type { PageMessage } from "../../src/messages/index.ts";
import { PanelStore } from "../../src/store/store.ts";

const settings = { locale: "en", sendWith: "enter", isMac: false, folders: [] } as const;

function message(index: number): Entry {
  return { kind: "message", id: `m${index}`, at: 0, text: `${index}`, isComplete: true };
}

/** A store with a conversation of entries at the places from `first` on, of which those from 0 on exist. */
function open(
  first: number,
  count: number,
): {
  readonly store: PanelStore;
  readonly posted: PageMessage[];
  readonly frames: (() => void)[];
  readonly patch: (patch: Partial<ConversationPatch> & { readonly sequence: number }) => void;
} {
  const posted: PageMessage[] = [];
  const frames: (() => void)[] = [];
  let kept: unknown;
  const bridge: Bridge = {
    post: (said) => posted.push(said),
    onMessage: () => undefined,
    state: {
      get: () => kept,
      set: (value) => {
        kept = value;
      },
    },
  };
  const store = new PanelStore(bridge, (frame) => frames.push(frame));
  const entries = Array.from({ length: count }, (_unused, index) => ({
    place: first + index,
    entry: message(first + index),
  }));
  store.apply({
    type: "hello",
    settings,
    strings: {},
    agents: [],
    conversations: [],
    open: { ...sampleConversation([], 0), entries },
  });
  return {
    store,
    posted,
    frames,
    patch: (patch) =>
      store.apply({
        type: "patch",
        conversation: "c1",
        patch: { status: {}, entries: [], appends: [], ...patch },
      }),
  };
}

describe("the store", () => {
  it("tells of patches once a frame, however many there are", () => {
    const { store, frames, patch } = open(0, 1);
    let drawn = 0;
    store.subscribe(() => (drawn += 1));
    patch({ sequence: 1, appends: [{ place: 0, text: "a" }] });
    patch({ sequence: 2, appends: [{ place: 0, text: "b" }] });
    expect(drawn).toBe(0);
    expect(frames).toHaveLength(1);
    frames[0]?.();
    expect(drawn).toBe(1);
    expect(store.state.open?.entries[0]?.entry).toMatchObject({ text: "0ab" });
  });

  it("asks for the whole once when a patch was missed, and takes no patch until it has it", () => {
    const { store, posted, patch } = open(0, 1);
    patch({ sequence: 3 });
    patch({ sequence: 4, appends: [{ place: 0, text: "lost" }] });
    expect(posted).toEqual([{ type: "resync", conversation: "c1" }]);
    const whole = { ...sampleConversation([message(9)], 0), sequence: 4 };
    store.apply({ type: "conversation", open: whole });
    patch({ sequence: 5, appends: [{ place: 0, text: "!" }] });
    expect(store.state.open?.entries).toEqual([{ place: 0, entry: { ...message(9), text: "9!" } }]);
  });

  it("keeps older entries when the conversation is sent anew, so that nobody loses their place", () => {
    const { store } = open(40, 160);
    const newest = store.state.open?.entries.slice(-60) ?? [];
    store.apply({ type: "conversation", open: { ...sampleConversation([], 0), sequence: 9, entries: newest } });
    expect(store.state.open?.entries).toHaveLength(160);
    expect(store.state.open?.sequence).toBe(9);
  });

  it("keeps none where some between them are missing", () => {
    const { store } = open(0, 10);
    const entries = [{ place: 50, entry: message(50) }];
    store.apply({ type: "conversation", open: { ...sampleConversation([], 0), entries } });
    expect(store.state.open?.entries).toEqual(entries);
  });

  it("ignores patches that the state has already, and those of other conversations", () => {
    const { store, posted } = open(0, 1);
    const before = store.state;
    store.apply({ type: "patch", conversation: "other", patch: { sequence: 1, status: {}, entries: [], appends: [] } });
    store.apply({ type: "patch", conversation: "c1", patch: { sequence: 0, status: {}, entries: [], appends: [] } });
    expect(store.state).toBe(before);
    expect(posted).toEqual([]);
  });

  it("asks for older entries once, and not before the first one", () => {
    const { store, posted } = open(100, 60);
    store.askOlder();
    store.askOlder();
    expect(posted).toEqual([{ type: "older", conversation: "c1", before: 100 }]);
    const older = Array.from({ length: 100 }, (_unused, place) => ({ place, entry: message(place) }));
    store.apply({ type: "page", conversation: "c1", entries: older });
    expect(store.state.open?.entries.map(({ place }) => place)).toEqual(Array.from({ length: 160 }, (_u, at) => at));
    store.askOlder();
    expect(posted).toHaveLength(1);
  });

  it("does not ask for ever where the host has nothing older", () => {
    const { store, posted } = open(100, 2);
    store.askOlder();
    store.apply({ type: "page", conversation: "c1", entries: [] });
    store.askOlder();
    expect(posted).toHaveLength(1);
  });

  it("gives up the oldest entries of a long conversation, and gets them back", () => {
    const { store, posted } = open(0, 500);
    store.trim();
    expect(store.state.open?.entries).toHaveLength(160);
    store.askOlder();
    expect(posted).toEqual([{ type: "older", conversation: "c1", before: 340 }]);
  });

  it("keeps a draft for its own conversation only, and no draft that is too large for it", () => {
    const { store } = open(0, 0);
    const draft = { blocks: [{ type: "text", text: "Hello" }], caret: 5 } as const;
    store.kept.set("c1", { draft });
    store.kept.set("c1", { anchor: { place: 3, offset: 4 } });
    expect(store.kept.of("c1")).toEqual({ conversation: "c1", draft, anchor: { place: 3, offset: 4 } });
    expect(store.kept.of("c2")).toEqual({});
  });
});

describe("answers to what is asked while one types", () => {
  it("that come late do not take the place of a later one's", () => {
    const { store } = open(0, 1);
    const [first, second] = [store.nextRequest(), store.nextRequest()];
    for (const request of [second, first]) {
      store.apply({ type: "mentions", request, items: [] });
      store.apply({ type: "found", request, places: [] });
    }
    expect(store.state.mentions?.request).toBe(second);
    expect(store.state.found?.request).toBe(second);
  });
});
