import { type Disposable, EventEmitter, type FileChangeEvent, FileSystemError, type Uri, workspace } from "vscode";
import type { ProposalTexts } from "./proposal-texts.ts";
import { originalScheme, proposalScheme } from "./schemes.ts";

/**
 * Makes the texts of reviews readable for VS Code from the start, because it may ask for those of restored tabs at once;
 * what answers is loaded when it asks.
 */
export function registerProposalTexts(texts: () => Promise<ProposalTexts>): Disposable[] {
  const changes = new EventEmitter<FileChangeEvent[]>();
  const originalChanges = new EventEmitter<Uri>();
  let following: Disposable | undefined;
  const originals = async (): Promise<ProposalTexts["originals"]> => {
    const { originals: loaded } = await texts();
    // Nobody has a left side before asking for it here.
    following ??= loaded.onDidChange((uri) => originalChanges.fire(uri));
    return loaded;
  };
  const refuse = (uri: Uri): never => {
    throw FileSystemError.NoPermissions(uri);
  };
  const files = {
    onDidChangeFile: changes.event,
    watch: () => ({ dispose: () => {} }),
    stat: async (uri: Uri) => await (await texts()).files.stat(uri),
    readFile: async (uri: Uri) => await (await texts()).files.readFile(uri),
    writeFile: async (uri: Uri, content: Uint8Array) => (await texts()).files.writeFile(uri, content),
    readDirectory: () => [],
    createDirectory: refuse,
    delete: refuse,
    rename: refuse,
  };
  return [
    changes,
    originalChanges,
    { dispose: () => following?.dispose() },
    workspace.registerFileSystemProvider(proposalScheme, files, { isCaseSensitive: true }),
    workspace.registerTextDocumentContentProvider(originalScheme, {
      onDidChange: originalChanges.event,
      provideTextDocumentContent: async (uri) => await (await originals()).provideTextDocumentContent(uri),
    }),
  ];
}
