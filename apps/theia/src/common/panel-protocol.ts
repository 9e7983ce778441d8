import type { AddedAgent, AgentAsk, AgentWish } from "@patchbay/panel/messages";

export type { AddedAgent, AgentAsk, AgentWish };

/** Where the backend serves {@link PanelServer}; the same channel carries {@link PanelWindow} the other way. Opened with the panel. */
export const panelServerPath = "/services/patchbay-panel";

export const PanelServer: unique symbol = Symbol("PanelServer");

/**
 * What a window asks of its workspace's panel. Conversations are the backend's; a window shows pages of them. Pages are named by
 * their window, and mean nothing in another one.
 */
export interface PanelServer {
  /** What every page of this window is made of. */
  texts(): Promise<PageTexts>;
  /** Says what this window is, first and whenever one of the facts changes. Pages that were there over a lost connection go on. */
  attach(facts: PanelFacts, pages: readonly PageFacts[]): Promise<void>;
  /** A page has been made; it begins with a conversation, or with what it remembers. */
  notifyPage(page: PageFacts): void;
  /** What a page says; the backend parses it. */
  notifySaid(page: string, message: unknown): void;
  /** Whether the user sees a page. `isLoaded`: its frame is there. */
  notifyVisible(page: string, isVisible: boolean, isLoaded: boolean): void;
  /** The user has closed a page. */
  notifyClosed(page: string): void;
  /** Does what a command of the editor's wants. Without a page, with the one that was used last. */
  run(command: PanelCommand, page?: string): Promise<PanelCommandResult>;
}

export interface PageTexts {
  readonly script: string;
  readonly style: string;
}

export interface PageFacts {
  readonly page: string;
  /** Shown first. */
  readonly conversation?: string | undefined;
  readonly isVisible: boolean;
}

export interface PanelFacts {
  /** BCP 47. */
  readonly locale: string;
  readonly sendWith: "enter" | "ctrl-enter";
  readonly isMac: boolean;
  readonly notify: boolean;
  readonly autosave: boolean;
  readonly respectIgnoreFiles: boolean;
  /** The user's own word alone, as it stands in their settings. */
  readonly agents: unknown;
  /** What the window calls what can be mentioned. */
  readonly words: {
    readonly selection: string;
    readonly problems: string;
    /** Why no agent is started. */
    readonly untrusted: string;
    readonly noFolder: string;
  };
}

export type PanelCommand =
  | { readonly kind: "page"; readonly command: "focus" | "find" | "list" }
  /** A new conversation with the agent that the user talked with last. */
  | { readonly kind: "begin" }
  /** Files of the disk, or what is selected or open; goes into the message that is being written. */
  | { readonly kind: "mention"; readonly paths: readonly string[] }
  | { readonly kind: "show"; readonly conversation: string }
  /** The conversation that waits for an answer first. */
  | { readonly kind: "show-waiting" }
  | { readonly kind: "terminal" }
  | { readonly kind: "stop" };

/** `nothing`: there is no conversation, or no file, that the command could be about. */
export type PanelCommandResult = "done" | "nothing";

/** What stands on the tab of a page. */
export interface PageTitle {
  readonly conversation?: string;
  readonly title: string;
  readonly state: "idle" | "running" | "waiting" | "ended" | "failed";
}

/** A file as it was and as it is; absent: there was none, or there is none. */
export interface ShownChange {
  readonly path: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** A program in a new terminal. */
export interface TerminalLaunch {
  readonly title: string;
  readonly folder: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** What the backend asks of the window in which a page stands. */
export interface PanelWindow {
  /** False where the page has no frame now: it says that it is ready when it has one. */
  tellPage(page: string, message: unknown): Promise<boolean>;
  notifyTitle(page: string, title: PageTitle): void;
  /** Shows a file with the focus, after a question where it is outside the workspace. `line` counts from 1. */
  openFile(path: string, line: number | undefined): Promise<void>;
  openText(text: string, language: string): Promise<void>;
  /** Shows changes side by side, read-only. */
  openChanges(changes: readonly ShownChange[], title: string): Promise<void>;
  /** An address of the web. */
  openLink(href: string): Promise<void>;
  insertText(text: string): Promise<void>;
  copy(text: string): Promise<void>;
  openTerminal(launch: TerminalLaunch): Promise<void>;
  openTab(conversation: string): Promise<void>;
  confirmDelete(title: string): Promise<boolean>;
  chooseFolder(folders: readonly string[]): Promise<string | undefined>;
  /** Asks for an agent that is to be added, and again about what came of a try. Reasons are in the user's language. */
  askForAgent(ask: AgentAsk): Promise<AgentWish | undefined>;
  notifyTrying(command: string): void;
  /** Adds it to the user's own preference. */
  saveAgent(id: string, agent: AddedAgent): Promise<void>;
  notifyTold(severity: "info" | "warning" | "error", sentence: string): void;
}
