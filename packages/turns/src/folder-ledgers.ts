import { Emitter, type Event, type FileBefore, type TurnSource, type TurnWitness } from "@patchbay/core";
import type { FolderLedgersOptions, TurnHunk, TurnInfo, UndoRequest, UndoResult } from "./model.ts";

/** What agents changed in the folders of a workspace, turn by turn. */
export class FolderLedgers implements TurnWitness {
  readonly #options: FolderLedgersOptions;
  readonly #change: Emitter<void> = new Emitter();

  constructor(options: FolderLedgersOptions) {
    this.#options = options;
  }

  get onDidChange(): Event<void> {
    return this.#change.event;
  }

  /** Newest first. */
  turns(): readonly TurnInfo[] {
    return [];
  }

  turnBegan(_source: TurnSource, _prompt: string): void {}
  turnEnded(_source: TurnSource): void {}
  aboutToWrite(_source: TurnSource, _files: readonly FileBefore[]): void {}
  aboutToRun(_source: TurnSource, _command: string): void {}
  wrote(_source: TurnSource): void {}
  accepted(_source: TurnSource, _path: string, _text: string): void {}
  async ready(): Promise<void> {}

  /** The file as it was, with what was kept since; undefined: there was none, or no text of it is kept. */
  async beforeText(_turnId: string, _path: string): Promise<string | undefined> {
    return undefined;
  }

  /** The file as the turn left it, without what was undone since; undefined: there is none, or no text of it is kept. */
  async afterText(_turnId: string, _path: string): Promise<string | undefined> {
    return undefined;
  }

  async keep(_turnId: string, _path?: string, _hunk?: TurnHunk): Promise<boolean> {
    return false;
  }

  async undo(_turnId: string, _request: UndoRequest = {}): Promise<UndoResult> {
    void this.#options;
    return { files: [], turn: undefined };
  }

  /** The user typed in a file. */
  touched(_path: string): void {}

  /** Resolves when everything that was told is worked in and on disk. */
  async settled(): Promise<void> {}

  dispose(): void {
    this.#change.dispose();
  }
}
