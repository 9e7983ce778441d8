import {
  type AttachedWindow,
  type Encodings,
  FileDecoding,
  WindowEditors,
  WindowGoneError,
  WindowSet,
} from "./attached-window.ts";
import {
  type Clock,
  type Disposable,
  type EditorHost,
  Emitter,
  type Event,
  type FileDiagnostics,
  type HostDiagnostics,
  type HostDocuments,
  type HostIdentity,
  type HostMessage,
  type HostMessages,
  type HostWorkspace,
  type Logger,
  messageOf,
  onAbort,
} from "@patchbay/core";
import { WindowDiffs } from "./window-diffs.ts";

/** How long a window may take to read diagnostics or text, in milliseconds. */
const readTimeoutMs = 5000;

export interface WorkspaceHostOptions {
  readonly identity: HostIdentity;
  readonly folders: readonly string[];
  readonly storageDirectory: string | undefined;
  readonly encodings: Encodings;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One workspace as core sees an editor: all windows on it taken together, from none to many. */
export class WorkspaceHost implements EditorHost {
  readonly identity: HostIdentity;
  readonly storageDirectory: string | undefined;
  readonly windows: WindowSet = new WindowSet();
  readonly editors: WindowEditors = new WindowEditors(this.windows);
  readonly diffs: WindowDiffs;
  readonly messages: HostMessages = { show: (message) => this.#show(message) };
  readonly diagnostics: HostDiagnostics;
  readonly documents: HostDocuments;
  readonly workspace: HostWorkspace;
  readonly #onDidChangeFolders = new Emitter<void>();
  readonly #onDidChangeTrust = new Emitter<void>();
  readonly #onDidChangeProblems = new Emitter<{ readonly paths: readonly string[] }>();
  readonly #onDidChangeUnsaved = new Emitter<{ readonly path: string }>();
  #messages = 0;
  readonly #decoding: FileDecoding;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #folders: readonly string[];
  #trusted: boolean | undefined;

  constructor(options: WorkspaceHostOptions) {
    this.identity = options.identity;
    this.storageDirectory = options.storageDirectory;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#folders = options.folders;
    this.#decoding = new FileDecoding(options.encodings, this.windows);
    this.diffs = new WindowDiffs({ windows: this.windows, clock: options.clock, logger: options.logger });
    const onDidChangeFolders: Event<void> = this.#onDidChangeFolders.event;
    const onDidChangeTrust: Event<void> = this.#onDidChangeTrust.event;
    this.workspace = {
      folders: () => this.#folders,
      trusted: () => this.#trusted,
      onDidChangeFolders,
      onDidChangeTrust,
    };
    this.diagnostics = {
      read: (path, signal) => this.#readDiagnostics(path, signal),
      onDidChange: this.#onDidChangeProblems.event,
    };
    this.documents = this.#createDocuments();
    // Unsaved text goes with its window.
    this.windows.onDidLeave(({ context }) => {
      for (const { path, dirty } of context.files) if (dirty) this.unsavedChanged(path);
    });
  }

  /** A window says that the unsaved text of a file came, changed or went. */
  unsavedChanged(path: string): void {
    this.#onDidChangeUnsaved.fire({ path });
  }

  /** A window says that the problems of files were published. */
  problemsChanged(paths: readonly string[]): void {
    this.#onDidChangeProblems.fire({ paths });
  }

  setFolders(folders: readonly string[]): void {
    if (folders.length === this.#folders.length && folders.every((folder, index) => folder === this.#folders[index])) {
      return;
    }
    this.#folders = folders;
    this.#onDidChangeFolders.fire();
  }

  /** What the window that spoke last says; a window that does not know yet leaves it as it is. */
  setTrust(trusted: boolean | undefined): void {
    if (trusted === undefined || trusted === this.#trusted) return;
    this.#trusted = trusted;
    this.#onDidChangeTrust.fire();
  }

  /** The window in which a file has unsaved text, and that text. A window that does not answer has none. */
  async unsavedIn(path: string): Promise<{ readonly window: AttachedWindow; readonly text: string } | undefined> {
    for (const window of this.windows.byUse()) {
      const asked = this.#bounded(window.call((client) => client.readUnsaved(path)));
      const text = await asked.catch(() => undefined);
      if (text !== undefined) return { window, text };
    }
    return undefined;
  }

  async #show(message: HostMessage): Promise<string | undefined> {
    const window = this.windows.lastUsed();
    const { signal, ...shown } = message;
    if (window === undefined || signal?.aborted === true) return undefined;
    const id = ++this.#messages;
    const following = onAbort(signal, () => window.notify((client) => client.notifyWithdrawn(id)));
    try {
      return await window.call((client) => client.showMessage({ ...shown, id }));
    } catch (error) {
      this.#logger.warn("a message was not shown", { code: message.code, cause: messageOf(error) });
      return undefined;
    } finally {
      // A notice without an answer stands on after it was shown.
      if (message.actions.length > 0) following.dispose();
    }
  }

  async #readDiagnostics(path: string | undefined, signal: AbortSignal): Promise<readonly FileDiagnostics[]> {
    const window = this.#windowFor(path);
    if (window === undefined) return [];
    const read = async (patient: boolean): Promise<readonly FileDiagnostics[]> => {
      try {
        return await window.call((client) => client.readDiagnostics(path, patient));
      } catch (error) {
        // A window that was closed, or is being loaded anew, knows of nothing: that is no failure.
        if (error instanceof WindowGoneError) return [];
        throw error;
      }
    };
    if (signal.aborted) return await this.#bounded(read(false));
    let following: Disposable | undefined;
    return await this.#bounded(
      new Promise<readonly FileDiagnostics[]>((resolve, reject) => {
        read(true).then(resolve, reject);
        // The time is up: what the window knows now comes instead.
        following = onAbort(signal, () => void read(false).then(resolve, reject));
      }),
    ).finally(() => following?.dispose());
  }

