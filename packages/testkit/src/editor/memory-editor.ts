import {
  type DiffOpening,
  type DiffRequest,
  type DiffViewEvents,
  type EditorHost,
  Emitter,
  type FileDiagnostics,
  type HostDiagnostics,
  type HostDiffs,
  type HostDocuments,
  type HostEditors,
  type HostIdentity,
  type HostWorkspace,
  type Position,
  type Range,
} from "@patchbay/core";
import { type HostCall, HostFailures, MemoryMessages, type ShownMessage } from "./memory-messages.ts";
import { MemoryDiffView } from "./memory-diff-view.ts";
import { MemoryDocuments, type UntitledDocument } from "./memory-documents.ts";

export interface MemoryEditorOptions {
  readonly identity?: Partial<HostIdentity>;
  /** Default: none. */
  readonly folders?: readonly string[];
  /** Default: true. */
  readonly trusted?: boolean | undefined;
  readonly storageDirectory?: string;
  /** Text of a file on disk, for the left side of diffs and for `openFile` without a text. Default: there are no files. */
  readonly readDisk?: (path: string) => string | undefined;
}

/**
 * An editor without a screen: it implements the port and gives tests the user's hands. Nothing happens by itself; every
 * event comes from a call of a control.
 */
export class MemoryEditor implements EditorHost {
  readonly identity: HostIdentity;
  readonly workspace: HostWorkspace;
  readonly editors: HostEditors;
  readonly diffs: HostDiffs;
  readonly messages: MemoryMessages;
  readonly storageDirectory: string | undefined;
  readonly diagnostics: HostDiagnostics;
  readonly documents: HostDocuments;
  readonly failures: HostFailures = new HostFailures();
  /** Which element has keyboard focus: a test sees that a diff did not take it. */
  focus: string = "terminal";
  /** Whether the editor says of each diff that it will not be shown. */
  declinesDiffs = false;

  #folders: readonly string[];
  #trusted: boolean | undefined;
  readonly #readDisk: (path: string) => string | undefined;
  readonly #files: MemoryDocuments;
  readonly #diagnostics: Map<string, FileDiagnostics> = new Map();
  readonly #views: MemoryDiffView[] = [];
  readonly #waiting: Set<() => void> = new Set();
  readonly #foldersChanged: Emitter<void> = new Emitter();
  readonly #trustChanged: Emitter<void> = new Emitter();
  readonly #diagnosticsChanged: Emitter<{ readonly paths: readonly string[] }> = new Emitter();

