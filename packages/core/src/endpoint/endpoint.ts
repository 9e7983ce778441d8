import type { Socket } from "node:net";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { EndpointAddress, Random, TcpPorts } from "../platform/platform.ts";
import type { Disposable } from "../support/disposable.ts";
import type { Event } from "../support/emitter.ts";
import type { PiecedText } from "../support/json-pieces.ts";
import type { Logger } from "../support/logger.ts";
import type { Clock } from "../support/time.ts";
import type { WaitingStorage } from "./waiting-texts.ts";

/** What the endpoint needs to serve: where, with what secret, and who takes the agents. */
export interface EndpointOptions {
  /** 0: the system chooses. A taken port is an error with code `port-unavailable`; the caller then asks for 0. */
  readonly port: number;
  /** Each lets an agent in, by the name under which the acceptor hears which one it was (`NewConnection.tokenName`). */
  readonly tokens: Readonly<Record<string, string>>;
  /** Headers, in small letters, in which a token may stand in a request for a WebSocket, beside `authorization`. */
  readonly tokenHeaders: readonly string[];
  /** Key of the MAC in session ids; kept across reloads so that ids stay known. */
  readonly sessionKey: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits?: Partial<EndpointLimits>;
  /** Answers for slow readers are put there beyond what may wait in memory; undefined: nowhere. */
  readonly storage?: WaitingStorage | undefined;
  readonly acceptor: SessionAcceptor;
  /** Answers hooks; absent: every hook is told that there is no opinion. */
  readonly hooks?: HookAcceptor;
}

/** An agent runs its hook, and waits. */
export interface HookCall {
  /** Which of the tokens let the hook in. */
  readonly tokenName: string;
  /** The agent as the hook says itself; undefined where it does not. */
  readonly agent?: string | undefined;
  /** What the agent told the hook, as it came. */
  readonly event: unknown;
  /** The process of the hook as it says itself; undefined where it does not. */
  readonly pid: number | undefined;
  readonly ports: TcpPorts | undefined;
  /** Aborted when the hook waits no longer. */
  readonly signal: AbortSignal;
  /** More hooks wait than are heard: whoever is not asked about anything is to be told no. */
  readonly isOneTooMany?: boolean;
  /**
   * The user is asked. `late` is what the hook prints where nobody decides in time, `gone` where the editor ends before and does not come
   * back: once a review has begun, no end but a yes lets the agent write.
   */
  waiting(late: string, gone?: string): void;
}

/** Takes the hooks that the endpoint has let in. */
export interface HookAcceptor {
  /** What the hook prints; undefined: no opinion. */
  answerHook(call: HookCall): Promise<string | undefined>;
  /** The same for an event that is too large or no JSON that is read: it may be of a write. */
  answerUnreadable?(call: Pick<HookCall, "tokenName" | "agent" | "pid" | "ports">): Promise<string | undefined>;
}

export interface EndpointLimits {
  /** Largest body or WebSocket message, bytes. Default 64 MiB (50 MB proposals work). */
  readonly maximumMessageBytes: number;
  /** Sessions held at once; the longest-away one goes first. Default 256. */
  readonly maximumSessions: number;
  /** Connections held at once that have not shown the token; for a further one the oldest is closed. Default 256. */
  readonly maximumUnauthenticated: number;
  /** Time for the headers of a request, ms. Default 5,000. */
  readonly headersTimeoutMs: number;
  /** Time for a whole body, ms. Default 10,000 unauthenticated (never read), 60,000 authenticated. */
  readonly bodyTimeoutMs: number;
  /** An HTTP session without a stream and without a request is forgotten after this, ms. Default 60,000; its id stays valid and is revived by its next request. */
  readonly idleSessionMs: number;
  /** Keep-alive comment or ping on open streams, ms; one timer for all. Default 30,000. */
  readonly keepAliveMs: number;
}

export interface NewConnection {
  readonly sessionId: string;
  readonly transport: AgentTransport;
  /** Lower-case headers of the first request without authorization and cookies. */
  readonly headers: Readonly<Record<string, string>>;
  /** The initialize request's params where this is a new session; undefined for one that is revived by its id. */
  readonly initialize: unknown;
  /** The dialect named in the id; undefined where nobody has told it yet. */
  readonly dialectHint: string | undefined;
  /** Which of the tokens let the agent in. */
  readonly tokenName: string;
}

