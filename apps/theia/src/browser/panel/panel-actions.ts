import { ClipboardService } from "@theia/core/lib/browser/clipboard-service";
import { DiffUris } from "@theia/core/lib/browser/diff-uris";
import { LanguageService } from "@theia/core/lib/browser/language-service";
import { OpenerService, open } from "@theia/core/lib/browser/opener-service";
import { ApplicationShell } from "@theia/core/lib/browser/shell/application-shell";
import { WidgetManager } from "@theia/core/lib/browser/widget-manager";
import { nls } from "@theia/core/lib/common/nls";
import { UntitledResourceResolver } from "@theia/core/lib/common/resource";
import { URI } from "@theia/core/lib/common/uri";
import { inject, injectable } from "@theia/core/shared/inversify";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { TerminalService } from "@theia/terminal/lib/browser/base/terminal-service";
import { WorkspaceService } from "@theia/workspace/lib/browser/workspace-service";
import type {
  AddedAgent,
  AgentAsk,
  AgentWish,
  PageTitle,
  PanelWindow,
  ShownChange,
  TerminalLaunch,
} from "../../common/panel-protocol.ts";
import { visibleText } from "../../common/visible-text.ts";
import { fileUriOf } from "../documents/selection-text.ts";
import { Lists } from "../surfaces/lists.ts";
import { Notices } from "../surfaces/notices.ts";
import { DeleteConversationDialog } from "../surfaces/careful-dialogs.ts";
import { NewAgents } from "./new-agents.ts";
import { PanelPages } from "./panel-connection.ts";
import { PanelChanges, panelTabId } from "./panel-places.ts";

/** Most changes of a turn that are opened at once, each in a tab. */
const mostChanges = 20;

/** What the panel does in this window, each after the checks that are the window's. */
@injectable()
export class PanelActions implements PanelWindow {
  @inject(PanelPages)
  protected readonly pages: PanelPages;
  @inject(PanelChanges)
  protected readonly changes: PanelChanges;
  @inject(EditorManager)
  protected readonly editors: EditorManager;
  @inject(UntitledResourceResolver)
  protected readonly untitled: UntitledResourceResolver;
  @inject(LanguageService)
  protected readonly languages: LanguageService;
  @inject(OpenerService)
  protected readonly openers: OpenerService;
  @inject(ClipboardService)
  protected readonly clipboard: ClipboardService;
  @inject(TerminalService)
  protected readonly terminals: TerminalService;
  @inject(WorkspaceService)
  protected readonly workspaces: WorkspaceService;
  @inject(WidgetManager)
  protected readonly widgets: WidgetManager;
  @inject(ApplicationShell)
  protected readonly shell: ApplicationShell;
  @inject(Lists)
  protected readonly lists: Lists;
  @inject(Notices)
  protected readonly notices: Notices;
  @inject(NewAgents)
  protected readonly newAgents: NewAgents;

  async tellPage(page: string, message: unknown): Promise<boolean> {
    return this.pages.find(page)?.tell(message) ?? false;
  }

  notifyTitle(page: string, title: PageTitle): void {
    this.pages.find(page)?.setTitle(title);
  }

  async openFile(path: string, line: number | undefined): Promise<void> {
    const uri = fileUriOf(path);
    if (this.workspaces.getWorkspaceRootUri(uri) === undefined) {
      const yes = nls.localize("patchbay/panel/open", "Open");
      const question = nls.localize("patchbay/panel/outside", "{0} is outside this workspace. Open it?", path);
      if ((await this.notices.warn(question, { actions: [yes] }).answer) !== yes) return;
    }
    const at = line === undefined ? undefined : { line: Math.max(0, line - 1), character: 0 };
    await this.editors.open(uri, {
      mode: "activate",
      ...(at === undefined ? {} : { selection: { start: at, end: at } }),
    });
  }

  async openText(text: string, language: string): Promise<void> {
    const known = this.languages.languages.find(({ id, extensions }) => id === language || extensions.has(language));
    const [extension = ".txt"] = known?.extensions ?? [];
    const { uri } = await this.untitled.createUntitledResource(
      text,
      extension.startsWith(".") ? extension : `.${extension}`,
    );
    await this.editors.open(uri, { mode: "activate" });
  }

  async openChanges(changes: readonly ShownChange[], title: string): Promise<void> {
    for (const change of changes.slice(0, mostChanges)) {
      const [left, right] = this.changes.add(change);
      const name = fileUriOf(change.path).path.base;
      const label = visibleText(title === "" ? name : `${name} (${title})`);
      await this.editors.open(DiffUris.encode(left, right, label), { mode: "activate" });
    }
  }

  async openLink(href: string): Promise<void> {
    const uri = new URI(href);
    if (uri.scheme === "https" || uri.scheme === "http") await open(this.openers, uri);
  }

  async insertText(text: string): Promise<void> {
    const editor = this.editors.currentEditor?.editor;
    if (editor === undefined || editor.isReadonly === true) {
      this.notices.info(nls.localize("patchbay/panel/noEditor", "No editor is open to insert this into."));
      return;
    }
    editor.executeEdits([{ range: editor.selection, newText: text }]);
  }

  async copy(text: string): Promise<void> {
    await this.clipboard.writeText(text);
  }

  async openTerminal({ title, folder, program, args, environment }: TerminalLaunch): Promise<void> {
    const terminal = await this.terminals.newTerminal({
      title: visibleText(title),
      cwd: folder,
      shellPath: program,
      shellArgs: [...args],
      env: environment,
    });
    await terminal.start();
    await this.terminals.open(terminal, { mode: "activate" });
  }

  async openTab(conversation: string): Promise<void> {
    const widget = await this.widgets.getOrCreateWidget(panelTabId, { tab: conversation, conversation });
    if (!widget.isAttached) await this.shell.addWidget(widget, { area: "main" });
    await this.shell.activateWidget(widget.id);
  }

  async confirmDelete(title: string): Promise<boolean> {
    return (await new DeleteConversationDialog(title).open()) === true;
  }

  async chooseFolder(folders: readonly string[]): Promise<string | undefined> {
    const items = folders.map((folder) => ({ label: fileUriOf(folder).path.base, description: folder, folder }));
    const question = nls.localize("patchbay/panel/chooseFolder", "Choose the folder that the agent works in");
    return (await this.lists.choose(items, question))?.folder;
  }

  async askForAgent(ask: AgentAsk): Promise<AgentWish | undefined> {
    return await this.newAgents.ask(ask);
  }

  notifyTrying(command: string): void {
    this.notices.info(nls.localize("patchbay/panel/trying", "Waiting for {0} to answer…", command), { timeout: 5_000 });
  }

  async saveAgent(id: string, agent: AddedAgent): Promise<void> {
    await this.newAgents.save(id, agent);
  }

  notifyTold(severity: "info" | "warning" | "error", sentence: string): void {
    if (severity === "info") this.notices.info(sentence);
    else if (severity === "warning") this.notices.warn(sentence);
    else this.notices.error(sentence);
  }
}
