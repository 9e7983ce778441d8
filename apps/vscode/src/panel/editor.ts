import { basename, isAbsolute } from "node:path";
import { type Clock, type EditorHost, isSecretPath } from "@patchbay/core";
import type { FileChange, PromptBlock } from "@patchbay/conversations/model";
import type { TerminalCommand, TerminalProgram } from "@patchbay/panel/agents";
import type { PanelEditor } from "@patchbay/panel/host";
import {
  type AddedAgent,
  type AgentAsk,
  type AgentWish,
  hostSaysIn,
  type MentionItem,
  type PanelSettings,
  type Said,
} from "@patchbay/panel/messages";
import { droppedBlocks, FolderFiles, Mentions } from "@patchbay/panel/workspace";
import { type Disposable, env, EventEmitter, ProgressLocation, Range, Uri, window, workspace } from "vscode";
import { l10n, textsInUse } from "@patchbay/languages/spoken";
import { askModally, inform, reportError, warn } from "../surfaces/messages.ts";
import { shownText } from "../surfaces/texts.ts";
import { askForAgent } from "./ask-for-agent.ts";
import { ChangeDocuments } from "./change-documents.ts";
import { filesOfFolder, problemsOfWorkspace, symbolsOfWorkspace, TerminalOutputs } from "./mention-sources.ts";
import { panelSettings, reasonNotToStart } from "./panel-settings.ts";

export interface PanelEditorOptions {
  /** The page's texts in the user's language. */
  readonly strings: PanelEditor["strings"];
  readonly host: EditorHost;
  /** Whether agents may know of a file. */
  readonly mayName: (path: string) => boolean;
  /** Whether the user lets agents see what is selected. */
  readonly sharesSelection: () => boolean;
  readonly clock: Clock;
  /** How an agent is started in a terminal. Rejects with a sentence where it is not found, or nobody trusts the folder. */
  readonly programFor: (agent: string) => Promise<TerminalProgram>;
  /** The same for a command of an agent's own. */
  readonly commandFor: (agent: string, command: readonly string[]) => Promise<TerminalCommand | undefined>;
  readonly openInTab: (conversationId: string) => Promise<void>;
}

/** Longest selection that goes with a prompt, UTF-8 bytes. */
const longestSelection = 65_536;

/** VS Code as the panel's editor. */
export class VsCodePanelEditor implements PanelEditor, Disposable {
  readonly strings: PanelEditor["strings"];
  readonly #options: PanelEditorOptions;
  readonly #said: Said;
  readonly #settings: EventEmitter<void> = new EventEmitter();
  readonly #selection: EventEmitter<void> = new EventEmitter();
  readonly #terminals: TerminalOutputs = new TerminalOutputs();
  readonly #mentions: Mentions;
  readonly #changes: ChangeDocuments = new ChangeDocuments();
  readonly #parts: readonly Disposable[];
  readonly onDidChangeSettings: PanelEditor["onDidChangeSettings"] = this.#settings.event;
  readonly onDidChangeSelection: PanelEditor["onDidChangeSelection"] = this.#selection.event;

