import type { Companion, EditorHost, Logger, Platform } from "@patchbay/core";
import { changedHunks, createDiskDoor, FolderLedgers, type UndoDoor } from "@patchbay/turns";
import { commands, Disposable, Uri, workspace } from "vscode";
import type { Settings } from "../settings.ts";
import { ChangesView, titleOf, undecidedFiles } from "./changes-view.ts";
import { TurnDocuments } from "./turn-documents.ts";

export interface AgentChangesServices {
  readonly platform: Platform;
  readonly logger: Logger;
  readonly folders: readonly string[];
  readonly storageDirectory: string;
  readonly companion: Pick<Companion, "mayName">;
  readonly host: EditorHost;
  readonly settings: Settings;
}

/** What agents changed in this window's folders: the ledger, and the "Agent Changes" of the source control view. */
export class AgentChanges implements Disposable {
  readonly ledgers: FolderLedgers;
  readonly #documents: TurnDocuments;
  readonly #parts: Disposable;

  constructor(services: AgentChangesServices) {
    const { platform, logger, folders, storageDirectory, companion, host, settings } = services;
    this.ledgers = new FolderLedgers({
      platform,
      logger,
      storageDirectory,
      folders,
      mayKeep: (path) => companion.mayName(path),
      openFiles: () => host.editors.openFiles(),
      door: createDoor(platform, folders, host),
      tellUser: async (message) => await host.messages.show(message),
    });
    this.#documents = new TurnDocuments(this.ledgers);
    const view = new ChangesView(this.ledgers, this.#documents, settings);
    this.#parts = Disposable.from(
      view,
      this.#documents,
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        // What is read anew from the disk is nobody's typing.
        if (document.uri.scheme === "file" && document.isDirty && contentChanges.length > 0) {
          this.ledgers.touched(document.uri.fsPath);
        }
      }),
    );
  }

  /** Loads the commands: the result registers them. */
  async loadCommands(): Promise<() => readonly Disposable[]> {
    const { registerTurnCommands } = await import("./turn-commands.ts");
    const { ledgers } = this;
    // Handed over: what two files import stands in one that is loaded with either.
    const services = { ledgers, documents: this.#documents, changedHunks, titleOf, undecidedFiles };
    return () => registerTurnCommands(services);
  }

  async settled(): Promise<void> {
    await this.ledgers.settled();
  }

  dispose(): void {
    this.#parts.dispose();
    this.ledgers.dispose();
    void commands.executeCommand("setContext", "patchbay.hasTurns", false);
  }
}

/** The user's files, through VS Code where it has unsaved text of them, else byte for byte on disk. */
function createDoor(platform: Platform, folders: readonly string[], host: EditorHost): UndoDoor {
  const disk = createDiskDoor({ platform, folders });
  const unsavedText = async (path: string): Promise<string | undefined> => await host.documents?.unsavedText?.(path);
  return {
    ...disk,
    unsavedText,
    replace: async (path, heldText, text, mode) => {
      if ((await unsavedText(path)) === undefined) return await disk.replace(path, heldText, text, mode);
      if (heldText === undefined) return "stale";
      return (await host.documents?.write?.(path, heldText, text)) ?? "stale";
    },
    remove: async (path) => {
      if ((await unsavedText(path)) !== undefined) return false;
      try {
        await workspace.fs.delete(Uri.file(path), { useTrash: true });
        return true;
      } catch {
        // VS Code has no trash on some machines, as in a container.
        return await disk.remove(path);
      }
    },
  };
}
