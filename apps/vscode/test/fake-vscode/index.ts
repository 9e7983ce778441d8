import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { FakeDisposable } from "./emitter.ts";
import type { FakeDocument } from "./document.ts";
import type { Range } from "./ranges.ts";
import { Uri } from "./uri.ts";
import { FilePermission, type RelativePattern, ViewColumn } from "./values.ts";
import type { FakeWebviewPlace } from "./webviews.ts";
import { type FakeTree, FakeTreeView, FakeWorkbench } from "./workbench.ts";
import type { FakeCodeActions, FakeDecorations, FakePick, FakeTab, ShownMessage } from "./shapes.ts";

export { Disposable, EventEmitter } from "./emitter.ts";
export { Position, Range, Selection } from "./ranges.ts";
export { Uri } from "./uri.ts";
export * from "./values.ts";

// The module `vscode` of tests: the API over one window, which a test replaces by a new one.

let bench = new FakeWorkbench();

/** A new, empty window for the next test. */
export function openFakeWindow(): FakeWorkbench {
  bench = new FakeWorkbench();
  return bench;
}

function workspaceFolders(): readonly { readonly uri: Uri; readonly name: string }[] {
  return bench.folders.map((path) => ({ uri: Uri.file(path), name: path }));
}

const nothing: FakeDisposable = { dispose: () => {} };

interface Options {
  readonly modal?: boolean;
  readonly detail?: string;
}

function ask(severity: ShownMessage["severity"]) {
  return async (text: string, ...rest: readonly unknown[]): Promise<unknown> => {
    const options = rest.find((one): one is Options => typeof one === "object" && one !== null && !isItem(one));
    const items = rest.filter((one) => typeof one === "string" || isItem(one));
    const titles = items.map((one) => (isItem(one) ? one.title : one));
    const { modal = false, detail = "" } = options ?? {};
    const chosen = await bench.show({ severity, text, detail, modal, items: titles });
    return chosen === undefined ? undefined : items[titles.indexOf(chosen)];
  };
}

function isItem(one: unknown): one is { readonly title: string } {
  return typeof one === "object" && one !== null && "title" in one && typeof one.title === "string";
}

export const scm: object = {
  createSourceControl: () => ({
    inputBox: { visible: true },
    createResourceGroup: (id: string, label: string) => ({ id, label, resourceStates: [], dispose: () => {} }),
    dispose: () => {},
  }),
};

