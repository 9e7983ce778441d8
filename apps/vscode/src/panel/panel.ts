import { join } from "node:path";
import type { AgentSession, SessionRequest } from "@patchbay/conversations";
import type { PromptBlock } from "@patchbay/conversations/model";
import {
  type Companion,
  createNodePlatform,
  type EditorHost,
  type Logger,
  messageOf,
  type TurnLedger,
  type TurnWitness,
} from "@patchbay/core";
import { AgentPrograms } from "@patchbay/panel/agents";
import { createSessionHost, type PageLink, type PanelEditor, PanelHost } from "@patchbay/panel/host";
import { panelTextsIn } from "@patchbay/panel/messages";
import { openLibrary } from "@patchbay/panel/workspace";
import {
  commands,
  type Disposable,
  Uri,
  ViewColumn,
  type Webview,
  type WebviewPanel,
  type WebviewView,
  window,
} from "vscode";
import { l10n, textsInUse } from "@patchbay/languages/spoken";
import { inform, reportError } from "../surfaces/messages.ts";
import { Attention, tabTitle } from "./attention.ts";
import { VsCodePanelEditor } from "./editor.ts";
import { channelOf, pageFor } from "./page.ts";
import { panelSettings, reasonNotToStart, sharedStorage } from "./panel-settings.ts";

export interface PanelServices {
  readonly companion: Companion;
  readonly host: EditorHost;
  readonly logger: Logger;
  /** Hears of what agents do to files, and knows what they changed. */
  readonly turns: TurnWitness & { readonly ledger: TurnLedger };
  /** Whether the user lets agents see what is selected. */
  readonly sharesSelection: () => boolean;
  /** The extension's own folder. */
  readonly extensionUri: Uri;
  readonly version: string;
  /** The view of each side bar; the first is also the kind of the tabs. */
  readonly viewIds: { readonly sideBar: string; readonly secondarySideBar: string };
  /** Whether this VS Code lets extensions have a view in the secondary side bar. */
  readonly hasSecondarySideBar: boolean;
}

/** The panel in VS Code: a view, tabs, and what commands do with them. */
export class Panel {
  readonly #services: PanelServices;
  readonly #programs: AgentPrograms;
  readonly #editor: VsCodePanelEditor;
  readonly #panels: PanelHost;
  readonly #attention: Attention;
  readonly #tabs: Map<WebviewPanel, PageLink> = new Map();
  #view: { readonly view: WebviewView; readonly link: PageLink } | undefined;
  /** What the view showed when VS Code gave it up: the one in the other side bar goes on with it. */
  #left: string | undefined;
  /** Who waits for a view that VS Code is making. */
  readonly #awaiting: ((link: PageLink) => void)[] = [];
  readonly #told: Map<string, boolean> = new Map();

