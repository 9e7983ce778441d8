import {
  type AgentActivity,
  type Companion,
  type CompanionOptions,
  type CompanionSettings,
  type CompanionState,
  type EditorHost,
  Emitter,
  type Event,
  type HunkDecision,
  type KeptText,
  type ProposalInfo,
  type SessionInfo,
  type StopOptions,
} from "@patchbay/core";

/** A companion that listens nowhere: tests of routing need many of them, and look at their hosts. */
export class FakeCompanion implements Companion {
  readonly host: EditorHost;
  readonly turns: CompanionOptions["turns"];
  readonly settings: Partial<CompanionSettings>[] = [];
  starts = 0;
  stops = 0;
  stoppedWith: StopOptions | undefined;
  recordsRemoved = 0;
  failure: Error | undefined;
  readonly restored: Promise<void> = Promise.resolve();
  state: CompanionState = { kind: "stopped" };
  environment: Readonly<Record<string, string>> = {};
  sessions: readonly SessionInfo[] = [];
  proposals: readonly ProposalInfo[] = [];
  readonly keptTexts: readonly KeptText[] = [];
  activities: readonly AgentActivity[] = [];
  readonly commands: undefined;
  readonly rejected: unknown[] = [];
  undecided: Awaited<ReturnType<Companion["hunks"]>>;
  /** What becomes of a verdict on a hunk. */
  decision: HunkDecision = { kind: "none" };
  /** Which reviews were to be shown or held, and what was said of hunks. */
  readonly asked: string[] = [];
  onAcceptAll: (proposalIds: readonly string[]) => void = () => {};
  onMention: (path: string, lines: unknown) => void = () => {};
  readonly #state: Emitter<CompanionState> = new Emitter();
  readonly #environment: Emitter<void> = new Emitter();
  readonly #sessions: Emitter<void> = new Emitter();
  readonly #proposals: Emitter<void> = new Emitter();
  readonly #activities: Emitter<void> = new Emitter();
  readonly onDidChangeState: Event<CompanionState> = this.#state.event;
  readonly onDidChangeEnvironment: Event<void> = this.#environment.event;
  readonly onDidChangeSessions: Event<void> = this.#sessions.event;
  readonly onDidChangeProposals: Event<void> = this.#proposals.event;
  readonly onDidChangeActivities: Event<void> = this.#activities.event;

  constructor(options: CompanionOptions) {
    this.host = options.host;
    this.turns = options.turns;
  }

  async start(): Promise<void> {
    this.starts += 1;
    if (this.failure !== undefined) {
      this.state = { kind: "failed", message: this.failure.message };
      throw this.failure;
    }
    this.state = { kind: "listening", port: 1000 + this.starts, warnings: [] };
    this.environment = { PORT: "1000" };
    this.#state.fire(this.state);
    this.#environment.fire();
  }

  async stop(options?: StopOptions): Promise<void> {
    this.stops += 1;
    this.stoppedWith = options;
    this.state = { kind: "stopped" };
  }

  removeRecordsSync(): void {
    this.recordsRemoved += 1;
  }

  setSessions(sessions: readonly SessionInfo[]): void {
    this.sessions = sessions;
    this.#sessions.fire();
  }

  async review(): Promise<never> {
    throw new Error("no conversations here");
  }

  conversationEnded(): void {}

  excludeProcesses(): void {}

  async processOf(): Promise<undefined> {}

  async accept(): Promise<boolean> {
    return false;
  }

  async reject(id: string, reason?: string): Promise<boolean> {
    this.rejected.push([id, reason]);
    return this.proposals.some((proposal) => proposal.id === id);
  }

  async hold(id: string): Promise<boolean> {
    this.asked.push(`hold ${id}`);
    return true;
  }

  async acceptAll(proposalIds: readonly string[] = []): Promise<readonly string[]> {
    this.onAcceptAll(proposalIds);
    return proposalIds;
  }

  async readKeptText(): Promise<undefined> {}

  async saveKeptText(): Promise<undefined> {}

  async discardKeptText(): Promise<boolean> {
    return false;
  }

  async hunks(): ReturnType<Companion["hunks"]> {
    return this.undecided;
  }

  async decideHunk(id: string, verdict: string, line: number): ReturnType<Companion["decideHunk"]> {
    this.asked.push(`${verdict} ${id} ${line}`);
    return this.decision;
  }

  async undoHunk(id: string): Promise<boolean> {
    this.asked.push(`undo ${id}`);
    return false;
  }

  async reveal(id: string): Promise<boolean> {
    this.asked.push(`reveal ${id}`);
    return true;
  }

  mention(path: string, lines?: unknown): number {
    this.onMention(path, lines);
    return 0;
  }

  mayName(): boolean {
    return true;
  }
  sharedContext(): { readonly files: readonly [] } {
    return { files: [] };
  }

  updateSettings(settings: Partial<CompanionSettings>): void {
    this.settings.push(settings);
  }
}