export const window: object = {
  get activeTextEditor(): unknown {
    return bench.activeEditor;
  },
  get visibleTextEditors(): readonly unknown[] {
    return bench.activeEditor === undefined ? [] : [bench.activeEditor];
  },
  get activeTerminal(): unknown {
    return bench.terminals.at(-1);
  },
  tabGroups: {
    get all(): readonly unknown[] {
      return bench.groups;
    },
    get activeTabGroup(): unknown {
      return bench.activeGroup;
    },
    close: async (tabs: FakeTab | readonly FakeTab[], preserveFocus?: boolean): Promise<boolean> => {
      const all = "length" in tabs ? Array.from(tabs) : [tabs];
      for (const tab of all) if (!(await bench.closeTab(tab, preserveFocus))) return false;
      return true;
    },
    onDidChangeTabs: (listener: (event: unknown) => unknown) => bench.onDidChangeTabs.event(listener),
    onDidChangeTabGroups: (listener: (event: unknown) => unknown) => bench.onDidChangeTabGroups.event(listener),
  },
  onDidChangeActiveTextEditor: (listener: (event: unknown) => unknown) =>
    bench.onDidChangeActiveTextEditor.event(listener),
  onDidChangeTextEditorSelection: (listener: (event: unknown) => unknown) =>
    bench.onDidChangeTextEditorSelection.event(listener),
  onDidCloseTerminal: () => nothing,
  showInformationMessage: ask("info"),
  showWarningMessage: ask("warning"),
  showErrorMessage: ask("error"),
  showQuickPick: async (items: readonly FakePick[]): Promise<unknown> => {
    bench.picks.push(...items);
    return items.find(({ label }) => label === bench.chosen) ?? items[0];
  },
  showWorkspaceFolderPick: async (options: object): Promise<unknown> => {
    bench.inputs.push(options);
    return workspaceFolders().find(({ name }) => name === bench.chosen);
  },
  showInputBox: async (options: object): Promise<unknown> => {
    bench.inputs.push(options);
    return bench.typed;
  },
  withProgress: async (options: { readonly title: string }, task: () => Promise<unknown>): Promise<unknown> => {
    bench.notes.push(options.title);
    return await task();
  },
  get terminals(): readonly unknown[] {
    return bench.terminals;
  },
  state: { focused: true },
  showTextDocument: async (target: Uri | FakeDocument, options?: { readonly preserveFocus?: boolean }) => {
    await bench.showFile(target instanceof Uri ? target : target.uri, options?.preserveFocus !== true);
  },
  setStatusBarMessage: (text: string) => {
    bench.notes.push(text);
    return nothing;
  },
  createStatusBarItem: (id: string): unknown => {
    if (id === "patchbay.status") return bench.statusBar;
    const item = {
      text: "",
      command: "",
      isShown: false,
      timesShown: 0,
      show: () => {},
      hide: () => {},
      dispose: () => {},
    };
    item.show = () => {
      item.isShown = true;
      item.timesShown += 1;
    };
    item.hide = () => void (item.isShown = false);
    bench.statusItems.set(id, item);
    return item;
  },
  createOutputChannel: () => ({
    appendLine: (line: string) => bench.logged.push(line),
    show: () => {},
    dispose: () => {},
  }),
  createTreeView: (id: string, { treeDataProvider }: { readonly treeDataProvider: FakeTree }): unknown => {
    bench.trees.set(id, treeDataProvider);
    const view = new FakeTreeView(() => bench.trees.delete(id));
    bench.treeViews.set(id, view);
    return view;
  },
  registerWebviewViewProvider: (
    id: string,
    provider: { resolveWebviewView(view: FakeWebviewPlace): unknown },
  ): FakeDisposable => {
    bench.webviews.providers.set(id, provider);
    return { dispose: () => bench.webviews.providers.delete(id) };
  },
  registerWebviewPanelSerializer: (
    kind: string,
    serializer: { deserializeWebviewPanel(panel: FakeWebviewPlace): unknown },
  ): FakeDisposable => {
    bench.webviews.serializers.set(kind, serializer);
    return { dispose: () => bench.webviews.serializers.delete(kind) };
  },
  createWebviewPanel: (): unknown => bench.webviews.createTab(),
  onDidStartTerminalShellExecution: (listener: (event: unknown) => unknown) =>
    bench.onDidStartTerminalShellExecution.event(listener),
  createTerminal: (options: { readonly name: string }): unknown => bench.createTerminal(options.name, options),
  registerFileDecorationProvider: (provider: FakeDecorations) => {
    bench.decorations = provider;
    return nothing;
  },
  registerTreeDataProvider: () => nothing,
};

interface FileProvider {
  readonly onDidChangeFile: (listener: (changes: readonly { readonly uri: Uri }[]) => unknown) => unknown;
  stat(uri: Uri): Promise<{ readonly permissions?: number }>;
  readFile(uri: Uri): Promise<Uint8Array>;
  writeFile(uri: Uri, content: Uint8Array): unknown;
}

interface ContentProvider {
  provideTextDocumentContent(uri: Uri): Promise<string> | string;
  onDidChange?(listener: (uri: Uri) => unknown): FakeDisposable;
}

/** Of VS Code, when the extension is loaded. */
export const version = "1.139.0";

