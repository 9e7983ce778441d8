import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type DocumentContent, FakeDocument } from "./document.ts";
import { EventEmitter, type FakeDisposable } from "./emitter.ts";
import { Position, type Range, Selection } from "./ranges.ts";
import type {
  FakeChange,
  FakeCodeActions,
  FakeDecorations,
  FakeEditor,
  FakeExecution,
  FakeGroup,
  FakePick,
  FakeStatusItem,
  FakeStatusBar,
  FakeTab,
  ShownMessage,
  TextSource,
} from "./shapes.ts";
import { Uri } from "./uri.ts";
import { FakeWebviews } from "./webviews.ts";
import {
  MarkdownString,
  TabInputTerminal,
  TabInputText,
  TabInputTextDiff,
  TextDocumentSaveReason,
  ViewColumn,
} from "./values.ts";

/** The content of a view of the side bar. */
export interface FakeTree {
  getChildren(node?: unknown): Promise<readonly unknown[]>;
  getTreeItem(node: unknown): Promise<FakeRow>;
  getParent?(node: unknown): Promise<unknown>;
}

export interface FakeRow {
  readonly label?: unknown;
  readonly description?: string;
  readonly tooltip?: string;
  readonly accessibilityInformation?: { readonly label: string };
  readonly contextValue?: unknown;
  readonly command?: { readonly arguments?: readonly unknown[] };
}

/** A view of the side bar as extensions and the keyboard see it: the row that is focused is told to nobody. */
export class FakeTreeView {
  readonly #visibility: EventEmitter<void> = new EventEmitter();
  readonly onDidChangeVisibility: EventEmitter<void>["event"] = this.#visibility.event;
  visible = false;
  badge: unknown;
  selection: readonly unknown[] = [];
  /** Where the keyboard is. */
  focus: unknown;
  readonly dispose: () => void;

  constructor(dispose: () => void) {
    this.dispose = dispose;
  }

  show(visible: boolean): void {
    this.visible = visible;
    this.#visibility.fire();
  }

  async reveal(row: unknown): Promise<void> {
    this.isRevealing = true;
    await this.gate;
    this.isRevealing = false;
    this.focus = row;
    this.selection = [row];
  }

  /** So many times, what VS Code draws anew selects the row that has just been revealed. */
  redrawn = 0;
  /** Holds back what is revealed until it resolves. */
  gate: Promise<void> = Promise.resolve();
  isRevealing = false;

  /** VS Code's own command of this name. */
  toggleSelection(): void {
    if (this.focus === undefined) return;
    if (this.redrawn > 0) {
      this.redrawn -= 1;
      return;
    }
    const rest = this.selection.filter((row) => row !== this.focus);
    this.selection = rest.length < this.selection.length ? rest : [...rest, this.focus];
  }
}

class Group implements FakeGroup {
  readonly tabs: FakeTab[] = [];
  readonly viewColumn: number;
  readonly #workbench: FakeWorkbench;
  activeTab: FakeTab | undefined;

  constructor(workbench: FakeWorkbench, viewColumn: number) {
    this.#workbench = workbench;
    this.viewColumn = viewColumn;
  }

  get isActive(): boolean {
    return this.#workbench.activeGroup === this;
  }
}

/**
 * VS Code's window without a screen, with the behaviour that was seen in the real one: which events come in which order when tabs,
 * documents and saves change. Everything a user does is a method.
 */
export class FakeWorkbench {
  documents: FakeDocument[] = [];
  groups: Group[] = [new Group(this, 1)];
  activeGroup: Group;
  activeEditor: FakeEditor | undefined;
  focus = "editor";
  folders: string[] = [];
  trusted = true;
  /** Everything that a person was asked or told. */
  shown: ShownMessage[] = [];
  /** VS Code's own dialog for an unsaved document whose tab is closed. */
  closingAnswer: "save" | "don't save" | "cancel" = "don't save";
  closingQuestions = 0;
  /** What save participants make of a text. */
  participants: (text: string) => string = (text) => text;
  failNextDiff = false;
  readonly statusBar: FakeStatusBar = {
    text: "",
    tooltip: "",
    command: "",
    show: () => {},
    dispose: () => {},
  };
  /** What stands in the tooltip of Patchbay's item, as Markdown. */
  get statusTooltip(): string {
    const { tooltip } = this.statusBar;
    return tooltip instanceof MarkdownString ? tooltip.value : tooltip;
  }

