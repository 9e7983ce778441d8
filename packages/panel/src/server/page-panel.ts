import { createHash } from "node:crypto";
import { basename, isAbsolute, join, relative } from "node:path";
import type { ConversationTurns } from "@patchbay/conversations";
import type { PromptBlock } from "@patchbay/conversations/model";
import {
  type Clock,
  type Companion,
  type EditorHost,
  Emitter,
  type Files,
  isSecretPath,
  type Logger,
  type Platform,
  type ProcessFacts,
  stateDirectory,
} from "@patchbay/core";
import { type CheckedPath, checkPath } from "@patchbay/core/paths";
import type { Texts } from "@patchbay/languages";
import { readTexts } from "@patchbay/languages/node";
import {
  AgentPrograms,
  type AgentProgramSettings,
  type TerminalCommand,
  type TerminalProgram,
} from "../agents/index.ts";
import { createSessionHost, type PanelEditor, PanelHost, type ReviewDesks } from "../host/index.ts";
import {
  type AddedAgent,
  type AgentAsk,
  type AgentWish,
  hostSaysIn,
  type MentionItem,
  panelTextsIn,
  type Said,
  type ShellMessage,
} from "../messages/index.ts";
import { droppedBlocks, FolderFiles, Mentions, openLibrary } from "../workspace/index.ts";
import { type PanelServer, type PanelServerOptions, startPanelServer } from "./panel-server.ts";

export interface PagePanelOptions
  extends Pick<PanelServerOptions, "pageDirectory" | "locale" | "port" | "deskSecret" | "beginWith" | "onIdle">,
    Pick<PageEditorOptions, "showFile"> {
  /** The editor in whose process this runs, or what stands for it. */
  readonly host: EditorHost;
  /** Reviews the changes that conversations ask for. It need not have been started. */
  readonly companion: Pick<Companion, "review" | "reveal" | "conversationEnded" | "mayName">;
  /** Reviews that the page shows; absent: the editor does. */
  readonly reviews?: ReviewDesks;
  /** Hears of what agents do to files, and knows what they changed. */
  readonly turns?: Omit<ConversationTurns, "agentName">;
  readonly platform: Platform;
  readonly logger: Logger;
  /** Of Patchbay, as agents are told. */
  readonly version: string;
  /** Absolute: where the conversations are kept. */
  readonly storageDirectory: string;
  readonly settings: AgentProgramSettings & Pick<PanelEditor, "saveAgent">;
}

/** The panel of a folder in a browser. */
export interface PagePanel extends Pick<PanelServer, "port" | "url"> {
  readonly panels: PanelHost;
  /** Says something in the page in which the user is. */
  readonly tell: PageEditor["tell"];
  /** Whether a process is an agent of this panel, which is not to connect to the companion as well. */
  isOwn(pid: number): boolean;
  /** Ends the server and all agents: what was said is on disk when this resolves. */
  close(): Promise<void>;
  /** The last moment of the process: nothing of the agents stays. */
  endNow(): void;
}

/** Opens the panel as a page on the loopback interface. Nothing is started before the page asks. */
export async function startPagePanel(options: PagePanelOptions): Promise<PagePanel> {
  const { host, companion, reviews, turns, platform, logger, version, settings, locale } = options;
  const { clock, files } = platform;
  const isWindows = platform.process.platform === "win32";
  const mayName = (path: string): boolean => companion.mayName(path);
  const texts = readTexts(join(options.pageDirectory, "languages"), locale);
  const programs = new AgentPrograms({ platform, logger, version, settings });
  const editor = new PageEditor({
    host,
    locale,
    texts,
    mayName,
    clock,
    files,
    isWindows,
    tell: (message) => server.tell(message),
    showFile: options.showFile,
    saveAgent: async (id, agent) => await settings.saveAgent(id, agent),
    programFor: async (agent) => await programs.inTerminal(agent),
    commandFor: async (agent, command) => await programs.commandInTerminal(agent, command),
  });
  const agentName = (agent: string): string => panels.agents.find(({ id }) => id === agent)?.name ?? agent;
  const panels: PanelHost = new PanelHost({
    editor,
    files,
    companion,
    ...(reviews === undefined ? {} : { reviews }),
    clock,
    logger,
    agents: programs.known,
    trials: programs,
    findAgents: async () => await programs.find(),
    conversations: openLibrary({
      platform,
      logger,
      directory: join(options.storageDirectory, "conversations"),
      host: createSessionHost({ host, files, clock, isShared: mayName, isWindows }),
      connect: (request) => programs.connect(request),
      listers: programs.listers,
      ...(turns === undefined ? {} : { turns: { ...turns, agentName } }),
    }),
  });
  const { pageDirectory, port, deskSecret, beginWith, onIdle } = options;
  const how = { pageDirectory, locale, texts, port, deskSecret, beginWith, onIdle };
  const server = await startPanelServer({ panels, clock, logger, ...how });
  return {
    panels,
    tell: (severity, sentence) => editor.tell(severity, sentence),
    port: server.port,
    url: () => server.url(),
    isOwn: (pid) => programs.isOwn(pid),
    close: async () => {
      await server.close();
      await panels.close();
    },
    endNow: () => programs.endNow(),
  };
}

