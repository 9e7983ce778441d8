import {
  type Clock,
  type Companion,
  type Disposable,
  Emitter,
  type Event,
  type Logger,
  messageOf,
} from "@patchbay/core";
import type { Conversation, ConversationLibrary, ListedConversation } from "@patchbay/conversations";
import type { ConversationSummary } from "../messages/index.ts";
import { QuestionReviews } from "./question-reviews.ts";

export interface PanelLibraryOptions {
  /** Undefined: no folder is open, so there is no place for conversations. */
  readonly conversations: ConversationLibrary | undefined;
  /** Of the workspace. */
  readonly folders: () => readonly string[];
  readonly companion: Pick<Companion, "review" | "reveal" | "conversationEnded">;
  readonly agentName: (agent: string) => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A conversation that is open in this window, whoever looks at it. */
export interface OpenConversation {
  readonly conversation: Conversation;
  readonly reviews: QuestionReviews;
}

/** How long a conversation that nobody looks at any more keeps its agent, which has nothing to do, ms. */
const restMs = 300_000;

/** When what is old is removed, ms after the first list: people wait for other things before. */
const sweepMs = 60_000;

/**
 * The conversations of a window, with the reviews of what they ask for. One that was opened stays open as long as somebody looks
 * at it or its agent is at work.
 */
export class PanelLibrary {
  readonly #options: PanelLibraryOptions;
  readonly #open: Map<string, OpenConversation> = new Map();
  /** How many pages show each. */
  readonly #viewers: Map<string, number> = new Map();
  readonly #resting: Map<string, Disposable> = new Map();
  readonly #change: Emitter<void>;
  readonly #following: Disposable | undefined;
  #listed: readonly ListedConversation[] = [];
  #sweeping: Disposable | undefined;
  // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten when the list has been read.
  #refreshing: Promise<void> | undefined;
  #isStale = false;

  constructor(options: PanelLibraryOptions) {
    const { conversations, logger } = options;
    this.#options = options;
    this.#change = new Emitter((error) => logger.error("A listener failed", { reason: messageOf(error) }));
    this.#following = conversations?.onDidChange(() => void this.refresh());
  }

  /** What a list of them shows has changed. */
  get onDidChange(): Event<void> {
    return this.#change.event;
  }

