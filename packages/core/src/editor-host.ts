import type { Position, Range } from "./context/model.ts";
import type { Event } from "./support/emitter.ts";

/**
 * PORT: what an editor implements so that every agent works in it. All paths are absolute file-system paths; an editor's
 * URIs, buffers and widgets stay on its own side. `editorHostContract()` of the testkit tests what the comments here say.
 *
 * A method that throws never ends an agent's session: the agent gets an `isError` sentence, and the cause is logged.
 */
export interface EditorHost {
  readonly identity: HostIdentity;
  readonly workspace: HostWorkspace;
  readonly editors: HostEditors;
  readonly diffs: HostDiffs;
  readonly messages: HostMessages;
  /** Absolute directory private to this editor and this workspace (drafts, port and token across reloads); core makes it 0700. Undefined: nothing is stored. */
  readonly storageDirectory: string | undefined;
  /** Absent if the editor has no diagnostics. */
  readonly diagnostics?: HostDiagnostics;
  /** Absent if agents cannot open or save documents. */
  readonly documents?: HostDocuments;
}

export interface HostIdentity {
  /** Short machine name, e.g. `vscode`, `theia`, `coc-nvim`, `patchbay`. Never another editor's (docs/protocols/gemini.md, ideInfo). */
  readonly name: string;
  /** What the agents show to the user, e.g. `VS Code`, `Theia`, `Neovim`. */
  readonly displayName: string;
  /** Version of the Patchbay edition. */
  readonly version: string;
  /** Process ids to announce Gemini's record under, most exact first (docs/protocols/gemini.md, PID). The first is also the lock owner of the other dialects. */
  readonly pids: readonly number[];
  /** Identifies the editor window if it outlives this process (coc.nvim: the editor's pid and start time), so that records left by a killed process are removed. */
  readonly editorKey?: string;
  /** Overrides the system's temporary directory if the editor's process has a private one (coc.nvim). */
  readonly temporaryDirectory?: string;
}

export interface HostWorkspace {
  /** Absolute roots, in the editor's order; may be empty. */
  folders(): readonly string[];
  /** Undefined if the editor has no notion of trust, or does not know yet. */
  trusted(): boolean | undefined;
  readonly onDidChangeFolders: Event<void>;
  readonly onDidChangeTrust: Event<void>;
}

/** What the user has open. Reading is cheap and synchronous: core reads only when an update is due, never per cursor move. */
export interface HostEditors {
  /** Files on disk that are open now, in any order, without the companion's own diff documents. */
  openFiles(): readonly string[];
  /** The file editor that the user is in or was in last; undefined if none is open. */
  active(): HostActiveEditor | undefined;
  /** Resolves once the above say what is open now. Absent: they always do. */
  bringUpToDate?(): Promise<void>;
  readonly onDidChange: Event<EditorChange>;
}

/** `focused` gives the file a new timestamp; the others only mark the context as out of date. */
export type EditorChange =
  | { readonly kind: "focused"; readonly path: string }
  | { readonly kind: "opened" | "closed"; readonly path: string }
  | { readonly kind: "selection" };

export interface HostActiveEditor {
  readonly path: string;
  readonly cursor: Position;
  /** Absent if the selection is empty. */
  readonly selection?: Range;
  /** Selected text, read line by line and stopped as soon as `limitBytes` UTF-8 bytes are reached (a little more is fine: core cuts). */
  readSelection(limitBytes: number): string;
  /** What else is selected in the file, in the editor's order; absent where editors select one range, or the user did. */
  readonly otherSelections?: readonly HostSelection[];
}

/** A further selection, never empty. */
export interface HostSelection {
  readonly range: Range;
  /** As `HostActiveEditor.readSelection`. */
  read(limitBytes: number): string;
}

export interface HostDiffs {
  /**
   * Shows a proposal in the editor's diff view without taking keyboard focus. Resolves when it is shown, or when it is
   * certain that it will not be (for example, the user cancelled because of unsaved changes). Rejects if the editor failed.
   */
  open(request: DiffRequest, events: DiffViewEvents): Promise<DiffOpening>;
}