  constructor(options: PanelEditorOptions) {
    this.#options = options;
    this.strings = options.strings;
    this.#said = hostSaysIn(textsInUse());
    this.#mentions = new Mentions({
      clock: options.clock,
      files: new FolderFiles({
        clock: options.clock,
        find: filesOfFolder,
        respectsIgnoreFiles: () => panelSettings.respectIgnoreFiles,
        isTrusted: () => workspace.isTrusted,
      }),
      openFiles: () => options.host.editors.openFiles(),
      selection: () => this.selection(),
      mayName: (path) => this.#mayName(path),
      shownPath: (path) => workspace.asRelativePath(path, false),
      problems: async () => problemsOfWorkspace(),
      terminal: () => this.#terminals.newest,
      symbols: symbolsOfWorkspace,
      words: {
        selection: l10n.t("Selection"),
        problems: l10n.t("Problems"),
        terminalOutput: l10n.t("Terminal Output"),
        terminal: (command) => l10n.t("Terminal: {0}", command),
      },
    });
    this.#parts = [
      this.#settings,
      this.#selection,
      this.#changes,
      this.#terminals,
      workspace.onDidChangeConfiguration((event) => {
        const isOurs = ["patchbay.panel", "chat.fontFamily", "chat.fontSize"].some((one) =>
          event.affectsConfiguration(one),
        );
        if (isOurs) this.#settings.fire();
      }),
      workspace.onDidGrantWorkspaceTrust(() => this.#settings.fire()),
      workspace.onDidChangeWorkspaceFolders(() => this.#settings.fire()),
      options.host.editors.onDidChange(() => this.#selection.fire()),
    ];
  }

  settings(): PanelSettings {
    const notice = reasonNotToStart();
    return {
      locale: env.language,
      sendWith: panelSettings.sendWith,
      ...(notice === undefined ? {} : { notice }),
      ...panelSettings.fonts,
      isMac: process.platform === "darwin",
      folders: this.#options.host.workspace.folders(),
    };
  }

  async chooseFolder(): Promise<string | undefined> {
    const active = this.#options.host.editors.active()?.path;
    const around = active === undefined ? undefined : workspace.getWorkspaceFolder(Uri.file(active));
    const placeHolder = l10n.t("Choose the folder that the agent works in");
    const { uri } = around ?? (await window.showWorkspaceFolderPick({ placeHolder })) ?? {};
    return uri?.scheme === "file" ? uri.fsPath : undefined;
  }

  selection(): PromptBlock | undefined {
    if (!this.#options.sharesSelection()) return undefined;
    const active = this.#options.host.editors.active();
    if (active?.selection === undefined || !this.#mayName(active.path)) return undefined;
    const { start, end } = active.selection;
    const lines = { start: start.line + 1, end: end.line + 1 };
    const range = lines.start === lines.end ? `${lines.start}` : `${lines.start}–${lines.end}`;
    const title = `${basename(active.path)} ${range}`;
    return { type: "excerpt", title, path: active.path, lines, text: active.readSelection(longestSelection) };
  }

  /** What the user points at by a command: the selection, else the file in which they are. */
  pointedAt(): PromptBlock | undefined {
    const active = this.#options.host.editors.active();
    if (active === undefined || !this.#mayName(active.path)) return undefined;
    if (active.selection === undefined) return { type: "mention", path: active.path };
    const { start, end } = active.selection;
    const lines = { start: start.line + 1, end: end.line + 1 };
    return { type: "mention", path: active.path, lines };
  }

  /** What the newest command in a terminal has printed. */
  terminalOutput(): PromptBlock | undefined {
    return this.#mentions.terminal();
  }

  async mentions(query: string, folder: string): Promise<readonly MentionItem[]> {
    return await this.#mentions.find(query, folder);
  }

  async pick(itemId: string): Promise<readonly PromptBlock[]> {
    return await this.#mentions.pick(itemId);
  }

  async dropped(uris: readonly string[]): Promise<readonly PromptBlock[]> {
    return droppedBlocks(uris, (path) => this.#mayName(path), droppedPath);
  }

  async openFile(path: string, line: number | undefined): Promise<void> {
    if (!isAbsolute(path)) return;
    const uri = Uri.file(path);
    if (workspace.getWorkspaceFolder(uri) === undefined) {
      const open = l10n.t("Open");
      const question = l10n.t("{0} is outside this workspace. Open it?", path);
      if ((await warn(question, open)) !== open) return;
    }
    const at = line === undefined ? undefined : Math.max(0, line - 1);
    await window.showTextDocument(uri, at === undefined ? {} : { selection: new Range(at, 0, at, 0) });
  }

  async openDocument(text: string, language: string): Promise<void> {
    const known = language !== "" && /^[\w.+-]+$/u.test(language) ? { language } : {};
    await window.showTextDocument(await workspace.openTextDocument({ content: text, ...known }), { preview: true });
  }

  async openChanges(changes: readonly FileChange[], title: string): Promise<void> {
    const [first] = changes;
    if (first !== undefined && changes.length === 1) await this.#changes.show(first, title);
    else await this.#changes.showAll(changes, title);
  }

  async openLink(href: string): Promise<void> {
    const uri = Uri.parse(href, true);
    // VS Code asks before it opens what the user has not trusted.
    if (uri.scheme === "https" || uri.scheme === "http") await env.openExternal(uri);
  }

  async insertText(text: string): Promise<void> {
    const editor = window.activeTextEditor ?? window.visibleTextEditors[0];
    if (editor === undefined) return void inform(l10n.t("No editor is open to insert this into."));
    await editor.edit((edit) => edit.replace(editor.selection, text));
  }

  async copy(text: string): Promise<void> {
    await env.clipboard.writeText(text);
  }

  async runInTerminal(agent: string, title: string, command: readonly string[], folder: string): Promise<void> {
    const launch = await this.#options.commandFor(agent, command);
    if (launch !== undefined) this.#openTerminal(title, folder, launch);
  }

  async startInTerminal(agent: string, folder: string, sessionId?: string): Promise<void> {
    const launch = await this.#options.programFor(agent);
    const { name, args, resumeOption } = launch;
    if (sessionId !== undefined && resumeOption === undefined) {
      return void inform(l10n.t("{0} cannot continue a conversation in a terminal.", name));
    }
    const resumed = sessionId === undefined || resumeOption === undefined ? [] : [resumeOption, sessionId];
    this.#openTerminal(name, folder, { ...launch, args: [...args, ...resumed] });
  }

  async askForAgent(ask: AgentAsk): Promise<AgentWish | undefined> {
    return await askForAgent(ask, this.#said);
  }

  tryingAgent(command: string, trying: Promise<unknown>): void {
    const title = shownText(l10n.t("Waiting for {0} to answer…", command));
    void window.withProgress({ location: ProgressLocation.Notification, title }, async () => await trying);
  }

  async saveAgent(id: string, agent: AddedAgent): Promise<void> {
    await panelSettings.addAgent(id, agent);
  }

  async openInTab(conversationId: string): Promise<void> {
    await this.#options.openInTab(conversationId);
  }

  async confirmDelete(title: string): Promise<boolean> {
    const remove = l10n.t("Delete");
    return (
      (await askModally(
        l10n.t("Delete the conversation “{0}” from Patchbay? A session that the agent keeps itself stays.", title),
        [remove],
      )) === remove
    );
  }

  tell(severity: "info" | "warning" | "error", sentence: string): void {
    const text = this.#said(sentence);
    if (severity === "info") void inform(text);
    else if (severity === "warning") void warn(text);
    else void reportError(text);
  }

  #openTerminal(title: string, folder: string, { program, args, environment }: TerminalCommand): void {
    const launch = { shellPath: program, shellArgs: [...args], env: environment };
    window.createTerminal({ name: shownText(title), cwd: folder, ...launch }).show();
  }

  #mayName(path: string): boolean {
    return !isSecretPath(path) && this.#options.mayName(path);
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose();
  }
}

/** The file that a URI of a page's stands for. What is dragged from the tree of a remote window is named as its screen knows it. */
function droppedPath(text: string): string | undefined {
  const uri = Uri.parse(text, true);
  if (uri.scheme === "file") return uri.fsPath;
  const isHere = uri.scheme === "vscode-remote" && env.remoteName !== undefined;
  return isHere ? Uri.from({ scheme: "file", path: uri.path }).fsPath : undefined;
}
