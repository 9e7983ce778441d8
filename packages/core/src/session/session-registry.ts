import type { ClientFacts, Dialect, DialectEngine, Mention } from "../agents/dialect.ts";
import type { EditorContext } from "../context/model.ts";
import type { CarriedOutcome, CarriedTo, DiffOutcome, OutcomeCarrier } from "../diff/model.ts";
import type { ProposalOwner } from "../diff/proposal.ts";
import type { NewConnection, SessionAcceptor } from "../endpoint/endpoint.ts";
import type { Disposable } from "../support/disposable.ts";
import type { ProcessFacts, TcpPorts } from "../platform/platform.ts";
import { Emitter, type Event } from "../support/emitter.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import { reportListenerFailure } from "../support/logger.ts";
import { AgentProcesses, Session } from "./session.ts";
import { RealDirectories } from "./path-check.ts";
import { createSessionServices, type SessionServicesOptions, type SessionSurroundings } from "./session-services.ts";
import { LoadOnce } from "../support/load-once.ts";

/** An owner whose stream is gone longer than this is shown as gone, ms; it may still come back. */
const missedAfterMs = 10_000;

export interface SessionRegistryOptions extends SessionSurroundings {
  readonly dialects: readonly Dialect[];
  /** Called with the owner of a session that has ended or was put away, and with that of a process that has. */
  readonly onDidEnd?: (owner: ProposalOwner) => void;
  /** Whether it matters that the agent of a session ends, also where nothing is shown for it. */
  readonly isAtWork?: (sessionId: string) => boolean;
}

/** All agents that are connected or may come back. Takes what the endpoint lets in, and carries context and outcomes to them. */
export class SessionRegistry implements SessionAcceptor, OutcomeCarrier {
  readonly #options: SessionRegistryOptions;
  readonly #sessions: Map<string, Session> = new Map();
  readonly #choice: DialectChoice;
  readonly #services: SessionServicesOptions;
  readonly #missed: Map<string, Disposable> = new Map();
  /** Sessions whose engine is still being loaded. */
  readonly #arriving: Map<string, { hasLeft: boolean }> = new Map();
  readonly #change: Emitter<void>;
  readonly #processes: AgentProcesses;
  #stopped = false;
  #following: Disposable | undefined;
  #encoded: { readonly context: EditorContext; readonly texts: Map<string, string | undefined> } | undefined;

