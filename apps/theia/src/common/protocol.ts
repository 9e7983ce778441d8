import type {
  AgentActivity,
  AskedCommands,
  AgentId,
  CompanionState,
  DiffCloseReason,
  DiffRequest,
  DiffUpdate,
  EditorContext,
  EditorFinding,
  Explanation,
  FileDiagnostics,
  FileStanding,
  HostMessage,
  Hunk,
  HunkDecision,
  KeptText,
  KeptTextSaving,
  OpenReviews,
  Position,
  ProposalInfo,
  Range,
  SessionInfo,
  TextEdit,
} from "@patchbay/core";
import type { HookConsent } from "@patchbay/core/hook-settings";
import type { PlacedHunk, TurnInfo, UndoRequest, UndoResult } from "@patchbay/turns";

/** Where the backend serves {@link PatchbayServer}; the same channel carries {@link PatchbayWindow} the other way. */
export const patchbayServerPath = "/services/patchbay";

export const PatchbayServer: unique symbol = Symbol("PatchbayServer");

/** What a window asks of the backend. The backend holds the companion; a window shows things and reports what its user does. */
export interface PatchbayServer {
  /** Says what this window is, at its start, after every new connection and whenever one of the facts changes. */
  attach(facts: WindowFacts): Promise<Attachment>;
  /** The picture of the window's editors, sent when it changed and no oftener than every few milliseconds. */
  notifyContext(context: WindowContext): void;
  /** The text of a proposal after the user typed. */
  notifyDraft(proposalId: string, text: string): void;
  /** The unsaved text of a file came, changed or went in this window. */
  notifyUnsaved(path: string): void;
  /** The problems of these files have been published anew, also where nothing of them changed. */
  notifyProblems(paths: readonly string[]): void;
  /** The user's verdict on a proposal shown in this window. False: the proposal had ended before. */
  decide(proposalId: string, verdict: Verdict): Promise<boolean>;
  /** Asks about a command once more. False: nobody asks it any more. */
  showCommand(id: string): Promise<boolean>;
  /** A command line that starts an agent in this window's folder, with what has it connect where nobody has told it to. */
  startLine(agent: AgentId, line: string): Promise<string>;
  /** These processes and those above them: one may be the shell of a terminal. */
  withParents(processes: readonly number[]): Promise<readonly number[]>;
  /** The user's no with a reason. `told`: the agent reads it, with its hook; `rejected`: it cannot be told why; `ended`: it was decided before. */
  rejectWithReason(proposalId: string, reason: string): Promise<"told" | "rejected" | "ended">;
  /** The agents that can run a hook, and whether they do. */
  hooks(): Promise<readonly HookState[]>;
  /** What installing or removing a hook would change; nothing is written. */
  planHook(agent: AgentId, action: HookAction): Promise<HookPlan>;
  /** Does what was planned last. Undefined where it is done, else a sentence. */
  applyHook(): Promise<string | undefined>;
  /** Accepts or rejects these proposals, one after the other; resolves with how many. */
  decideAll(verdict: "accept" | "reject", proposalIds: readonly string[]): Promise<number>;
  /** What the user does with a text that no agent takes any more; see `Companion`. */
  saveKeptText(id: string): Promise<KeptTextSaving | undefined>;
  readKeptText(id: string): Promise<string | undefined>;
  discardKeptText(id: string): Promise<boolean>;
  /** What is still undecided of a proposal; see `Companion.hunks`. */
  hunks(proposalId: string): Promise<readonly Hunk[] | undefined>;
  /** A verdict on the hunk at a line of the right side, from 0; see `Companion.decideHunk`. */
  decideHunk(proposalId: string, verdict: "accept" | "reject", line: number): Promise<HunkDecision>;
  /** Takes the last verdict on a hunk back. False: there is none. */
  undoHunk(proposalId: string): Promise<boolean>;
  /** Closes the view of a proposal without a verdict; see `Companion.hold`. */
  hold(proposalId: string): Promise<boolean>;
  /** Brings a proposal to the front in the window that shows it. */
  reveal(proposalId: string): Promise<boolean>;
  /** Puts a file, or lines of it, into the prompt of agents that can take it; resolves with how many did. Lines 0-based. */
  mention(path: string, lines?: LineRange): Promise<number>;
  /** What agents changed in this workspace and nobody has reviewed, newest first. */
  turns(): Promise<readonly ListedTurn[]>;
  /** Keeps all of a turn, or one file of it. False: there is nothing to keep. */
  keepTurn(turn: string, path?: string): Promise<boolean>;
  /** Where changes of turns that nobody has reviewed stand in a file as an editor holds it; see `placedHunks`. */
  turnMarks(path: string, text: string): Promise<readonly TurnMark[]>;
  /** Keeps or undoes what agents changed in some lines of a file. Undefined: no such change stands there as an agent left it. */
  decideLines(verdict: "keep" | "undo", place: LinesPlace): Promise<readonly LinesUndone[] | undefined>;
  /** See `FolderLedgers.undo`. Undefined: the ledger is off. */
  undoTurn(turn: string, request: UndoRequest): Promise<TurnUndone | undefined>;
  /** Does now what waits for the agent. Undefined where it was carried out already. */
  undoWaitingTurn(turn: string, request: UndoRequest): Promise<TurnUndone | undefined>;
  /** Takes the last undo back. Undefined: there is none. */
  bringBack(): Promise<TurnUndone | undefined>;
  /** A file as it was before a turn. Undefined: there was none, or no text of it is kept. */
  textBeforeTurn(turn: string, path: string): Promise<string | undefined>;
  /** What an agent would be told now; undefined where this window has no companion. */
  sharedContext(): Promise<EditorContext | undefined>;
  /** What an agent needs in order to connect and to ask for reviews, for this window and where agents run, which is where the backend runs. */
  examine(terminalEnvironment: boolean): Promise<readonly EditorFinding[]>;
  /**
   * Shows a made-up review, and what an agent would make of it. Resolves once the user has chosen what is next: an agent that is to be
   * started, a diagnosis, or nothing.
   */
  tryReview(): Promise<AgentId | "diagnose" | undefined>;
  /** What a finding means, in a language if Patchbay speaks it; undefined where no finding has that code. */
  explain(code: string, locale: string): Promise<Explanation | undefined>;
}

