import { type Clock, type Disposable, Emitter, type Event, type Logger, messageOf, type Random } from "@patchbay/core";
import { Conversation } from "../conversation/conversation.ts";
import type { ConversationOptions } from "../conversation/conversation-parts.ts";
import { newId } from "../conversation/turn-runner.ts";
import { unsentKey } from "../conversation/unsent.ts";
import type { SessionLister } from "../driver.ts";
import type { Entry } from "../model/entries.ts";
import type { ConversationStore } from "../transcript/conversation-store.ts";
import type { LineFiles } from "../transcript/line-files.ts";
import type { About } from "../transcript/line.ts";
import { type AgentSessionEntry, AgentSessions, sessionIdOf } from "./agent-sessions.ts";
import { ConversationIndex } from "./conversation-index.ts";
import { Handover } from "./handover.ts";
import { copyEntries } from "./copy-entries.ts";
import {
  excerptOf,
  inListOrder,
  type ListedConversation,
  listedSession,
  type SearchHit,
  searchTranscript,
} from "./listed-conversations.ts";
import { defaultKeeping, type Keeping, sweep } from "./sweep.ts";

export interface ConversationLibraryOptions extends Pick<ConversationOptions, "host" | "connect" | "turns"> {
  readonly store: ConversationStore;
  readonly files: LineFiles;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The agents whose own sessions are listed, too. */
  readonly listers: readonly SessionLister[];
  readonly keeping?: Keeping;
}

/** How long a deleted conversation can be had back, ms. */
const undoMs = 10_000;

/** All conversations, of all agents: those on disk, those that are open, and the sessions that the agents keep themselves. */
export class ConversationLibrary {
  readonly #options: ConversationLibraryOptions;
  readonly #index: ConversationIndex;
  readonly #sessions: AgentSessions;
  readonly #changed: Emitter<void>;
  readonly #open: Map<string, Conversation> = new Map();
  // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten when it is open, or could not be opened.
  readonly #opening: Map<string, Promise<Conversation | undefined>> = new Map();
  // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten when it is closed.
  readonly #closing: Map<string, Promise<void>> = new Map();
  readonly #deleted: Map<string, Disposable> = new Map();
  readonly #handover: Handover;

  constructor(options: ConversationLibraryOptions) {
    const { store, logger, clock, listers } = options;
    this.#options = options;
    this.#changed = new Emitter((error) => logger.error("A listener failed", { reason: messageOf(error) }));
    this.#index = new ConversationIndex(store, logger);
    const onDidChange = (): void => this.#changed.fire();
    this.#handover = new Handover({ values: store.values, clock, logger, conversations: () => this.conversations });
    this.#sessions = new AgentSessions({ listers, clock, logger, storage: store.values, onDidChange });
  }

  /** The list has changed. */
  get onDidChange(): Event<void> {
    return this.#changed.event;
  }