  constructor(options: SessionRegistryOptions) {
    this.#options = options;
    this.#choice = new DialectChoice(options.dialects, options.platform.process);
    this.#services = {
      ...options,
      directories: new RealDirectories(options.platform),
      isHere: (session) => this.#sessions.has(session.id),
      identify: (session) => void this.#identify(session),
      onDidDescribe: () => this.#change.fire(),
    };
    this.#change = new Emitter(reportListenerFailure(options.logger));
    const { process, clock } = options.platform;
    this.#processes = new AgentProcesses({
      process,
      clock,
      concerns: (sessionId) => options.diffs().concerns(sessionId) || options.isAtWork?.(sessionId) === true,
      onDidIdentify: (sessionId) => {
        options.diffs().ownerChanged(sessionId);
        this.#change.fire();
      },
      onDidExit: (owner) => this.#exited(owner),
    });
  }

  get onDidChange(): Event<void> {
    return this.#change.event;
  }

  get all(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  async recognise(facts: Parameters<SessionAcceptor["recognise"]>[0]): Promise<string> {
    return (await this.#choice.recognise(facts)).id;
  }

  async accept(connection: NewConnection): Promise<void> {
    const { transport, sessionId, headers, initialize } = connection;
    const client = initialize === undefined ? undefined : readClientFacts(transport.kind, headers, initialize);
    const arrival = { hasLeft: false };
    this.#arriving.set(sessionId, arrival);
    const { dialect, dialectEngine } = await this.#choice
      .engineFor(connection)
      .finally(() => this.#arriving.delete(sessionId));
    // Its connection ended, or everything did, while the engine was being loaded.
    if (arrival.hasLeft || this.#stopped) throw new PatchbayError("stopped", "The session has ended.");
    const session = new Session({
      id: sessionId,
      dialect,
      dialectEngine,
      transport,
      clock: this.#options.platform.clock,
      revived: initialize === undefined && transport.kind === "streamable-http",
      context: () => this.#snapshot(),
      encode: (one, context) => this.#encode(one, context),
      onDidChange: () => this.#change.fire(),
      onDidChangePresence: (one, present) => this.#presence(one, present),
      onDidBeginTelling: (one) =>
        this.#options.logger.info("Context sent to an agent", {
          session: shortId(one.id),
          dialect: one.dialect.id,
        }),
    });
    if (client?.clientVersion !== dialect.constantVersion) session.version = client?.clientVersion;
    // Told by an earlier run, which may have shown something for it.
    session.owner.process = this.#options.diffs().owners.find((owner) => owner.sessionId === sessionId)?.process;
    this.#sessions.set(sessionId, session);
    this.#follow();
    session.begin(await dialectEngine.connect(createSessionServices(session, client, this.#services), transport));
    if (this.#sessions.get(sessionId) !== session) {
      await session.end();
      throw new PatchbayError("stopped", "The session has ended.");
    }
    this.#options.logger.info("An agent connected", {
      session: shortId(sessionId),
      dialect: dialect.id,
      version: session.version,
    });
    this.#change.fire();
  }

  /** Finds out whose processes the sessions of an agent are, so that what its hooks tell is known to be of the same agent. */
  placeSessionsOf(agent: string): void {
    for (const session of this.#sessions.values()) if (session.dialect.id === agent) void this.#identify(session);
  }

  /** The process of an agent, as far as the agent or the system tells. */
  async processOf(sessionId: string): Promise<number | undefined> {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return undefined;
    await this.#identify(session);
    return session.owner.process?.pid ?? session.pid;
  }

  ended(sessionId: string, why: "deleted" | "closed" | "dropped" | "idle"): void {
    const arrival = this.#arriving.get(sessionId);
    if (arrival !== undefined) arrival.hasLeft = true;
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return;
    this.#sessions.delete(sessionId);
    this.#missed.get(sessionId)?.dispose();
    this.#missed.delete(sessionId);
    this.#options.logger.info("An agent's session ended", { session: shortId(sessionId), why });
    // One that was idle, or made room, is only put away: its id is known, and it comes back with its next request.
    const mayReturn = session.owner.outlivesConnection && (why === "idle" || why === "dropped");
    if (mayReturn) this.#options.diffs().sessionPutAway(sessionId);
    else this.#options.diffs().sessionEnded(sessionId);
    // What is still on its way to it will be written when it is back.
    if (!mayReturn || this.mayForget(sessionId)) this.#options.onDidEnd?.(session.owner);
    session
      .end()
      .catch((error: unknown) => this.#options.logger.warn("A session did not end well", { reason: messageOf(error) }));
    if (this.#sessions.size === 0) this.#unfollow();
    this.#change.fire();
  }

  /** Proposals of an earlier run are back: whose agent has exited meanwhile is not waited for. */
  watchOwners(): void {
    for (const owner of this.#options.diffs().owners)
      if (!this.isReachable(owner.sessionId)) this.#processes.watch(owner);
  }

  mayForget(sessionId: string): boolean {
    return !this.#options.diffs().concerns(sessionId);
  }

  carry(to: CarriedTo, outcome: DiffOutcome, onDelivered: () => void): CarriedOutcome | undefined {
    return this.#sessions.get(to.sessionId)?.carry(to, outcome, onDelivered);
  }

  isReachable(sessionId: string): boolean {
    return this.#sessions.get(sessionId)?.isOpen ?? false;
  }

  awaySince(sessionId: string): number | undefined {
    return this.#sessions.get(sessionId)?.awaySince;
  }

  mention(mention: Mention): number {
    return this.all.filter((session) => session.mention(mention)).length;
  }

  /** Ends all engines; the endpoint closes the sockets. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#processes.dispose();
    this.#unfollow();
    for (const timer of this.#missed.values()) timer.dispose();
    this.#missed.clear();
    const all = this.all;
    this.#sessions.clear();
    await Promise.allSettled(all.map((session) => session.end()));
    this.#change.fire();
  }

  /** An editor that fails to say what is open costs an agent its context, not its session. */
  #snapshot(): EditorContext | undefined {
    try {
      return this.#options.tracker.snapshot();
    } catch (error) {
      this.#options.logger.warn("The open files could not be read from the editor", { reason: messageOf(error) });
      return undefined;
    }
  }

  #presence(session: Session, present: boolean): void {
    const diffs = this.#options.diffs();
    this.#missed.get(session.id)?.dispose();
    this.#missed.delete(session.id);
    if (present) {
      this.#processes.unwatch(session.id);
      diffs.setAgentPresent(session.id, true);
      // It came back to what another run has shown.
      if (diffs.concerns(session.id)) void this.#identify(session);
      return;
    }
    this.#processes.watch(session.owner);
    if (session.owner.outlivesConnection && diffs.concerns(session.id)) {
      const timer = this.#options.platform.clock.setTimeout(() => {
        this.#missed.delete(session.id);
        diffs.setAgentPresent(session.id, false);
      }, missedAfterMs);
      this.#missed.set(session.id, timer);
    }
  }

  async #identify(session: Session): Promise<void> {
    await this.#processes
      .identify(session.owner, session.ports, session.pid)
      .catch((error: unknown) =>
        this.#options.logger.debug("The process of an agent could not be determined", { reason: messageOf(error) }),
      );
  }

  /** The agent's process has ended: its session is not away, but over. */
  #exited(owner: ProposalOwner): void {
    const { sessionId } = owner;
    this.#options.logger.info("An agent has exited", { session: shortId(sessionId) });
    const session = this.#sessions.get(sessionId);
    if (session === undefined) {
      this.#options.diffs().sessionEnded(sessionId);
      this.#options.onDidEnd?.(owner);
    } else {
      session
        .leave()
        .catch((error: unknown) =>
          this.#options.logger.warn("A session did not end well", { reason: messageOf(error) }),
        );
      this.ended(sessionId, "closed");
    }
  }

  /** Follows the editor only while an agent is here. */
  #follow(): void {
    this.#following ??= this.#options.tracker.onDidUpdate((context) => {
      for (const session of this.#sessions.values()) session.push(context);
    });
  }

  #unfollow(): void {
    this.#following?.dispose();
    this.#following = undefined;
  }

  /** Serialises a context once for all sessions of a dialect. */
  #encode(session: Session, context: EditorContext): string | undefined {
    if (this.#encoded?.context !== context) this.#encoded = { context, texts: new Map() };
    const { texts } = this.#encoded;
    const key = session.dialect.id;
    if (!texts.has(key)) texts.set(key, session.encodeContext(context));
    return texts.get(key);
  }
}

