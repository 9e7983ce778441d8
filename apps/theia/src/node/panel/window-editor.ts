import { basename, isAbsolute, relative } from "node:path";
import { type Disposable, DisposableStore, Emitter, type Event, type Platform } from "@patchbay/core";
import type { FileChange, PromptBlock } from "@patchbay/conversations";
import type { AgentPrograms, TerminalCommand } from "@patchbay/panel/agents";
import type { PanelEditor } from "@patchbay/panel/host";
import {
  type AddedAgent,
  type AgentAsk,
  type AgentWish,
  hostSaysIn,
  type MentionItem,
  type PanelSettings,
  panelTextsIn,
} from "@patchbay/panel/messages";
import { droppedBlocks, type FolderFiles, type MentionedProblem, Mentions } from "@patchbay/panel/workspace";
import type { PanelFacts, PanelWindow } from "../../common/panel-protocol.ts";
import type { AttachedWindow } from "../attached-window.ts";
import { backendTexts } from "../languages/backend-texts.ts";
import type { WorkspaceHost } from "../workspace-host.ts";

/** What a window's pages have of their workspace. */
export interface PanelWorkspace {
  readonly options: { readonly host: WorkspaceHost; readonly platform: Platform };
  readonly programs: AgentPrograms;
  readonly files: FolderFiles;
  /** Of the window that spoke last. */
  readonly facts: PanelFacts;
  /** Whether agents may know of a file. */
  mayName(path: string): boolean;
  /** Why nothing is started here, in the words of a window. */
  reasonNotToStart(facts: PanelFacts): string | undefined;
}

export interface WindowEditorOptions {
  readonly workspace: PanelWorkspace;
  /** Undefined: the workspace itself, whatever windows there are. */
  readonly window: AttachedWindow | undefined;
  readonly client: PanelWindow | undefined;
}

/** One window as the panel's editor: what a page wants is done in the window in which it stands. */
export class WindowEditor implements PanelEditor, Disposable {
  readonly #options: WindowEditorOptions;
  readonly #settings: Emitter<void> = new Emitter();
  readonly #selection: Emitter<void> = new Emitter();
  readonly #parts: DisposableStore = new DisposableStore();
  readonly #mentions: Mentions;
  #facts: PanelFacts | undefined;
  #strings: PanelEditor["strings"] | undefined;
  readonly onDidChangeSettings: Event<void> = this.#settings.event;
  readonly onDidChangeSelection: Event<void> = this.#selection.event;

  constructor(options: WindowEditorOptions) {
    this.#options = options;
    const { workspace, window } = options;
    const { host, platform } = workspace.options;
    for (const part of [
      this.#settings,
      this.#selection,
      host.workspace.onDidChangeFolders(() => this.#settings.fire()),
      host.workspace.onDidChangeTrust(() => this.#settings.fire()),
      host.windows.onDidChangeContext(({ window: changed }) => {
        if (changed === window) this.#selection.fire();
      }),
    ]) {
      this.#parts.add(part);
    }
    this.#mentions = new Mentions({
      clock: platform.clock,
      files: workspace.files,
      openFiles: () => this.#openFiles(),
      selection: () => this.selection(),
      mayName: (path) => workspace.mayName(path),
      shownPath: (path) => this.#shownPath(path),
      problems: async () => await this.#problems(),
      words: {
        selection: this.facts.words.selection,
        problems: this.facts.words.problems,
        terminalOutput: "",
        terminal: (command) => command,
      },
    });
  }

  get facts(): PanelFacts {
    return this.#facts ?? this.#options.workspace.facts;
  }