export type DiffOpening =
  | { readonly kind: "opened"; readonly view: DiffView }
  /** Not shown, at the user's request; they can still answer in the agent's terminal. */
  | { readonly kind: "declined" };

export interface DiffRequest {
  /** Unique and safe in a URI: `[A-Za-z0-9_-]+`. */
  readonly id: string;
  /** Name of the agent for titles, e.g. `Gemini CLI`. */
  readonly agentName: string;
  readonly path: string;
  /** The left side: what the accepted text would replace, without a byte order mark. Empty if there is no file yet, or it cannot be shown as text. */
  readonly originalText: string;
  /** The left side is the unsaved text of the file's open document. */
  readonly unsaved: boolean;
  /** How the review relates to changes made to the file since the proposal. */
  readonly standing: FileStanding;
  /** `create`: no such file yet. `delete`: the proposal is empty and the file is not. */
  readonly kind: "create" | "change" | "delete";
  /**
   * The right side until the user edits it, without a leading byte order mark: the proposal with line endings as sent or, if
   * the file has changed since, the proposal merged onto it.
   */
  readonly proposedText: string;
  /** What the user had typed before a reload or a second proposal; shown instead of `proposedText`, as edited. */
  readonly draftText?: string;
  /** False if the agent has exited: the user's text is kept, and a decision is not sent. */
  readonly agentPresent: boolean;
  /**
   * Set if the proposal can only be answered in the agent's terminal (`ProposalInfo.state`, `terminal`). An accept then only
   * tells the user so; a host that can hides it.
   */
  readonly decidedBy?: "terminal";
  /**
   * Set if the agent cannot take what the user would type: the right side cannot be edited, and the view says so. It still
   * follows its file (`DiffView.update`).
   */
  readonly isReadOnly?: true;
  /** How many reviews there are of the same patch, with this one, where an accept of one accepts the others and nothing is written unless all are; absent: it stands alone. */
  readonly patchFiles?: number;
  /** Set if nobody writes what is accepted: the user tries what a review is (`ReviewRequest.isTrial`). */
  readonly isTrial?: true;
}

/**
 * How a review relates to its file. `unchanged`: the file is as the agent knew it. `merged`: the right side includes changes
 * made to the file since (by another program or agent, or unsaved in the editor). `conflict`: both changed the same lines; the
 * right side has both versions between conflict markers, and cannot be accepted until these are removed.
 */
export type FileStanding = "unchanged" | "merged" | "conflict";

/** The file under review has changed: both sides of its view follow. */
export interface DiffUpdate {
  /** The left side from now on. */
  readonly originalText: string;
  readonly unsaved: boolean;
  /** What the right side must still hold for the update to be made. */
  readonly expectedText: string;
  /** The right side from now on: applied with minimal edits (`textEdits`), as one undo step. */
  readonly text: string;
  /** The text of the right side that counts as unedited from now on. */
  readonly proposedText: string;
  readonly standing: FileStanding;
}

/** How the host reports events. Each call is cheap, idempotent and allowed at any time, even after the end. */
export interface DiffViewEvents {
  /** The user edited the right side. Core reads the text later through `currentText`. */
  edited(): void;
  /**
   * The user accepts, with the whole text of the right side as the editor has it (before any save participant). The view stays
   * open: core closes it, or updates it if the accept was not possible (a conflict) and the review continues.
   */
  accepted(text: string): void;
  rejected(): void;
  /** The user closed the view without a decision. */
  closed(): void;
}

export interface DiffView {
  /** The whole text of the right side now, with the editor's line endings. */
  currentText(): Promise<string>;
  /** Brings the view to the front, with focus (the user asked for it). */
  reveal(): Promise<void>;
  /** Closes the view, without a dialog or an event. Never changes the user's file. */
  close(reason: DiffCloseReason): Promise<void>;
  /** The agent disconnected or came back: titles and buttons show it. */
  setAgentPresent(present: boolean): void;
  /**
   * The file under review changed. `stale`: the right side no longer holds `expectedText`, and nothing was changed; core reads it and
   * tries again. `gone`: the view no longer exists. Does not fire `edited`.
   */
  update(update: DiffUpdate): Promise<"applied" | "stale" | "gone">;
  /** The user resolved the conflict in the right side, or restored it with undo: titles and buttons show it. */
  setStanding(standing: FileStanding): void;
}

