import {
  type AgentId,
  type AgentSettings,
  createNodePlatform,
  type EditorContext,
  type EditorFinding,
  type Explanation,
  formatLogLine,
  type Hunk,
  type HunkDecision,
  type KeptTextSaving,
  type LoadOnce,
  type LogFields,
  type Logger,
} from "@patchbay/core";
import type { UndoRequest } from "@patchbay/turns";
import { connectingLine, examineAgents, examineEditor, explainFinding } from "@patchbay/core/diagnosis";

import type { AgentHooks } from "./agent-hooks.ts";
import { backendTexts } from "./languages/backend-texts.ts";
import type {
  Attachment,
  HookAction,
  HookPlan,
  HookState,
  LineRange,
  LinesPlace,
  LinesUndone,
  ListedTurn,
  PatchbayServer,
  PatchbayWindow,
  TurnMark,
  TurnUndone,
  Verdict,
  WindowContext,
  WindowFacts,
} from "../common/protocol.ts";

import type { WorkspaceCompanion } from "./workspace-companion.ts";
import { type AfterTrial, tryReview } from "./review-trial.ts";
import type { Workspaces } from "./workspaces.ts";

type ReadAgentSettings = (folder: string | undefined) => Promise<readonly AgentSettings[]>;

/** A terminal's shell stands a few processes above what runs in it. */
const mostProcesses = 32;

/** The backend's end of one window's connection. */
export class WindowService implements PatchbayServer {
  readonly #client: PatchbayWindow;
  readonly #workspaces: Workspaces;
  readonly #readAgentSettings: ReadAgentSettings;
  readonly #hooks: LoadOnce<AgentHooks>;
  readonly #stopReading: () => void;
  /** A connection that is new may bring wishes before it says whose it is. */
  // oxlint-disable-next-line patchbay/no-kept-promise -- Resolves once, whatever came of it.
  readonly #introduced: Promise<void>;
  #introduce: () => void = () => {};