/** Implemented by the session registry: takes what the endpoint has let in. */
export interface SessionAcceptor {
  /** Builds the engine and connects it to the transport (sets onmessage); resolves with the dialect's id, which goes into the session id of HTTP sessions. May load the engine first. */
  accept(connection: Omit<NewConnection, "sessionId"> & { readonly sessionId: string }): Promise<void>;
  /**
   * Which dialect a new client speaks, told from what it sent; goes into its session id before `accept`. Rejects with `excluded` where
   * the client is not to be served at all.
   */
  recognise(facts: {
    readonly transport: "streamable-http" | "websocket";
    readonly headers: Readonly<Record<string, string>>;
    readonly initialize: unknown;
    /** Which of the tokens let the agent in. */
    readonly tokenName: string;
    /** The connection on which it was sent. */
    readonly ports: TcpPorts | undefined;
  }): Promise<string>;
  /** The session ended for good (DELETE, socket closed, dropped for room). */
  ended(sessionId: string, why: "deleted" | "closed" | "dropped" | "idle"): void;
  /** Whether an away HTTP session may be let go when idle (nothing undelivered, no proposal open). */
  mayForget(sessionId: string): boolean;
}

export interface Endpoint {
  readonly address: EndpointAddress;
  /** The descriptor on which it listens, for a process that is to go on listening; undefined where the system has none (Windows). */
  readonly descriptor: number | undefined;
  /** Serves a connection that came in by a socket beside the port (`listenOnLocalSocket`), by the same rules. */
  take(connection: Socket): void;
  /**
   * The end begins: streams that are open go on, but none is opened any more, so that what is written down of their agents
   * stays true. Whoever asks for one has it end at once, and comes back by itself.
   */
  leave(options?: CloseOptions): void;
  /**
   * Ends streams cleanly, closes sockets; at most 1 s. HTTP transports get `onclose` without `SessionAcceptor.ended`,
   * since their ids are revived by the next endpoint with the same key; WebSocket sessions end with "closed".
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  /**
   * When something will answer on this port again, ms: sent as the `retry` of the event streams. Clients built on the MCP
   * SDK 1.2x and later then try after this span and once more after the same span, instead of after 1 s and 1.5 s more.
   */
  readonly comeBackMs?: number;
}

export interface ReliableOptions {
  /**
   * The id under which an earlier run has written the message (`ReliableMessage.eventId`). An agent that comes back and
   * says that it has that one, or a later one, does not get the message again.
   */
  readonly eventId?: number | undefined;
}

export interface ReliableMessage extends Disposable {
  /** Id of the event the message was last written as; 0 where it was not written yet. */
  readonly eventId: number;
  /** Whether the reader of the present stream has taken all of it. */
  readonly isTaken: boolean;
}

/**
 * One agent's connection as the session sees it: the SDK's Transport (the engine's requests and answers go through it)
 * plus ready-made messages, which are serialised once and written to many.
 */
export interface AgentTransport extends Transport {
  readonly kind: "streamable-http" | "websocket";
  /** Whether messages can reach the agent now (an open GET stream, an open WebSocket). */
  readonly isOpen: boolean;
  /** The connection by which messages reach the agent now; undefined while there is none. */
  readonly ports: TcpPorts | undefined;
  /** A stream to the agent opened; fired for each new GET and once for a WebSocket. The full context is due now. */
  readonly onDidOpen: Event<void>;
  /** The stream ended; the agent may come back (HTTP) or not (WebSocket). */
  readonly onDidLoseStream: Event<void>;
  /** Latest wins: replaces an unsent earlier message of the same slot; dropped while no stream is open. `json` stands on one line, as JSON.stringify makes it. Pass the same string to many transports: it is encoded once. Costs a slow reader nothing but its own socket's buffer. */
  pushLatest(slot: string, json: string): void;
  /**
   * Never dropped: kept in order and sent on the next stream until the agent has it. `onDelivered` runs when the agent
   * has shown that it got it (a later event id, or a flushed stream that stayed open for a second). Disposing the result
   * takes a message back that is not delivered yet (the agent fetched the outcome by other means); `onDelivered` then never runs.
   */
  pushReliable(json: string | PiecedText, onDelivered: () => void, options?: ReliableOptions): ReliableMessage;
}
