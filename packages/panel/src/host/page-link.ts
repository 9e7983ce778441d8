import { type Clock, type Disposable, DisposableStore, type Files, type Logger, messageOf } from "@patchbay/core";
import { type Conversation, type FeedMessage, ViewFeed } from "@patchbay/conversations";
import {
  type AgentInfo,
  type HostMessage,
  type PageMessage,
  pageMessageSchema,
  type Said,
  saidIn,
} from "../messages/index.ts";
import { addAgent, type AgentTrials } from "./add-agent.ts";
import { askConversation, type ConversationRequest, type ForConversation, writings } from "./conversation-requests.ts";
import type { PageChannel, PanelEditor } from "./editor.ts";
import { patchInLanguage, snapshotInLanguage } from "./in-language.ts";
import type { OpenConversation, PanelLibrary } from "./library.ts";
import { openForPage } from "./page-documents.ts";
import { PageList } from "./page-list.ts";
import type { ReviewDesk, ReviewDesks } from "./page-reviews.ts";

export interface PageLinkOptions {
  readonly channel: PageChannel;
  readonly editor: PanelEditor;
  readonly files: Pick<Files, "lstat">;
  readonly library: PanelLibrary;
  readonly agents: { infos(): readonly AgentInfo[]; refresh(): Promise<void> };
  readonly trials: AgentTrials;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What it shows first; else what the page remembers of an earlier run. */
  readonly conversation?: string | undefined;
  /** Tells the other pages of the window. */
  readonly tellOthers: ForConversation["tellOthers"];
  /** Reviews that pages show; absent where the editor shows them. */
  readonly reviews?: ReviewDesks | undefined;
  /** The page shows another conversation, or the same one under another title or in another state. */
  readonly onDidChange: () => void;
}

/** A conversation that a page shows. */
interface Shown extends OpenConversation {
  readonly feed: ViewFeed;
  /** It is not shown any more. */
  readonly leave: (isClosed: boolean) => void;
}

/** One page that shows a conversation. It holds nothing that a page could lose: it may be gone and back at any time. */
export class PageLink {
  readonly #options: PageLinkOptions;
  readonly #store: DisposableStore = new DisposableStore();
  readonly #said: Said;
  readonly #reviews: ReviewDesk | undefined;
  readonly #list: PageList;
  #shown: Shown | undefined;
  #wanted: string | undefined;
  /** How often another conversation was to be shown. */
  #asked = 0;
  #hasFocus = false;
  #isReady = false;
  /** What was sent before the page was ready. */
  #early: HostMessage[] = [];
  /** The page knows nothing: what it is told next of a conversation comes with everything else. */
  #isHelloDue = false;

