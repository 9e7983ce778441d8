import { type Disposable, DisposableStore, type Logger, messageOf } from "@patchbay/core";
import type { Conversation, ConversationPatch } from "@patchbay/conversations";
import {
  type AgentInfo,
  type ConversationMessage,
  entryForPage,
  type HostMessage,
  type ListMessage,
  type PageMessage,
  pageMessageSchema,
  placedForPage,
  snapshotForPage,
} from "../messages/index.ts";
import type { PageChannel, PanelEditor } from "./editor.ts";
import type { OpenConversation, PanelLibrary } from "./library.ts";
import { openForPage } from "./page-documents.ts";

export interface PageLinkOptions {
  readonly channel: PageChannel;
  readonly editor: PanelEditor;
  readonly library: PanelLibrary;
  readonly agents: { infos(): readonly AgentInfo[]; refresh(): Promise<void> };
  readonly logger: Logger;
  /** What it shows first; the page's own memory counts more. */
  readonly conversation?: string | undefined;
  /** The page shows another conversation, or the same one under another title or in another state. */
  readonly onDidChange: () => void;
}

/** One page that shows a conversation. It holds nothing that a page could lose: it may be gone and back at any time. */
export class PageLink implements Disposable {
  readonly #options: PageLinkOptions;
  readonly #store: DisposableStore = new DisposableStore();
  #shown: OpenConversation | undefined;
  #following: Disposable | undefined;
  #wanted: string | undefined;
  #hasFocus = false;
  #isReady = false;
  /** What was sent before the page was ready. */
  #early: HostMessage[] = [];