/** A turn of which something is to be reviewed, with only those of its files. */
export interface ListedTurn extends TurnInfo {
  /** How many files wait: more than are listed where there are very many. */
  readonly undecided: number;
  readonly lines: { readonly added: number; readonly removed: number };
}

/** A change of a turn in an editor, with the lines that are marked for it: from 1, the last one included. */
export interface TurnMark extends Pick<PlacedHunk, "kind"> {
  readonly first: number;
  readonly last: number;
}

/** Lines of a file as an editor holds it: from 1, the last one included. */
export interface LinesPlace {
  readonly path: string;
  readonly text: string;
  readonly first: number;
  readonly last: number;
  /** They are selected: of added lines only these are meant, not all of the change that they are in. */
  readonly isSelected: boolean;
}

export interface LinesUndone {
  /** Id of the turn of which something was undone, or waits to be. */
  readonly of: string;
  readonly result: TurnUndone;
}

export interface TurnUndone extends UndoResult {
  /** The agent reads about it with the next prompt. */
  readonly isTold: boolean;
}

export type HookAction = "install" | "remove";

export interface HookState {
  readonly agent: AgentId;
  readonly agentName: string;
  /** Of the user's settings of the agent. */
  readonly file: string;
  readonly presence: "installed" | "partly" | "absent" | "unreadable";
  /** What the agent still asks of its user before it runs the hook. */
  readonly consent: HookConsent;
}

export type HookPlan =
  | { readonly kind: "change"; readonly file: string; readonly before: string; readonly after: string }
  | { readonly kind: "nothing" }
  | { readonly kind: "refused"; readonly reason: string };

export interface LineRange {
  readonly start: number;
  readonly end: number;
}

export interface WindowFacts {
  /** Stays the same over a reload of the window and differs between windows. Never leaves Theia. */
  readonly windowId: string;
  /** What the application calls itself: agents show it to their user. */
  readonly application: string;
  /** The folder or workspace file the window was opened on. */
  readonly workspace: string | undefined;
  /** Absolute paths of the workspace's folders; empty for a window without folders. */
  readonly roots: readonly string[];
  /** Undefined while the user has not answered the question of trust. */
  readonly trusted: boolean | undefined;
  readonly settings: WindowSettings;
  /** The proposals this window shows already: it had lost its connection for a while. */
  readonly shown: readonly ShownProposal[];
}

export interface ShownProposal {
  readonly id: string;
  readonly text: ProposalText;
}

/** `unchanged`: as the backend gave it to the window. */
export type ProposalText = { readonly kind: "unchanged" } | { readonly kind: "edited"; readonly text: string };

interface WindowSettings {
  readonly exclude: readonly string[];
  readonly shareSelection: boolean;
  readonly sharing: boolean;
  /** As the user wrote it: core reads it. */
  readonly reviews: unknown;
  readonly openReviews: OpenReviews;
  /** Whether what agents change is listed. */
  readonly agentChanges: boolean;
}

