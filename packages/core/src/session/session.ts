import type { Dialect, DialectEngine, Mention, SessionEngine } from "../agents/dialect.ts";
import type { EditorContext } from "../context/model.ts";
import type { CarriedOutcome, CarriedTo, DiffOutcome } from "../diff/model.ts";
import type { AgentProcess, ProposalOwner } from "../diff/proposal.ts";
import type { AgentTransport } from "../endpoint/endpoint.ts";
import type { ProcessFacts, TcpPorts } from "../platform/platform.ts";
import { type Disposable, DisposableStore } from "../support/disposable.ts";
import { wholeText } from "../support/json-pieces.ts";
import type { Clock } from "../support/time.ts";

export interface SessionOptions {
  readonly id: string;
  readonly dialect: Dialect;
  readonly dialectEngine: DialectEngine;
  readonly transport: AgentTransport;
  readonly clock: Clock;
  /** True for a session that came back by its id after an editor reload: its handshake is long done. */
  readonly revived: boolean;
  /** What to tell now; undefined where the editor cannot say. */
  readonly context: () => EditorContext | undefined;
  /** Encodes a context for this dialect; shared so that equal contexts are serialised once for all sessions. */
  readonly encode: (session: Session, context: EditorContext) => string | undefined;
  readonly onDidChange: () => void;
  /** The stream is back or gone; diffs follow. */
  readonly onDidChangePresence: (session: Session, present: boolean) => void;
  /** The agent is told something for the first time on its stream, or files again after none. */
  readonly onDidBeginTelling: (session: Session) => void;
}