  readonly trees: Map<string, FakeTree> = new Map();
  readonly treeViews: Map<string, FakeTreeView> = new Map();
  readonly terminals: { readonly name: string; readonly sent: string[]; readonly options: object }[] = [];
  readonly webviews: FakeWebviews = new FakeWebviews();
  /** The further items of the status bar; undefined where they are hidden. */
  readonly statusItems: Map<string, FakeStatusItem> = new Map();
  /** What language servers know: names with their files. */
  symbols: readonly object[] = [];
  /** Editors that show several changes: their titles, and the files. */
  readonly changes: { readonly title: string; readonly rows: readonly (readonly Uri[])[] }[] = [];
  clipboard = "";
  /** The changes of every edit by code. */
  readonly edits: (readonly FakeChange[])[] = [];
  /** Everything that stood in a list to choose from. */
  readonly picks: FakePick[] = [];
  /** Every line that was asked for, and what is typed into the next one; undefined: Escape. */
  readonly inputs: object[] = [];
  typed: string | undefined;
  /** Which entry of the next lists is chosen, by its label; undefined: the first. */
  chosen: string | undefined;
  /** Words in the status bar that went by themselves. */
  readonly notes: string[] = [];
  decorations: FakeDecorations | undefined;
  /** Languages for which an extension is running. */
  serverLanguages: string[] = [];
  configuration: Map<string, unknown> = new Map();
  contexts: Map<string, unknown> = new Map();
  commands: Map<string, (...args: readonly unknown[]) => unknown> = new Map();
  /** Lines of the log. */
  readonly logged: string[] = [];
  readonly executed: string[] = [];
  readonly sources: Map<string, TextSource> = new Map();
  readonly codeActions: Set<FakeCodeActions> = new Set();
  diagnostics: Map<string, { uri: Uri; items: readonly unknown[] }> = new Map();
  readonly #answers: ((message: ShownMessage) => string | undefined | Promise<string | undefined>)[] = [];

  readonly onDidChangeTabs: EventEmitter<{ opened: FakeTab[]; closed: FakeTab[]; changed: FakeTab[] }> =
    new EventEmitter();
  readonly onDidChangeTabGroups: EventEmitter<unknown> = new EventEmitter();
  readonly onDidChangeActiveTextEditor: EventEmitter<FakeEditor | undefined> = new EventEmitter();
  readonly onDidChangeTextEditorSelection: EventEmitter<{
    textEditor: FakeEditor;
    selections: Selection[];
    kind?: number;
  }> = new EventEmitter();
  readonly onDidChangeTextDocument: EventEmitter<{ document: FakeDocument; contentChanges: FakeChange[] }> =
    new EventEmitter();
  readonly onWillSaveTextDocument: EventEmitter<{ document: FakeDocument; reason: number }> = new EventEmitter();
  readonly onDidSaveTextDocument: EventEmitter<FakeDocument> = new EventEmitter();
  readonly onDidCloseTextDocument: EventEmitter<FakeDocument> = new EventEmitter();
  readonly onDidStartTerminalShellExecution: EventEmitter<{ execution: FakeExecution }> = new EventEmitter();
  readonly onDidChangeDiagnostics: EventEmitter<{ uris: Uri[] }> = new EventEmitter();
  readonly onDidChangeWorkspaceFolders: EventEmitter<unknown> = new EventEmitter();
  readonly onDidGrantWorkspaceTrust: EventEmitter<void> = new EventEmitter();
  readonly onDidChangeConfiguration: EventEmitter<{ affectsConfiguration(section: string): boolean }> =
    new EventEmitter();

  constructor() {
    this.activeGroup = this.#firstGroup();
  }

  get tabs(): readonly FakeTab[] {
    return this.groups.flatMap((group) => group.tabs);
  }

  findDocument(uri: Uri): FakeDocument | undefined {
    return this.documents.find((document) => !document.isClosed && document.uri.toString() === uri.toString());
  }

  async openDocument(uri: Uri): Promise<FakeDocument> {
    const open = this.findDocument(uri);
    if (open !== undefined) return open;
    const content = await this.#read(uri);
    const document =
      this.findDocument(uri) ?? new FakeDocument(uri, content, async (one) => !one.isUnsaved || (await this.save(one)));
    if (!this.documents.includes(document)) this.documents.push(document);
    return document;
  }