export const workspace: object = {
  get workspaceFolders(): readonly unknown[] | undefined {
    return bench.folders.length === 0 ? undefined : workspaceFolders();
  },
  get isTrusted(): boolean {
    return bench.trusted;
  },
  get textDocuments(): readonly FakeDocument[] {
    return bench.documents;
  },
  notebookDocuments: [],
  fs: {
    readFile: async (uri: Uri): Promise<Uint8Array> => readFileSync(uri.fsPath),
    stat: async (uri: Uri): Promise<unknown> => {
      const { mtimeMs, size } = statSync(uri.fsPath);
      return { mtime: mtimeMs, size };
    },
  },
  findFiles: async ({ base }: RelativePattern, exclude?: string): Promise<readonly Uri[]> => {
    const names = readdirSync(base.fsPath, { recursive: true, encoding: "utf8" });
    const paths = names.map((name) => join(base.fsPath, name)).filter((path) => statSync(path).isFile());
    const parts = exclude?.slice(1, -1).split(",") ?? [];
    const isLeftOut = (path: string): boolean => parts.some((part) => path.includes(part.replaceAll("*", "")));
    return paths.filter((path) => !isLeftOut(path)).map((path) => Uri.file(path));
  },
  getWorkspaceFolder: (uri: Uri): unknown => workspaceFolders().find(({ name }) => uri.fsPath.startsWith(`${name}/`)),
  asRelativePath: (target: string | Uri): string => {
    const path = target instanceof Uri ? target.fsPath : target;
    const folder = bench.folders.find((one) => path.startsWith(`${one}/`));
    return folder === undefined ? path : relative(folder, path);
  },
  getConfiguration: (section: string) => ({
    get: (name: string, fallback?: unknown): unknown => bench.configuration.get(`${section}.${name}`) ?? fallback,
    inspect: (name: string): unknown => ({ globalValue: bench.configuration.get(`${section}.${name}`) }),
    update: async (name: string, value: unknown): Promise<void> => bench.configure(`${section}.${name}`, value),
  }),
  openTextDocument: async (target: Uri | { readonly content: string }): Promise<FakeDocument> => {
    if (target instanceof Uri) return await bench.openDocument(target);
    const uri = Uri.from({ scheme: "untitled", path: `/Untitled-${bench.documents.length}` });
    bench.register("untitled", { read: async () => target.content });
    return await bench.openDocument(uri);
  },
  applyEdit: async (edit: WorkspaceEdit): Promise<boolean> => await bench.applyEdits(edit.edits),
  registerFileSystemProvider: (scheme: string, provider: FileProvider) => {
    const window = bench;
    provider.onDidChangeFile((changes) => {
      for (const { uri } of changes) {
        const document = window.findDocument(uri);
        if (document?.isDirty === false) void window.revert(document);
      }
    });
    return bench.register(scheme, {
      isReadOnly: async (uri) => (await provider.stat(uri)).permissions === FilePermission.Readonly,
      read: async (uri) => {
        const bytes = await provider.readFile(uri);
        return () => new TextDecoder().decode(bytes);
      },
      readBytes: async (uri) => await provider.readFile(uri),
      write: async (uri, content) => {
        await provider.writeFile(uri, content);
      },
    });
  },
  registerTextDocumentContentProvider: (scheme: string, provider: ContentProvider) => {
    const window = bench;
    provider.onDidChange?.((uri) => void window.readAgain(uri));
    return bench.register(scheme, { read: async (uri) => await provider.provideTextDocumentContent(uri) });
  },
  onDidChangeTextDocument: (listener: (event: unknown) => unknown) => bench.onDidChangeTextDocument.event(listener),
  onWillSaveTextDocument: (listener: (event: unknown) => unknown) => bench.onWillSaveTextDocument.event(listener),
  onDidSaveTextDocument: (listener: (event: unknown) => unknown) => bench.onDidSaveTextDocument.event(listener),
  onDidCloseTextDocument: (listener: (event: unknown) => unknown) => bench.onDidCloseTextDocument.event(listener),
  onDidChangeWorkspaceFolders: (listener: (event: unknown) => unknown) =>
    bench.onDidChangeWorkspaceFolders.event(listener),
  onDidGrantWorkspaceTrust: (listener: (event: void) => unknown) => bench.onDidGrantWorkspaceTrust.event(listener),
  onDidDeleteFiles: () => nothing,
  onDidRenameFiles: () => nothing,
  onDidChangeConfiguration: (listener: (event: { affectsConfiguration(section: string): boolean }) => unknown) =>
    bench.onDidChangeConfiguration.event(listener),
};

