import type { Position, Range } from "./context/model.ts";
import type { Event } from "./support/emitter.ts";

/**
 * PORT: what an editor implements so that every agent works in it. All paths are absolute file-system paths; an editor's
 * URIs, buffers and widgets stay on its own side. `editorHostContract()` of the testkit says in tests what the comments here say in words.
 *
 * A method that throws never disturbs an agent's session: the agent gets an `isError` sentence, the log gets the cause.
 */
export interface EditorHost {
  readonly identity: HostIdentity;
  readonly workspace: HostWorkspace;
  readonly editors: HostEditors;
  readonly diffs: HostDiffs;
  readonly messages: HostMessages;
  /** Absolute directory private to this editor and this workspace (drafts, port and token across reloads); core makes it 0700. Undefined: nothing is kept. */
  readonly storageDirectory: string | undefined;
  /** Absent where the editor has no diagnostics. */
  readonly diagnostics?: HostDiagnostics;
  /** Absent where documents cannot be opened or saved by others. */
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
  /** Names the editor window where it outlives this process (coc.nvim: the editor's pid and start), so that what a killed process of it left is removed. */
  readonly editorKey?: string;
  /** Overrides the system's temporary directory where the editor's own process has a private one (coc.nvim). */
  readonly temporaryDirectory?: string;
}

export interface HostWorkspace {
  /** Absolute roots, in the editor's order; may be empty. */
  folders(): readonly string[];
  /** Undefined where the editor has no notion of trust, or has not been told yet. */
  trusted(): boolean | undefined;
  readonly onDidChangeFolders: Event<void>;
  readonly onDidChangeTrust: Event<void>;
}

/** What the user has open. Reading is cheap and synchronous: core reads only when an update is due, never per cursor move. */
export interface HostEditors {
  /** Files on disk that are open now, in any order, without the companion's own diff documents. */
  openFiles(): readonly string[];
  /** The file editor the user is in or was in last; undefined where none is open. */
  active(): HostActiveEditor | undefined;
  readonly onDidChange: Event<EditorChange>;
}

/** `focused` gives the file a new timestamp; the others only say that the picture is out of date. */
export type EditorChange =
  | { readonly kind: "focused"; readonly path: string }
  | { readonly kind: "opened" | "closed"; readonly path: string }
  | { readonly kind: "selection" };

export interface HostActiveEditor {
  readonly path: string;
  readonly cursor: Position;
  /** Absent where the selection is empty. */
  readonly selection?: Range;
  /** Selected text, read line by line and stopped as soon as `limitBytes` UTF-8 bytes are reached (a little more is fine: core cuts). */
  readSelection(limitBytes: number): string;
}

export interface HostDiffs {
  /**
   * Shows a proposal in the editor's diff view without taking keyboard focus. Resolves when it is shown, or when it is
   * settled that it will not be (the user cancelled because of unsaved changes, say). Rejecting means the editor failed.
   */
  open(request: DiffRequest, events: DiffViewEvents): Promise<DiffOpening>;
}

export type DiffOpening =
  | { readonly kind: "opened"; readonly view: DiffView }
  /** Not shown because the user said so; the agent's terminal still decides. */
  | { readonly kind: "declined" };

export interface DiffRequest {
  /** Unique and safe in a URI: `[A-Za-z0-9_-]+`. */
  readonly id: string;
  /** Name of the agent for titles, e.g. `Gemini CLI`. */
  readonly agentName: string;
  readonly path: string;
  /** The left side: what the accepted text would replace, without a byte order mark. Empty where there is no file yet, or it cannot be shown as text. */
  readonly originalText: string;
  /** The left side is the unsaved text of the file's open document. */
  readonly unsaved: boolean;
  /** What the review shows of changes made to the file since the agent proposed. */
  readonly standing: FileStanding;
  /** `create`: no such file yet. `delete`: the proposal is empty and the file is not. */
  readonly kind: "create" | "change" | "delete";
  /**
   * The right side as long as the user has not touched it, without a leading byte order mark: the proposal, line ends as sent,
   * or where the file has changed since, the proposal rebased on it.
   */
  readonly proposedText: string;
  /** What the user had typed before a reload or a second proposal; shown instead of `proposedText`, as edited. */
  readonly draftText?: string;
  /** False when the asking agent has gone: the text is kept for the user, a verdict reaches nobody. */
  readonly agentPresent: boolean;
  /**
   * Set where only the agent's own terminal can answer (`ProposalInfo.state`, `terminal`): an accept then only tells the user so,
   * and a host that can offers none.
   */
  readonly decidedBy?: "terminal";
}