export interface Attachment {
  readonly status: WindowStatus;
  /** The proposals that are still open; a window closes what it shows beyond these. */
  readonly proposals: readonly string[];
}

/** Everything the backend needs to know of a window's editors, without the companion's own documents. */
export interface WindowContext {
  readonly files: readonly WindowFile[];
  /** The files that got the focus since the last picture, in that order. */
  readonly focused: readonly string[];
  readonly active: WindowActiveFile | undefined;
  /** The user is in this window now. */
  readonly windowFocused: boolean;
}

export interface WindowFile {
  readonly path: string;
  readonly dirty: boolean;
  readonly languageId: string;
}

export interface WindowActiveFile {
  readonly path: string;
  readonly cursor: Position;
  /** Absent where nothing is selected. */
  readonly selection?: WindowSelection;
}

interface WindowSelection {
  readonly range: Range;
  /** Cut by the window: a little more than {@link selectionLimitBytes} at most. */
  readonly text: string;
}

/** As much of a selection as ever crosses to the backend, in UTF-8 bytes; core cuts it on a whole code point. */
export const selectionLimitBytes = 16_384;

export type Verdict =
  | { readonly kind: "accepted"; readonly text: ProposalText }
  | { readonly kind: "rejected" }
  | { readonly kind: "closed" };

export type WindowState = CompanionState | { readonly kind: "no-folder" };

export interface WindowStatus {
  readonly state: WindowState;
  /** Variables for new terminals of this window. */
  readonly environment: Readonly<Record<string, string>>;
  readonly sessions: readonly SessionInfo[];
  readonly proposals: readonly ProposalInfo[];
  readonly keptTexts: readonly KeptText[];
  readonly activities: readonly AgentActivity[];
  /** The shell commands that agents ask about. */
  readonly commands: Pick<AskedCommands, "all">;
  /** How many questions of conversations wait in the panel; absent where it was not opened. */
  readonly questions?: number;
}

/** A message on its way to a window, which can be asked to take it away again. */
export interface WindowMessage extends Omit<HostMessage, "signal"> {
  readonly id: number;
}

/** What the backend asks of a window. */
export interface PatchbayWindow {
  openDiff(request: DiffRequest): Promise<"opened" | "declined">;
  closeDiff(proposalId: string, reason: DiffCloseReason): Promise<void>;
  revealDiff(proposalId: string): Promise<boolean>;
  readDiff(proposalId: string): Promise<ProposalText>;
  notifyAgentPresent(proposalId: string, present: boolean): void;
  /** See `DiffView.update`. The edits make the new right side of what it must still hold, both with `\n` for line ends. */
  updateDiff(proposalId: string, update: DiffUpdate, edits: readonly TextEdit[]): Promise<"applied" | "stale" | "gone">;
  notifyStanding(proposalId: string, standing: FileStanding): void;
  showMessage(message: WindowMessage): Promise<string | undefined>;
  /** What a message was about is over. */
  notifyWithdrawn(messageId: number): void;
  /** `patient`: may wait a few seconds for problems that are behind their text; else what is known now. */
  readDiagnostics(path: string | undefined, patient: boolean): Promise<readonly FileDiagnostics[]>;
  openDocument(request: OpenDocumentRequest): Promise<void>;
  /** False where the file is not open or could not be saved. */
  saveDocument(path: string): Promise<boolean>;
  readDocument(path: string, limitBytes: number): Promise<string | undefined>;
  /** Resolves after the window has told what is open now. */
  tellContext(): Promise<void>;
  /** The text of an open file that has unsaved changes. */
  readUnsaved(path: string): Promise<string | undefined>;
  /** The name of the encoding in which this window reads a file. */
  encodingOf(path: string): Promise<string>;
  /** See `HostDocuments.reload` and `HostDocuments.write`. */
  reloadDocument(path: string, heldText: string): Promise<void>;
  writeDocument(path: string, heldText: string, text: string): Promise<"written" | "stale">;
  /** Shows text in a new unsaved document; `likePath` lends its kind. */
  openUntitled(text: string, likePath: string): Promise<void>;
  notifyStatus(status: WindowStatus): void;
  /** What `PatchbayServer.turns` says has changed. */
  notifyTurns(): void;
  /** The user wants to see a conversation of which a message has told. */
  notifyConversation(id: string): void;
  notifyLog(lines: readonly string[]): void;
}

export interface OpenDocumentRequest {
  readonly path: string;
  readonly range?: Range;
  readonly preview: boolean;
  readonly focus: boolean;
}