  get strings(): PanelEditor["strings"] {
    return (this.#strings ??= panelTextsIn(backendTexts(this.facts.locale)));
  }

  /** The window's settings have changed. */
  update(facts: PanelFacts): void {
    const before = JSON.stringify(this.#facts);
    this.#facts = facts;
    this.#strings = undefined;
    if (before !== JSON.stringify(facts)) this.#settings.fire();
  }

  settings(): PanelSettings {
    const { workspace } = this.#options;
    const { locale, sendWith, isMac } = this.facts;
    const notice = workspace.reasonNotToStart(this.facts);
    const folders = workspace.options.host.workspace.folders();
    return { locale, sendWith, isMac, folders, ...(notice === undefined ? {} : { notice }) };
  }

  async chooseFolder(): Promise<string | undefined> {
    const { workspace, window } = this.#options;
    const folders = workspace.options.host.workspace.folders();
    const active = window?.context.active?.path;
    const around = folders.filter((folder) => active !== undefined && isWithin(active, folder));
    const [inner] = around.toSorted((one, other) => other.length - one.length);
    if (inner !== undefined) return inner;
    const chosen = await this.#ask((client) => client.chooseFolder(folders));
    return folders.find((folder) => folder === chosen);
  }

  selection(): PromptBlock | undefined {
    const { workspace, window } = this.#options;
    const active = window?.context.active;
    const shares = window?.facts.settings.sharing === true && window.facts.settings.shareSelection;
    if (!shares || active?.selection === undefined || !workspace.mayName(active.path)) return undefined;
    const { range: of, text } = active.selection;
    const lines = { start: of.start.line + 1, end: of.end.line + 1 };
    const range = lines.start === lines.end ? `${lines.start}` : `${lines.start}–${lines.end}`;
    return { type: "excerpt", title: `${basename(active.path)} ${range}`, path: active.path, lines, text };
  }

  /** What the user points at by a command: the selection, else the file in which they are. */
  pointedAt(): PromptBlock | undefined {
    const { workspace, window } = this.#options;
    const active = window?.context.active;
    if (active === undefined || !workspace.mayName(active.path)) return undefined;
    if (active.selection === undefined) return { type: "mention", path: active.path };
    const { start, end } = active.selection.range;
    return { type: "mention", path: active.path, lines: { start: start.line + 1, end: end.line + 1 } };
  }

  async mentions(query: string, folder: string): Promise<readonly MentionItem[]> {
    return await this.#mentions.find(query, folder);
  }

  async pick(itemId: string): Promise<readonly PromptBlock[]> {
    return await this.#mentions.pick(itemId);
  }

  async dropped(uris: readonly string[]): Promise<readonly PromptBlock[]> {
    return droppedBlocks(uris, (path) => this.#options.workspace.mayName(path));
  }

  async openFile(path: string, line: number | undefined): Promise<void> {
    if (isAbsolute(path)) await this.#ask((client) => client.openFile(path, line));
  }

  async openDocument(text: string, language: string): Promise<void> {
    await this.#ask((client) => client.openText(text, language));
  }

  async openChanges(changes: readonly FileChange[], title: string): Promise<void> {
    const shown = changes.map(({ path, before, after }) => ({ path, before, after }));
    await this.#ask((client) => client.openChanges(shown, title));
  }

  async openLink(href: string): Promise<void> {
    if (/^https?:\/\//iu.test(href)) await this.#ask((client) => client.openLink(href));
  }

  async insertText(text: string): Promise<void> {
    await this.#ask((client) => client.insertText(text));
  }

  async copy(text: string): Promise<void> {
    await this.#ask((client) => client.copy(text));
  }

  async runInTerminal(agent: string, title: string, command: readonly string[], folder: string): Promise<void> {
    const launch = await this.#options.workspace.programs.commandInTerminal(agent, command);
    if (launch !== undefined) await this.#openTerminal(title, folder, launch);
  }

  async startInTerminal(agent: string, folder: string, sessionId?: string): Promise<void> {
    const launch = await this.#options.workspace.programs.inTerminal(agent);
    const { name, args, resumeOption } = launch;
    if (sessionId !== undefined && resumeOption === undefined) {
      return this.tell("info", `${name} cannot continue a conversation in a terminal.`);
    }
    const resumed = sessionId === undefined || resumeOption === undefined ? [] : [resumeOption, sessionId];
    await this.#openTerminal(name, folder, { ...launch, args: [...args, ...resumed] });
  }

  async askForAgent(ask: AgentAsk): Promise<AgentWish | undefined> {
    const { trial } = ask;
    const said = hostSaysIn(backendTexts(this.facts.locale));
    const shown = trial?.kind === "failed" ? { ...ask, trial: { ...trial, reason: said(trial.reason) } } : ask;
    return await this.#ask((client) => client.askForAgent(shown));
  }

  tryingAgent(command: string): void {
    this.#options.client?.notifyTrying(command);
  }

  async saveAgent(id: string, agent: AddedAgent): Promise<void> {
    await this.#ask((client) => client.saveAgent(id, agent));
  }

  async openInTab(conversationId: string): Promise<void> {
    await this.#ask((client) => client.openTab(conversationId));
  }

  async confirmDelete(title: string): Promise<boolean> {
    return (await this.#ask((client) => client.confirmDelete(title))) === true;
  }

  tell(severity: "info" | "warning" | "error", sentence: string): void {
    this.#options.client?.notifyTold(severity, hostSaysIn(backendTexts(this.facts.locale))(sentence));
  }

  dispose(): void {
    this.#parts.dispose();
  }

  /** Rejects as soon as the window is gone. */
  async #ask<T>(action: (client: PanelWindow) => Promise<T>): Promise<T | undefined> {
    const { window, client } = this.#options;
    if (client === undefined) return undefined;
    return window === undefined ? await action(client) : await window.call(() => action(client));
  }

  async #openTerminal(title: string, folder: string, { program, args, environment }: TerminalCommand): Promise<void> {
    await this.#ask((client) => client.openTerminal({ title, folder, program, args, environment }));
  }

  /** This window's files first. */
  #openFiles(): readonly string[] {
    const { workspace, window } = this.#options;
    const own = window?.context.files.map(({ path }) => path) ?? [];
    const active = window?.context.active?.path;
    return [
      ...new Set([...(active === undefined ? [] : [active]), ...own, ...workspace.options.host.editors.openFiles()]),
    ];
  }

  #shownPath(path: string): string {
    const folders = this.#options.workspace.options.host.workspace.folders().filter((folder) => isWithin(path, folder));
    const [inner] = folders.toSorted((one, other) => other.length - one.length);
    return inner === undefined ? path : relative(inner, path);
  }

  async #problems(): Promise<readonly MentionedProblem[]> {
    // What is known now: nobody waits for a language server before a list is shown.
    const found = await this.#options.workspace.options.host.diagnostics.read(undefined, AbortSignal.abort());
    return found.flatMap(({ path, diagnostics }) =>
      diagnostics.flatMap(({ severity, range, message, source }): readonly MentionedProblem[] => {
        if (severity !== "Error" && severity !== "Warning") return [];
        const kind = severity === "Error" ? "error" : "warning";
        return [{ path, line: range.start.line + 1, severity: kind, message, source }];
      }),
    );
  }
}

function isWithin(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
}
