import type { EditorHost, Position, Range } from "@patchbay/core";

/**
 * The user's hands and eyes, which each edition implements in its tests for its own editor (or a stand-in of it), so that
 * one set of tests holds for all. A control resolves when the editor has done its part.
 */
export interface EditorHostControls {
  readonly host: EditorHost;
  /** Absolute path of a workspace folder in which the contract may make files. */
  readonly folder: string;
  /** Puts a file on disk, byte for byte. */
  writeDisk(path: string, text: string): Promise<void>;
  /** What is on disk; undefined where there is no file. */
  readDisk(path: string): Promise<string | undefined>;
  /** Opens a file that is on disk and puts the user into it. */
  openFile(path: string): Promise<void>;
  focusFile(path: string): Promise<void>;
  closeFile(path: string): Promise<void>;
  /** In the focused file. */
  setCursor(position: Position): Promise<void>;
  /** In the focused file; the cursor ends at the end of the range. */
  select(range: Range): Promise<void>;
  /** Replaces the text of an open file without saving it. Absent where the editor never holds unsaved text. */
  makeDirty?(path: string, text: string): Promise<void>;
  /** Puts keyboard focus where an agent's terminal would have it. */
  focusTerminal(): Promise<void>;
  /** Some name of what has keyboard focus: equal means that it has not moved. */
  focusedElement(): Promise<string>;
  /** How many questions that block the user (dialogs, prompts) the editor has asked so far. */
  questionsAsked(): number;
  /** Lets the next `diffs.open` meet an editor that fails. Absent where nothing can fail. */
  failNextOpen?(): void;
  /** The view of a proposal by its id; also after its end, when its hands do nothing. */
  diff(id: string): DiffControls;
  /** Resolves when everything the editor was told, and every event that follows from it, has been handled. */
  settle(): Promise<void>;
  /** Absent where the editor's folders never change. */
  setFolders?(folders: readonly string[]): Promise<void>;
  /** Absent where the editor has no notion of trust. */
  setTrusted?(trusted: boolean): Promise<void>;
  /** The user chooses an action of the next message, or lets it pass. Absent where messages never have buttons. */
  answerNextMessage?(action: string | undefined): void;
  /** The messages that stand on the screen. Absent where the editor cannot take one back. */
  messagesSeen?(): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

export interface DiffControls {
  isShown(): Promise<boolean>;
  leftText(): Promise<string>;
  rightText(): Promise<string>;
  /** The user replaces the whole right side. */
  type(text: string): Promise<void>;
  /** The user accepts in the editor's main way. */
  accept(): Promise<void>;
  /** The user rejects in the editor's main way. */
  reject(): Promise<void>;
  /** The user closes the view without a verdict, and lets go of what was typed where the editor asks. */
  close(): Promise<void>;
  /** The editor's autosave (or a save-all) fires. Absent where there is no such thing. */
  autosave?(): Promise<void>;
}

/** The two functions of a test runner that the contract needs; those of vitest, mocha and node:test fit. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}