/** Enough of an id to tell sessions apart in a log; the whole is a secret. */
function shortId(sessionId: string): string {
  return sessionId.slice(0, 14);
}

interface ChosenDialect {
  readonly dialect: Dialect;
  readonly dialectEngine: DialectEngine;
}

/** Which dialect a client speaks, and the engines of those that were spoken. */
class DialectChoice {
  readonly #dialects: readonly Dialect[];
  readonly #process: Pick<ProcessFacts, "peerOf" | "commandOf">;
  readonly #engines: Map<string, LoadOnce<DialectEngine>> = new Map();

  constructor(dialects: readonly Dialect[], process: Pick<ProcessFacts, "peerOf" | "commandOf">) {
    this.#dialects = dialects;
    this.#process = process;
  }

  /** The dialect of a client that says initialize: of an agent whose token it showed, else of the one that it resembles most. */
  async recognise({
    transport,
    headers,
    initialize,
    tokenName,
    ports,
  }: Parameters<SessionAcceptor["recognise"]>[0]): Promise<Dialect> {
    const client = readClientFacts(transport, headers, initialize);
    const ofToken = this.#ofToken(tokenName, client);
    const [only, ...others] = ofToken;
    if (only !== undefined && others.length === 0) return only;
    const best = bestFor(client, ofToken.length > 0 ? ofToken : this.#dialects);
    const [first] = best;
    if (first === undefined) throw new PatchbayError("invalid-argument", "This agent is not supported.");
    return best.length === 1 ? first : ((await this.#byProgram(best, ports)) ?? first);
  }

  /** The dialect of a connection, the one that its session's id names, else as for any new client; what speaks it is loaded with its first session. */
  async engineFor({ dialectHint, transport, headers, initialize, tokenName }: NewConnection): Promise<ChosenDialect> {
    const { kind, ports } = transport;
    const named = this.#named(dialectHint);
    const dialect = named ?? (await this.recognise({ transport: kind, headers, initialize, tokenName, ports }));
    const { load } = dialect;
    if (load === undefined) throw new PatchbayError("invalid-argument", "This agent has no protocol for editors.");
    const engine = this.#engines.get(dialect.id) ?? new LoadOnce(load);
    this.#engines.set(dialect.id, engine);
    return { dialect, dialectEngine: await engine.get() };
  }

  #named(id: string | undefined): Dialect | undefined {
    return this.#dialects.find((dialect) => dialect.id === id);
  }

  /** Of the agents that read the record of this token; none where these do not come this way. */
  #ofToken(tokenName: string, client: ClientFacts): readonly Dialect[] {
    return this.#dialects.filter(
      ({ id, recordsOf, transport }) => (recordsOf ?? id) === tokenName && transport === client.transport,
    );
  }

