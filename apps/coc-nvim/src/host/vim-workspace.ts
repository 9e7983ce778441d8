import { type Disposable, DisposableStore, Emitter, type Event, type HostWorkspace } from "@patchbay/core";
import { asText } from "../vim/shape.ts";
import type { CocServices, Vim } from "../vim/vim.ts";

/**
 * coc's workspace folders and the working directory: coc knows no folder before a file of one is opened, and agents are
 * started in the working directory. Vim has no notion of a trusted workspace.
 */
export class VimWorkspace implements HostWorkspace, Disposable {
  readonly #coc: Pick<CocServices, "folders" | "onDidChangeFolders">;
  readonly #change: Emitter<void>;
  readonly #store: DisposableStore = new DisposableStore();
  #directory: string;
  #told: readonly string[];

  constructor(
    coc: Pick<CocServices, "folders" | "onDidChangeFolders">,
    directory: string,
    onFailure: (error: unknown) => void,
  ) {
    this.#coc = coc;
    this.#directory = directory;
    this.#change = new Emitter(onFailure);
    this.#told = this.folders();
  }

  start(vim: Vim): void {
    this.#store.add(this.#coc.onDidChangeFolders(() => this.#update()));
    // The directory of all windows: one that a window or 'autochdir' has of its own is no workspace.
    this.#store.add(
      vim.on(["DirChanged"], ["patchbay#directory()"], (directory) => {
        this.#directory = asText(directory);
        this.#update();
      }),
    );
  }

  folders(): readonly string[] {
    const all = [this.#directory, ...this.#coc.folders()].filter((folder) => folder !== "").map(withoutTrailingSlash);
    return [...new Set(all)];
  }

  trusted(): undefined {
    return undefined;
  }

  get onDidChangeFolders(): Event<void> {
    return this.#change.event;
  }

  readonly onDidChangeTrust: Event<void> = () => ({ dispose: () => {} });

  dispose(): void {
    this.#store.dispose();
    this.#change.dispose();
  }

  #update(): void {
    const folders = this.folders();
    if (folders.length === this.#told.length && folders.every((folder, index) => folder === this.#told[index])) return;
    this.#told = folders;
    this.#change.fire();
  }
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
