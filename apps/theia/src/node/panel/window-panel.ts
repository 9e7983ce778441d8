import { type Disposable, Emitter, messageOf } from "@patchbay/core";
import type { PageLink } from "@patchbay/panel/host";
import type { ConversationSummary } from "@patchbay/panel/messages";
import type {
  PageFacts,
  PanelCommand,
  PanelCommandResult,
  PanelFacts,
  PanelWindow,
} from "../../common/panel-protocol.ts";
import type { AttachedWindow } from "../attached-window.ts";
import { WindowEditor } from "./window-editor.ts";
import type { WorkspacePanel } from "./workspace-panel.ts";

/** A page of a window: a view or a tab. */
interface Page {
  readonly link: PageLink;
  readonly said: Emitter<unknown>;
  isVisible: boolean;
  /** What its tab was told last. */
  title: string;
}

/** The pages of one window, over its connection. What they show is the workspace's. */
export class WindowPanel implements Disposable {
  readonly workspace: WorkspacePanel;
  readonly #window: AttachedWindow;
  readonly #client: PanelWindow;
  readonly #editor: WindowEditor;
  readonly #pages: Map<string, Page> = new Map();

  constructor(workspace: WorkspacePanel, window: AttachedWindow, client: PanelWindow) {
    this.workspace = workspace;
    this.#window = window;
    this.#client = client;
    this.#editor = new WindowEditor({ workspace, window, client });
    workspace.join(this);
  }

  /** Pages that were there before, over a connection that is gone, are told everything anew. */
  attach(facts: PanelFacts, pages: readonly PageFacts[]): void {
    this.workspace.updateFacts(facts);
    this.#editor.update(facts);
    for (const page of pages) {
      if (this.#pages.has(page.page)) continue;
      this.open(page);
      this.said(page.page, {
        type: "ready",
        ...(page.conversation === undefined ? {} : { conversation: page.conversation }),
      });
    }
  }

  open({ page, conversation, isVisible }: PageFacts): void {
    if (this.#pages.has(page)) return;
    const said = new Emitter<unknown>();
    const channel = { post: async (message: unknown) => await this.#post(page, message), onMessage: said.event };
    const link = this.workspace.panels.connect(channel, conversation, this.#editor);
    this.#pages.set(page, { link, said, isVisible, title: "" });
  }

  said(page: string, message: unknown): void {
    this.#pages.get(page)?.said.fire(message);
  }

  setVisible(page: string, isVisible: boolean, isLoaded: boolean): void {
    const known = this.#pages.get(page);
    if (known === undefined) return;
    known.isVisible = isVisible;
    if (!isLoaded) known.link.hidden();
  }

  close(page: string, isClosed = true): void {
    const known = this.#pages.get(page);
    if (known === undefined) return;
    this.#pages.delete(page);
    this.workspace.panels.disconnect(known.link, isClosed);
  }

  /** Whether the user sees a conversation here. */
  shows(conversation: string): boolean {
    return Array.from(this.#pages.values()).some(
      ({ link, isVisible }) => isVisible && link.conversation?.id === conversation,
    );
  }

  updateTitles(summaries: readonly ConversationSummary[]): void {
    for (const [id, page] of this.#pages) {
      const { conversation } = page.link;
      const state = summaries.find((one) => one.id === conversation?.id)?.state ?? "idle";
      const about = conversation === undefined ? {} : { conversation: conversation.id };
      const title = { ...about, title: conversation?.status.title ?? "", state };
      const text = JSON.stringify(title);
      if (text === page.title) continue;
      page.title = text;
      this.#window.notify(() => this.#client.notifyTitle(id, title));
    }
  }

  async run(command: PanelCommand, page?: string): Promise<PanelCommandResult> {
    const link = this.#linkFor(page);
    const { library } = this.workspace.panels;
    if (link === undefined) return "nothing";
    switch (command.kind) {
      case "page":
        link.send({ type: "command", command: command.command });
        return "done";
      case "begin":
        await this.#begin(link);
        return "done";
      case "mention":
        return await this.#mention(link, command.paths);
      case "show":
        await link.show(command.conversation);
        return "done";
      case "show-waiting": {
        const id = library.summaries.find(({ state }) => state === "waiting")?.id;
        if (id === undefined) return "nothing";
        await link.show(id);
        return "done";
      }
      case "terminal":
        if (link.conversation === undefined) return "nothing";
        await link.continueInTerminal();
        return "done";
      case "stop":
        await link.conversation?.stop();
        return "done";
    }
  }

  dispose(): void {
    for (const page of Array.from(this.#pages.keys())) this.close(page, false);
    this.#editor.dispose();
    this.workspace.leave(this);
  }

  /** The page that has the keyboard, or a visible one, or any. */
  #linkFor(page: string | undefined): PageLink | undefined {
    if (page !== undefined) return this.#pages.get(page)?.link;
    const pages = Array.from(this.#pages.values());
    return (pages.find(({ link }) => link.hasFocus) ?? pages.find(({ isVisible }) => isVisible) ?? pages[0])?.link;
  }

  /** Begins a conversation with the agent that the user talked with last; where none is installed, the page says so. */
  async #begin(link: PageLink): Promise<void> {
    // At once: what takes longer must not take the keyboard from where the user is by then.
    link.send({ type: "command", command: "focus" });
    const { panels } = this.workspace;
    const installed = (await panels.foundAgents()).filter(({ isInstalled }) => isInstalled);
    const last = link.conversation?.about.agent ?? panels.library.summaries[0]?.agent;
    const agent = installed.find(({ id }) => id === last) ?? installed[0];
    if (agent !== undefined) await link.begin(agent.id);
  }

  /** Puts something into the message that the user is writing. */
  async #mention(link: PageLink, paths: readonly string[]): Promise<PanelCommandResult> {
    const named = paths.filter((path) => this.workspace.mayName(path));
    const pointed = this.#editor.pointedAt();
    const chosen = named.map((path) => ({ type: "mention", path }) as const);
    const blocks = paths.length > 0 ? chosen : pointed === undefined ? [] : [pointed];
    if (blocks.length === 0) return "nothing";
    if (link.conversation === undefined) await this.#begin(link);
    link.send({ type: "insert", blocks });
    link.send({ type: "command", command: "focus" });
    return "done";
  }

  async #post(page: string, message: unknown): Promise<boolean> {
    try {
      return await this.#window.call(() => this.#client.tellPage(page, message));
    } catch (error) {
      this.workspace.options.logger.debug("A page could not be told", { reason: messageOf(error) });
      return false;
    }
  }
}

export function createWindowPanel(workspace: WorkspacePanel, window: AttachedWindow, client: PanelWindow): WindowPanel {
  return new WindowPanel(workspace, window, client);
}
