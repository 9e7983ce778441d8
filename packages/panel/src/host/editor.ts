import type { Event } from "@patchbay/core";
import type { FileChange, PromptBlock } from "@patchbay/conversations/model";
import type { AddedAgent, AgentAsk, AgentWish, MentionItem, PanelSettings } from "../messages/index.ts";

/**
 * PORT: what an editor does for its panel. All paths are absolute. What comes from a page or from an agent is checked again by
 * the editor: a path may lead anywhere, an address may be any text. Whoever throws costs one action, which is logged.
 */
export interface PanelEditor {
  settings(): PanelSettings;
  readonly onDidChangeSettings: Event<void>;
  /** Which of several folders a new conversation is for; the user may be asked. Undefined: they chose none. */
  chooseFolder(): Promise<string | undefined>;
  /** Every text of the page by its key (`panelStrings`), in the user's language. */
  readonly strings: Readonly<Record<string, string>>;
  /** What is selected in the active editor, as it would be sent; undefined: nothing, or nothing that may be shared. */
  selection(): PromptBlock | undefined;
  readonly onDidChangeSelection: Event<void>;
  /** What a mention may stand for, the best first; at most a few dozen. */
  mentions(query: string, folder: string): Promise<readonly MentionItem[]>;
  /** What an item without a block stands for. */
  pick(itemId: string): Promise<readonly PromptBlock[]>;
  /** What URIs that were dropped stand for, an address of the web for itself; empty for what is no file that may be named. */
  dropped(uris: readonly string[]): Promise<readonly PromptBlock[]>;
  /** Shows a file, with the focus. `line` counts from 1. */
  openFile(path: string, line: number | undefined): Promise<void>;
  /** Shows a text in a new unsaved document. */
  openDocument(text: string, language: string): Promise<void>;
  /** Shows changes that are no reviews, in one editor: both sides read-only. Absent: the page shows them itself. */
  openChanges?(changes: readonly FileChange[], title: string): Promise<void>;
  /** Opens an address in the browser: http and https only, and the user is asked where the editor asks. */
  openLink(href: string): Promise<void>;
  /** Puts a text at the cursor of the editor that was active last. */
  insertText(text: string): Promise<void>;
  copy(text: string): Promise<void>;
  /** Runs a command of an agent's own in a terminal, e.g. its sign-in, with what the agent itself is started with. */
  runInTerminal(agent: string, title: string, command: readonly string[], folder: string): Promise<void>;
  /** Starts an agent in a terminal, as its user would: to sign in, or to continue a session there. */
  startInTerminal(agent: string, folder: string, sessionId?: string): Promise<void>;
  /** Asks the user for an agent that is to be added, by its command; and again about what came of that. Undefined: for none. */
  askForAgent(ask: AgentAsk): Promise<AgentWish | undefined>;
  /** Shows that a program is started and has not answered yet. Absent: who asks shows it. */
  tryingAgent?(command: string, trying: Promise<unknown>): void;
  /** Keeps an agent in the user's own settings, beside what is there. */
  saveAgent(id: string, agent: AddedAgent): Promise<void>;
  /** What was said in a dialog of a page that stands by itself. */
  hearWish?(wish: AgentWish | undefined): void;
  openInTab(conversationId: string): Promise<void>;
  /** Asks before something is deleted. */
  confirmDelete(title: string): Promise<boolean>;
  /** Tells what could not be done. */
  tell(severity: "info" | "warning" | "error", sentence: string): void;
}

/** The way to one page: a view, a tab or a frame. It may be gone at any time. */
export interface PageChannel {
  /** False where there is no page just now: what was said is lost, and the next `ready` is answered with everything. */
  post(message: unknown): Promise<boolean>;
  readonly onMessage: Event<unknown>;
}
