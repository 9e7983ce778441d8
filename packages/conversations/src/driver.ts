import type { Event } from "@patchbay/core";
import type {
  AgentFacts,
  Answer,
  Entry,
  LineRange,
  McpServerChange,
  PromptBlock,
  SessionCapabilities,
  SessionUpdate,
  TurnEndReason,
} from "./model/index.ts";

/**
 * One running session of an agent, whatever it speaks. A driver translates: it keeps no transcript, queues nothing and shows
 * nothing. Everything that it learns comes as an update; nothing of it throws for what an agent says.
 *
 * Who makes which entries: the prompt's is the conversation's (a driver that tells it again is not heard). The end of a turn is
 * the driver's where it has usage to tell, before `prompt` resolves; else the conversation adds it. The outcome of an answered
 * question is the driver's if it tells one before `answer` returns; else the conversation words it. A process that ends by
 * itself: the driver tells a notice (the last lines of stderr as `detail`, action `restart`), then the state `ended`. Entries
 * that come before `start` has resolved are a replay: they are taken where the conversation has no history of its own.
 */
export interface AgentSession {
  readonly onUpdate: Event<SessionUpdate>;
  /** Known once `start` has resolved. */
  readonly capabilities: SessionCapabilities;
  /**
   * Starts the program and opens the session. Rejects with a sentence for people where it cannot be started; an agent that
   * wants its user to sign in is started, in state `signed-out`.
   */
  start(): Promise<void>;
  /** Sends one prompt; resolves when its turn has ended. One at a time: the queue is the conversation's. Never rejects. */
  prompt(prompt: Prompt): Promise<TurnEndReason>;
  /** Stops the turn. Open questions are withdrawn; the session lives on. */
  interrupt(): Promise<void>;
  /** Answers an open question (the id of its entry). False if it is not open any more. */
  answer(questionId: string, answer: Answer): boolean;
  /** Chooses a value of an option. Rejects with a sentence where the agent refuses. */
  setOption(optionId: string, value: string | boolean): Promise<void>;
  /** Ends something that goes on in the background. Rejects with the agent's words where that fails; absent where it cannot. */
  stopTask?(taskId: string): Promise<void>;
  /** Ends the process and all that it started, by a ladder that takes at most 9 s; idempotent. */
  close(): Promise<void>;
  /** Restores the files as they were before a prompt; absent where the agent cannot. `dryRun` only tells. */
  rewind?(promptId: string, dryRun: boolean): Promise<RewindResult>;
  /** Names the session with the agent; absent where it keeps no names. */
  rename?(title: string): Promise<void>;
  /** What the agent tells of itself at the moment; absent where it tells nothing. Never rejects. */
  facts?(): Promise<AgentFacts>;
  /** Connects an MCP server again, or switches it on or off. Rejects with the agent's words where that fails. */
  changeServer?(name: string, change: McpServerChange): Promise<void>;
}

/** `id` becomes the id of the prompt's entry; a UUID (Claude rewinds to it). */
export interface Prompt {
  readonly id: string;
  readonly blocks: readonly PromptBlock[];
}

export interface RewindResult {
  readonly canRewind: boolean;
  /** Why not, for people. */
  readonly reason?: string;
  readonly files: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
}

/** How a session begins. */
export type SessionStart =
  | { readonly kind: "new" }
  /** `begunAt`: when the session began, Unix milliseconds, where it is known: one agent loses sessions that are loaded too soon. */
  | { readonly kind: "resume"; readonly sessionId: string; readonly begunAt?: number }
  /** A new session that remembers another one, up to a point (`SessionLister.pointBefore`) or to its end. */
  | { readonly kind: "fork"; readonly sessionId: string; readonly upTo?: string };

/** What a session needs of the editor. Every path is absolute. */
export interface SessionHost {
  /** The text of a file as the editor has it, unsaved changes included; undefined if there is no such file. */
  readText(path: string): Promise<string | undefined>;
  /** Writes a text that the user has accepted. */
  writeText(path: string, text: string): Promise<void>;
  /** Saves a file's unsaved changes before an agent reads or writes it; true if there were some. Takes at most 2 s. */
  saveIfDirty(path: string): Promise<boolean>;
  /** An agent is about to write a file by itself, and does so when this resolves; absent: nobody wants to know. */
  aboutToWrite?(path: string): Promise<void>;
  /** Problems that the editor knows of a file, one line each. */
  problems(path: string): Promise<readonly Problem[]>;
  /** Whether the user lets agents see a file of that name (the sharing rules). */
  mayRead(path: string): boolean;
  /** Where a path leads that an agent names, links resolved. Rejects with a sentence for one that no agent may name. */
  locate(path: string): Promise<FilePlace>;
  /** What agents may ask about the editor; absent: nothing. */
  readonly view?: EditorView;
}

/** Where a path leads. */
export interface FilePlace {
  /** In one of the workspace's folders. */
  readonly isInside: boolean;
  /** Agents may see the file, by the name that was given and by the one that it leads to. */
  readonly isShared: boolean;
}

/** What the editor shows, for agents that ask. Only what may be read is told. */
export interface EditorView {
  /** Files that are open, the active one first. */
  openFiles(): Promise<readonly OpenFile[]>;
  selection(): Promise<EditorSelection | undefined>;
  /** Shows a file without taking the focus from where the user types; false if it cannot be shown. */
  openFile(path: string, line?: number): Promise<boolean>;
}

export interface OpenFile {
  readonly path: string;
  readonly isActive: boolean;
  /** It has changes that are not saved. */
  readonly isDirty: boolean;
}

/** What is selected in the active editor; an empty text says where the cursor is. */
export interface EditorSelection {
  readonly path: string;
  readonly lines: LineRange;
  readonly text: string;
}

export interface Problem {
  readonly line: number;
  readonly severity: "error" | "warning" | "information" | "hint";
  readonly message: string;
  readonly source?: string;
}

/** The sessions that an agent keeps itself, whoever held them: in a terminal, in another editor. */
export interface SessionLister {
  /** The id of the agent. */
  readonly agent: string;
  /** The sessions of a folder, newest first. Rejects where the agent cannot be asked. */
  list(folder: string): Promise<readonly ListedSession[]>;
  /** What was said in a session, as far as the agent keeps it. Absent where only the agent itself can replay it. */
  history?(session: ListedSession): Promise<readonly Entry[]>;
  /** The point just before a prompt, for `SessionStart.upTo`; undefined where it is not found. */
  pointBefore?(sessionId: string, folder: string, promptId: string): Promise<string | undefined>;
}

export interface ListedSession {
  readonly sessionId: string;
  readonly folder: string;
  readonly title: string;
  /** When it was last used, Unix milliseconds. */
  readonly usedAt: number;
  /** The beginning of what was said last. */
  readonly preview?: string;
}
