import type { Dialect } from "./agents/dialect.ts";
import type { EditorContext, Range } from "./context/model.ts";
import type {
  DiffOutcome,
  Hunk,
  HunkDecision,
  KeptText,
  KeptTextSaving,
  OpenReviews,
  ProposalInfo,
} from "./diff/model.ts";
import type { EditorHost } from "./editor-host.ts";
import type { AgentActivity, AskedCommands } from "./hooks/activity.ts";
import type { TurnWitness } from "./hooks/turn-witness.ts";
import type { Platform } from "./platform/platform.ts";
import type { Event } from "./support/emitter.ts";
import type { Logger } from "./support/logger.ts";

export interface CompanionOptions {
  readonly host: EditorHost;
  /** Defaults to all dialects Patchbay knows. */
  readonly dialects?: readonly Dialect[];
  /** Defaults to this machine (Node). */
  readonly platform?: Platform;
  readonly logger?: Logger;
  readonly settings?: Partial<CompanionSettings>;
  /** Sees what agents do to files, turn by turn (`@patchbay/turns`). Default: nobody does. */
  readonly turns?: TurnWitness;
  /** Ids of agents whose own question what is open is left to somebody else in this editor, who has one place with us (`Dialect.loadQuestions`). */
  readonly leavesQuestionsOf?: () => readonly string[];
  /** Listen on this port only. Default: the port of the last run or, if that is taken or unknown, a free one. */
  readonly port?: number;
}

/** Settings that users choose and core applies; hosts pass changes on with `updateSettings`. */
export interface CompanionSettings {
  /**
   * Glob patterns of files that are never shared, as VS Code reads them: `*`, `**`, `?`, `{a,b}`, `[0-9]`. While one is
   * invalid, nothing is shared, and the user is told. `excludePatternsOf` reads them from a setting.
   */
  readonly exclude: readonly string[];
  /** Share selected text. */
  readonly shareSelection: boolean;
  /** False: no context is sent until it is true again ("pause sharing"); reviews still work. */
  readonly sharing: boolean;
  /**
   * Which writes of agents with a hook are reviewed, as the user wrote it: `ReviewPolicies`, with the same again for each of its
   * `folders`, and in `commands` whether the user is asked about shell commands (`CommandPolicies`). What cannot be understood counts
   * as `always`, and as `ask`. Default: all writes, no commands.
   */
  readonly reviews: unknown;
  /** When reviews open by themselves. Default: `always`. */
  readonly openReviews: OpenReviews;
}