  /** The conversations that are open in this window. */
  get conversations(): readonly Conversation[] {
    return Array.from(this.#open.values());
  }

  /** What can be opened in some folders, without any in all: those that wait first, then those that run, then the newest. */
  async list(...folders: readonly string[]): Promise<readonly ListedConversation[]> {
    const stored = (await this.#index.list()).map(({ about }) => about);
    const abouts = new Map(stored.map((about) => [about.id, about]));
    for (const conversation of this.#open.values())
      if (!conversation.isEmpty) abouts.set(conversation.id, conversation.about);
    const own = Array.from(abouts.values()).filter(
      (about) => !this.#deleted.has(about.id) && (folders.length === 0 || folders.includes(about.folder)),
    );
    const taken = new Set(Array.from(abouts.values(), ({ agent, sessionId }) => sessionIdOf(agent, sessionId ?? "")));
    const others = folders.flatMap((folder) => this.#sessions.of(folder).map(listedSession));
    return [...own.map((about) => this.#listed(about)), ...others.filter(({ id }) => !taken.has(id))].toSorted(
      inListOrder,
    );
  }

  /** Begins a conversation. Nothing of it is on disk before something is written in it. */
  async create(agent: string, folder: string): Promise<Conversation> {
    return await this.#hold(this.#aboutOf(agent, folder));
  }

  /** Opens a conversation, also one after a reload; starts no agent. Undefined: there is none of that id. */
  async open(id: string): Promise<Conversation | undefined> {
    // What is being closed is still this window's.
    await this.#closing.get(id);
    const held = this.#open.get(id);
    if (held !== undefined) return held;
    const opening = this.#opening.get(id) ?? this.#find(id);
    this.#opening.set(id, opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(id);
    }
  }

  /** Goes on with a conversation that another window has. False: that one does not let go of it. */
  async takeOver(id: string): Promise<boolean> {
    const conversation = this.#open.get(id);
    return conversation !== undefined && (await this.#handover.take(conversation));
  }

  /** Ends its agent, and closes it; one that is empty leaves nothing. */
  async close(id: string): Promise<void> {
    const conversation = this.#open.get(id);
    if (conversation === undefined) return await this.#closing.get(id);
    this.#open.delete(id);
    const closing = this.#end(conversation).finally(() => this.#closing.delete(id));
    this.#closing.set(id, closing);
    await closing;
    this.#changed.fire();
  }

  /** False where another window has it. */
  async rename(id: string, title: string): Promise<boolean> {
    const isOpen = this.#open.has(id);
    const conversation = await this.open(id);
    if (conversation === undefined || conversation.status.access.kind !== "own") return false;
    await conversation.rename(title);
    if (!isOpen) await this.close(id);
    this.#changed.fire();
    return true;
  }

  /**
   * Begins a conversation that remembers another one: all of it, or what was before a prompt. Where the agent cannot go back
   * to that point, the new one shows the history, and says with the first prompt that the agent starts over.
   */
  async fork(id: string, beforePrompt?: string): Promise<Conversation | undefined> {
    await this.#open.get(id)?.flush();
    const source = await this.#options.store.read(id);
    if (source?.about === undefined) return undefined;
    const { agent, folder, sessionId, title, titleFrom, capabilities } = source.about;
    const lister = this.#sessions.listerOf(agent);
    const upTo =
      beforePrompt === undefined || sessionId === undefined
        ? undefined
        : await lister?.pointBefore?.(sessionId, folder, beforePrompt).catch(() => undefined);
    const canFork = sessionId !== undefined && (beforePrompt === undefined || upTo !== undefined);
    const forkOf = canFork ? { forkOf: { sessionId, ...(upTo === undefined ? {} : { upTo }) } } : {};
    const can = capabilities === undefined ? {} : { capabilities };
    const about: About = { ...this.#aboutOf(agent, folder), title, titleFrom, ...forkOf, ...can };
    await copyEntries(this.#options.store, about, source, beforePrompt);
    return await this.#hold(about);
  }

  /**
   * Takes it off the list; for ten seconds it can be had back. False where another window has it. A session of the agent's own is
   * not listed any more, also one of which a conversation was made; the agent still has it.
   */
  async delete(id: string): Promise<boolean> {
    const session = this.#sessions.find(id);
    if (session !== undefined) {
      await this.#sessions.hide(session.lister.agent, session.session.sessionId);
      this.#changed.fire();
      return true;
    }
    await this.close(id);
    const file = await this.#options.store.open(id);
    await file.release();
    if (!file.isOwn) return false;
    const timer = this.#options.clock.setTimeout(() => void this.#finishDelete(id), undoMs);
    this.#deleted.set(id, timer);
    this.#changed.fire();
    return true;
  }

  /** False: it is too late. */
  undelete(id: string): boolean {
    const timer = this.#deleted.get(id);
    timer?.dispose();
    this.#deleted.delete(id);
    if (timer !== undefined) this.#changed.fire();
    return timer !== undefined;
  }

  /** Looks for a text in titles, then in what was said, those used last first. Gives each hit as it is found. */
  async *search(text: string, signal: AbortSignal, ...folders: readonly string[]): AsyncGenerator<SearchHit, void> {
    const { store, files } = this.#options;
    if (text.trim() === "") return;
    await Promise.all(this.conversations.map((conversation) => conversation.flush()));
    const listed = await this.list(...folders);
    const wanted = text.toLowerCase();
    for (const conversation of listed) {
      const excerpt = excerptOf(conversation.title, wanted);
      if (excerpt !== undefined) yield { conversation, excerpt };
    }
    for (const conversation of listed) {
      if (signal.aborted) return;
      if (conversation.state === "agent") continue;
      const path = await store.locate(conversation.id);
      if (path === undefined) return;
      for await (const hit of searchTranscript(files, path, text, signal)) yield { conversation, ...hit };
    }
  }

  /** Removes what is old and what is too much; does something at most once a day. */
  async sweep(): Promise<void> {
    const { store, clock, logger, keeping = defaultKeeping } = this.#options;
    // What is open in any window is claimed by it, and stays.
    await sweep({ store, clock, logger, keeping, remove: (id) => this.#remove(id) });
  }

  /** Closes everything. What was deleted is gone for good. */
  async dispose(): Promise<void> {
    this.#handover.dispose();
    await Promise.all(Array.from(this.#open.keys(), (id) => this.close(id)));
    await Promise.all(Array.from(this.#deleted.keys(), (id) => this.#finishDelete(id)));
    this.#changed.dispose();
  }

  async #end(conversation: Conversation): Promise<void> {
    await conversation.close();
    if (conversation.isEmpty && conversation.status.access.kind === "own") await this.#remove(conversation.id);
  }

  async #find(id: string): Promise<Conversation | undefined> {
    const session = this.#sessions.find(id);
    if (session !== undefined) return await this.#takeIn(session);
    const about = (await this.#options.store.read(id))?.about;
    return about === undefined || this.#deleted.has(id) ? undefined : await this.#hold(about);
  }

  /** Makes a conversation of a session that the agent has kept. */
  async #takeIn({ lister, session }: AgentSessionEntry): Promise<Conversation | undefined> {
    const { logger, store, random } = this.#options;
    const taken = await this.#takenIn(lister.agent, session.sessionId);
    if (taken !== undefined) return await this.open(taken);
    const { sessionId, folder, title, usedAt } = session;
    const about: About = { ...this.#aboutOf(lister.agent, folder), sessionId, title, titleFrom: "agent", usedAt };
    let history: readonly Entry[] = [];
    try {
      history = (await lister.history?.(session)) ?? [];
    } catch (error) {
      logger.warn("The history of a session could not be read", { reason: messageOf(error) });
    }
    const file = await store.open(about.id);
    file.transcript.describe(about);
    for (const [place, entry] of history.entries()) file.transcript.upsert(place, entry);
    const end: Entry = { kind: "turn-end", id: newId(random), at: usedAt, reason: "done" };
    if (history.length > 0) file.transcript.upsert(history.length, end);
    await file.transcript.close();
    await file.release();
    const conversation = await this.#hold(about);
    // Only the agent itself can tell what was said.
    if (lister.history === undefined) void conversation.restart();
    return conversation;
  }

  /** The conversation that a session was made of before: who asks may have an old list. */
  async #takenIn(agent: string, sessionId: string): Promise<string | undefined> {
    const abouts = [...this.conversations, ...(await this.#index.list())].map(({ about }) => about);
    return abouts.find(
      (about) => about.agent === agent && about.sessionId === sessionId && !this.#deleted.has(about.id),
    )?.id;
  }

  async #hold(about: About): Promise<Conversation> {
    const { store, clock, random, logger, host, connect, turns } = this.#options;
    const conversation = await Conversation.open({
      about,
      openFile: () => store.open(about.id),
      storage: store.values,
      host,
      connect,
      turns,
      clock,
      random,
      logger,
    });
    this.#open.set(about.id, conversation);
    conversation.onDidChange((change) => {
      const { title, state, waiting, tasks } = change.kind === "patch" ? change.patch.status : conversation.status;
      if ([title, state, waiting, tasks].some((one) => one !== undefined)) this.#changed.fire();
    });
    this.#handover.look();
    this.#changed.fire();
    return conversation;
  }

  async #finishDelete(id: string): Promise<void> {
    this.#deleted.get(id)?.dispose();
    const about = (await this.#options.store.read(id).catch(() => undefined))?.about;
    if (about?.sessionId !== undefined) await this.#sessions.hide(about.agent, about.sessionId);
    await this.#remove(id);
    this.#deleted.delete(id);
  }

  /** False where a window has it, or it could not be removed. */
  async #remove(id: string): Promise<boolean> {
    const { store, logger } = this.#options;
    try {
      if (!(await store.remove(id))) return false;
      await store.values.remove(unsentKey(id));
      return true;
    } catch (error) {
      logger.warn("A conversation could not be removed", { reason: messageOf(error) });
      return false;
    }
  }

  #aboutOf(agent: string, folder: string): About {
    const { clock, random } = this.#options;
    const now = clock.now();
    return { id: newId(random), agent, folder, at: now, usedAt: now, title: "", titleFrom: "nobody" };
  }

  #listed({ id, agent, title, folder, usedAt, preview }: About): ListedConversation {
    const status = this.#open.get(id)?.status;
    const waiting = status?.waiting ?? 0;
    const isRunning = status?.state.kind === "running" || status?.state.kind === "retrying";
    const state = waiting > 0 ? "waiting" : isRunning ? "running" : status === undefined ? "closed" : "open";
    return { id, agent, title, folder, usedAt, state, waiting, ...(preview === undefined ? {} : { preview }) };
  }
}
