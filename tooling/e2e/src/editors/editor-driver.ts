import type { Lab } from "../support/lab.ts";
import type { ConversationPanel } from "./vscode/conversation-panel.ts";
import type { Terminal } from "../terminals/terminal.ts";

export type EditorId = "vscode" | "theia" | "coc-vim" | "coc-neovim" | "serve" | "page";

/**
 * What a scenario does in an editor, as a user would do it. One driver per editor; scenarios know nothing else.
 * A driver opens the lab's workspace with Patchbay installed. Waits are bounded and say what they waited for.
 */
export interface EditorDriver {
  readonly id: EditorId;
  /** What agents show as the editor's name. */
  readonly displayName: string;
  /** Whether the agents' connections outlive a reload of the window. */
  readonly keepsConnections?: boolean;
  /** Whether conversations go on over a reload of the window. */
  readonly keepsConversations?: boolean;
  /** Resolves when the window is usable and Patchbay listens. */
  start(lab: Lab): Promise<void>;
  /** Ends everything `start` began. Idempotent. */
  stop(): Promise<void>;
  /** Opens a terminal of the editor, with the environment the editor gives it. It has the focus afterwards. */
  openTerminal(): Promise<EditorTerminal>;
  /** The terminal that Patchbay has just opened itself; needed where there is `openPanel`. */
  takeTerminal?(): Promise<EditorTerminal>;
  /** Shows a file of the workspace, by its name, in the foreground and with the focus. */
  openFile(name: string): Promise<void>;
  /** Selects a whole line of the file in the foreground, 1-based, without its line break. */
  selectLine(line: number): Promise<void>;
  /** Types text where the cursor is in the file in the foreground; needed where there is `setAutoSave`. */
  typeInFile?(text: string): Promise<void>;
  /** Gives Patchbay's command that names the selected lines in the agents' prompts. */
  sendSelection(): Promise<void>;
  /** The proposal's views that are open now: what their tabs or windows are called. */
  openDiffs(): Promise<readonly string[]>;
  /** How many tabs have such a title, whoever's they are; absent where there are none. */
  tabsNamed?(title: RegExp): Promise<number>;
  /** Brings the only view whose title matches to the front. */
  showDiff(title: RegExp): Promise<void>;
  /** Presses the accept button, or what stands for it, of the view in the foreground. */
  acceptDiff(): Promise<void>;
  rejectDiff(): Promise<void>;
  /** Rejects the proposal in the foreground and says why; absent where the edition has no such input. */
  rejectWithReason?(reason: string): Promise<void>;
  /** Says which writes of agents with a hook are reviewed, in the user's settings; absent where the edition has no such setting. */
  setReviews?(reviews: Readonly<Record<string, unknown>>): Promise<void>;
  /** Accepts all proposals by the editor's own command, and its question answered; absent where the driver cannot. */
  acceptAll?(): Promise<void>;
  /** Goes from the proposal in the foreground back to the panel; absent where both are seen. */
  leaveDiff?(): Promise<void>;
  /** Types text at the end of the first line of the proposal in the foreground. */
  typeInDiff(text: string): Promise<void>;
  /** The first line of the proposal in the foreground; empty where none is there yet. */
  readDiff(): Promise<string>;
  /** The whole proposal in the foreground; absent where the driver cannot tell. */
  diffText?(): Promise<string>;
  /** Saves the proposal in the foreground as one saves a file; absent where that means nothing. */
  saveDiff?(): Promise<void>;
  /** Closes the proposal in the foreground as one closes a file, giving up what was typed into it if asked. */
  closeDiff?(): Promise<void>;
  /** Presses "Save to File" of the kept text in the foreground; absent where the driver cannot. */
  saveKept?(): Promise<void>;
  /** Saves what was accepted for a file and not written, where the editor says so; gives what it said. Absent where the driver cannot. */
  saveUnwritten?(file: string): Promise<string>;
  /** Presses the button of the newest notification that has it, and says what stood there; absent where the driver cannot. */
  answerNotification?(button: string): Promise<string>;
  /** Rejects the shell command that is asked about, and says why; absent where no reason can be said there. */
  rejectCommand?(reason: string): Promise<void>;
  /** What the actions above the view in the foreground are called; absent where the driver cannot tell. */
  titleActions?(): Promise<readonly string[]>;
  /** Kills the process in which Patchbay runs, with -9, and nothing else; absent where that is the editor itself. */
  killHost?(): Promise<void>;
  /** Gives the command that shows a made-up review; absent where the driver cannot. */
  tryReview?(): Promise<void>;
  /** Answers what comes after it, and gives what stood there; needed where there is `tryReview`. */
  answerTrial?(answer: "again" | "leave"): Promise<string>;
  /** Starts the window anew, with its terminals kept, and says when the old one went, Unix milliseconds; absent where there is no such thing. */
  reload?(): Promise<number>;
  /** Ends the program that has the conversations, and starts it again; absent where that is the editor itself. */
  restartHost?(lab: Lab): Promise<void>;
  /** Shows the conversation panel; absent where there is none. */
  openPanel?(): Promise<ConversationPanel>;
  /** Resolves when Patchbay itself shows that this agent is connected; absent where nothing shows it. */
  waitForAgent?(displayName: string): Promise<void>;
  /** Turns on or off that the editor saves files by itself, soon after a change; absent where it never does. */
  setAutoSave?(on: boolean): Promise<void>;
  /** Whether keys go to a terminal now. */
  isTerminalFocused(): Promise<boolean>;
  /** How many errors the editor shows for the workspace; absent where the driver cannot tell. */
  countErrors?(): Promise<number>;
  /** The same with warnings. */
  countProblems?(): Promise<number>;
  /** What the window told the user in notifications since the last call; absent where the driver cannot tell. */
  takeMessages?(): readonly string[];
  /** Closes all terminals and files, for the next scenario. */
  clear(): Promise<void>;
  /** A picture, where the editor has a window. */
  screenshot(file: string): Promise<void>;
  /** What Patchbay and the editor logged, for a failure's report. */
  logs(): Promise<string>;
}

/** A terminal of an editor. */
export interface EditorTerminal extends Terminal {
  /** Brings it to the front and gives it the focus. */
  focus(): Promise<void>;
}