  /** As they were read last; those in which a question waits come first. */
  get summaries(): readonly ConversationSummary[] {
    return this.#listed.map(({ id, agent, folder, title, usedAt, state }) => {
      const shown = state === "open" || state === "closed" || state === "agent" ? this.#stateOf(id) : state;
      return { id, agent, folder, title, changedAt: usedAt, state: shown };
    });
  }

  /** A turn is running somewhere, or a question waits, whether it is listed yet or not. */
  get isAtWork(): boolean {
    return Array.from(this.#open.values()).some(({ conversation }) => isAtWork(conversation));
  }

  /** How many questions wait for the user. */
  get waiting(): number {
    return Array.from(this.#open.values()).reduce((sum, { conversation }) => sum + conversation.status.waiting, 0);
  }

  /** Reads the list anew; what is asked for meanwhile is read once behind it. Never rejects. */
  async refresh(): Promise<void> {
    this.#isStale = true;
    this.#refreshing ??= this.#readList();
    await this.#refreshing;
  }

  /** One that is open in this window. */
  opened(id: string): OpenConversation | undefined {
    return this.#open.get(id);
  }

  /** Undefined where there is none. */
  async get(id: string): Promise<OpenConversation | undefined> {
    const conversation = await this.#options.conversations?.open(id);
    return conversation === undefined ? undefined : this.#keep(conversation);
  }

  /** Begins one in a folder. Undefined: there is no place for conversations. */
  async create(agent: string, folder: string): Promise<OpenConversation | undefined> {
    const { conversations } = this.#options;
    return conversations === undefined ? undefined : this.#keep(await conversations.create(agent, folder));
  }

  /** A new conversation that remembers another one. Undefined where there is none. */
  async fork(id: string, beforePrompt: string | undefined): Promise<OpenConversation | undefined> {
    const conversation = await this.#options.conversations?.fork(id, beforePrompt);
    return conversation === undefined ? undefined : this.#keep(conversation);
  }

  /** False: another window has it. */
  async remove(id: string): Promise<boolean> {
    this.#letGo(id);
    const isRemoved = (await this.#options.conversations?.delete(id)) ?? false;
    this.#change.fire();
    return isRemoved;
  }

  /** Goes on with one that another window has. False: that one does not let go of it. */
  async takeOver(id: string): Promise<boolean> {
    return (await this.#options.conversations?.takeOver(id)) ?? false;
  }

  async rename(id: string, title: string): Promise<boolean> {
    return (await this.#options.conversations?.rename(id, title)) ?? false;
  }

  /** The ids of the conversations in which a text was said, as they are found. */
  async *search(text: string, signal: AbortSignal): AsyncGenerator<string, void> {
    const { conversations, folders } = this.#options;
    if (conversations === undefined) return;
    for await (const { conversation } of conversations.search(text, signal, ...folders())) yield conversation.id;
  }

  /**
   * A page shows a conversation, until the result is called. `isClosed`: the user has closed it, and its agent ends at once if it
   * has nothing to do; else the user may come back soon.
   */
  watch(id: string): (isClosed: boolean) => void {
    this.#resting.get(id)?.dispose();
    this.#resting.delete(id);
    this.#viewers.set(id, (this.#viewers.get(id) ?? 0) + 1);
    return (isClosed) => {
      const left = (this.#viewers.get(id) ?? 1) - 1;
      this.#viewers.set(id, left);
      if (left > 0) return;
      this.#viewers.delete(id);
      this.#rest(id, isClosed ? 0 : restMs);
    };
  }

  /** Ends all agents; what was said is on disk when this resolves. */
  async close(): Promise<void> {
    this.#following?.dispose();
    this.#sweeping?.dispose();
    for (const id of Array.from(this.#open.keys())) this.#letGo(id);
    await this.#options.conversations?.dispose();
    this.#change.dispose();
  }

  async #readList(): Promise<void> {
    const { conversations, clock, folders, logger } = this.#options;
    this.#sweeping ??= clock.setTimeout(() => void conversations?.sweep(), sweepMs);
    while (this.#isStale) {
      this.#isStale = false;
      try {
        this.#listed = (await conversations?.list(...folders())) ?? [];
      } catch (error) {
        logger.warn("The conversations could not be listed", { reason: messageOf(error) });
      }
      this.#change.fire();
    }
    // One that nobody looks at may just have become idle.
    for (const id of this.#open.keys()) if (!this.#viewers.has(id) && !this.#resting.has(id)) this.#rest(id, restMs);
    this.#refreshing = undefined;
  }

  #rest(id: string, delayMs: number): void {
    const { clock, conversations } = this.#options;
    const conversation = this.#open.get(id)?.conversation;
    if (conversation === undefined || isAtWork(conversation)) return;
    const timer = clock.setTimeout(() => {
      this.#resting.delete(id);
      if (this.#viewers.has(id) || isAtWork(conversation) || this.#open.get(id)?.conversation !== conversation) return;
      this.#letGo(id);
      void conversations?.close(id);
    }, delayMs);
    this.#resting.get(id)?.dispose();
    this.#resting.set(id, timer);
  }

  #keep(conversation: Conversation): OpenConversation {
    const known = this.#open.get(conversation.id);
    if (known?.conversation === conversation) return known;
    this.#letGo(conversation.id);
    const { companion, agentName, clock, logger } = this.#options;
    const name = agentName(conversation.about.agent);
    const kept = {
      conversation,
      reviews: new QuestionReviews({ conversation, agentName: name, companion, clock, logger }),
    };
    this.#open.set(conversation.id, kept);
    return kept;
  }

  #letGo(id: string): void {
    this.#resting.get(id)?.dispose();
    this.#resting.delete(id);
    this.#open.get(id)?.reviews.dispose();
    this.#open.delete(id);
  }

  #stateOf(id: string): ConversationSummary["state"] {
    const state = this.#open.get(id)?.conversation.status.state;
    if (state === undefined) return "ended";
    switch (state.kind) {
      case "starting":
      case "running":
      case "retrying":
        return "running";
      case "waiting":
        return "waiting";
      case "signed-out":
        return "failed";
      case "ended":
        return state.reason === undefined ? "ended" : "failed";
      case "idle":
        return "idle";
    }
  }
}

/** Something is going on in it, or the user is asked. */
function isAtWork({ status }: Conversation): boolean {
  const { kind } = status.state;
  // Its agent's end would be theirs.
  if ((status.tasks?.length ?? 0) > 0) return true;
  return status.waiting > 0 || kind === "starting" || kind === "running" || kind === "waiting" || kind === "retrying";
}