/**
 * Where a review stands between the proposal and the file. `unchanged`: the file is as the agent knew it. `merged`: the right
 * side holds changes made to the file since (by another program or agent, or unsaved in the editor), too. `conflict`: both changed
 * the same lines; the right side holds both versions between conflict markers, and cannot be accepted until they are gone.
 */
export type FileStanding = "unchanged" | "merged" | "conflict";

/** The file under review has changed: both sides of its view follow. */
export interface DiffUpdate {
  /** The left side from now on. */
  readonly originalText: string;
  readonly unsaved: boolean;
  /** What the right side must still hold for the update to be made. */
  readonly expectedText: string;
  /** The right side from now on: put there by the smallest edits (`textEdits`), as one step that undo takes back. */
  readonly text: string;
  /** The text of the right side that counts as untouched by the user from now on. */
  readonly proposedText: string;
  readonly standing: FileStanding;
}

/** How the host reports; each call is cheap, idempotent and may come at any time, also after the end. */
export interface DiffViewEvents {
  /** The text of the right side changed by the user's hand. Text is read later through `currentText`. */
  edited(): void;
  /**
   * The user accepts, with the whole text of the right side as the editor has it (before any save participant). The view stays:
   * core closes it, or updates it where the accept was not possible (a conflict), and the review goes on.
   */
  accepted(text: string): void;
  rejected(): void;
  /** The view went away by the user's hand without a verdict. */
  closed(): void;
}

export interface DiffView {
  /** Whole text of the right side now, in the editor's line ends. */
  currentText(): Promise<string>;
  /** Brings the view to the front, with focus (the user asked for it). */
  reveal(): Promise<void>;
  /** Takes the view away, with no dialog and no event. Never changes the user's file. */
  close(reason: DiffCloseReason): Promise<void>;
  /** The asking agent went away or came back: titles and buttons say so. */
  setAgentPresent(present: boolean): void;
  /**
   * The file under review changed. `stale`: the right side no longer holds `expectedText`, and nothing was changed; core reads it and
   * tries again. `gone`: the view is not there any more. No `edited` event comes of it.
   */
  update(update: DiffUpdate): Promise<"applied" | "stale" | "gone">;
  /** The user has resolved the conflict in the right side, or brought it back by undo: titles and buttons say so. */
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
  /** Aborted when the message is moot, e.g. a question that was answered elsewhere: a host that can takes it away. */
  readonly signal?: AbortSignal;
}

export interface HostDiagnostics {
  /**
   * Current diagnostics of one file or of the whole workspace. May wait for a language server to catch up with the disk until
   * `signal` is aborted: then the time is up, and the answer is what is known.
   */
  read(path: string | undefined, signal: AbortSignal): Promise<readonly FileDiagnostics[]>;
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
  /** Shows a file to the user. `focus` false keeps keyboard focus where it is. */
  open(request: {
    readonly path: string;
    readonly range?: Range;
    readonly preview: boolean;
    readonly focus: boolean;
  }): Promise<void>;
  /** Whether the editor holds unsaved changes; undefined where the file is not open. */
  isDirty(path: string): boolean | undefined;
  /** False where the file is not open or could not be saved. */
  save(path: string): Promise<boolean>;
  /** Text of an open document, of at most `limitBytes`; undefined where it is not open. */
  readText(path: string, limitBytes: number): Promise<string | undefined>;
  /**
   * Replaces the text of an open document as one undo step, if it still holds `heldText` (line ends do not count), and saves
   * it unless it had unsaved text before. For "Save to File" of a kept text; absent where documents cannot be changed.
   */
  write?(path: string, heldText: string, text: string): Promise<"written" | "stale">;
  languageId(path: string): string | undefined;
  /** The text of an open document that has unsaved changes; undefined where it has none or is not open. Absent: there is no such thing. */
  unsavedText?(path: string): Promise<string | undefined>;
  /** The unsaved text of a file came, changed or went. May come for any file and as often as keys are pressed. */
  readonly onDidChangeUnsaved?: Event<{ readonly path: string }>;
  /** The text of a file as this editor reads it (its encoding setting); undefined: UTF-8. Without the byte order mark. */
  decodeFile?(path: string, bytes: Uint8Array): Promise<string | undefined>;
  /**
   * The agent has written the file, with the unsaved text in it: an open document that still holds exactly `heldText` takes the text
   * of the file and is saved then. One that holds anything else stays as it is.
   */
  reload?(path: string, heldText: string): Promise<void>;
  /** Shows text in a new unsaved document: how text that has lost its agent is handed back to the user. Absent where there is no such thing. */
  openUntitled?(text: string, likePath: string): Promise<void>;
}