/**
 * Where the panel of a folder keeps its conversations. It is the same for the terminal and for editors without a storage of their own for each workspace, so that each finds what was said in the others.
 */
export function panelDirectory(
  process: Pick<ProcessFacts, "environment" | "homeDirectory" | "platform">,
  folder: string,
): string {
  return stateDirectory(process, ["panel", createHash("sha256").update(folder).digest("hex").slice(0, 16)]);
}

/** Longest selection that goes with a prompt, UTF-8 bytes. */
const longestSelection = 65_536;

/** A longer file is not shown in the page, bytes. */
const longestFile = 1024 * 1024;

/** The texts of the dialog for a new agent. */
const agentWords = [
  "title",
  "command",
  "hint",
  "try",
  "trying",
  "answered",
  "signIn",
  "noSignIn",
  "name",
  "add",
  "anyway",
  "words",
  "cancel",
] as const;

interface PageEditorOptions {
  /** The editor that there is, or what stands for it. */
  readonly host: EditorHost;
  readonly locale: string;
  /** In the user's language. */
  readonly texts: Texts;
  /** Whether agents may know of a file. */
  readonly mayName: (path: string) => boolean;
  readonly clock: Clock;
  readonly files: Files;
  /** Whether paths are those of Windows. */
  readonly isWindows: boolean;
  /** Has the page say or show something. */
  readonly tell: (message: ShellMessage) => void;
  /** Shows a file in an editor; absent, or false: there is none, and the page shows it. */
  readonly showFile?: ((path: string, line: number | undefined) => Promise<boolean>) | undefined;
  readonly saveAgent: PanelEditor["saveAgent"];
  readonly programFor: (agent: string) => Promise<TerminalProgram>;
  readonly commandFor: (agent: string, command: readonly string[]) => Promise<TerminalCommand | undefined>;
}

/** The editor of a panel that stands in a browser: what no editor is there for, the page does itself. */
class PageEditor implements PanelEditor {
  readonly strings: PanelEditor["strings"];
  readonly onDidChangeSettings: PanelEditor["onDidChangeSettings"];
  readonly onDidChangeSelection: PanelEditor["onDidChangeSelection"];
  readonly #options: PageEditorOptions;
  readonly #said: Said;
  readonly #changed: Emitter<void> = new Emitter();
  /** Who waits for what the user says in the dialog of the page. */
  #wishing: ((wish: AgentWish | undefined) => void) | undefined;
  /** The dialog was closed while a program was tried. */
  #hasLeft = false;
  readonly #mentions: Mentions;

