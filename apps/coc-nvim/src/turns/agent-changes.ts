import {
  type Companion,
  type Disposable,
  DisposableStore,
  type EditorHost,
  type Logger,
  type Platform,
} from "@patchbay/core";
import { createDiskDoor, FolderLedgers, undecidedFiles, type UndoDoor } from "@patchbay/turns";
import type { VimEditors } from "../host/vim-editors.ts";
import type { VimWorkspace } from "../host/vim-workspace.ts";
import type { CocServices, Vim } from "../vim/vim.ts";
import { TurnSigns } from "./turn-signs.ts";
import { turnsStorage } from "./turns-before.ts";

export interface AgentChangesServices {
  readonly platform: Platform;
  readonly logger: Logger;
  readonly vim: Vim;
  readonly coc: Pick<CocServices, "lines">;
  readonly companion: Pick<Companion, "mayName">;
  readonly host: Pick<EditorHost, "documents" | "messages">;
  readonly editors: VimEditors;
  readonly workspace: Pick<VimWorkspace, "folders" | "onDidChangeFolders">;
  /** The working directory at the start: what is noted is found again in the same one. */
  readonly directory: string;
  readonly showsSigns: () => boolean;
  readonly onChange: () => void;
}

/** What agents changed in this editor's folders: the ledger, and the signs beside the changed lines. */
export class AgentChanges implements Disposable {
  readonly signs: TurnSigns;
  readonly #services: AgentChangesServices;
  readonly #store: DisposableStore = new DisposableStore();
  #folders: readonly string[];
  #ledgers: FolderLedgers;
  #isMoving = false;

  constructor(services: AgentChangesServices) {
    const { clock } = services.platform;
    this.#services = services;
    this.#folders = this.#outermost();
    this.#ledgers = this.#open();
    const { vim, coc, logger, editors, showsSigns, workspace } = services;
    this.signs = this.#store.add(
      new TurnSigns({ ledgers: () => this.#ledgers, vim, coc, clock, logger, editors, isShown: showsSigns }),
    );
    this.#store.add(
      editors.onDidChangeUnsaved(({ path }) => {
        // What is read anew from the disk is nobody's typing.
        if (editors.bufferOf(path)?.modified === true) this.#ledgers.touched(path);
      }),
    );
    this.#store.add(workspace.onDidChangeFolders(() => void this.#follow()));
    this.signs.update();
  }

  get ledgers(): FolderLedgers {
    return this.#ledgers;
  }

  /** Files that agents have changed and nobody has reviewed. */
  get count(): number {
    return new Set(this.#ledgers.turns().flatMap((turn) => undecidedFiles(turn).map(({ path }) => path))).size;
  }

  dispose(): void {
    this.#store.dispose();
    this.#ledgers.dispose();
  }

  #open(): FolderLedgers {
    const { platform, logger, companion, directory, editors, host } = this.#services;
    const ledgers = new FolderLedgers({
      platform,
      logger,
      storageDirectory: turnsStorage(platform, directory),
      folders: this.#folders,
      mayKeep: (path) => companion.mayName(path),
      openFiles: () => editors.openFiles(),
      door: this.#door(),
      tellUser: async (message) => await host.messages.show(message),
    });
    ledgers.onDidChange(() => {
      this.signs.update();
      this.#services.onChange();
    });
    return ledgers;
  }

  /** coc finds folders with the files that are opened: what lies in the ones it has is known. */
  #outermost(): readonly string[] {
    const folders = this.#services.workspace.folders();
    return folders.filter((folder) => !folders.some((other) => other !== folder && folder.startsWith(`${other}/`)));
  }

  async #follow(): Promise<void> {
    const isKnown = (folder: string): boolean =>
      this.#folders.some((one) => folder === one || folder.startsWith(`${one}/`));
    if (this.#isMoving || this.#outermost().every(isKnown)) return;
    this.#isMoving = true;
    const old = this.#ledgers;
    await old.settled();
    this.#isMoving = false;
    if (this.#store.isDisposed) return;
    this.#folders = this.#outermost();
    this.#ledgers = this.#open();
    old.dispose();
  }

  /** The user's files: by their buffers where these have unsaved text, else byte for byte on disk, which the buffers then take over. */
  #door(): UndoDoor {
    const { platform, host } = this.#services;
    const disk = createDiskDoor({ platform, folders: this.#folders });
    const { documents } = host;
    const unsavedText = async (path: string): Promise<string | undefined> => await documents?.unsavedText?.(path);
    return {
      ...disk,
      unsavedText,
      replace: async (path, heldText, text, mode) => {
        if ((await unsavedText(path)) === undefined) {
          const done = await disk.replace(path, heldText, text, mode);
          this.signs.update();
          return done;
        }
        if (heldText === undefined) return "stale";
        return (await documents?.write?.(path, heldText, text)) ?? "stale";
      },
      remove: async (path) => (await unsavedText(path)) === undefined && (await disk.remove(path)),
    };
  }
}
