import { type Disposable, workspace } from "vscode";
import { Emitter, type Event, type HostWorkspace } from "@patchbay/core";

/** The window's folders on disk (also those of a remote machine: there they are `file:` too) and Workspace Trust. */
export class VsCodeWorkspace implements HostWorkspace, Disposable {
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