  constructor(options: PageEditorOptions) {
    const { host, texts } = options;
    this.#options = options;
    const strings = panelTextsIn(texts);
    this.strings = { ...strings, "head.tab": strings["connection.tab"] ?? "" };
    this.#said = hostSaysIn(texts);
    host.workspace.onDidChangeFolders(() => this.#changed.fire());
    this.onDidChangeSettings = this.#changed.event;
    this.#mentions = this.#createMentions();
    this.onDidChangeSelection = (listener) => host.editors.onDidChange(() => listener());
  }

  settings(): ReturnType<PanelEditor["settings"]> {
    const { host, locale } = this.#options;
    return { locale, sendWith: "enter", isMac: process.platform === "darwin", folders: host.workspace.folders() };
  }

  async chooseFolder(): Promise<string | undefined> {
    const { host } = this.#options;
    const folders = host.workspace.folders();
    const active = host.editors.active()?.path;
    return folders.find((folder) => active !== undefined && isWithin(folder, active)) ?? folders[0];
  }

  selection(): PromptBlock | undefined {
    const active = this.#options.host.editors.active();
    if (active?.selection === undefined || !this.#mayName(active.path)) return undefined;
    const { start, end } = active.selection;
    const lines = { start: start.line + 1, end: end.line + 1 };
    const range = lines.start === lines.end ? `${lines.start}` : `${lines.start}–${lines.end}`;
    const title = `${basename(active.path)} ${range}`;
    return { type: "excerpt", title, path: active.path, lines, text: active.readSelection(longestSelection) };
  }

  async mentions(query: string, folder: string): Promise<readonly MentionItem[]> {
    return await this.#mentions.find(query, folder);
  }

  async pick(itemId: string): Promise<readonly PromptBlock[]> {
    return await this.#mentions.pick(itemId);
  }

  async dropped(uris: readonly string[]): Promise<readonly PromptBlock[]> {
    return droppedBlocks(uris, (path) => this.#mayName(path));
  }

  async openFile(path: string, line: number | undefined): Promise<void> {
    const { files, showFile } = this.#options;
    const found = await this.#find(path);
    if (found === "outside") {
      return this.tell("warning", "This file is outside the folder, so it is not opened here.");
    }
    if (found !== undefined && (await showFile?.(path, line)) === true) return;
    // What was checked is read, whatever stands by its name by now.
    const bytes = found === undefined ? undefined : await files.readReal(found.real, longestFile, found.facts);
    if (bytes === undefined) return this.tell("warning", "This file cannot be shown in the page.");
    this.#show(path, new TextDecoder().decode(bytes));
  }

  /** A file in the folder, also by where links lead: an answer may name any path. Undefined: there is no such file. */
  async #find(path: string): Promise<CheckedPath | "outside" | undefined> {
    const { host, files, isWindows } = this.#options;
    const folders = host.workspace.folders();
    if (!isAbsolute(path) || !folders.some((folder) => isWithin(folder, path))) return "outside";
    const realFolders = async (): Promise<readonly string[]> => {
      const real = await Promise.all(folders.map((folder) => files.realPath(folder).catch(() => undefined)));
      return real.filter((folder) => folder !== undefined);
    };
    const found = await checkPath(path, { files, isWindows, realFolders }).catch(() => undefined);
    return found?.inside === false ? "outside" : found;
  }

  async openDocument(text: string): Promise<void> {
    this.#show("", text);
  }

  async openLink(href: string): Promise<void> {
    if (/^https?:\/\//iu.test(href)) this.#options.tell({ type: "link", href });
  }

  async insertText(): Promise<void> {
    this.tell("info", "There is no editor here to insert this into.");
  }

  /** Pages in a browser copy by themselves. */
  async copy(text: string): Promise<void> {
    this.#show("", text);
  }

  async runInTerminal(agent: string, _title: string, command: readonly string[], folder: string): Promise<void> {
    const launch = await this.#options.commandFor(agent, command);
    if (launch !== undefined) this.#showCommand(folder, launch);
  }

  async startInTerminal(agent: string, folder: string, sessionId?: string): Promise<void> {
    const launch = await this.#options.programFor(agent);
    const { name, args, resumeOption } = launch;
    if (sessionId !== undefined && resumeOption === undefined) {
      return this.tell("info", `${name} cannot continue a conversation in a terminal.`);
    }
    const resumed = sessionId === undefined || resumeOption === undefined ? [] : [resumeOption, sessionId];
    this.#showCommand(folder, { ...launch, args: [...args, ...resumed] });
  }

  /** In the page that the user is in. One that is gone is asked no more: the next one begins anew. */
  async askForAgent(ask: AgentAsk): Promise<AgentWish | undefined> {
    this.#wishing?.(undefined);
    const { trial } = ask;
    const hasLeft = this.#hasLeft;
    this.#hasLeft = false;
    if (trial !== undefined && hasLeft) return undefined;
    const said = trial?.kind === "failed" ? { ...trial, reason: this.#said(trial.reason) } : trial;
    const words = Object.fromEntries(agentWords.map((word) => [word, this.strings[`addAgent.${word}`] ?? ""]));
    this.#options.tell({ type: "agent", ask: { ...ask, ...(said === undefined ? {} : { trial: said }) }, words });
    return await new Promise((resolve) => (this.#wishing = resolve));
  }

  hearWish(wish: AgentWish | undefined): void {
    const wishing = this.#wishing;
    this.#wishing = undefined;
    if (wishing === undefined) this.#hasLeft = wish === undefined;
    else wishing(wish);
  }

  async saveAgent(id: string, agent: AddedAgent): Promise<void> {
    await this.#options.saveAgent(id, agent);
    this.#changed.fire();
  }

  /** Pages in a browser open tabs by themselves. */
  async openInTab(): Promise<void> {}

  /** The page has asked. */
  async confirmDelete(): Promise<boolean> {
    return true;
  }

  tell(severity: "info" | "warning" | "error", sentence: string): void {
    this.#options.tell({ type: "tell", severity, sentence: this.#said(sentence) });
  }

  #show(title: string, text: string): void {
    this.#options.tell({ type: "text", title, text });
  }

  /** The user types it where they want: a page opens no terminal. */
  #showCommand(folder: string, { program, args }: TerminalCommand): void {
    const title = this.strings["connection.terminal"] ?? "";
    this.#show(title, `cd ${quoted(folder)}\n${[program, ...args].map(quoted).join(" ")}\n`);
  }

  #createMentions(): Mentions {
    const { host, clock } = this.#options;
    // Whoever opens the panel of a folder by its name trusts it.
    const files = new FolderFiles({
      clock,
      respectsIgnoreFiles: () => true,
      isTrusted: () => host.workspace.trusted() !== false,
    });
    return new Mentions({
      clock,
      files,
      openFiles: () => host.editors.openFiles(),
      selection: () => this.selection(),
      mayName: (path) => this.#mayName(path),
      shownPath: (path) => {
        const folder = host.workspace.folders().find((one) => isWithin(one, path));
        return folder === undefined ? path : relative(folder, path);
      },
      problems: async () => [],
      words: {
        selection: this.strings["mention.selection"] ?? "",
        problems: "",
        terminalOutput: "",
        terminal: () => "",
      },
    });
  }

  #mayName(path: string): boolean {
    return !isSecretPath(path) && this.#options.mayName(path);
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}

/** As a word for a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
