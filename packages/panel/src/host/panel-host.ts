import {
  type Clock,
  type Companion,
  type Disposable,
  Emitter,
  type Event,
  type Files,
  type Logger,
  messageOf,
} from "@patchbay/core";
import type { ConversationLibrary } from "@patchbay/conversations";
import type { AgentInfo } from "../messages/index.ts";
import type { PageChannel, PanelEditor } from "./editor.ts";
import type { AgentTrials } from "./add-agent.ts";
import { PanelLibrary } from "./library.ts";
import { PageLink } from "./page-link.ts";
import type { ReviewDesks } from "./page-reviews.ts";

export interface PanelHostOptions {
  readonly editor: PanelEditor;
  readonly files: Pick<Files, "lstat">;
  /** Undefined: no folder is open. */
  readonly conversations: ConversationLibrary | undefined;
  readonly companion: Pick<Companion, "review" | "reveal" | "conversationEnded">;
  /** Reviews that pages show; absent where the editor shows them. */
  readonly reviews?: ReviewDesks;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Tries what is to be added to them. */
  readonly trials: AgentTrials;
  /** The agents that there are, and whether each is installed. */
  readonly findAgents: () => Promise<readonly AgentInfo[]>;
  /** The same before that is known. */
  readonly agents: readonly AgentInfo[];
}

/** The panel of one window: its conversations, and the pages that show them. Begins nothing before a page asks. */
export class PanelHost {
  readonly library: PanelLibrary;
  readonly #options: PanelHostOptions;
  readonly #links: Set<PageLink> = new Set();
  readonly #change: Emitter<void>;
  readonly #following: Disposable;
  #isFound = false;
  #recent: PageLink | undefined;
  #agents: readonly AgentInfo[];

  constructor(options: PanelHostOptions) {
    const { conversations, companion, editor, clock, logger } = options;
    this.#options = options;
    this.#agents = options.agents;
    this.#change = new Emitter((error) => logger.error("A listener failed", { reason: messageOf(error) }));
    const agentName = (agent: string): string => this.#agents.find(({ id }) => id === agent)?.name ?? agent;
    const folders = (): readonly string[] => editor.settings().folders;
    this.library = new PanelLibrary({ conversations, companion, agentName, folders, clock, logger });
    // Settings name programs, and trust lets them be looked for.
    this.#following = editor.onDidChangeSettings(() => {
      if (this.#isFound) void this.#refreshAgents();
    });
  }

  /** What a badge, a title or a key of the editor shows may have changed. */
  get onDidChange(): Event<void> {
    return this.#change.event;
  }

  get agents(): readonly AgentInfo[] {
    return this.#agents;
  }

  /** The page that has the keyboard, or had it last; else the newest. */
  get active(): PageLink | undefined {
    const links = Array.from(this.#links);
    return links.find(({ hasFocus }) => hasFocus) ?? links.find((link) => link === this.#recent) ?? links.at(-1);
  }

  /** A page has been made. It ends with the result. `editor`: of its own window, where several have the panel together. */
  connect(channel: PageChannel, conversation?: string, editor: PanelEditor = this.#options.editor): PageLink {
    const { clock, logger, reviews, files, trials } = this.#options;
    const link: PageLink = new PageLink({
      channel,
      editor,
      files,
      library: this.library,
      agents: {
        infos: () => this.#agents,
        refresh: () => this.#refreshAgents(),
      },
      trials,
      clock,
      logger,
      conversation,
      reviews,
      tellOthers: (message) => {
        for (const other of this.#links) if (other !== link) other.heardOfOther(message);
      },
      onDidChange: () => {
        if (link.hasFocus) this.#recent = link;
        this.#change.fire();
      },
    });
    this.#links.add(link);
    return link;
  }

  /** `isClosed`: by the user, who is not about to come back. */
  disconnect(link: PageLink, isClosed = false): void {
    this.#links.delete(link);
    link.dispose(isClosed);
    this.#change.fire();
  }

  /** Ends all agents. */
  async close(): Promise<void> {
    this.#following.dispose();
    for (const link of this.#links) link.dispose();
    this.#links.clear();
    await this.library.close();
    this.#change.dispose();
  }

  /** The agents, once it has been looked which of them are installed. */
  async foundAgents(): Promise<readonly AgentInfo[]> {
    if (!this.#isFound) await this.#refreshAgents();
    return this.#agents;
  }

  async #refreshAgents(): Promise<void> {
    const found = await this.#options.findAgents();
    this.#isFound = true;
    if (JSON.stringify(found) === JSON.stringify(this.#agents)) return;
    this.#agents = found;
    for (const link of this.#links) link.agentsChanged();
  }
}
