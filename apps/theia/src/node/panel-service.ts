import { type Logger, messageOf, PatchbayError } from "@patchbay/core";
import type {
  PageFacts,
  PageTexts,
  PanelCommand,
  PanelCommandResult,
  PanelFacts,
  PanelServer,
  PanelWindow,
} from "../common/panel-protocol.ts";
import type { PatchbayWindow } from "../common/protocol.ts";
import type { WindowPanel } from "./panel/window-panel.ts";
import type { WorkspaceCompanion } from "./workspace-companion.ts";
import type { Workspaces } from "./workspaces.ts";

/** The connection of one window, by which its panel knows whose it is. */
export class ConnectedWindow {
  client: PatchbayWindow | undefined;
}

export interface PanelServiceOptions {
  readonly client: PanelWindow;
  readonly connected: ConnectedWindow;
  readonly workspaces: Workspaces;
  readonly readTexts: () => Promise<PageTexts>;
  readonly logger: Logger;
}

/** The backend's end of one window's panel: a window reaches the conversations of the workspace that it is attached to. */
export class PanelService implements PanelServer {
  readonly #options: PanelServiceOptions;
  readonly #pages: Map<string, PageFacts> = new Map();
  #facts: PanelFacts | undefined;
  #current: { readonly companion: WorkspaceCompanion; readonly panel: WindowPanel } | undefined;
  /** One after the other: what a page says stays in order. */
  #queue: Promise<unknown> = Promise.resolve();
  #isGone = false;

  constructor(options: PanelServiceOptions) {
    this.#options = options;
  }

  async texts(): Promise<PageTexts> {
    return await this.#options.readTexts();
  }

  async attach(facts: PanelFacts, pages: readonly PageFacts[]): Promise<void> {
    this.#facts = facts;
    for (const page of pages) this.#pages.set(page.page, page);
    await this.#with((panel) => panel.attach(facts, pages));
  }

  notifyPage(page: PageFacts): void {
    this.#pages.set(page.page, page);
    this.#do((panel) => panel.open(page));
  }

  notifySaid(page: string, message: unknown): void {
    this.#do((panel) => panel.said(page, message));
  }

  notifyVisible(page: string, isVisible: boolean, isLoaded: boolean): void {
    this.#do((panel) => panel.setVisible(page, isVisible, isLoaded));
  }

  notifyClosed(page: string): void {
    this.#pages.delete(page);
    this.#do((panel) => panel.close(page));
  }

  async run(command: PanelCommand, page?: string): Promise<PanelCommandResult> {
    const panel = await this.#with((found) => found);
    if (panel === undefined) throw new PatchbayError("not-found", "Open a folder first: agents work in one.");
    return await panel.run(command, page);
  }

  /** The connection has ended: the conversations go on. */
  dispose(): void {
    this.#isGone = true;
    this.#current?.panel.dispose();
    this.#current = undefined;
  }

  #do(work: (panel: WindowPanel) => void): void {
    this.#with(work).catch((error: unknown) => {
      this.#options.logger.error("The panel could not do what a window wanted", { reason: messageOf(error) });
    });
  }

  #with<T>(work: (panel: WindowPanel) => T): Promise<T | undefined> {
    const result = this.#queue.then(async () => {
      const panel = await this.#panel();
      return panel === undefined ? undefined : work(panel);
    });
    this.#queue = result.catch(() => {});
    return result;
  }

  /** Of the workspace to which the window belongs now. */
  async #panel(): Promise<WindowPanel | undefined> {
    const { connected, workspaces, client } = this.#options;
    const window = connected.client === undefined ? undefined : workspaces.windowOf(connected.client);
    const companion = connected.client === undefined ? undefined : await workspaces.companionOf(connected.client);
    const current = this.#current;
    if (current !== undefined && current.companion === companion) return current.panel;
    current?.panel.dispose();
    this.#current = undefined;
    if (companion === undefined || window === undefined || this.#isGone) return undefined;
    const workspace = await companion.panel.get();
    const { createWindowPanel } = await import("./panel/window-panel.ts");
    if (window.isGone) return undefined;
    const panel = createWindowPanel(workspace, window, client);
    this.#current = { companion, panel };
    // It had pages in another workspace: what they showed is not in this one.
    if (this.#facts !== undefined) panel.attach(this.#facts, Array.from(this.#pages.values()));
    return panel;
  }
}