  /** The user opens a file, or goes to it. */
  async showFile(uri: Uri, takeFocus = true): Promise<void> {
    const document = await this.openDocument(uri);
    const tab = this.#showTab(new TabInputText(uri), uri.path.split("/").at(-1) ?? "", this.activeGroup);
    if (takeFocus) this.focus = `editor ${uri.toString()}`;
    this.#activate(tab, document);
  }

  async showDiff(
    original: Uri,
    modified: Uri,
    label: string,
    viewColumn: number,
    preserveFocus: boolean,
    background: boolean,
  ): Promise<void> {
    if (this.failNextDiff) {
      this.failNextDiff = false;
      throw new Error("The window is gone.");
    }
    if (!background) await Promise.all([this.openDocument(original), this.openDocument(modified)]);
    const group =
      viewColumn === ViewColumn.Beside
        ? this.#addGroup()
        : (this.groups.find((one) => one.viewColumn === viewColumn) ?? this.activeGroup);
    const tab = this.#showTab(new TabInputTextDiff(original, modified), label, group, background);
    if (!preserveFocus) this.focus = `editor ${modified.toString()}`;
    const document = this.findDocument(modified);
    // Also with the focus elsewhere the diff becomes the active editor.
    if (!background && document !== undefined) this.#activate(tab, document);
  }

  /** The user goes to another editor group. */
  goToGroup(viewColumn: number): void {
    this.activeGroup = this.groups.find((group) => group.viewColumn === viewColumn) ?? this.activeGroup;
  }

  /** A terminal in the editor area. */
  showTerminalTab(): void {
    this.#showTab(new TabInputTerminal(), "bash", this.activeGroup);
  }

  /** Of the shell of the next terminal. */
  terminalProcess: number | undefined;

  createTerminal(name: string, options: object = {}): object {
    const sent: string[] = [];
    const terminal = {
      name,
      sent,
      options,
      processId: Promise.resolve(this.terminalProcess),
      isShown: false,
      show: () => void (terminal.isShown = true),
      sendText: (text: string) => sent.push(text),
    };
    this.terminals.push(terminal);
    return terminal;
  }

  /** The selection changes, by the user's hand where a `kind` of `TextEditorSelectionChangeKind` says so. */
  select(anchor: Position, active: Position, kind?: number, others: readonly Selection[] = []): void {
    if (this.activeEditor === undefined) throw new Error("no editor");
    const selection = new Selection(anchor, active);
    const selections = [selection, ...others];
    Object.assign(this.activeEditor, { selection, selections });
    this.onDidChangeTextEditorSelection.fire({
      textEditor: this.activeEditor,
      selections,
      ...(kind === undefined ? {} : { kind }),
    });
  }

  /** The user's typing, or an edit by code: the document then differs from what is saved. */
  /** The user replaces the text in an editor, unless it is read-only. */
  async typeOver(document: FakeDocument, text: string): Promise<void> {
    if ((await this.sources.get(document.uri.scheme)?.isReadOnly?.(document.uri)) !== true) this.edit(document, text);
  }

  edit(document: FakeDocument, text: string, change: FakeChange = { text: "typed", rangeLength: 0 }): void {
    document.replaceAll(text);
    document.isDirty = true;
    document.isUnsaved = true;
    this.onDidChangeTextDocument.fire({ document, contentChanges: [change] });
  }

  async save(document: FakeDocument, reason: number = TextDocumentSaveReason.Manual): Promise<boolean> {
    // VS Code's own participants run before extensions are told of the save.
    const text = this.participants(document.getText());
    if (text !== document.getText()) this.edit(document, text, { text: "", rangeLength: 1 });
    this.onWillSaveTextDocument.fire({ document, reason });
    const { version } = document;
    await this.#write(document.uri, document.getText());
    // What was typed meanwhile is not saved.
    if (document.version === version) {
      document.isDirty = false;
      document.isUnsaved = false;
    }
    this.onDidChangeTextDocument.fire({ document, contentChanges: [] });
    this.onDidSaveTextDocument.fire(document);
    return true;
  }

  /** "Don't Save" and "Revert File". */
  async revert(document: FakeDocument): Promise<void> {
    const content = await this.#read(document.uri);
    const text = typeof content === "string" ? content : content();
    if (text !== document.getText()) {
      document.load(text);
      document.version += 1;
      this.onDidChangeTextDocument.fire({ document, contentChanges: [{ text: "", rangeLength: 0 }] });
    }
    document.isDirty = false;
    document.isUnsaved = false;
    this.onDidChangeTextDocument.fire({ document, contentChanges: [] });
  }

