import { basename, isAbsolute } from "node:path";
import { type EditorHost, isSecretPath } from "@patchbay/core";
import type { FileChange, PromptBlock } from "@patchbay/conversations/model";
import type { PanelEditor } from "@patchbay/panel/host";
import { type MentionItem, panelStrings, type PanelSettings } from "@patchbay/panel/messages";
import { type Disposable, env, EventEmitter, l10n, Range, Uri, window, workspace } from "vscode";
import { askModally, inform, reportError, warn } from "../surfaces/messages.ts";
import { shownText } from "../surfaces/texts.ts";
import { ChangeDocuments } from "./change-documents.ts";
import type { TerminalProgram } from "./agents.ts";
import { MentionedFiles } from "./mentions.ts";

export interface PanelEditorOptions {
  readonly host: EditorHost;
  /** How an agent is started in a terminal. Rejects with a sentence where it is not found, or nobody trusts the folder. */
  readonly programFor: (agent: string) => Promise<TerminalProgram>;
  readonly openInTab: (conversationId: string) => Promise<void>;
}

/** Longest selection that goes with a prompt, UTF-8 bytes. */
const longestSelection = 65_536;

/** VS Code as the panel's editor. */
export class VsCodePanelEditor implements PanelEditor, Disposable {
  readonly strings: PanelEditor["strings"] = panelStrings;
  readonly #options: PanelEditorOptions;
  readonly #settings: EventEmitter<void> = new EventEmitter();
  readonly #selection: EventEmitter<void> = new EventEmitter();
  readonly #files: MentionedFiles = new MentionedFiles();
  readonly #changes: ChangeDocuments = new ChangeDocuments();
  readonly #parts: readonly Disposable[];
  readonly onDidChangeSettings: PanelEditor["onDidChangeSettings"] = this.#settings.event;
  readonly onDidChangeSelection: PanelEditor["onDidChangeSelection"] = this.#selection.event;

  constructor(options: PanelEditorOptions) {
    this.#options = options;
    this.#parts = [
      this.#settings,
      this.#selection,
      this.#changes,
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("patchbay.panel")) this.#settings.fire();
      }),
      workspace.onDidChangeWorkspaceFolders(() => this.#settings.fire()),
      options.host.editors.onDidChange(() => this.#selection.fire()),
    ];
  }

  settings(): PanelSettings {
    const sendWith: unknown = workspace.getConfiguration("patchbay.panel").get("sendWith");
    return {
      locale: env.language,
      sendWith: sendWith === "ctrl-enter" ? "ctrl-enter" : "enter",
      isMac: process.platform === "darwin",
      folders: this.#options.host.workspace.folders(),
    };
  }

  selection(): PromptBlock | undefined {
    const active = this.#options.host.editors.active();
    if (active?.selection === undefined || isSecretPath(active.path)) return undefined;
    const { start, end } = active.selection;
    const lines = { start: start.line + 1, end: end.line + 1 };
    const title = `${basename(active.path)} ${lines.start}–${lines.end}`;
    return { type: "excerpt", title, path: active.path, lines, text: active.readSelection(longestSelection) };
  }

  /** The file in which the user is, as a mention. */
  activeFile(): PromptBlock | undefined {
    const path = this.#options.host.editors.active()?.path;
    return path === undefined || isSecretPath(path) ? undefined : { type: "mention", path };
  }

  async mentions(query: string, folder: string): Promise<readonly MentionItem[]> {
    return await this.#files.find(query, folder, this.#options.host.editors.openFiles());
  }

  async pick(): Promise<readonly PromptBlock[]> {
    return [];
  }

  async dropped(uris: readonly string[]): Promise<readonly PromptBlock[]> {
    return uris.flatMap((text): readonly PromptBlock[] => {
      const uri = Uri.parse(text, true);
      return uri.scheme === "file" && !isSecretPath(uri.fsPath) ? [{ type: "mention", path: uri.fsPath }] : [];
    });
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

  async openChange(change: FileChange, title: string): Promise<void> {
    await this.#changes.show(change, title);
  }

  async openChanges(changes: readonly FileChange[], title: string): Promise<void> {
    await this.#changes.showAll(changes, title);
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

  async runInTerminal(title: string, command: readonly string[], folder: string): Promise<void> {
    const [program, ...args] = command;
    if (program === undefined) return;
    window.createTerminal({ name: shownText(title), cwd: folder, shellPath: program, shellArgs: args }).show();
  }

  async startInTerminal(agent: string, folder: string, sessionId?: string): Promise<void> {
    const { name, program, args, environment } = await this.#options.programFor(agent);
    const resumed = sessionId === undefined ? [] : ["--resume", sessionId];
    const launch = { shellPath: program, shellArgs: [...args, ...resumed], env: environment };
    window.createTerminal({ name: shownText(name), cwd: folder, ...launch }).show();
  }

  async openInTab(conversationId: string): Promise<void> {
    await this.#options.openInTab(conversationId);
  }

  async confirmDelete(title: string): Promise<boolean> {
    const remove = l10n.t("Delete");
    return (await askModally(l10n.t("Delete the conversation “{0}” for good?", title), [remove])) === remove;
  }

  tell(severity: "info" | "warning" | "error", sentence: string): void {
    if (severity === "info") void inform(sentence);
    else if (severity === "warning") void warn(sentence);
    else void reportError(sentence);
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose();
  }
}