/** The running whole: one per workspace. */
export interface Companion {
  /** Listens, writes the discovery records, restores proposals of an earlier run. Rejects with PatchbayError saying why and what to do. */
  start(): Promise<void>;
  /** Settles every open proposal, ends the streams, removes the records. Idempotent; takes at most 2 s. */
  stop(options?: StopOptions): Promise<void>;
  /** Removes the records synchronously, for the exit handler of a process. Never throws. */
  removeRecordsSync(): void;
  readonly state: CompanionState;
  readonly onDidChangeState: Event<CompanionState>;
  /** Resolves, never rejects, when the proposals of an earlier run have been handed to the host's diff views. */
  readonly restored: Promise<void>;
  /** Variables for terminals of this workspace; empty until listening. */
  readonly environment: Readonly<Record<string, string>>;
  readonly onDidChangeEnvironment: Event<void>;
  readonly sessions: readonly SessionInfo[];
  readonly onDidChangeSessions: Event<void>;
  readonly proposals: readonly ProposalInfo[];
  readonly onDidChangeProposals: Event<void>;
  /** Accepts or rejects a proposal as if the user had done so in its view. False if no such proposal is open. */
  accept(proposalId: string): Promise<boolean>;
  /** `reason`: what the agent is told, where it can be (a hook). */
  reject(proposalId: string, reason?: string): Promise<boolean>;
  /**
   * Accepts proposals one by one, by default all open ones that the user does not hold; each is merged onto the result of the one before.
   * Returns the ids of those that could not be accepted and are still open: their reviews say why.
   */
  acceptAll(proposalIds?: readonly string[]): Promise<readonly string[]>;
  /**
   * What is still to be decided of a proposal, with the text that its view holds now: what differs between the left and the right
   * side. Undefined if no such proposal is open, or it was not shown yet.
   */
  hunks(proposalId: string): Promise<readonly Hunk[] | undefined>;
  /**
   * The user's verdict on one hunk: accepted, it goes into the left side; rejected, it is undone on the right side, in one undo
   * step. With the last hunk the proposal is decided: rejected if the right side is the file again, else accepted with the right
   * side. `line`: on the right side, from 0; it means the hunk that has the line, else the next one below, else the last above.
   */
  decideHunk(proposalId: string, verdict: "accept" | "reject", line: number): Promise<HunkDecision>;
  /** Takes back the last verdict on a hunk of an open proposal. False if there is none that can be, or a conflict comes first. */
  undoHunk(proposalId: string): Promise<boolean>;
  /** Brings a proposal's view to the front; opens it if it was hidden. */
  reveal(proposalId: string): Promise<boolean>;
  /**
   * Closes a proposal's view without a verdict: the agent goes on waiting, and `reveal` opens it again with what was typed, also after
   * a restart of the editor. False if there is none, it is being decided, or its text could not be read: then it stays as it is.
   */
  hold(proposalId: string): Promise<boolean>;
  /**
   * Texts of the user that no agent is waiting for, newest first; each is also a proposal in state `kept`. In lists and
   * views, offer "Save to File", "Copy" and "Discard" for them instead of accept and reject. Changes fire
   * `onDidChangeProposals`.
   */
  readonly keptTexts: readonly KeptText[];
  /**
   * Has a change reviewed that a conversation asks for, by an agent that the editor runs itself: in the same views and lists as those
   * of agents in terminals, with the same drafts and the same rules. Works without a listener and without any connected agent.
   * Rejects with PatchbayError (`path-refused`, `too-large`, `stopped`) and a sentence for the agent; nothing was opened then.
   */
  review(request: ReviewRequest): Promise<Review>;
  /** The process of a conversation's agent has ended: its open reviews do, too. What the user typed is kept. */
  conversationEnded(conversationId: string): void;
  /**
   * Keeps agents out that the editor runs itself and that connect nevertheless: a process for which `isOwn` is true, and what it has
   * started. Replaces an earlier `isOwn`; agents that are connected stay.
   */
  excludeProcesses(isOwn: (pid: number) => boolean): void;
  /**
   * The process of an agent's session, where the agent tells of it or the system names the process at the other end of its connection
   * (Linux). It is looked for now: `SessionInfo.pid` may not know it yet.
   */
  processOf(sessionId: string): Promise<number | undefined>;
  /** A kept text, for "Copy"; undefined if there is none with this id. */
  readKeptText(id: string): Promise<string | undefined>;
  /**
   * The user's "Save to File": writes a kept text into its file, through the editor's document if one is open
   * (`HostDocuments.write`). Changes made to the file are merged, never overwritten. Shows no message. Undefined if there is
   * none with this id.
   */
  saveKeptText(id: string): Promise<KeptTextSaving | undefined>;
  /** The user's "Discard". False if there is none with this id. */
  discardKeptText(id: string): Promise<boolean>;
  /** Puts a file or lines of it into the prompt of agents that support this (at_mentioned). Returns the number of sessions it was sent to. */
  mention(path: string, lines?: { readonly start: number; readonly end: number }): number;
  /** Whether agents may know of a file: the user's patterns of what to leave out. A pause changes nothing of it. */
  mayName(path: string): boolean;
  /** What the sessions of agents are doing, as far as their hooks tell; the one that changed last is the last. */
  readonly activities: readonly AgentActivity[];
  readonly onDidChangeActivities: Event<void>;
  /** The shell commands that agents ask about by their hooks; undefined until the first agent came. A change fires `onDidChangeActivities`. */
  readonly commands: AskedCommands | undefined;
  /** What agents see now, for "show what is shared". */
  sharedContext(): EditorContext;
  updateSettings(settings: Partial<CompanionSettings>): void;
}

