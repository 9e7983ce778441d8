import {
  type EditorHost,
  Emitter,
  type Event,
  type HostDiagnostics,
  type HostDiffs,
  type HostDocuments,
  type HostIdentity,
  type HostWorkspace,
  LoadOnce,
} from "@patchbay/core";
import { type Disposable, env, languages, Range, type TextDocument, workspace } from "vscode";
import type { EditionContext } from "../edition-context.ts";
import { loadLater } from "../lazy.ts";
import { VsCodeEditors } from "./editors.ts";
import { openDocumentOf, readRange } from "./open-documents.ts";

/** VS Code as the companion's editor. What it listens to ends with `own`. */
export function createHost(
  context: Pick<EditionContext, "storageUri">,
  version: string,
  diffs: HostDiffs,
  own: (disposable: Disposable) => void,
): EditorHost {
  const workspace = new VsCodeWorkspace();
  const editors = new VsCodeEditors();
  for (const part of [workspace, editors]) own(part);
  return {
    identity: createIdentity(version),
    workspace,
    editors,
    diffs,
    messages: { show: async (message) => await (await loadLater()).showMessage(message) },
    storageDirectory: storageDirectoryOf(context),
    diagnostics: createLazyDiagnostics(own),
    documents: createDocuments(),
  };
}

/** Who we are to the agents. Forks are called what they call themselves, so that no agent offers them another editor's extension. */
function createIdentity(version: string): HostIdentity {
  const isVsCode = /^Visual Studio Code\b/u.test(env.appName);
  return {
    name: isVsCode ? "vscode" : machineName(env.appName),
    displayName: isVsCode ? env.appName.replace("Visual Studio Code", "VS Code") : env.appName,
    version,
    // The agents' walk from a terminal ends at the process that started the extension host.
    pids: [process.ppid],
  };
}

function machineName(appName: string): string {
  const name = appName
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^-+|-+$/gu, "");
  return name === "" || name === "vscode" ? "vscode-fork" : name;
}

/** Diagnostics, whose code is loaded when an agent asks for the first time: before its first edit, to know how things stand. */
function createLazyDiagnostics(own: (disposable: Disposable) => void): HostDiagnostics {
  const diagnostics = new LoadOnce(async (): Promise<HostDiagnostics> => {
    const { VsCodeDiagnostics } = await loadLater();
    const loaded = new VsCodeDiagnostics();
    own(loaded);
    return loaded;
  });
  return {
    read: async (path, signal) => await (await diagnostics.get()).read(path, signal),
    onDidChange: (listener) =>
      languages.onDidChangeDiagnostics(({ uris }) =>
        listener({ paths: uris.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath) }),
      ),
  };
}

/** Where the companion keeps what outlives a reload: VS Code's storage of this workspace. Without a folder nothing is kept. */
function storageDirectoryOf(context: Pick<EditionContext, "storageUri">): string | undefined {
  return context.storageUri?.scheme === "file" ? context.storageUri.fsPath : undefined;
}

/** The window's folders on disk (also those of a remote machine: there they are `file:` too) and Workspace Trust. */
class VsCodeWorkspace implements HostWorkspace, Disposable {
  readonly #foldersChanged: Emitter<void> = new Emitter();
  readonly #trustChanged: Emitter<void> = new Emitter();
  readonly #subscriptions: readonly Disposable[];
  readonly onDidChangeFolders: Event<void> = this.#foldersChanged.event;
  readonly onDidChangeTrust: Event<void> = this.#trustChanged.event;

  constructor() {
    this.#subscriptions = [
      workspace.onDidChangeWorkspaceFolders(() => this.#foldersChanged.fire()),
      workspace.onDidGrantWorkspaceTrust(() => this.#trustChanged.fire()),
    ];
  }

  folders(): readonly string[] {
    return (workspace.workspaceFolders ?? [])
      .filter((folder) => folder.uri.scheme === "file")
      .map((folder) => folder.uri.fsPath);
  }

  trusted(): boolean {
    return workspace.isTrusted;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#foldersChanged.dispose();
    this.#trustChanged.dispose();
  }
}

/** Opening, saving and reading documents for the agents that ask for it, and following those under review. */
function createDocuments(): HostDocuments {
  return {
    open: async (place) => await (await loadLater()).showDocument(place),
    isDirty: (path) => openDocumentOf(path)?.isDirty,
    save: async (path) => (await openDocumentOf(path)?.save()) ?? false,
    readText: async (path, limitBytes) => {
      const document = openDocumentOf(path);
      return document === undefined ? undefined : readRange(document, wholeOf(document), limitBytes);
    },
    write: async (path, heldText, text) => await (await loadLater()).writeDocument(path, heldText, text),
    languageId: (path) => openDocumentOf(path)?.languageId,
    unsavedText: async (path) => {
      const document = openDocumentOf(path);
      return document?.isDirty === true ? document.getText() : undefined;
    },
    // Also told when a document becomes saved or unsaved, and when "Don't Save" takes its text back.
    onDidChangeUnsaved: (listener) =>
      workspace.onDidChangeTextDocument(({ document: { uri } }) => {
        if (uri.scheme === "file") listener({ path: uri.fsPath });
      }),
    decodeFile: async (path, bytes) => await (await loadLater()).decodeFile(path, bytes),
    reload: async (path, heldText) => await (await loadLater()).reloadDocument(path, heldText),
    openUntitled: async (text, likePath) => await (await loadLater()).showUntitled(text, likePath),
  };
}

function wholeOf(document: TextDocument): Range {
  return new Range(document.positionAt(0), document.lineAt(document.lineCount - 1).range.end);
}
