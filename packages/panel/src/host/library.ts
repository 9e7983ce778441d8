import { type Companion, type Disposable, Emitter, type Event, type Logger, messageOf } from "@patchbay/core";
import type { Conversation, ConversationLibrary, ListedConversation } from "@patchbay/conversations";
import type { ConversationSummary } from "../messages/index.ts";
import { QuestionReviews } from "./question-reviews.ts";

export interface PanelLibraryOptions {
  /** Undefined: no folder is open, so there is no place for conversations. */
  readonly conversations: ConversationLibrary | undefined;
  readonly folder: () => string | undefined;
  readonly companion: Pick<Companion, "review" | "reveal" | "conversationEnded">;
  readonly agentName: (agent: string) => string;
  readonly logger: Logger;
}

/** A conversation that is open in this window, whoever looks at it. */
export interface OpenConversation {
  readonly conversation: Conversation;
  readonly reviews: QuestionReviews;
}

/** The conversations of a window, with the reviews of what they ask for. One that was opened stays open: its agent may be at work. */
export class PanelLibrary {
  readonly #options: PanelLibraryOptions;
  readonly #open: Map<string, OpenConversation> = new Map();
  readonly #change: Emitter<void>;
  readonly #following: Disposable | undefined;
  #listed: readonly ListedConversation[] = [];

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
    return this.#listed.map(({ id, agent, title, usedAt, state }) => {
      const shown = state === "open" || state === "closed" || state === "agent" ? this.#stateOf(id) : state;
      return { id, agent, title, changedAt: usedAt, state: shown };
    });
  }

  /** How many questions wait for the user. */
  get waiting(): number {
    return Array.from(this.#open.values()).reduce((sum, { conversation }) => sum + conversation.status.waiting, 0);
  }

  /** Reads the list anew. Never rejects. */
  async refresh(): Promise<void> {
    try {
      const folder = this.#options.folder();
      this.#listed = (await this.#options.conversations?.list(folder)) ?? [];
    } catch (error) {
      this.#options.logger.warn("The conversations could not be listed", { reason: messageOf(error) });
    }
    this.#change.fire();
  }

  /** Undefined where there is none. */
  async get(id: string): Promise<OpenConversation | undefined> {
    const conversation = await this.#options.conversations?.open(id);
    return conversation === undefined ? undefined : this.#keep(conversation);
  }

  /** Undefined: no folder is open. */
  async create(agent: string): Promise<OpenConversation | undefined> {
    const { conversations, folder } = this.#options;
    const place = folder();
    if (conversations === undefined || place === undefined) return undefined;
    return this.#keep(await conversations.create(agent, place));
  }

  /** A new conversation that remembers another one. Undefined where there is none. */
  async fork(id: string, beforePrompt: string | undefined): Promise<OpenConversation | undefined> {
    const conversation = await this.#options.conversations?.fork(id, beforePrompt);
    return conversation === undefined ? undefined : this.#keep(conversation);
  }

  /** False: another window has it. */
  async remove(id: string): Promise<boolean> {
    this.#letGo(id);
    return (await this.#options.conversations?.delete(id)) ?? false;
  }

  async rename(id: string, title: string): Promise<boolean> {
    return (await this.#options.conversations?.rename(id, title)) ?? false;
  }

  /** Ends all agents; what was said is on disk when this resolves. */
  async close(): Promise<void> {
    this.#following?.dispose();
    for (const id of Array.from(this.#open.keys())) this.#letGo(id);
    await this.#options.conversations?.dispose();
    this.#change.dispose();
  }

  #keep(conversation: Conversation): OpenConversation {
    const known = this.#open.get(conversation.id);
    if (known?.conversation === conversation) return known;
    this.#letGo(conversation.id);
    const { companion, agentName, logger } = this.#options;
    const name = agentName(conversation.about.agent);
    const kept = { conversation, reviews: new QuestionReviews({ conversation, agentName: name, companion, logger }) };
    this.#open.set(conversation.id, kept);
    return kept;
  }

  #letGo(id: string): void {
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