  /** A content provider says that a text is another one now. */
  async readAgain(uri: Uri): Promise<void> {
    const document = this.findDocument(uri);
    if (document !== undefined) document.load(await this.#read(uri));
  }

  /** Closes a tab, by the user's hand or by code: either way an unsaved document brings the dialog. */
  async closeTab(tab: FakeTab, preserveFocus = false): Promise<boolean> {
    if (!this.tabs.includes(tab)) throw new Error("Tab close: Invalid tab not found!");
    const document = this.#documentOf(tab);
    const others = this.tabs.filter((one) => one !== tab && this.#documentOf(one) === document);
    if (document?.isUnsaved === true && others.length === 0) {
      this.closingQuestions += 1;
      if (this.closingAnswer === "cancel") return false;
      if (this.closingAnswer === "save") await this.save(document);
      else await this.revert(document);
    }
    this.#removeTab(tab);
    if (document !== undefined && others.length === 0) this.#closeDocument(document);
    if (tab.input instanceof TabInputTextDiff) this.#closeUnshown(tab.input.original);
    if (!preserveFocus) this.focus = "editor";
    return true;
  }

  /** Moves a tab to another group: it is opened there before it is closed here. */
  moveTab(tab: FakeTab): void {
    const group = this.#addGroup();
    this.#showTab(tab.input, tab.label, group);
    this.#removeTab(tab);
  }

  /** The user's answer to the next message; given once. */
  answerNext(answer: (message: ShownMessage) => string | undefined | Promise<string | undefined>): void {
    this.#answers.push(answer);
  }

  async show(message: ShownMessage): Promise<string | undefined> {
    this.shown.push(message);
    return await this.#answers.shift()?.(message);
  }

  setDiagnostics(uri: Uri, items: readonly unknown[]): void {
    this.diagnostics.set(uri.toString(), { uri, items });
    this.onDidChangeDiagnostics.fire({ uris: [uri] });
  }

  configure(name: string, value: unknown): void {
    this.configuration.set(name, value);
    this.onDidChangeConfiguration.fire({ affectsConfiguration: (section) => name.startsWith(section) });
  }

  register(scheme: string, source: TextSource): FakeDisposable {
    this.sources.set(scheme, source);
    return { dispose: () => this.sources.delete(scheme) };
  }

  async applyEdits(
    edits: readonly { readonly uri: Uri; readonly range: Range; readonly text: string }[],
  ): Promise<boolean> {
    for (const uri of new Map(edits.map((edit) => [edit.uri.toString(), edit.uri])).values()) {
      const changes = edits.filter((edit) => edit.uri.toString() === uri.toString());
      const document = await this.openDocument(uri);
      let text = document.getText();
      const contentChanges: FakeChange[] = [];
      // From the end, so that places before stay what they are.
      for (const change of changes.toReversed()) {
        const [start, end] = [document.offsetAt(change.range.start), document.offsetAt(change.range.end)];
        text = text.slice(0, start) + change.text + text.slice(end);
        contentChanges.push({ text: change.text, rangeLength: end - start });
      }
      this.edits.push(contentChanges);
      document.replaceAll(text);
      document.isDirty = true;
      document.isUnsaved = true;
      this.onDidChangeTextDocument.fire({ document, contentChanges });
    }
    return true;
  }

  /** What a file system provider gives for a file. */
  async readBytes(uri: Uri): Promise<Uint8Array> {
    return (await this.sources.get(uri.scheme)?.readBytes?.(uri)) ?? new Uint8Array();
  }

  #firstGroup(): Group {
    const [group] = this.groups;
    if (group === undefined) throw new Error("no group");
    return group;
  }

  #addGroup(): Group {
    const group = new Group(this, this.groups.length + 1);
    this.groups.push(group);
    this.activeGroup = group;
    return group;
  }