  /** The one whose program is at the other end; undefined where the system does not tell, or it is none of these. */
  async #byProgram(dialects: readonly Dialect[], ports: TcpPorts | undefined): Promise<Dialect | undefined> {
    const pid = ports === undefined ? undefined : await this.#process.peerOf?.(ports);
    const words = pid === undefined ? undefined : await this.#process.commandOf?.(pid);
    // What an interpreter runs is its first argument.
    const names = (words ?? []).slice(0, 2).map(programName);
    return dialects.find(({ program }) => names.includes(program.command));
  }
}

/** Of what a command line names: packages keep some programs under a name with a dot before it. */
function programName(word: string): string {
  return (word.split(/[\\/]/u).at(-1) ?? word).replace(/^\./u, "").replace(/\.exe$/iu, "");
}

/** Those that are surest of a client; none where nobody is. */
function bestFor(client: ClientFacts, dialects: readonly Dialect[]): readonly Dialect[] {
  const scores = dialects.map((dialect) => dialect.recognise(client));
  const most = Math.max(0, ...scores);
  return most === 0 ? [] : dialects.filter((_dialect, index) => scores[index] === most);
}

/** Reads what an initialize request says of its client. Hand-narrowed: it runs before the engine, and zod, are loaded. */
function readClientFacts(
  transport: ClientFacts["transport"],
  headers: Readonly<Record<string, string>>,
  initialize: unknown,
): ClientFacts {
  const params = asRecord(initialize);
  const client = asRecord(params?.get("clientInfo"));
  return {
    transport,
    headers,
    clientName: asText(client?.get("name")),
    clientVersion: asText(client?.get("version")),
    protocolVersion: asText(params?.get("protocolVersion")),
  };
}

function asRecord(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, 200) : undefined;
}