  constructor(options: PageLinkOptions) {
    const { channel, editor, library } = options;
    this.#options = options;
    this.#wanted = options.conversation;
    this.#store.add(channel.onMessage((message) => this.#receive(message)));
    this.#store.add(
      library.onDidChange(() => {
        this.#post({ type: "conversations", conversations: library.summaries });
        options.onDidChange();
      }),
    );
    this.#store.add(editor.onDidChangeSettings(() => this.#post({ type: "settings", settings: editor.settings() })));
    this.#store.add(
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
    const found = await this.#options.library.get(id);
    if (found !== undefined) this.#show(found);
  }

  /** Begins a conversation with an agent. */
  async begin(agent: string): Promise<void> {
    const created = await this.#options.library.create(agent);
    if (created === undefined) this.#options.editor.tell("warning", "Open a folder first: agents work in one.");
    else this.#show(created);
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

  agentsChanged(): void {
    this.#post({ type: "agents", agents: this.#options.agents.infos() });
  }

  dispose(): void {
    this.#following?.dispose();
    this.#store.dispose();
  }

  #post(message: HostMessage): void {
    if (!this.#isReady) return;
    const { channel, logger } = this.#options;
    channel.post(message).then(
      // Nobody is there: the next page asks for everything.
      (isThere) => {
        if (!isThere) this.#isReady = false;
      },
      (error: unknown) => logger.warn("A page could not be reached", { reason: messageOf(error) }),
    );
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
        return await this.#hello(message.conversation ?? this.#wanted);
      case "failed":
        this.#options.logger.error("The panel failed", { reason: message.message });
        return;
      case "focus":
        this.#hasFocus = message.hasFocus;
        this.#options.onDidChange();
        return;
      case "new-conversation":
      case "select":
      case "deselect":
      case "search":
      case "rename":
      case "delete":
        return await this.#handleList(message);
      case "open-link":
      case "open-file":
      case "open-diff":
      case "open-entry":
      case "open-conversation":
      case "open-text":
      case "insert-text":
      case "copy":
      case "changes":
        return await openForPage(message, this.#shown, this.#options.editor);
      default:
        // What is about another conversation than the one that is shown is late.
        if (message.conversation !== this.conversation?.id || this.#shown === undefined) return;
        return await this.#handleConversation(message, this.#shown);
    }
  }

  async #hello(id: string | undefined): Promise<void> {
    const { editor, library, agents } = this.#options;
    const found = id === undefined ? undefined : await library.get(id);
    this.#follow(found);
    this.#isReady = true;
    const selection = editor.selection();
    this.#post({
      type: "hello",
      settings: editor.settings(),
      strings: editor.strings,
      agents: agents.infos(),
      conversations: library.summaries,
      ...(found === undefined ? {} : { open: snapshotForPage(found.conversation.snapshot()) }),
      ...(selection === undefined ? {} : { selection }),
    });
    for (const message of this.#early.splice(0)) this.#post(message);
    // What takes longer comes behind.
    await Promise.all([library.refresh(), agents.refresh()]);
  }

  #show(found: OpenConversation | undefined): void {
    this.#follow(found);
    this.#post({
      type: "conversation",
      ...(found === undefined ? {} : { open: snapshotForPage(found.conversation.snapshot()) }),
    });
  }

  #follow(found: OpenConversation | undefined): void {
    this.#following?.dispose();
    this.#shown = found;
    this.#wanted = found?.conversation.id;
    this.#options.onDidChange();
    const conversation = found?.conversation;
    this.#following = conversation?.onDidChange((change) => {
      if (change.kind === "patch") {
        this.#post({ type: "patch", conversation: conversation.id, patch: patchForPage(change.patch) });
      } else this.#show(found);
    });
  }

  async #handleConversation(
    message: ConversationMessage | { readonly type: "resync"; readonly conversation: string },
    { conversation, reviews }: OpenConversation,
  ): Promise<void> {
    const { editor } = this.#options;
    switch (message.type) {
      case "resync":
        return this.#show(this.#shown);
      case "send":
        conversation.prompt(message.blocks);
        return;
      case "draft":
        return conversation.setDraft(message.draft);
      case "queue":
        if (message.action === "send-now") await conversation.queue.sendNow(message.id);
        else conversation.queue.remove(message.id);
        return;
      case "stop":
        return await conversation.stop();
      case "answer":
        await reviews.answer(message.id, message.answer);
        return;
      case "option":
        return await conversation.setOption(message.id, message.value);
      case "older": {
        const entries = placedForPage(await conversation.entries.before(message.before));
        return this.#post({ type: "page", conversation: conversation.id, entries });
      }
      case "find": {
        const places = await conversation.entries.find(message.text, new AbortController().signal);
        return this.#post({ type: "found", request: message.request, places });
      }
      case "mentions": {
        const items = await editor.mentions(message.query, conversation.about.folder);
        return this.#post({ type: "mentions", request: message.request, items });
      }
      case "pick":
        return this.#post({ type: "insert", blocks: await editor.pick(message.id) });
      case "drop":
        return this.#post({ type: "insert", blocks: await editor.dropped(message.uris) });
      case "act":
        return await this.#act(message, conversation);
      case "fork": {
        const forked = await this.#options.library.fork(conversation.id, message.upTo);
        if (forked !== undefined) this.#show(forked);
        return;
      }
      case "resend": {
        const forked = await this.#options.library.fork(conversation.id, message.prompt);
        if (forked === undefined) return;
        this.#show(forked);
        forked.conversation.prompt(message.blocks);
        return;
      }
      case "rewind": {
        const { prompt, dryRun } = message;
        const { canRewind, reason, files } = await conversation.rewind(prompt, dryRun);
        if (dryRun) {
          const because = reason === undefined ? {} : { reason };
          this.#post({ type: "rewind-preview", prompt, canRewind, files, ...because });
        } else if (!canRewind) editor.tell("warning", reason ?? "The files could not be put back.");
        return;
      }
    }
  }

  async #act(
    { action, method }: Extract<ConversationMessage, { type: "act" }>,
    conversation: Conversation,
  ): Promise<void> {
    const { editor, agents } = this.#options;
    switch (action) {
      case "restart":
        return await conversation.restart();
      case "retry":
        return await conversation.retry();
      case "install": {
        const url = agents.infos().find(({ id }) => id === conversation.about.agent)?.installUrl;
        if (url !== undefined) await editor.openLink(url);
        return;
      }
      case "sign-in": {
        const { state } = conversation.status;
        const methods = state.kind === "signed-out" ? state.methods : [];
        const chosen = methods.find(({ id }) => id === method) ?? methods[0];
        const { agent, folder } = conversation.about;
        if (chosen?.command === undefined) await editor.startInTerminal(agent, folder);
        else await editor.runInTerminal(chosen.name, chosen.command, folder);
        return;
      }
      case "terminal":
        return await this.#continueInTerminal(conversation);
    }
  }

  /** One session is for one process: the panel's own ends first. */
  async #continueInTerminal(conversation: Conversation): Promise<void> {
    const { editor } = this.#options;
    const { sessionId } = conversation.about;
    if (sessionId === undefined) {
      return editor.tell("info", "This conversation has no session yet that a terminal could continue.");
    }
    await conversation.endAgent();
    await editor.startInTerminal(conversation.about.agent, conversation.about.folder, sessionId);
  }

  async #handleList(message: ListMessage): Promise<void> {
    const { editor, library } = this.#options;
    switch (message.type) {
      case "new-conversation":
        return await this.begin(message.agent);
      case "select":
        return await this.show(message.conversation);
      case "deselect":
        return this.#show(undefined);
      case "search": {
        const text = message.text.toLocaleLowerCase();
        const found = library.summaries.filter(({ title }) => title.toLocaleLowerCase().includes(text));
        return this.#post({ type: "conversations", conversations: found });
      }
      case "rename":
        if (!(await library.rename(message.conversation, message.title))) this.#tellElsewhere();
        return;
      case "delete": {
        const title = library.summaries.find(({ id }) => id === message.conversation)?.title ?? "";
        if (!(await editor.confirmDelete(title))) return;
        if (this.conversation?.id === message.conversation) this.#show(undefined);
        if (!(await library.remove(message.conversation))) this.#tellElsewhere();
        return;
      }
    }
  }

  #tellElsewhere(): void {
    this.#options.editor.tell("warning", "Another window has this conversation. Close it there first.");
  }
}

function patchForPage(patch: ConversationPatch): ConversationPatch {
  return { ...patch, entries: patch.entries.map(({ place, entry }) => ({ place, entry: entryForPage(entry) })) };
}