  constructor(
    client: PatchbayWindow,
    workspaces: Workspaces,
    log: LogFanOut,
    readSettings: ReadAgentSettings,
    hooks: LoadOnce<AgentHooks>,
  ) {
    this.#hooks = hooks;
    this.#client = client;
    this.#workspaces = workspaces;
    this.#readAgentSettings = readSettings;
    this.#stopReading = log.read((lines) => client.notifyLog(lines));
    this.#introduced = new Promise((resolve) => {
      this.#introduce = resolve;
    });
  }

  async attach(facts: WindowFacts): Promise<Attachment> {
    try {
      return await this.#workspaces.attach(this.#client, facts);
    } finally {
      this.#introduce();
    }
  }

  notifyContext(context: WindowContext): void {
    void this.#workspaces.companionOf(this.#client).then((companion) => {
      const window = this.#workspaces.windowOf(this.#client);
      if (window !== undefined && companion?.host.windows.has(window) === true) {
        companion.host.windows.updateContext(window, context);
      }
    });
  }

  notifyDraft(proposalId: string, text: string): void {
    void this.#companion().then((companion) => companion?.host.diffs.find(proposalId)?.drafted(text));
  }

  notifyUnsaved(path: string): void {
    void this.#companion().then((companion) => companion?.host.unsavedChanged(path));
  }

  notifyProblems(paths: readonly string[]): void {
    void this.#companion().then((companion) => companion?.host.problemsChanged(paths));
  }

  async decide(proposalId: string, verdict: Verdict): Promise<boolean> {
    const view = (await this.#companion())?.host.diffs.find(proposalId);
    view?.decide(verdict);
    return view !== undefined;
  }

  async showCommand(id: string): Promise<boolean> {
    return (await this.#companion())?.companion.commands?.show(id) ?? false;
  }

  async startLine(agent: AgentId, line: string): Promise<string> {
    const [folder] = (await this.#companion())?.host.workspace.folders() ?? [];
    return folder === undefined ? line : await connectingLine(createNodePlatform(), { agent, folder, line });
  }

  async withParents(processes: readonly number[]): Promise<readonly number[]> {
    const { process } = createNodePlatform();
    const found = new Set<number>();
    for (const first of processes.slice(0, mostProcesses)) {
      let pid: number | undefined = first;
      while (pid !== undefined && pid > 1 && found.size < mostProcesses && !found.has(pid)) {
        found.add(pid);
        pid = await process.parentOf(pid);
      }
    }
    return Array.from(found);
  }

  async rejectWithReason(proposalId: string, reason: string): Promise<"told" | "rejected" | "ended"> {
    const companion = (await this.#companion())?.companion;
    const isTold = companion?.proposals.find(({ id }) => id === proposalId)?.readsReasons === true;
    if ((await companion?.reject(proposalId, reason === "" ? undefined : reason)) !== true) return "ended";
    return isTold ? "told" : "rejected";
  }

  async hooks(): Promise<readonly HookState[]> {
    return await (await this.#hooks.get()).list();
  }

  async planHook(agent: AgentId, action: HookAction): Promise<HookPlan> {
    return await (await this.#hooks.get()).plan(agent, action);
  }

  async applyHook(): Promise<string | undefined> {
    return await (await this.#hooks.get()).apply();
  }

  async decideAll(verdict: "accept" | "reject", proposalIds: readonly string[]): Promise<number> {
    const companion = (await this.#companion())?.companion;
    if (companion === undefined) return 0;
    if (verdict === "accept") return proposalIds.length - (await companion.acceptAll(proposalIds)).length;
    let decided = 0;
    for (const id of proposalIds) if (await companion.reject(id)) decided++;
    return decided;
  }

  async saveKeptText(id: string): Promise<KeptTextSaving | undefined> {
    return await (await this.#companion())?.companion.saveKeptText(id);
  }

  async readKeptText(id: string): Promise<string | undefined> {
    return await (await this.#companion())?.companion.readKeptText(id);
  }

  async discardKeptText(id: string): Promise<boolean> {
    return (await (await this.#companion())?.companion.discardKeptText(id)) ?? false;
  }

  async hunks(proposalId: string): Promise<readonly Hunk[] | undefined> {
    return await (await this.#companion())?.companion.hunks(proposalId);
  }

  async decideHunk(proposalId: string, verdict: "accept" | "reject", line: number): Promise<HunkDecision> {
    return (await (await this.#companion())?.companion.decideHunk(proposalId, verdict, line)) ?? { kind: "ended" };
  }

  async undoHunk(proposalId: string): Promise<boolean> {
    return (await (await this.#companion())?.companion.undoHunk(proposalId)) ?? false;
  }

  async hold(proposalId: string): Promise<boolean> {
    return (await (await this.#companion())?.companion.hold(proposalId)) ?? false;
  }

  async reveal(proposalId: string): Promise<boolean> {
    return (await (await this.#companion())?.companion.reveal(proposalId)) ?? false;
  }

  async mention(path: string, lines?: LineRange): Promise<number> {
    return (await this.#companion())?.companion.mention(path, lines) ?? 0;
  }

  async turns(): Promise<readonly ListedTurn[]> {
    return (await this.#companion())?.turns.list() ?? [];
  }

  async keepTurn(turn: string, path?: string): Promise<boolean> {
    return (await (await this.#companion())?.turns.keep(turn, path)) ?? false;
  }

  async turnMarks(path: string, text: string): Promise<readonly TurnMark[]> {
    return (await (await this.#companion())?.turns.marksIn(path, text)) ?? [];
  }

  async decideLines(verdict: "keep" | "undo", place: LinesPlace): Promise<readonly LinesUndone[] | undefined> {
    return await (await this.#companion())?.turns.decideLines(verdict, place);
  }

  async undoTurn(turn: string, request: UndoRequest): Promise<TurnUndone | undefined> {
    return await (await this.#companion())?.turns.undo(turn, request);
  }

  async undoWaitingTurn(turn: string, request: UndoRequest): Promise<TurnUndone | undefined> {
    return await (await this.#companion())?.turns.undoWaiting(turn, request);
  }

  async bringBack(): Promise<TurnUndone | undefined> {
    return await (await this.#companion())?.turns.bringBack();
  }

  async textBeforeTurn(turn: string, path: string): Promise<string | undefined> {
    return await (await this.#companion())?.turns.beforeText(turn, path);
  }

  async sharedContext(): Promise<EditorContext | undefined> {
    return (await this.#companion())?.companion.sharedContext();
  }

  async examine(terminalEnvironment: boolean): Promise<readonly EditorFinding[]> {
    const facts = this.#workspaces.windowOf(this.#client)?.facts;
    const companion = (await this.#companion())?.companion;
    const folders = facts?.roots ?? [];
    const own = examineEditor({
      state: companion?.state,
      folders,
      trusted: facts?.trusted !== false,
      sharing: facts?.settings.sharing !== false,
      terminalEnvironment,
      sessions: companion?.sessions ?? [],
    });
    return [...own, ...examineAgents(await this.#readAgentSettings(folders[0]))];
  }

  async tryReview(): Promise<AfterTrial> {
    const companion = await this.#companion();
    if (companion === undefined) return "diagnose";
    return await tryReview(companion, this.#workspaces.windowOf(this.#client)?.facts.trusted === true);
  }

  async explain(code: string, locale: string): Promise<Explanation | undefined> {
    return await explainFinding(code, backendTexts(locale).findings);
  }

  /** The connection has ended. */
  dispose(): void {
    this.#stopReading();
    this.#introduce();
    void this.#workspaces.detach(this.#client);
  }

  async #companion(): Promise<WorkspaceCompanion | undefined> {
    await this.#introduced;
    return await this.#workspaces.companionOf(this.#client);
  }
}

/** Sends what core logs to Theia's own log and to the windows' output views. */
export class LogFanOut implements Logger {
  readonly #write: (severity: Severity, line: string) => void;
  readonly #now: () => number;
  readonly #lines: string[] = [];
  readonly #listeners: Set<(lines: readonly string[]) => void> = new Set();

  constructor(write: (severity: Severity, line: string) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#log("error", message, fields);
  }

  /** Adds a reader: it gets the lines so far at once. */
  read(listener: (lines: readonly string[]) => void): () => void {
    if (this.#lines.length > 0) listener(Array.from(this.#lines));
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #log(severity: Severity, message: string, fields: LogFields | undefined): void {
    const line = formatLogLine(message, fields);
    this.#write(severity, line);
    if (severity === "debug") return;
    const stamped = `${new Date(this.#now()).toISOString()} [${severity}] ${line}`;
    this.#lines.push(stamped);
    if (this.#lines.length > keptLines) this.#lines.shift();
    for (const listener of this.#listeners) listener([stamped]);
  }
}

/** How many lines a window that opens later still gets to see. */
const keptLines = 500;

type Severity = "debug" | "info" | "warn" | "error";
