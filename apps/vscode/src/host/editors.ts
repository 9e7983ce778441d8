import { pathOfTab, readRange } from "./open-documents.ts";
import {
  type EditorChange,
  Emitter,
  type Event,
  type HostActiveEditor,
  type HostEditors,
  type Range,
} from "@patchbay/core";
import { type Disposable, type Selection, type TextDocument, type TextEditor, window, workspace } from "vscode";

/** Where the user was in a text editor. The editor object answers only while it is visible, so its last answers are kept. */
interface LastEditor {
  readonly path: string;
  readonly editor: TextEditor;
  readonly document: TextDocument;
  selection: Selection;
  /** Of several cursors the others. */
  others: readonly Selection[];
}

/** VS Code's tabs and cursors as the companion's picture of what the user has open. */
export class VsCodeEditors implements HostEditors, Disposable {
  readonly #changes: Emitter<EditorChange> = new Emitter();
  readonly #subscriptions: readonly Disposable[];
  readonly onDidChange: Event<EditorChange> = this.#changes.event;
  #paths: ReadonlySet<string>;
  #activePath: string | undefined;
  #last: LastEditor | undefined;

  constructor() {
    this.#paths = readPaths();
    this.#noteEditor(window.activeTextEditor);
    this.#activePath ??= pathOfActiveTab();
    this.#subscriptions = [
      window.onDidChangeActiveTextEditor((editor) => {
        if (this.#noteEditor(editor)) this.#focused();
      }),
      window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
        const [selection] = selections;
        if (this.#last?.editor !== textEditor || selection === undefined) return;
        this.#last.selection = selection;
        this.#last.others = selections.slice(1);
        this.#changes.fire({ kind: "selection" });
      }),
      window.tabGroups.onDidChangeTabs(() => this.#noteTabs()),
      window.tabGroups.onDidChangeTabGroups(() => this.#noteTabs()),
    ];
  }

  openFiles(): readonly string[] {
    return Array.from(this.#paths);
  }

  active(): HostActiveEditor | undefined {
    const path = this.#activePath;
    if (path === undefined) return undefined;
    const last = this.#last;
    // An image, a notebook without an open cell: a file without a cursor.
    if (last?.path !== path) return { path, cursor: { line: 0, character: 0 }, readSelection: () => "" };
    const { document, selection, others } = last;
    const { line, character } = selection.active;
    return {
      path,
      cursor: { line, character },
      ...(selection.isEmpty ? {} : { selection: plainRange(selection) }),
      readSelection: (limitBytes) => readRange(currentDocument(document), selection, limitBytes),
      otherSelections: others
        .filter(({ isEmpty }) => !isEmpty)
        .map((one) => ({
          range: plainRange(one),
          read: (limitBytes) => readRange(currentDocument(document), one, limitBytes),
        })),
    };
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changes.dispose();
  }

  /** Remembers a text editor that shows a file; says whether it does. Others (output, our own diffs) leave the picture as it is. */
  #noteEditor(editor: TextEditor | undefined): boolean {
    const path = editor === undefined ? undefined : pathOfDocument(editor.document);
    if (editor === undefined || path === undefined) return false;
    const { document, selection, selections } = editor;
    this.#last = { path, editor, document, selection, others: selections.slice(1) };
    this.#activePath = path;
    return true;
  }

  #focused(): void {
    const path = this.#activePath;
    if (path === undefined) return;
    // The tab may be told of a moment later than the editor.
    if (!this.#paths.has(path)) this.#paths = new Set([...this.#paths, path]);
    this.#changes.fire({ kind: "focused", path });
  }

  #noteTabs(): void {
    const before = this.#paths;
    this.#paths = readPaths();
    for (const path of this.#paths) if (!before.has(path)) this.#changes.fire({ kind: "opened", path });
    for (const path of before) {
      if (this.#paths.has(path)) continue;
      if (this.#last?.path === path) this.#last = undefined;
      if (this.#activePath === path) this.#activePath = undefined;
      this.#changes.fire({ kind: "closed", path });
    }
    const shown = pathOfActiveTab();
    if (shown !== undefined && shown !== this.#activePath) {
      // Told of the tab before the editor: that one's cursor comes with its own event.
      const editor = window.activeTextEditor;
      if (editor !== undefined && pathOfDocument(editor.document) === shown) this.#noteEditor(editor);
      this.#activePath = shown;
      this.#focused();
    } else if (this.#activePath === undefined) this.#fallBack();
  }

  /** The file the user was in is closed and no other took the focus: one that is still in view takes its place. */
  #fallBack(): void {
    // The list may still hold the editor of the closed tab.
    const visible = window.visibleTextEditors.find((editor) => this.#paths.has(pathOfDocument(editor.document) ?? ""));
    if (this.#noteEditor(visible)) this.#focused();
  }
}

function readPaths(): ReadonlySet<string> {
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
  return new Set(tabs.flatMap((tab) => pathOfTab(tab) ?? []));
}

function pathOfActiveTab(): string | undefined {
  const tab = window.tabGroups.activeTabGroup.activeTab;
  return tab === undefined ? undefined : pathOfTab(tab);
}

/** The file a document stands for: itself, or for the cell of a notebook the notebook. */
function pathOfDocument(document: TextDocument): string | undefined {
  const { uri } = document;
  if (uri.scheme === "file") return uri.fsPath;
  if (uri.scheme !== "vscode-notebook-cell") return undefined;
  const notebook = workspace.notebookDocuments.find((one) => one.getCells().some((cell) => cell.document === document));
  return notebook?.uri.scheme === "file" ? notebook.uri.fsPath : undefined;
}

/** A hidden editor's document is closed after a while and opened anew by others: the newest one has the text of now. */
function currentDocument(document: TextDocument): TextDocument {
  if (!document.isClosed) return document;
  const wanted = document.uri.toString();
  return workspace.textDocuments.find((one) => one.uri.toString() === wanted) ?? document;
}

function plainRange({ start, end }: Selection): Range {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}