export type DiffCloseReason = "accepted" | "rejected" | "decided-in-terminal" | "superseded" | "agent-gone" | "stopped";

export interface HostMessages {
  /** Tells the user once; resolves with the chosen action or undefined. Never modal, never takes focus. */
  show(message: HostMessage): Promise<string | undefined>;
}

export interface HostMessage {
  /** Stable code, so that a host can localise or silence it, e.g. `outside-workspace`. */
  readonly code: string;
  readonly severity: "info" | "warning" | "error";
  /** A whole sentence in English. */
  readonly text: string;
  /** Values used in the sentence, for localisation. */
  readonly values: Readonly<Record<string, string>>;
  /** Labels of buttons; empty for a plain notice. */
  readonly actions: readonly string[];
  /** Aborted when the message is obsolete, e.g. a question that was answered elsewhere; a host that can removes it. */
  readonly signal?: AbortSignal;
}

export interface HostDiagnostics {
  /**
   * Current diagnostics of one file or of the whole workspace. May wait for a language server to catch up with the disk until
   * `signal` is aborted; then it answers with what is known.
   */
  read(path: string | undefined, signal: AbortSignal): Promise<readonly FileDiagnostics[]>;
  /** The diagnostics of files have been published anew, also where nothing of them changed. Absent: agents are not told what their writes have broken. */
  readonly onDidChange?: Event<{ readonly paths: readonly string[] }>;
}

export interface FileDiagnostics {
  readonly path: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Diagnostic {
  readonly message: string;
  readonly severity: "Error" | "Warning" | "Information" | "Hint";
  readonly range: Range;
  readonly source?: string;
  readonly code?: string;
}

export interface HostDocuments {
  /** Shows a file to the user. With `focus` false, the keyboard focus stays where it is. */
  open(request: {
    readonly path: string;
    readonly range?: Range;
    readonly preview: boolean;
    readonly focus: boolean;
  }): Promise<void>;
  /** Whether the editor holds unsaved changes; undefined if the file is not open. */
  isDirty(path: string): boolean | undefined;
  /** False if the file is not open or could not be saved. */
  save(path: string): Promise<boolean>;
  /** Text of an open document, of at most `limitBytes`; undefined if it is not open. */
  readText(path: string, limitBytes: number): Promise<string | undefined>;
  /**
   * Replaces the text of an open document as one undo step, if it still holds `heldText` (ignoring line endings), and saves
   * it unless it had unsaved text before. For "Save to File" of a kept text; absent if documents cannot be changed.
   */
  write?(path: string, heldText: string, text: string): Promise<"written" | "stale">;
  languageId(path: string): string | undefined;
  /** The text of an open document that has unsaved changes; undefined if it has none or is not open. Absent if the editor has no unsaved text. */
  unsavedText?(path: string): Promise<string | undefined>;
  /** Unsaved text of a file appeared, changed or disappeared. May fire for any file, at every keystroke. */
  readonly onDidChangeUnsaved?: Event<{ readonly path: string }>;
  /** The text of a file as this editor reads it (its encoding setting); undefined: UTF-8. Without the byte order mark. */
  decodeFile?(path: string, bytes: Uint8Array): Promise<string | undefined>;
  /**
   * The agent has written the file, including the unsaved text. An open document that still holds exactly `heldText` is reloaded
   * from the file and counts as saved. Any other document stays as it is.
   */
  reload?(path: string, heldText: string): Promise<void>;
  /** Shows text in a new unsaved document, to return text whose agent has exited to the user. Absent if the editor has none. */
  openUntitled?(text: string, likePath: string): Promise<void>;
}