  #showTab(input: FakeTab["input"], label: string, group: Group, background = false): FakeTab {
    const same = group.tabs.find((tab) => sameInput(tab.input, input));
    if (same !== undefined) {
      if (!background) group.activeTab = same;
      return same;
    }
    const documentOf = (one: FakeTab): FakeDocument | undefined => this.#documentOf(one);
    const tab: FakeTab = {
      label,
      input,
      group,
      get isActive(): boolean {
        return group.activeTab === tab;
      },
      get isDirty(): boolean {
        return documentOf(tab)?.isUnsaved === true;
      },
    };
    group.tabs.push(tab);
    if (!background) {
      group.activeTab = tab;
      this.activeGroup = group;
    }
    this.onDidChangeTabs.fire({ opened: [tab], closed: [], changed: [] });
    return tab;
  }

  #removeTab(tab: FakeTab): void {
    const group = this.groups.find((one) => one.tabs.includes(tab));
    if (group === undefined) return;
    group.tabs.splice(group.tabs.indexOf(tab), 1);
    if (group.activeTab === tab) group.activeTab = group.tabs.at(-1);
    this.onDidChangeTabs.fire({ opened: [], closed: [tab], changed: [] });
    if (this.activeEditor === undefined || this.activeEditor.document !== this.#documentOf(tab)) return;
    const next = group.activeTab === undefined ? undefined : this.#documentOf(group.activeTab);
    if (next !== undefined && group.activeTab !== undefined) this.#activate(group.activeTab, next);
    else {
      this.activeEditor = undefined;
      this.onDidChangeActiveTextEditor.fire(undefined);
    }
  }

  #activate(tab: FakeTab, document: FakeDocument): void {
    const group = this.groups.find((one) => one.tabs.includes(tab));
    if (group === undefined) return;
    group.activeTab = tab;
    this.activeGroup = group;
    if (this.activeEditor?.document === document) return;
    this.activeEditor = {
      document,
      selection: new Selection(new Position(0, 0), new Position(0, 0)),
      selections: [new Selection(new Position(0, 0), new Position(0, 0))],
      visibleRanges: [],
      revealRange: () => {},
      edit: async (change) => {
        const edits: { readonly uri: Uri; readonly range: Range; readonly text: string }[] = [];
        change({ replace: (range, text) => edits.push({ uri: document.uri, range, text }) });
        return await this.applyEdits(edits);
      },
    };
    this.onDidChangeActiveTextEditor.fire(this.activeEditor);
  }

  #documentOf(tab: FakeTab): FakeDocument | undefined {
    const { input } = tab;
    if (input instanceof TabInputTextDiff) return this.findDocument(input.modified);
    return input instanceof TabInputText ? this.findDocument(input.uri) : undefined;
  }

  /** The left side of a diff goes with its tab, unless another one shows it. */
  #closeUnshown(uri: Uri): void {
    const document = this.findDocument(uri);
    const isShown = this.tabs.some(
      ({ input }) =>
        (input instanceof TabInputText && input.uri.toString() === uri.toString()) ||
        (input instanceof TabInputTextDiff &&
          [input.original, input.modified].some((side) => side.toString() === uri.toString())),
    );
    if (document !== undefined && !isShown) this.#closeDocument(document);
  }

  #closeDocument(document: FakeDocument): void {
    document.isClosed = true;
    this.documents = this.documents.filter((one) => one !== document);
    this.onDidCloseTextDocument.fire(document);
  }

  async #read(uri: Uri): Promise<DocumentContent> {
    if (uri.scheme === "file") return readFileSync(uri.fsPath, "utf8");
    const source = this.sources.get(uri.scheme);
    if (source === undefined) throw new Error(`No provider for ${uri.scheme}`);
    return await source.read(uri);
  }

  async #write(uri: Uri, text: string): Promise<void> {
    if (uri.scheme === "file") writeFileSync(uri.fsPath, text);
    else await this.sources.get(uri.scheme)?.write?.(uri, new TextEncoder().encode(text));
  }

  /** What VS Code's watcher does when a file changes on disk: documents without unsaved changes follow. */
  noteDisk(path: string): void {
    const document = this.findDocument(Uri.file(path));
    if (document === undefined || document.isDirty || !existsSync(path) || !statSync(path).isFile()) return;
    const text = readFileSync(path, "utf8");
    if (text === document.getText()) return;
    document.load(text);
    document.version += 1;
    this.onDidChangeTextDocument.fire({ document, contentChanges: [{ text: "", rangeLength: 0 }] });
  }
}

function sameInput(a: FakeTab["input"], b: FakeTab["input"]): boolean {
  if (a instanceof TabInputTextDiff && b instanceof TabInputTextDiff) {
    return a.modified.toString() === b.modified.toString() && a.original.toString() === b.original.toString();
  }
  return a instanceof TabInputText && b instanceof TabInputText && a.uri.toString() === b.uri.toString();
}
