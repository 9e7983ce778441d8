import type {
  AgentFacts,
  ConversationPatch,
  ConversationSnapshot,
  ConversationStatus,
  Entry,
  PlacedEntry,
} from "@patchbay/conversations/model";
import {
  type AgentInfo,
  type ConversationSummary,
  type HostMessage,
  newestCount,
  olderCount,
  type PageMessage,
  pageMessageSchema,
  type PanelSettings,
  panelStrings,
} from "../src/messages/index.ts";
import * as z from "zod/mini";
import { sampleFacts } from "./sample.ts";

// Nothing may be compiled from strings in a page; without this, it would be tried.
z.config({ jitless: true });

/** A host inside the page, for benches, tests and pictures: it keeps one conversation and answers as a real host does. */
export class PageHost {
  /** What the page has said, from the first on. */
  readonly heard: PageMessage[] = [];
  settings: PanelSettings = {
    locale: "en",
    sendWith: "enter",
    isMac: false,
    folders: ["/home/me/shop"],
  };
  /** The page's texts. */
  strings: Readonly<Record<string, string>> = panelStrings;
  agents: readonly AgentInfo[] = [
    { id: "claude", name: "Claude Code", isInstalled: true },
    { id: "gemini", name: "Gemini CLI", isInstalled: true },
    { id: "qwen", name: "Qwen Code", isInstalled: false, installUrl: "https://example.com/qwen-code" },
  ];
  conversations: readonly ConversationSummary[] = [];
  conversation: ConversationSnapshot | undefined;
  /** What the agent tells of itself; null: it is not running. */
  facts: AgentFacts | null = sampleFacts;
  selection: Extract<HostMessage, { readonly type: "selection" }>["block"];
  /** All entries; the page has only those that it was sent. */
  #entries: readonly PlacedEntry[] = [];
  // As an editor gives it back to a page that was gone.
  #state: unknown = Reflect.get(globalThis, "keptState");

  /** What the page finds as VS Code's interface. */
  readonly viewApi: {
    readonly postMessage: (message: unknown) => void;
    readonly getState: () => unknown;
    readonly setState: (value: unknown) => void;
  } = {
    postMessage: (message) => this.#hear(pageMessageSchema.parse(message)),
    getState: () => this.#state,
    setState: (value) => {
      this.#state = structuredClone(value);
    },
  };

  /** Shows a conversation; the page is told when it asks. */
  open(conversation: ConversationSnapshot | undefined): void {
    this.#entries = conversation?.entries ?? [];
    this.conversation =
      conversation === undefined ? undefined : { ...conversation, entries: this.#entries.slice(-newestCount) };
  }

  /** As messages of a host arrive. */
  say(message: HostMessage): void {
    dispatchEvent(new MessageEvent("message", { data: structuredClone(message) }));
  }

  hello(): void {
    const { settings, agents, conversations, conversation, selection } = this;
    this.say({
      type: "hello",
      settings,
      strings: this.strings,
      agents,
      conversations,
      ...(conversation === undefined ? {} : { open: conversation }),
      ...(selection === undefined ? {} : { selection }),
    });
  }

  patch(change: Partial<Omit<ConversationPatch, "sequence">>): void {
    const { conversation } = this;
    if (conversation === undefined) return;
    const { status = {}, entries = [], appends = [] } = change;
    const sequence = conversation.sequence + 1;
    this.conversation = { ...conversation, ...status, sequence };
    // What streams changes no entry: a host in the page must not cost what the page is measured for.
    if (entries.length > 0) this.#change(entries);
    this.say({ type: "patch", conversation: conversation.id, patch: { sequence, status, entries, appends } });
  }

  #change(entries: readonly PlacedEntry[]): void {
    const changed = new Map(entries.map((placed) => [placed.place, placed]));
    const isNew = ({ place }: PlacedEntry): boolean => place > (this.#entries.at(-1)?.place ?? -1);
    this.#entries = [...this.#entries.map((placed) => changed.get(placed.place) ?? placed), ...entries.filter(isNew)];
  }

  status(status: Partial<ConversationStatus>): void {
    this.patch({ status });
  }

  /** Adds an entry at the end; its place. */
  add(entry: Entry): number {
    const place = (this.#entries.at(-1)?.place ?? -1) + 1;
    this.patch({ entries: [{ place, entry }] });
    return place;
  }

  /** Puts another entry at a place. */
  put(place: number, entry: Entry): void {
    this.patch({ entries: [{ place, entry }] });
  }

  #hear(message: PageMessage): void {
    this.heard.push(message);
    // As over a wire, never within the call.
    queueMicrotask(() => this.#answer(message));
  }

  #answer(message: PageMessage): void {
    switch (message.type) {
      case "ready":
        this.hello();
        return;
      case "older": {
        const before = this.#entries.filter(({ place }) => place < message.before);
        this.say({ type: "page", conversation: message.conversation, entries: before.slice(-olderCount) });
        return;
      }
      case "find": {
        const text = message.text.toLowerCase();
        const hits = this.#entries.filter(({ entry }) => JSON.stringify(entry).toLowerCase().includes(text));
        this.say({ type: "found", request: message.request, places: hits.map(({ place }) => place) });
        return;
      }
      case "facts":
        this.say({ type: "facts", conversation: message.conversation, facts: this.facts });
        return;
      case "send":
        this.add({ kind: "prompt", id: `sent-${this.heard.length}`, at: Date.now(), blocks: message.blocks });
        return;
      case "mentions":
        this.say({ type: "mentions", request: message.request, items: mentionsOf(message.query) });
        return;
      default:
        return;
    }
  }
}

const files = [
  "src/cart/cart.ts",
  "src/cart/discounts.ts",
  "src/checkout/checkout-page.tsx",
  "test/cart/discounts.test.ts",
  "README.md",
];

function mentionsOf(query: string): Extract<HostMessage, { readonly type: "mentions" }>["items"] {
  return files
    .filter((path) => path.includes(query))
    .map((path) => ({
      id: path,
      kind: "file",
      label: path.slice(path.lastIndexOf("/") + 1),
      description: path.slice(0, Math.max(0, path.lastIndexOf("/"))),
      block: { type: "mention", path: `/home/me/shop/${path}` },
    }));
}