  #createDocuments(): HostDocuments {
    return {
      open: async (request) => {
        await this.windows.lastUsed()?.call((client) => client.openDocument(request));
      },
      isDirty: (path) => this.editors.find(path)?.dirty,
      languageId: (path) => this.editors.find(path)?.languageId,
      save: async (path) => {
        const window = this.#windowWith(path);
        if (window === undefined) return false;
        const saved = await window.call((client) => client.saveDocument(path));
        if (saved) this.windows.markSaved(window, path);
        return saved;
      },
      readText: async (path, limitBytes) => {
        const window = this.#windowWith(path);
        if (window === undefined) return undefined;
        return await this.#bounded(window.call((client) => client.readDocument(path, limitBytes)));
      },
      unsavedText: async (path) => {
        const window = this.#windowWith(path);
        if (window === undefined) return undefined;
        return await this.#bounded(window.call((client) => client.readUnsaved(path)));
      },
      onDidChangeUnsaved: this.#onDidChangeUnsaved.event,
      decodeFile: (path, bytes) => this.#bounded(this.#decoding.decode(path, bytes)),
      reload: async (path, heldText) => {
        for (const window of this.windows.byUse()) {
          await window.call((client) => client.reloadDocument(path, heldText));
        }
      },
      write: async (path, heldText, text) => {
        const window = this.#windowWith(path);
        if (window === undefined) return "stale";
        return await window.call((client) => client.writeDocument(path, heldText, text));
      },
      openUntitled: async (text, likePath) => {
        const window = this.windows.lastUsed();
        if (window === undefined) throw new WindowGoneError();
        await window.call((client) => client.openUntitled(text, likePath));
      },
    };
  }

  /** The window that has a file open, preferring one where it is unsaved. */
  #windowWith(path: string): AttachedWindow | undefined {
    const holders = this.windows.byUse().filter((window) => window.context.files.some((file) => file.path === path));
    return (
      holders.find((window) => window.context.files.some((file) => file.path === path && file.dirty)) ?? holders[0]
    );
  }

  #windowFor(path: string | undefined): AttachedWindow | undefined {
    return (path === undefined ? undefined : this.#windowWith(path)) ?? this.windows.lastUsed();
  }

  async #bounded<T>(answer: Promise<T>): Promise<T> {
    const late = new Promise<never>((_resolve, reject) => {
      this.#clock.setTimeout(() => reject(new Error("The window does not answer.")), readTimeoutMs);
    });
    return await Promise.race([answer, late]);
  }
}