/** One connected agent: its engine, its transport, and what it was told last. */
export class Session {
  readonly id: string;
  readonly dialect: Dialect;
  readonly since: number;
  readonly owner: ProposalOwner;
  version: string | undefined;
  pid: number | undefined;
  /** What it is about, where the agent tells. */
  title: string | undefined;
  lastContext: number | undefined;
  readonly #options: SessionOptions;
  readonly #store: DisposableStore = new DisposableStore();
  #engine: SessionEngine | undefined;
  #ready: boolean;
  #hasLeft = false;
  #mayPush = false;
  #lastJson: string | undefined;
  /** What the agent knows of files on the present stream. */
  #told: "nothing" | "no files" | "files" = "nothing";
  #heldMentions: string[] = [];
  #delay: Disposable | undefined;
  #awaySince: number;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.id = options.id;
    this.dialect = options.dialect;
    this.since = options.clock.now();
    this.#awaySince = options.clock.monotonic();
    this.#ready = options.revived;
    this.owner = {
      sessionId: options.id,
      dialect: options.dialect.id,
      agentName: options.dialect.agentName,
      byteOrderMark: options.dialectEngine.byteOrderMark,
      emptiedText: options.dialectEngine.emptiedText,
      writes: options.dialectEngine.writes,
      outlivesConnection: options.dialectEngine.proposalsOutliveConnection,
    };
  }

  /** Follows the transport; the engine is connected already. */
  begin(engine: SessionEngine): void {
    this.#engine = engine;
    if (this.#store.isDisposed) return;
    const { transport } = this.#options;
    this.#store.add(
      transport.onDidOpen(() => {
        this.#streamOpened();
      }),
    );
    this.#store.add(
      transport.onDidLoseStream(() => {
        this.#mayPush = false;
        this.#hasLeft = true;
        this.#awaySince = this.#options.clock.monotonic();
        this.#delay?.dispose();
        this.#options.onDidChangePresence(this, false);
        this.#options.onDidChange();
      }),
    );
    if (transport.isOpen) this.#streamOpened();
  }

  /** The engine says that the handshake is done. */
  becameReady(): void {
    if (this.#ready) return;
    this.#ready = true;
    // The engine may say so before `begin`; a stream that opens later finds it ready.
    if (this.#engine !== undefined && this.#options.transport.isOpen) this.#schedulePush();
    this.#options.onDidChange();
  }

  get isOpen(): boolean {
    return this.#options.transport.isOpen;
  }

  /** See `AgentTransport.ports`. */
  get ports(): TcpPorts | undefined {
    return this.#options.transport.ports;
  }

  /** When the last stream ended, or when the session began without one; undefined while one is open. */
  get awaySince(): number | undefined {
    return this.isOpen ? undefined : this.#awaySince;
  }

  /** One whose handshake is done and whose stream is about to open has not been here yet: it is not away. */
  get state(): "connecting" | "connected" | "away" {
    if (this.#options.transport.isOpen) return "connected";
    return this.#options.revived || this.#hasLeft ? "away" : "connecting";
  }

  /** Sends a context if it says anything new to this agent. */
  push(context: EditorContext): void {
    if (!this.#mayPush) return;
    const json = this.#options.encode(this, context);
    if (json === undefined || json === this.#lastJson) return;
    this.#lastJson = json;
    this.lastContext = this.#options.clock.now();
    this.#options.transport.pushLatest("context", json);
    const before = this.#told;
    this.#told = context.files.length > 0 ? "files" : "no files";
    if (before === "nothing" || (before === "no files" && this.#told === "files"))
      this.#options.onDidBeginTelling(this);
  }

  encodeContext(context: EditorContext): string | undefined {
    return this.#engine?.encodeContext(context);
  }

  /** False where the agent has no mentions or is away. */
  mention(mention: Mention): boolean {
    const json = this.isOpen ? this.#engine?.encodeMention(mention) : undefined;
    if (json === undefined) return false;
    if (this.#mayPush) this.#sendMention(json);
    else this.#heldMentions.push(json);
    return true;
  }

  /** Hands an outcome to the transport; see OutcomeCarrier. */
  carry({ path, sentAs }: CarriedTo, outcome: DiffOutcome, onDelivered: () => void): CarriedOutcome | undefined {
    // Not connected yet: the outcome is asked for again when the stream opens.
    if (this.#engine === undefined) return undefined;
    const json = this.#engine.encodeOutcome(path, outcome);
    if (json === undefined) {
      onDelivered();
      return undefined;
    }
    return this.#options.transport.pushReliable(json, onDelivered, sentAs === 0 ? {} : { eventId: sentAs });
  }

  /** How the agent is told that nobody took its proposal; undefined for agents that are not told. */
  encodeRejection(path: string): string | undefined {
    const json = this.#engine?.encodeOutcome(path, { kind: "rejected" });
    return json === undefined ? undefined : wholeText(json);
  }

  /** Ends the connection for good: its id is not taken again. */
  async leave(): Promise<void> {
    await this.#options.transport.close();
  }

  async end(): Promise<void> {
    this.#delay?.dispose();
    this.#store.dispose();
    this.#mayPush = false;
    await this.#engine?.close();
  }

  #streamOpened(): void {
    // A new stream knows nothing: the client clears its context when the old one ends.
    this.#lastJson = undefined;
    this.#told = "nothing";
    this.#options.onDidChangePresence(this, true);
    this.#schedulePush();
    this.#options.onDidChange();
  }

  #schedulePush(): void {
    const delayMs = this.#engine?.contextDelayMs ?? 0;
    if (delayMs === 0) {
      this.#beginPushing();
      return;
    }
    // Counted from the end of the handshake, which a client that connects again goes through again.
    if (!this.#ready) return;
    this.#delay?.dispose();
    this.#delay = this.#options.clock.setTimeout(() => this.#beginPushing(), delayMs);
  }

  #beginPushing(): void {
    if (!this.#options.transport.isOpen) return;
    this.#mayPush = true;
    const context = this.#options.context();
    if (context !== undefined) this.push(context);
    for (const json of this.#heldMentions.splice(0)) this.#sendMention(json);
  }

  #sendMention(json: string): void {
    // Nobody waits for the delivery of a mention: the user sees it in the prompt, or asks again.
    this.#options.transport.pushReliable(json, () => {});
  }
}

/** When an agent that is missed is looked for, ms after it was last: a killed process loses its connections a little before its life. */
const looksAfterMs: readonly number[] = [0, 100, 400];
/** And from then on, ms: there is nothing that tells the end of a process that is not ours. */
const looksEveryMs = 1_000;

export interface AgentProcessesOptions {
  readonly process: ProcessFacts;
  readonly clock: Clock;
  /** Whether something still waits for the agent of a session: only then its end is of interest. */
  readonly concerns: (sessionId: string) => boolean;
  /** The process of a session is known from now on. */
  readonly onDidIdentify: (sessionId: string) => void;
  /** The agent has exited: it will not come back. */
  readonly onDidExit: (owner: ProposalOwner) => void;
}

/**
 * The processes of agents that something is shown for. An agent that is not connected may come back, unless its process has
 * ended. Each is looked up once, with the first proposal; where the system does not tell, nothing is concluded.
 */
export class AgentProcesses {
  readonly #options: AgentProcessesOptions;
  readonly #asked: WeakSet<ProposalOwner> = new WeakSet();
  readonly #watches: Map<string, Disposable> = new Map();

  constructor(options: AgentProcessesOptions) {
    this.#options = options;
  }

  /** Finds out whose connection it is. `ports` is undefined while there is none; `told` is what the agent says of itself. */
  async identify(owner: ProposalOwner, ports: TcpPorts | undefined, told: number | undefined): Promise<void> {
    const { process, onDidIdentify } = this.#options;
    if (owner.process !== undefined || (ports === undefined && told === undefined) || this.#asked.has(owner)) return;
    this.#asked.add(owner);
    const found = ports === undefined ? undefined : await process.peerOf?.(ports);
    const pid = found ?? told;
    const mark = pid === undefined ? undefined : await process.startMark(pid);
    if (pid === undefined || mark === undefined) return;
    owner.process = { pid, mark };
    onDidIdentify(owner.sessionId);
  }

  /** The agent's connection has ended, or it has not come back to this run yet: looks whether it still runs until it is back. */
  watch(owner: ProposalOwner): void {
    if (owner.process === undefined || this.#watches.has(owner.sessionId)) return;
    this.#schedule(owner, owner.process, 0);
  }

  /** The agent is here, or nobody cares any more. */
  unwatch(sessionId: string): void {
    this.#watches.get(sessionId)?.dispose();
    this.#watches.delete(sessionId);
  }

  dispose(): void {
    for (const sessionId of Array.from(this.#watches.keys())) this.unwatch(sessionId);
  }

  #schedule(owner: ProposalOwner, process: AgentProcess, look: number): void {
    const timer = this.#options.clock.setTimeout(
      () => void this.#look(owner, process, look, timer),
      looksAfterMs[look] ?? looksEveryMs,
    );
    this.#watches.set(owner.sessionId, timer);
  }

  async #look(owner: ProposalOwner, process: AgentProcess, look: number, timer: Disposable): Promise<void> {
    const { concerns, onDidExit } = this.#options;
    const { sessionId } = owner;
    const runs = concerns(sessionId) && (await this.#runs(process));
    // It has come back while the system was asked.
    if (this.#watches.get(sessionId) !== timer) return;
    if (runs) {
      this.#schedule(owner, process, look + 1);
      return;
    }
    this.unwatch(sessionId);
    if (concerns(sessionId)) onDidExit(owner);
  }

  async #runs({ pid, mark }: AgentProcess): Promise<boolean> {
    const { process } = this.#options;
    if (!process.isAlive(pid)) return false;
    // An id is used again; where the mark cannot be told any more, nothing is concluded from it.
    return ((await process.startMark(pid)) ?? mark) === mark;
  }
}