export class WorkspaceEdit {
  readonly edits: { readonly uri: Uri; readonly range: Range; readonly text: string }[] = [];

  replace(uri: Uri, range: Range, text: string): void {
    this.edits.push({ uri, range, text });
  }

  set(): void {
    // Line ends of a document: the stand-in keeps its own.
  }
}

interface DiffOptions {
  readonly viewColumn: number;
  readonly preserveFocus: boolean;
  readonly background: boolean;
}

const inFront: DiffOptions = { viewColumn: ViewColumn.Active, preserveFocus: false, background: false };

async function showDiff(original: Uri, modified: Uri, title: string, options = inFront): Promise<void> {
  const { viewColumn, preserveFocus, background } = options;
  await bench.showDiff(original, modified, title, viewColumn, preserveFocus, background);
}

export const commands: object = {
  registerCommand: (id: string, handler: (...args: readonly unknown[]) => unknown): FakeDisposable => {
    if (bench.commands.has(id)) throw new Error(`command '${id}' already exists`);
    bench.commands.set(id, handler);
    return { dispose: () => bench.commands.delete(id) };
  },
  executeCommand: async (id: string, ...args: [Uri, Uri, string, DiffOptions]): Promise<unknown> => {
    bench.executed.push(id);
    if (id === "vscode.diff") {
      await showDiff(...args);
      return undefined;
    }
    if (id === "setContext") {
      bench.contexts.set(String(args[0]), args[1]);
      return undefined;
    }
    if (id === "vscode.changes") {
      const [title, rows]: readonly unknown[] = args;
      const isRow = (row: unknown): row is readonly Uri[] =>
        Array.isArray(row) && row.every((one) => one instanceof Uri);
      bench.changes.push({ title: String(title), rows: Array.isArray(rows) ? rows.filter(isRow) : [] });
      return undefined;
    }
    if (id === "list.toggleSelection") {
      bench.treeViews.get("patchbay.proposals")?.toggleSelection();
      return undefined;
    }
    if (id === "vscode.executeWorkspaceSymbolProvider") return bench.symbols;
    if (id.endsWith(".focus") && (await bench.webviews.focus(id.slice(0, -".focus".length)))) return undefined;
    return await bench.commands.get(id)?.(...args);
  },
};

export const languages: object = {
  getDiagnostics: (uri?: Uri): unknown =>
    uri === undefined
      ? Array.from(bench.diagnostics.values(), (entry) => [entry.uri, entry.items])
      : (bench.diagnostics.get(uri.toString())?.items ?? []),
  onDidChangeDiagnostics: (listener: (event: { uris: Uri[] }) => unknown) =>
    bench.onDidChangeDiagnostics.event(listener),
  registerCodeActionsProvider: (_selector: unknown, provider: FakeCodeActions): FakeDisposable => {
    bench.codeActions.add(provider);
    return { dispose: () => bench.codeActions.delete(provider) };
  },
};

export const env: object = {
  appName: "Visual Studio Code",
  language: "en",
  remoteName: "host",
  openExternal: async (): Promise<boolean> => true,
  clipboard: {
    writeText: async (text: string): Promise<void> => {
      bench.clipboard = text;
    },
  },
};
export const extensions: object = {
  getExtension: (): undefined => undefined,
  get all(): readonly unknown[] {
    const activationEvents = bench.serverLanguages.map((language) => `onLanguage:${language}`);
    return [{ isActive: true, packageJSON: { activationEvents } }];
  },
};