/** A change that a conversation asks for. */
export interface ReviewRequest {
  readonly conversation: {
    /** The same over restarts of the editor and of the agent. */
    readonly id: string;
    /** Id of its agent, e.g. `gemini`. */
    readonly agent: string;
    /** Name of the agent for titles, e.g. `Gemini CLI`. */
    readonly agentName: string;
    /** It can be told why the user has rejected something. */
    readonly readsReasons?: boolean | undefined;
    /** It asks about all tools of a message before the first of them runs. */
    readonly asksAhead?: boolean | undefined;
  };
  /** Absolute, as the agent named it. */
  readonly path: string;
  /** The whole file as it would be; empty where the file is there: it is emptied or deleted. */
  readonly text: string;
  /** The whole file as the agent knew it, if that is known; default: as it is now. */
  readonly base?: string;
  /** What the user makes of the text reaches the disk. False: the review is read-only, and says so. */
  readonly isEditable: boolean;
  /**
   * The editor's own, for a user who tries what a review is: its file is shown without a question wherever it is, nobody writes what is
   * accepted, nothing of it is kept, and closing the view ends it (`closed`). Never set for what an agent asks.
   */
  readonly isTrial?: boolean;
}

/** The review of one change of a conversation. The user answers it here or there: whichever comes first counts. */
export interface Review {
  /** The id in `Companion.proposals`, also for `reveal`. */
  readonly id: string;
  /**
   * Resolves exactly once, never rejects. `accepted`: the agent is to write `text`, or what it proposed if the review is read-only.
   * `superseded`: the same conversation has asked for another change of the file, with this one undecided. `agent-gone`:
   * withdrawn, or the conversation has ended. Closing the view decides nothing: the conversation still asks.
   */
  readonly outcome: Promise<DiffOutcome>;
  /** Resolves when the view is shown, or will not be; rejects with PatchbayError `host-failed` if the editor failed. */
  readonly shown: Promise<void>;
  /** The user answers yes in the conversation. False: not accepted, the view says why, and the review goes on; or it has ended. */
  accept(): Promise<boolean>;
  /** The user answers no in the conversation. False: it has ended. */
  reject(): Promise<boolean>;
  /**
   * The agent has taken its question back, or nobody answers it any more. What the user typed is kept; a later review of the same
   * conversation with the same text for the file goes on with it.
   */
  withdraw(): void;
  /** The tool that was to write what was accepted has ended, or its whole turn has: what is not in the file by then is told and kept. */
  toolEnded(): void;
}

export interface StopOptions {
  /**
   * True if the editor may come back (window reload): drafts are kept, agents get no decision and, if agents are
   * connected, a process holds the port, token and sessions for the next run (docs/decisions/0002).
   */
  readonly reload?: boolean;
  /**
   * With `reload`: when the editor will answer on the port again, ms. Agents are told to reconnect then and once more after
   * the same time (the `retry` of the event stream), instead of after 1 s and another 1.5 s, which is too soon for a window
   * reload in VS Code (3 to 7 s). Default: they keep their own intervals, and the port is held for 6 s;
   * for 60 s where an agent waits for nothing.
   */
  readonly comeBackMs?: number;
}

export type CompanionState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting" }
  | { readonly kind: "listening"; readonly port: number; readonly warnings: readonly string[] }
  | { readonly kind: "failed"; readonly message: string };

export interface SessionInfo {
  readonly id: string;
  readonly dialect: string;
  readonly agentName: string;
  readonly version?: string;
  readonly pid?: number;
  /** What it is about, where the agent tells; one line. */
  readonly title?: string;
  /** `connected`: a stream is open; `away`: it may reconnect. */
  readonly state: "connecting" | "connected" | "away";
  /** Unix milliseconds. */
  readonly since: number;
  /** When context was last sent, Unix milliseconds. */
  readonly lastContext?: number;
  readonly openProposals: number;
}

export type { Range };