  constructor(options: PageLinkOptions) {
    const { channel, editor, library } = options;
    this.#options = options;
    this.#said = saidIn(editor.strings);
    this.#wanted = options.conversation;
    const own = (part: Disposable): Disposable => this.#store.add(part);
    this.#list = new PageList({
      editor,
      library,
      post: (conversations) => this.#post({ type: "conversations", conversations }),
      page: this,
      leave: (isClosed) => this.#show(undefined, isClosed),
      addAgent: async () => {
        const [folder] = editor.settings().folders;
        if (folder === undefined) return editor.tell("warning", "Open a folder first: agents work in one.");
        await addAgent(editor, options.trials, folder);
      },
    });
    own(this.#list);
    this.#reviews = options.reviews?.connect({
      post: (about) => this.#post({ type: "review", about }),
      hasFocus: () => this.#hasFocus,
    });
    if (this.#reviews !== undefined) own(this.#reviews);
    own(channel.onMessage((message) => this.#receive(message)));
    own(library.onDidChange(() => this.#onDidChangeLibrary()));
    own(editor.onDidChangeSettings(() => this.#post({ type: "settings", settings: editor.settings() })));
    own(
      editor.onDidChangeSelection(() => {
        const block = editor.selection();
        this.#post({ type: "selection", ...(block === undefined ? {} : { block }) });
      }),
    );
  }

  /** What it shows. */
  get conversation(): Conversation | undefined {
    return this.#shown?.conversation;
  }

  get hasFocus(): boolean {
    return this.#hasFocus;
  }

  /** Shows another conversation. */
  async show(id: string): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const found = await this.#options.library.get(id);
    // Meanwhile the user may have wanted another one.
    if (found !== undefined && asked === this.#asked) this.#show(found);
  }

  /** Begins a conversation with an agent. Where the workspace has several folders, the user may be asked for one. */
  async begin(agent: string): Promise<void> {
    const { editor, library } = this.#options;
    const { folders } = editor.settings();
    const folder = folders.length > 1 ? await editor.chooseFolder() : folders[0];
    if (folder === undefined && folders.length > 1) return;
    this.#asked += 1;
    const created = folder === undefined ? undefined : await library.create(agent, folder);
    if (created === undefined) return editor.tell("warning", "Open a folder first: agents work in one.");
    this.#show(created);
    // Its mode and model are chosen before the first prompt, which nobody has to wait with.
    void created.conversation.wake();
  }

  /** Continues what it shows in a terminal, as the page's own command does. */
  async continueInTerminal(): Promise<void> {
    const { conversation } = this;
    if (conversation === undefined) return;
    await this.#handleConversation({ type: "act", conversation: conversation.id, action: "terminal" });
  }

  /** A command of the editor's. A page that is just being loaded gets it when it is ready. */
  send(message: Extract<HostMessage, { type: "command" | "insert" }>): void {
    if (this.#isReady) this.#post(message);
    else this.#early.push(message);
  }

  /** Its page is gone until it says that it is ready again. */
  hidden(): void {
    this.#isReady = false;
    if (!this.#hasFocus) return;
    this.#hasFocus = false;
    this.#options.onDidChange();
  }

  /** Another page has the same conversation. */
  heardOfOther(message: Parameters<ForConversation["tellOthers"]>[0]): void {
    if (message.conversation === this.conversation?.id) this.#post(message);
  }

  agentsChanged(): void {
    this.#post({ type: "agents", agents: this.#options.agents.infos() });
  }

  /** `isClosed`: the user has closed the page, and is not about to come back. */
  dispose(isClosed = false): void {
    this.#store.dispose();
    this.#follow(undefined, isClosed);
  }

  #post(message: HostMessage): void {
    if (this.#isReady) void this.#deliver(message);
  }

  /** False where nobody is there: the next page asks for everything. */
  async #deliver(message: HostMessage): Promise<boolean> {
    try {
      const isThere = await this.#options.channel.post(message);
      if (!isThere) this.#isReady = false;
      return isThere;
    } catch (error) {
      this.#options.logger.warn("A page could not be reached", { reason: messageOf(error) });
      return false;
    }
  }

  #receive(value: unknown): void {
    const parsed = pageMessageSchema.safeParse(value);
    const { logger } = this.#options;
    if (!parsed.success) {
      logger.warn("A message of the panel could not be read", { path: parsed.error.issues[0]?.path.join(".") });
      return;
    }
    const { data } = parsed;
    this.#handle(data).catch((error: unknown) => {
      logger.error("The panel could not do what it was asked for", { type: data.type, reason: messageOf(error) });
      this.#options.editor.tell("error", messageOf(error));
    });
  }

  async #handle(message: PageMessage): Promise<void> {
    switch (message.type) {
      case "ready":
        return await this.#hello(this.#wanted ?? message.conversation);
      case "failed":
        return this.#options.logger.error("The panel failed", { reason: message.message });
      case "focus":
        this.#hasFocus = message.hasFocus;
        this.#options.onDidChange();
        return;
      case "new-conversation":
      case "select":
      case "deselect":
      case "add-agent":
      case "search":
      case "rename":
      case "delete":
        return await this.#list.handle(message);
      case "open-link":
      case "open-file":
      case "open-diff":
      case "open-entry":
      case "open-conversation":
      case "open-text":
      case "insert-text":
      case "copy":
      case "changes":
        return await openForPage(message, this.#shown, {
          ...this.#options,
          said: this.#said,
          post: (about) => this.#post({ type: "changes", about }),
          show: (about) => this.#post({ type: "review", about }),
        });
      case "review-open":
      case "review-leave":
      case "review-edit":
      case "review-decide":
      case "review-hunk":
      case "review-undo":
      case "review-unwritten":
        return await this.#reviews?.receive(message);
      case "agent-wish":
        return this.#options.editor.hearWish?.(message.wish);
      case "notify":
        // A browser's own business, which does not come here.
        return;
      case "resync":
        if (message.conversation === this.conversation?.id) this.#shown?.feed.ready();
        return;
      default:
        return await this.#handleConversation(message);
    }
  }

  async #hello(id: string | undefined): Promise<void> {
    const { library, agents, logger } = this.#options;
    const found =
      id === undefined
        ? undefined
        : await library.get(id).catch((error: unknown) => {
            // The page is not left empty for it.
            logger.error("A conversation could not be opened", { reason: messageOf(error) });
            return undefined;
          });
    this.#isHelloDue = true;
    // Whatever became of what the page before was sent, this one is told at once.
    this.#follow(found);
    if (this.#isHelloDue) void this.#sayHello(undefined);
    this.#reviews?.hello();
    for (const message of this.#early.splice(0)) this.#post(message);
    // What takes longer comes behind.
    await Promise.all([library.refresh(), agents.refresh()]);
  }

  async #sayHello(open: Extract<HostMessage, { type: "conversation" }>["open"]): Promise<boolean> {
    const { editor, agents } = this.#options;
    this.#isHelloDue = false;
    this.#isReady = true;
    const selection = editor.selection();
    return await this.#deliver({
      type: "hello",
      settings: editor.settings(),
      strings: this.#reviews === undefined ? editor.strings : withReviews(editor.strings),
      agents: agents.infos(),
      conversations: this.#list.listed,
      ...(open === undefined ? {} : { open }),
      ...(selection === undefined ? {} : { selection }),
    });
  }

  #show(found: OpenConversation | undefined, isClosed = false): void {
    this.#follow(found, isClosed);
    if (found === undefined) this.#post({ type: "conversation" });
  }

  #follow(found: OpenConversation | undefined, isClosed = false): void {
    const before = this.#shown;
    const { library, clock, onDidChange } = this.#options;
    this.#wanted = found?.conversation.id;
    this.#shown = undefined;
    if (found !== undefined) {
      const { conversation } = found;
      const send = async (message: FeedMessage): Promise<boolean> => await this.#sendOf(conversation, message);
      const feed = new ViewFeed({ conversation, clock, send });
      this.#shown = { ...found, feed, leave: library.watch(conversation.id) };
      feed.ready();
    }
    before?.feed.dispose();
    before?.leave(isClosed);
    onDidChange();
  }

  async #sendOf(conversation: Conversation, message: FeedMessage): Promise<boolean> {
    if (message.kind === "snapshot") {
      const open = snapshotInLanguage(message.snapshot, this.#said);
      return this.#isHelloDue ? await this.#sayHello(open) : await this.#deliver({ type: "conversation", open });
    }
    const patch = patchInLanguage(message.patch, this.#said);
    return await this.#deliver({ type: "patch", conversation: conversation.id, patch });
  }

  #onDidChangeLibrary(): void {
    const { library, onDidChange } = this.#options;
    const shown = this.#shown;
    // Somebody has deleted it.
    if (shown !== undefined && library.opened(shown.conversation.id)?.conversation !== shown.conversation) {
      this.#show(undefined);
    }
    this.#list.post();
    onDidChange();
  }

  async #handleConversation(message: ConversationRequest): Promise<void> {
    const { library, editor, agents, tellOthers } = this.#options;
    const isShown = message.conversation === this.conversation?.id;
    // What the user has written counts, also where the page has gone on to another conversation by now.
    const found = isShown
      ? this.#shown
      : writings.has(message.type)
        ? (library.opened(message.conversation) ?? (await library.get(message.conversation)))
        : undefined;
    // Anything else that is about another conversation than the one that is shown is late.
    if (found === undefined) return;
    const place: ForConversation = {
      editor,
      library,
      infos: () => agents.infos(),
      post: (answer) => this.#post(answer),
      tellOthers,
      said: this.#said,
      show: (other) => this.#show(other),
    };
    await askConversation(message, found, place);
  }
}

/** Where the page shows reviews itself, it does not speak of an editor. */
function withReviews(strings: PanelEditor["strings"]): PanelEditor["strings"] {
  return { ...strings, "ask.review": strings["review.open"] ?? "" };
}
