import type { AgentSession, SessionRequest } from "@patchbay/conversations";
import { type Companion, createNodePlatform, type EditorHost, type Logger, messageOf } from "@patchbay/core";
import { createSessionHost, type PageLink, PanelHost } from "@patchbay/panel/host";
import {
  commands,
  type Disposable,
  l10n,
  type Uri,
  ViewColumn,
  type Webview,
  type WebviewPanel,
  type WebviewView,
  window,
} from "vscode";
import { shownText } from "../surfaces/texts.ts";
import { AgentPrograms } from "./agents.ts";
import { VsCodePanelEditor } from "./editor.ts";
import { channelOf, pageFor } from "./page.ts";
import { openLibrary } from "./shelf.ts";

export interface PanelServices {
  readonly companion: Companion;
  readonly host: EditorHost;
  readonly logger: Logger;
  /** Whether the user lets agents see what is selected. */
  readonly sharesSelection: () => boolean;
  /** The extension's own folder. */
  readonly extensionUri: Uri;
  readonly version: string;
  /** Of the view and its tabs. */
  readonly viewId: string;
}

/** The panel in VS Code: a view, tabs, and what commands do with them. */
export class Panel {
  readonly #services: PanelServices;
  readonly #programs: AgentPrograms;
  readonly #editor: VsCodePanelEditor;
  readonly #panels: PanelHost;
  readonly #tabs: Map<WebviewPanel, PageLink> = new Map();
  #view: { readonly view: WebviewView; readonly link: PageLink } | undefined;

  constructor(services: PanelServices) {
    const { companion, host, logger, version } = services;
    const platform = createNodePlatform();
    this.#services = services;
    this.#programs = new AgentPrograms({ platform, logger, version });
    companion.excludeProcesses((pid) => this.#programs.isOwn(pid));
    this.#editor = new VsCodePanelEditor({
      host,
      programFor: async (agent) => await this.#programs.inTerminal(agent),
      openInTab: async (id) => this.openTab(id),
    });
    const { storageDirectory } = host;
    const sessionHost = createSessionHost({
      host,
      files: platform.files,
      clock: platform.clock,
      isShared: (path) => companion.mayName(path),
    });
    const connect = (request: SessionRequest): AgentSession => this.#programs.connect(request);
    this.#panels = new PanelHost({
      editor: this.#editor,
      companion,
      clock: platform.clock,
      logger,
      agents: this.#programs.known,
      findAgents: async () => await this.#programs.find(),
      conversations:
        storageDirectory === undefined
          ? undefined
          : openLibrary({
              platform,
              logger,
              storageDirectory,
              owner: host.identity.editorKey,
              host: sessionHost,
              connect,
              listers: this.#programs.listers,
            }),
    });
    this.#panels.onDidChange(() => this.#update());
  }

  /** VS Code has made the view. It loads the page again by itself whenever the view is shown. */
  showView(view: WebviewView): void {
    const link = this.#attach(view.webview);
    this.#view = { view, link };
    view.onDidDispose(() => {
      this.#view = undefined;
      this.#panels.disconnect(link);
    });
  }

  openTab(conversation?: string): void {
    const { viewId } = this.#services;
    const tab = window.createWebviewPanel(viewId, "Patchbay", ViewColumn.Active, { enableFindWidget: false });
    this.restoreTab(tab, conversation);
  }

  /** A tab, new or of an earlier run, whose page remembers what it showed. */
  restoreTab(tab: WebviewPanel, conversation?: string): void {
    const link = this.#attach(tab.webview, conversation);
    this.#tabs.set(tab, link);
    tab.onDidDispose(() => {
      this.#tabs.delete(tab);
      this.#panels.disconnect(link, true);
    });
    this.#update();
  }

  registerCommands(): readonly Disposable[] {
    const command = (name: string, run: () => unknown): Disposable =>
      commands.registerCommand(`patchbay.panel.${name}`, run);
    const tell = (name: "focus" | "find") => (): void => this.#panels.active?.send({ type: "command", command: name });
    return [
      command("open", async () => {
        // From the page back to the editor, and the other way round.
        if (this.#panels.active?.hasFocus === true) {
          await commands.executeCommand("workbench.action.focusActiveEditorGroup");
          return;
        }
        await commands.executeCommand(`${this.#services.viewId}.focus`);
        tell("focus")();
      }),
      command("newConversation", async () => await this.#newConversation()),
      command("newTab", () => this.openTab()),
      command("mention", async () => {
        const block = this.#editor.selection() ?? this.#editor.activeFile();
        if (block === undefined) return;
        await commands.executeCommand(`${this.#services.viewId}.focus`);
        this.#panels.active?.send({ type: "insert", blocks: [block] });
        tell("focus")();
      }),
      command("stop", async () => await this.#panels.active?.conversation?.stop()),
      command("find", tell("find")),
    ];
  }

  /** Ends all agents: what was said is on disk when this resolves. */
  async close(): Promise<void> {
    await this.#panels.close();
    this.#editor.dispose();
  }

  /** The last moment of the process: nothing of the agents stays. */
  endNow(): void {
    this.#programs.endNow();
  }

  #attach(webview: Webview, conversation?: string): PageLink {
    const page = pageFor(webview, this.#services.extensionUri);
    webview.options = { enableScripts: true, localResourceRoots: [page.root] };
    const link = this.#panels.connect(channelOf(webview), conversation);
    webview.html = page.html;
    return link;
  }

  async #newConversation(): Promise<void> {
    const { active } = this.#panels;
    const agent = active?.conversation?.about.agent ?? this.#panels.agents.find(({ isInstalled }) => isInstalled)?.id;
    if (active === undefined || agent === undefined) await commands.executeCommand(`${this.#services.viewId}.focus`);
    else await active.begin(agent);
  }

  #update(): void {
    const { library, active } = this.#panels;
    const { waiting } = library;
    if (this.#view !== undefined) {
      const tooltip = l10n.t("Questions that wait for your answer: {0}", waiting);
      this.#view.view.badge = waiting === 0 ? undefined : { value: waiting, tooltip };
    }
    for (const [tab, { conversation }] of this.#tabs) {
      const title = conversation?.status.title ?? "";
      tab.title = shownText(title === "" ? "Patchbay" : title);
    }
    this.#tell("patchbay.panelFocused", active?.hasFocus === true);
    this.#tell("patchbay.turnRunning", active?.conversation?.status.state.kind === "running");
    this.#tell("patchbay.questionWaiting", waiting > 0);
  }

  readonly #told: Map<string, boolean> = new Map();

  #tell(key: string, value: boolean): void {
    if (this.#told.get(key) === value) return;
    this.#told.set(key, value);
    commands.executeCommand("setContext", key, value).then(undefined, (error: unknown) => {
      this.#services.logger.warn("A context key could not be set", { key, reason: messageOf(error) });
    });
  }
}

export function createPanel(services: PanelServices): Panel {
  return new Panel(services);
}