  constructor(services: PanelServices, strings: PanelEditor["strings"]) {
    const { companion, host, logger, turns, version, sharesSelection } = services;
    const platform = createNodePlatform();
    const mayName = (path: string): boolean => companion.mayName(path);
    this.#services = services;
    this.#programs = new AgentPrograms({
      platform,
      logger,
      version,
      settings: { agents: () => panelSettings.agents, autosave: () => panelSettings.autosave, reasonNotToStart },
    });
    companion.excludeProcesses((pid) => this.#programs.isOwn(pid));
    this.#editor = new VsCodePanelEditor({
      host,
      strings,
      mayName,
      sharesSelection,
      clock: platform.clock,
      programFor: async (agent) => await this.#programs.inTerminal(agent),
      commandFor: async (agent, command) => await this.#programs.commandInTerminal(agent, command),
      openInTab: async (id) => void this.openTab(id),
    });
    const { storageDirectory } = host;
    const agentName = (agent: string): string => this.#panels.agents.find(({ id }) => id === agent)?.name ?? agent;
    const { files, clock } = platform;
    const isWindows = platform.process.platform === "win32";
    const sessionHost = createSessionHost({ host, files, clock, isShared: mayName, isWindows });
    const connect = (request: SessionRequest): AgentSession => this.#programs.connect(request);
    this.#panels = new PanelHost({
      editor: this.#editor,
      files,
      companion,
      clock: platform.clock,
      logger,
      agents: this.#programs.known,
      trials: this.#programs,
      findAgents: async () => await this.#programs.find(),
      conversations:
        storageDirectory === undefined
          ? undefined
          : openLibrary({
              platform,
              logger,
              directory: join(sharedStorage(storageDirectory), "conversations"),
              owner: host.identity.editorKey,
              host: sessionHost,
              connect,
              turns: { witness: turns, ledger: turns.ledger, agentName },
              listers: this.#programs.listers,
            }),
    });
    this.#attention = new Attention({
      agentName,
      isSeen: (id) => this.#isSeen(id),
      show: async (id) => await this.#show(id),
    });
    this.#panels.onDidChange(() => this.#update());
  }

  /** VS Code has made the view. It loads the page again by itself whenever the view is shown. */
  showView(view: WebviewView): void {
    const link = this.#attach(view.webview, false, this.#left);
    this.#view = { view, link };
    view.onDidChangeVisibility(() => {
      if (!view.visible) link.hidden();
    });
    view.onDidDispose(() => {
      this.#left = link.conversation?.id;
      if (this.#view?.view === view) this.#view = undefined;
      this.#panels.disconnect(link);
    });
    for (const resolve of this.#awaiting.splice(0)) resolve(link);
    this.#update();
  }

  openTab(conversation?: string): PageLink {
    const { viewIds } = this.#services;
    const options = { enableFindWidget: false };
    const tab = window.createWebviewPanel(viewIds.sideBar, "Patchbay", ViewColumn.Active, options);
    return this.restoreTab(tab, conversation);
  }

  /** A tab, new or of an earlier run, whose page remembers what it showed. */
  restoreTab(tab: WebviewPanel, conversation?: string): PageLink {
    const link = this.#attach(tab.webview, true, conversation);
    tab.iconPath = Uri.joinPath(this.#services.extensionUri, "media", "conversation.svg");
    this.#tabs.set(tab, link);
    tab.onDidChangeViewState(() => {
      if (!tab.visible) link.hidden();
    });
    tab.onDidDispose(() => {
      this.#tabs.delete(tab);
      this.#panels.disconnect(link, true);
    });
    this.#update();
    return link;
  }

  registerCommands(): readonly Disposable[] {
    const command = (name: string, run: (...args: readonly unknown[]) => unknown): Disposable =>
      commands.registerCommand(`patchbay.panel.${name}`, async (...args: readonly unknown[]) => {
        try {
          await run(...args);
        } catch (error) {
          void reportError(messageOf(error));
        }
      });
    return [
      command("open", async () => {
        // From the page back to the editor, and the other way round.
        if (this.#panels.active?.hasFocus === true) {
          await commands.executeCommand("workbench.action.focusActiveEditorGroup");
        } else (await this.#reveal()).send({ type: "command", command: "focus" });
      }),
      command("newConversation", async () => await this.#begin(await this.#shown())),
      command("newTab", async () => await this.#begin(this.openTab())),
      command("mention", async (file, files) => await this.#mention(file, files)),
      command("mentionTerminal", async () => {
        const block = this.#editor.terminalOutput();
        if (block !== undefined) return await this.#insert([block]);
        await inform(
          l10n.t(
            "No terminal output is available. Run a command in a terminal with shell integration, then try again. VS Code does not report the output of commands that end at once.",
          ),
        );
      }),
      command("showConversations", async () => (await this.#shown()).send({ type: "command", command: "list" })),
      command("showWaiting", async () => {
        const id = this.#panels.library.summaries.find(({ state }) => state === "waiting")?.id;
        if (id === undefined) await this.#reveal();
        else await this.#show(id);
      }),
      command("continueInTerminal", async () => {
        const { active } = this.#panels;
        if (active?.conversation === undefined) await inform(l10n.t("No conversation is open."));
        else await active.continueInTerminal();
      }),
      command("stop", async () => await this.#panels.active?.conversation?.stop()),
      command("find", async () => (await this.#shown()).send({ type: "command", command: "find" })),
    ];
  }

  /** Ends all agents: what was said is on disk when this resolves. */
  async close(): Promise<void> {
    await this.#panels.close();
    this.#attention.dispose();
    this.#editor.dispose();
  }

  /** The last moment of the process: nothing of the agents stays. */
  endNow(): void {
    this.#programs.endNow();
  }

  #attach(webview: Webview, isInEditor: boolean, conversation?: string): PageLink {
    const page = pageFor(webview, this.#services.extensionUri, isInEditor);
    webview.options = { enableScripts: true, localResourceRoots: [page.root] };
    const link = this.#panels.connect(channelOf(webview), conversation);
    webview.html = page.html;
    return link;
  }

  /** A page that the user sees, the last one used first; else the panel is opened. */
  async #shown(): Promise<PageLink> {
    const { active } = this.#panels;
    return active !== undefined && this.#isVisible(active) ? active : await this.#reveal();
  }

  /** Brings the panel to the front, where the settings want it, with the keyboard: only commands of the user's do. */
  async #reveal(): Promise<PageLink> {
    const { viewIds, hasSecondarySideBar } = this.#services;
    const { place } = panelSettings;
    if (place === "tab") {
      const [tab, link] =
        Array.from(this.#tabs).find(([, one]) => one === this.#panels.active) ?? [...this.#tabs][0] ?? [];
      if (tab === undefined || link === undefined) return this.openTab();
      tab.reveal();
      return link;
    }
    const isSecondary = place === "secondarySideBar" && hasSecondarySideBar;
    const made = new Promise<PageLink>((resolve) => this.#awaiting.push(resolve));
    await commands.executeCommand(`${isSecondary ? viewIds.secondarySideBar : viewIds.sideBar}.focus`);
    return this.#view === undefined ? await made : this.#view.link;
  }

  #isVisible(link: PageLink): boolean {
    if (this.#view?.link === link) return this.#view.view.visible;
    return Array.from(this.#tabs).some(([tab, one]) => one === link && tab.visible);
  }

  /** In a page that is seen, or in a review that waits in a tab of its own. */
  #isSeen(conversation: string): boolean {
    const links = [...(this.#view === undefined ? [] : [this.#view.link]), ...this.#tabs.values()];
    const isShown = links.some((link) => link.conversation?.id === conversation && this.#isVisible(link));
    return isShown || this.#services.companion.proposals.some((one) => one.conversationId === conversation);
  }

  /** Shows a conversation where it is open, else in the panel. */
  async #show(conversation: string): Promise<void> {
    for (const [tab, link] of this.#tabs) {
      if (link.conversation?.id !== conversation) continue;
      tab.reveal();
      return;
    }
    await (await this.#reveal()).show(conversation);
  }

  /** Begins a conversation with the agent that the user talked with last; where none is installed, the page says so. */
  async #begin(link: PageLink): Promise<void> {
    // At once: what takes longer must not take the keyboard from where the user is by then.
    link.send({ type: "command", command: "focus" });
    const installed = (await this.#panels.foundAgents()).filter(({ isInstalled }) => isInstalled);
    const { library, active } = this.#panels;
    const last = active?.conversation?.about.agent ?? library.summaries[0]?.agent;
    const agent = installed.find(({ id }) => id === last) ?? installed[0];
    if (agent !== undefined) await link.begin(agent.id);
  }

  async #mention(file: unknown, files: unknown): Promise<void> {
    const chosen = Array.isArray(files) && files.length > 0 ? files : [file];
    const uris = chosen.flatMap((one) => (one instanceof Uri ? [one.toString()] : []));
    const pointed = this.#editor.pointedAt();
    const blocks = uris.length > 0 ? await this.#editor.dropped(uris) : pointed === undefined ? [] : [pointed];
    if (blocks.length > 0) await this.#insert(blocks);
    else await inform(l10n.t("There is no file here that agents may see."));
  }

  /** Puts something into the message that the user is writing. */
  async #insert(blocks: readonly PromptBlock[]): Promise<void> {
    const link = await this.#shown();
    if (link.conversation === undefined) await this.#begin(link);
    link.send({ type: "insert", blocks });
    link.send({ type: "command", command: "focus" });
  }

  #update(): void {
    const { library, active } = this.#panels;
    const { waiting, summaries } = library;
    if (this.#view !== undefined) {
      const tooltip = l10n.t("Questions that wait for your answer: {0}", waiting);
      this.#view.view.badge = waiting === 0 ? undefined : { value: waiting, tooltip };
    }
    for (const [tab, { conversation }] of this.#tabs) {
      const state = summaries.find(({ id }) => id === conversation?.id)?.state;
      tab.title = tabTitle(conversation?.status.title ?? "", state);
    }
    this.#attention.update(summaries, waiting);
    this.#tell("patchbay.panelFocused", active?.hasFocus === true);
    this.#tell("patchbay.turnRunning", isAtWork(active));
    this.#tell("patchbay.questionWaiting", waiting > 0);
  }

  #tell(key: string, value: boolean): void {
    if (this.#told.get(key) === value) return;
    this.#told.set(key, value);
    commands.executeCommand("setContext", key, value).then(undefined, (error: unknown) => {
      this.#services.logger.warn("A context key could not be set", { key, reason: messageOf(error) });
    });
  }
}

function isAtWork(link: PageLink | undefined): boolean {
  const kind = link?.conversation?.status.state.kind;
  return kind === "running" || kind === "waiting" || kind === "retrying";
}

export function createPanel(services: PanelServices): Panel {
  return new Panel(services, panelTextsIn(textsInUse()));
}
