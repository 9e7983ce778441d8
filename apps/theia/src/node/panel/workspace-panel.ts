import { join } from "node:path";
import {
  type Companion,
  type Disposable,
  Emitter,
  type Event,
  isSecretPath,
  type Logger,
  type Platform,
  type TurnLedger,
  type TurnWitness,
} from "@patchbay/core";
import { AgentPrograms } from "@patchbay/panel/agents";
import { createSessionHost, PanelHost } from "@patchbay/panel/host";
import type { ConversationSummary } from "@patchbay/panel/messages";
import { FolderFiles, openLibrary } from "@patchbay/panel/workspace";
import type { PanelFacts } from "../../common/panel-protocol.ts";
import type { WorkspaceHost } from "../workspace-host.ts";
import { type PanelWorkspace, WindowEditor } from "./window-editor.ts";

export interface WorkspacePanelOptions {
  readonly host: WorkspaceHost;
  readonly companion: Companion;
  /** Of the first window that opens it. */
  readonly facts: PanelFacts;
  /** Sees what agents change, and knows it. */
  readonly turns: { readonly witness: TurnWitness; readonly ledger: TurnLedger };
  readonly platform: Platform;
  readonly logger: Logger;
  /** Of Patchbay, as agents are told. */
  readonly version: string;
}

/** A window that shows pages. */
interface PanelOfWindow {
  shows(conversation: string): boolean;
  updateTitles(summaries: readonly ConversationSummary[]): void;
}

/** The conversations of one workspace. They are the backend's: windows come and go, and show them. */
export class WorkspacePanel implements PanelWorkspace, Disposable {
  readonly panels: PanelHost;
  readonly programs: AgentPrograms;
  readonly files: FolderFiles;
  readonly options: WorkspacePanelOptions;
  readonly #windows: Set<PanelOfWindow> = new Set();
  readonly #states: Map<string, ConversationSummary["state"]> = new Map();
  readonly #changed: Emitter<void> = new Emitter();
  readonly #editor: WindowEditor;
  #facts: PanelFacts;
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(options: WorkspacePanelOptions) {
    const { host, companion, facts, turns, platform, logger, version } = options;
    const agentName = (agent: string): string => this.panels.agents.find(({ id }) => id === agent)?.name ?? agent;
    const { clock, files, process } = platform;
    this.options = options;
    this.#facts = facts;
    this.programs = new AgentPrograms({
      platform,
      logger,
      version,
      settings: {
        agents: () => this.#facts.agents,
        autosave: () => this.#facts.autosave,
        reasonNotToStart: () => this.reasonNotToStart(this.#facts),
      },
    });
    companion.excludeProcesses((pid) => this.programs.isOwn(pid));
    this.files = new FolderFiles({
      clock,
      respectsIgnoreFiles: () => this.#facts.respectIgnoreFiles,
      isTrusted: () => host.workspace.trusted() === true,
    });
    const isShared = (path: string): boolean => companion.mayName(path);
    const isWindows = process.platform === "win32";
    this.#editor = new WindowEditor({ workspace: this, window: undefined, client: undefined });
    this.panels = new PanelHost({
      editor: this.#editor,
      files,
      companion,
      clock,
      logger,
      agents: this.programs.known,
      trials: this.programs,
      findAgents: async () => await this.programs.find(),
      conversations:
        host.storageDirectory === undefined
          ? undefined
          : openLibrary({
              platform,
              logger,
              directory: conversationsIn(host.storageDirectory),
              host: createSessionHost({ host, files, clock, isShared, isWindows }),
              connect: (request) => this.programs.connect(request),
              turns: { witness: turns.witness, ledger: turns.ledger, agentName },
              listers: this.programs.listers,
            }),
    });
    this.panels.onDidChange(() => this.#update());
    // Also where no window has a page.
    this.panels.library.onDidChange(() => this.#update());
  }

  /** How many questions wait for an answer. */
  get waiting(): number {
    return this.panels.library.waiting;
  }

  /** A turn is running, or a question waits: somebody comes back for it. */
  get isAtWork(): boolean {
    return this.panels.library.isAtWork;
  }

  /** What the window says that its user was in last. */
  get facts(): PanelFacts {
    return this.#facts;
  }

  /** Whether agents may know of a file. */
  mayName(path: string): boolean {
    return !isSecretPath(path) && this.options.companion.mayName(path);
  }

  /** Why nothing is started here, in the words of a window. */
  reasonNotToStart({ words }: PanelFacts): string | undefined {
    const { workspace } = this.options.host;
    if (workspace.trusted() !== true) return words.untrusted;
    return workspace.folders().length === 0 ? words.noFolder : undefined;
  }

  join(window: PanelOfWindow): void {
    this.#windows.add(window);
  }

  leave(window: PanelOfWindow): void {
    this.#windows.delete(window);
  }

  /** A window has new settings: they are the user's, whichever window says them. */
  updateFacts(facts: PanelFacts): void {
    this.#facts = facts;
    this.#editor.update(facts);
  }

  /** Ends all agents: what was said is on disk when this resolves. */
  async close(): Promise<void> {
    await this.panels.close();
    this.dispose();
  }

  /** The last moment of the process: nothing of the agents stays. */
  endNow(): void {
    this.programs.endNow();
  }

  dispose(): void {
    this.#editor.dispose();
    this.#changed.dispose();
  }

  #update(): void {
    const { summaries } = this.panels.library;
    for (const window of this.#windows) window.updateTitles(summaries);
    for (const conversation of summaries) {
      // It is listed with its first prompt, and may wait by then.
      const before = this.#states.get(conversation.id) ?? "idle";
      this.#states.set(conversation.id, conversation.state);
      if (before !== conversation.state) void this.#tell(conversation, before);
    }
    this.#changed.fire();
  }

  /** Says in the window used last what nobody sees. */
  async #tell(conversation: ConversationSummary, before: ConversationSummary["state"]): Promise<void> {
    const { host, companion } = this.options;
    const agent = this.panels.agents.find(({ id }) => id === conversation.agent)?.name ?? conversation.agent;
    const text = sentenceFor(conversation, before, agent);
    const isSeen =
      Array.from(this.#windows).some((window) => window.shows(conversation.id)) ||
      companion.proposals.some(({ conversationId }) => conversationId === conversation.id);
    if (text === undefined || isSeen || !this.#facts.notify) return;
    const window = host.windows.lastUsed();
    const message = { code: "conversation", severity: "info", text, values: {}, actions: ["Show"] } as const;
    if ((await host.messages.show(message)) === undefined) return;
    window?.notify((client) => client.notifyConversation(conversation.id));
  }
}

/** What is told of a change; undefined where nobody needs to know it. */
function sentenceFor(
  { state, title }: ConversationSummary,
  before: ConversationSummary["state"],
  agent: string,
): string | undefined {
  if (state === "waiting") return `${agent} is waiting for your answer: ${title}`;
  const wasAtWork = before === "running" || before === "waiting";
  if (!wasAtWork || state === "running") return undefined;
  if (state === "failed") return `${agent} could not go on: ${title}`;
  return state === "idle" ? `${agent} has finished: ${title}` : undefined;
}

/** A second backend on a workspace has a directory of its own; conversations are the workspace's, and claimed one by one. */
function conversationsIn(storageDirectory: string): string {
  return join(storageDirectory.replace(/-[2-9]$/u, ""), "conversations");
}

export function createWorkspacePanel(options: WorkspacePanelOptions): WorkspacePanel {
  return new WorkspacePanel(options);
}
