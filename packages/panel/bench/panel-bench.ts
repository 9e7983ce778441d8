import type { ConversationSnapshot } from "@patchbay/conversations/model";
import { PageHost } from "./page-host.ts";
import { longHistory, sampleConversation, sampleEntries } from "./sample.ts";

/**
 * Runs before the panel's own bundle, in its place as a host. Whoever measures drives `panelBench`: `history(n)` shows a
 * conversation of n messages, `begin()` starts an answer, `chunk(text)` adds to it, `end()` ends it.
 */

declare global {
  var panelHost: PageHost;
  var panelBench: {
    readonly history: (count: number) => void;
    readonly begin: () => void;
    readonly chunk: (text: string) => void;
    readonly end: () => void;
  };
  var panelSamples: {
    readonly conversation: typeof sampleConversation;
    readonly entries: typeof sampleEntries;
    readonly history: typeof longHistory;
  };
}

const host = new PageHost();
globalThis.panelHost = host;
globalThis.acquireVsCodeApi = () => host.viewApi;
globalThis.panelSamples = { conversation: sampleConversation, entries: sampleEntries, history: longHistory };

let streaming: { readonly place: number; readonly id: string; text: string } | undefined;
let turns = 0;

const show = (conversation: ConversationSnapshot): void => {
  host.open(conversation);
  if (host.heard.length > 0) host.hello();
};

globalThis.panelBench = {
  history: (count) => {
    turns = 0;
    show(sampleConversation(longHistory(count, Date.now()), Date.now()));
  },
  begin: () => {
    turns += 1;
    const id = `stream-${turns}`;
    host.status({ state: { kind: "running", since: Date.now() } });
    const place = host.add({ kind: "message", id, at: Date.now(), text: "", isComplete: false });
    streaming = { place, id, text: "" };
  },
  chunk: (text) => {
    if (streaming === undefined) return;
    streaming.text += text;
    host.patch({ appends: [{ place: streaming.place, text }] });
  },
  end: () => {
    if (streaming === undefined) return;
    const { place, id, text } = streaming;
    host.put(place, { kind: "message", id, at: Date.now(), text, isComplete: true });
    host.status({ state: { kind: "idle" } });
    streaming = undefined;
  },
};

// From the address, so that the first paint can be measured.
const first = Number(new URLSearchParams(location.search).get("history") ?? 0);
host.open(sampleConversation(longHistory(first, Date.now()), Date.now()));