  constructor(options: MemoryEditorOptions = {}) {
    this.identity = {
      name: "memory",
      displayName: "Memory Editor",
      version: "0.0.0",
      pids: [process.pid],
      ...options.identity,
    };
    this.storageDirectory = options.storageDirectory;
    this.#folders = options.folders ?? [];
    this.#trusted = "trusted" in options ? options.trusted : true;
    this.#readDisk = options.readDisk ?? (() => undefined);
    this.messages = new MemoryMessages(() => this.failures.check("messages.show"));
    this.#files = new MemoryDocuments({
      failures: this.failures,
      readDisk: this.#readDisk,
      onFocus: (path) => {
        this.focus = path;
      },
    });
    this.editors = this.#files.editors;
    this.documents = this.#files.documents;
    this.diffs = { open: async (request, events) => await this.#openDiff(request, events) };
    this.workspace = {
      folders: () => {
        this.failures.check("workspace.folders");
        return this.#folders;
      },
      trusted: () => this.#trusted,
      onDidChangeFolders: this.#foldersChanged.event,
      onDidChangeTrust: this.#trustChanged.event,
    };
    this.diagnostics = {
      onDidChange: this.#diagnosticsChanged.event,
      read: async (path) => {
        this.failures.check("diagnostics.read");
        return Array.from(this.#diagnostics.values()).filter((entry) => path === undefined || entry.path === path);
      },
    };
  }

  /** All diff views so far, oldest first, ended ones too. */
  get views(): readonly MemoryDiffView[] {
    return this.#views;
  }

  /** The views that are open now, oldest first. */
  get openViews(): readonly MemoryDiffView[] {
    return this.#views.filter((view) => view.isOpen);
  }

  /** Lets go of the views that have ended, so that a long run can be measured for what others keep. */
  forgetEndedViews(): void {
    const open = this.openViews;
    this.#views.splice(0, this.#views.length, ...open);
  }

  get shownMessages(): readonly ShownMessage[] {
    return this.messages.shown;
  }

  /** Texts that were handed back to the user in new unsaved documents. */
  get untitled(): readonly UntitledDocument[] {
    return this.#files.untitled;
  }

  /** How often core read the picture; for tests of the cost of a cursor move. */
  get reads(): { readonly active: number; readonly openFiles: number; readonly selection: number } {
    return this.#files.reads;
  }

  /** Opens a file and puts the user into it. */
  openFile(path: string, text: string = this.#readDisk(path) ?? ""): void {
    this.#files.open(path, text);
  }

  /** Puts the user into an open file. */
  focusFile(path: string): void {
    this.#files.focus(path);
  }

  /** Closes a file; the user is then in the file opened last before it, or in none. */
  closeFile(path: string): void {
    this.#files.close(path);
  }

  /** Moves the cursor in the active file; nothing is selected afterwards. */
  setCursor(cursor: Position): void {
    this.#files.setCursor(cursor);
  }

  /** Selects a range of the active file, and others beside it; the cursor stands at the end of the first. */
  select(range: Range, others: readonly Range[] = []): void {
    this.#files.select(range, others);
  }

  /** The user types: the open file now differs from the disk. */
  makeDirty(path: string, text: string): void {
    this.#files.makeDirty(path, text);
  }

  setFolders(folders: readonly string[]): void {
    this.#folders = folders;
    this.#foldersChanged.fire();
  }

  setTrusted(trusted: boolean | undefined): void {
    this.#trusted = trusted;
    this.#trustChanged.fire();
  }

  setDiagnostics(entry: FileDiagnostics): void {
    this.#diagnostics.set(entry.path, entry);
    this.#diagnosticsChanged.fire({ paths: [entry.path] });
  }

  /** Makes the next calls of a method throw. */
  fail(call: HostCall, error: Error = new Error("The editor broke."), times = 1): void {
    this.failures.plan(call, error, times);
  }

  /** Resolves when this view is as expected. */
  async viewBecomes(view: MemoryDiffView, expected: (view: MemoryDiffView) => boolean): Promise<void> {
    while (!expected(view)) await this.#changed();
  }

  /** The first open view that matches, as soon as there is one. */
  async nextView(matches: (view: MemoryDiffView) => boolean = () => true): Promise<MemoryDiffView> {
    for (;;) {
      const found = this.openViews.find(matches);
      if (found !== undefined) return found;
      await this.#changed();
    }
  }

  /** Resolves when this view has ended. */
  async ended(view: MemoryDiffView): Promise<void> {
    while (view.isOpen) await this.#changed();
  }

  async #openDiff(request: DiffRequest, events: DiffViewEvents): Promise<DiffOpening> {
    this.failures.check("diffs.open");
    if (this.declinesDiffs) return { kind: "declined" };
    const view = new MemoryDiffView({
      request,
      events,
      onEnd: () => this.#wake(),
      onUpdate: () => this.#wake(),
      onReveal: (revealed) => {
        this.focus = revealed.request.id;
      },
      failure: (call) => this.failures.check(call),
    });
    this.#views.push(view);
    this.#wake();
    return { kind: "opened", view };
  }

  async #changed(): Promise<void> {
    await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

/** An in-memory editor with nothing open. */
export function createMemoryEditor(options: MemoryEditorOptions = {}): MemoryEditor {
  return new MemoryEditor(options);
}
