import type { IncomingMessage, ServerResponse } from "node:http";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import type { TcpPorts } from "../platform/platform.ts";
import { Emitter, type Event } from "../support/emitter.ts";
import { PatchbayError } from "../support/errors.ts";
import { holdsLongString, jsonPieces, onePiece, type PiecedText } from "../support/json-pieces.ts";
import { answerEmpty, answerJson, answerLastStream, rpcCodes, rpcError } from "./answers.ts";
import type { ConnectionContext, ShutOptions, TableEntry } from "./connection-table.ts";
import type { AgentTransport, ReliableMessage, ReliableOptions } from "./endpoint.ts";
import { encodeEvent, EventStream } from "./event-stream.ts";
import type { IncomingRpc } from "./json-rpc.ts";
import { ReliableQueue } from "./reliable-queue.ts";
import { answerAtPace, isReadyFor, type RepeatedText } from "./waiting-texts.ts";

/** Of shorter messages none takes a place on disk, UTF-16 units. */
const shortLength = 4 * 1024;

/** A request of the agent that waits for its answer. */
interface PendingRequest {
  readonly response: ServerResponse;
  /** The agent's own id; two posts may use the same one. */
  readonly id: RequestId;
  readonly startsSession: boolean;
}

/**
 * One session over Streamable HTTP. Each request of the agent gets an id of ours towards the engine, bound to the
 * response it came with, so that equal ids in flight never cross.
 */
export class StreamableHttpTransport implements AgentTransport, TableEntry {
  readonly kind = "streamable-http";
  readonly sessionId: string;
  onmessage?: NonNullable<Transport["onmessage"]>;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  readonly #context: ConnectionContext;
  readonly #didOpen: Emitter<void>;
  readonly #didLoseStream: Emitter<void>;
  readonly #pending: Map<number, PendingRequest> = new Map();
  readonly #reliable: ReliableQueue<string | RepeatedText>;
  /** What a slow reader has yet to get, by slot; oldest change first. */
  readonly #latest: Map<string, string> = new Map();
  #stream: EventStream | undefined;
  #nextRequest = 1;
  #lastSeenMs: number;
  /** Its engine is being loaded and connected: nobody is away who is only just coming. */
  #isStarting = true;
  #closed = false;
  /** Set where the whole endpoint goes, and not this session alone. */
  #leaving: ShutOptions | undefined;

  constructor(sessionId: string, context: ConnectionContext) {
    this.sessionId = sessionId;
    this.#context = context;
    this.#didOpen = new Emitter(context.onListenerFailure);
    this.#didLoseStream = new Emitter(context.onListenerFailure);
    this.#reliable = new ReliableQueue(context.clock, () => context.frames.nextId());
    this.#lastSeenMs = context.clock.monotonic();
  }

  get onDidOpen(): Event<void> {
    return this.#didOpen.event;
  }

  get onDidLoseStream(): Event<void> {
    return this.#didLoseStream.event;
  }

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  get ports(): TcpPorts | undefined {
    return this.#stream?.ports;
  }

  get isAway(): boolean {
    return !this.#isStarting && this.#stream === undefined && this.#pending.size === 0;
  }

  get lastSeenMs(): number {
    return this.#lastSeenMs;
  }

  /** The engine is connected: requests may come. */
  started(): void {
    this.#isStarting = false;
  }

  async start(): Promise<void> {
    // Everything is in place from the constructor on; requests come through `receive`.
  }

  async close(): Promise<void> {
    this.#context.leave(this, "closed");
    this.shut();
  }

  /** Passes a message of a POST to the engine and answers the POST: with 202, or with the engine's answer when it comes. */
  receive(incoming: Exclude<IncomingRpc, { kind: "invalid" }>, response: ServerResponse): void {
    this.#lastSeenMs = this.#context.clock.monotonic();
    if (this.#closed) {
      this.#answerEnded(response);
      return;
    }
    if (incoming.kind === "request") {
      this.#receiveRequest(incoming.message, response);
      return;
    }
    const message: JSONRPCMessage | undefined =
      incoming.kind === "notification" && incoming.message.method === "notifications/cancelled"
        ? this.#translateCancel(incoming.message)
        : incoming.message;
    answerEmpty(response, 202);
    if (message !== undefined) this.#pass(message);
  }

  #pass(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.#context.onListenerFailure(error);
    }
  }

  /** The session went while the request was on its way. */
  #answerEnded(response: ServerResponse): void {
    answerJson(response, 404, rpcError(null, rpcCodes.refused, "The session has ended."));
  }

  #receiveRequest(message: JSONRPCRequest, response: ServerResponse): void {
    // The agent went away while its session was being started; nobody would get the answer.
    if (response.destroyed) return;
    const key = this.#nextRequest;
    this.#nextRequest += 1;
    this.#pending.set(key, { response, id: message.id, startsSession: message.method === "initialize" });
    response.on("close", () => {
      this.#pending.delete(key);
      this.#lastSeenMs = this.#context.clock.monotonic();
    });
    message.id = key;
    this.#pass(message);
  }

  /** The agent cancels by its own id; the engine knows ours. A cancelled request gets no answer, so its POST gets an empty one. */
  #translateCancel(message: JSONRPCNotification): JSONRPCMessage | undefined {
    const { requestId, ...rest } = message.params ?? {};
    for (const [key, pending] of Array.from(this.#pending).reverse()) {
      if (pending.id !== requestId) continue;
      this.#pending.delete(key);
      answerEmpty(pending.response, 202);
      return { jsonrpc: "2.0", method: message.method, params: { ...rest, requestId: key } };
    }
    return undefined;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ("method" in message) {
      if (this.#stream !== undefined) this.#sendUnasked(this.#stream, message);
      else if ("id" in message) throw new PatchbayError("stopped", "The agent has no open stream.");
      return;
    }
    const pending = typeof message.id === "number" ? this.#pending.get(message.id) : undefined;
    // The agent went away before its answer.
    if (pending === undefined || typeof message.id !== "number") return;
    this.#pending.delete(message.id);
    this.#answer(pending, message);
  }

  /** A request or notification of the engine: in order after what must not get lost, and not at all to a reader that is stuck. */
  #sendUnasked(stream: EventStream, message: JSONRPCMessage): void {
    if (stream.isBlocked || this.#reliable.hasWaiting) {
      this.#context.logger.debug("A message to a slow agent was dropped.");
      return;
    }
    const id = this.#context.frames.nextId();
    stream.write(encodeEvent(id, JSON.stringify(message)));
  }

  #answer(pending: PendingRequest, message: Exclude<JSONRPCMessage, { method: string }>): void {
    const { id, response } = pending;
    if ("result" in message && !pending.startsSession && holdsLongString(message.result)) {
      this.#answerAtPace(pending, jsonPieces({ jsonrpc: "2.0", id, result: message.result }));
      return;
    }
    let text: string;
    try {
      text = JSON.stringify(
        "result" in message
          ? { jsonrpc: "2.0", id, result: message.result }
          : { jsonrpc: "2.0", id, error: message.error },
      );
    } catch (error) {
      this.#context.onListenerFailure(error);
      text = rpcError(id, rpcCodes.internalError, "The answer could not be written.");
    }
    const begins = pending.startsSession && "result" in message;
    if (pending.startsSession || isReadyFor(response))
      answerJson(response, 200, text, begins ? this.sessionId : undefined);
    else this.#answerAtPace(pending, onePiece(text));
    // Nobody has the id of a session that the engine refused.
    if (pending.startsSession && !begins) void this.close();
  }

  #answerAtPace(pending: PendingRequest, text: PiecedText): void {
    answerAtPace(pending.response, this.#context.waiting.hold(text)).catch((error: unknown) =>
      this.#answerFailed(pending, error),
    );
  }

  #answerFailed({ id, response }: PendingRequest, error: unknown): void {
    this.#context.onListenerFailure(error);
    if (response.headersSent) response.destroy();
    else answerJson(response, 200, rpcError(id, rpcCodes.internalError, "The answer could not be written."));
  }

  /** Answers a GET with the session's stream; an earlier stream, half-open ones included, ends. */
  openStream(request: IncomingMessage, response: ServerResponse): void {
    if (this.#closed) {
      if (this.#leaving === undefined) this.#answerEnded(response);
      else answerLastStream(request, response, this.#leaving.comeBackMs);
      return;
    }
    const told = request.headers["last-event-id"];
    const lastEventId = typeof told === "string" && /^\d{1,16}$/.test(told) ? Number(told) : undefined;
    const earlier = this.#stream;
    if (earlier !== undefined) {
      this.#endStream(earlier);
      earlier.end();
    }
    const stream = new EventStream(request, response, lastEventId ?? 0);
    this.#stream = stream;
    this.#lastSeenMs = this.#context.clock.monotonic();
    stream.open(
      this.sessionId,
      () => this.#flush(stream),
      () => this.#loseStream(stream),
    );
    if (lastEventId !== undefined) this.#context.frames.raiseAbove(lastEventId);
    this.#reliable.streamOpened(lastEventId);
    this.#flush(stream);
    this.#didOpen.fire();
  }

  #loseStream(stream: EventStream): void {
    if (this.#stream !== stream) return;
    this.#endStream(stream);
    this.#didLoseStream.fire();
  }

  #endStream(stream: EventStream): void {
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    this.#latest.clear();
    this.#reliable.streamEnded();
    this.#lastSeenMs = this.#context.clock.monotonic();
  }

  pushLatest(slot: string, json: string): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    if (stream.isBlocked || this.#reliable.hasWaiting) {
      this.#latest.delete(slot);
      this.#latest.set(slot, json);
    } else stream.write(this.#context.frames.share(json, stream.lastId));
  }

  pushReliable(json: string | PiecedText, onDelivered: () => void, options?: ReliableOptions): ReliableMessage {
    if (options?.eventId !== undefined) this.#context.frames.raiseAbove(options.eventId);
    const text = this.#keep(json);
    const release = (): void => {
      if (typeof text !== "string") text.dispose();
    };
    const delivered = (): void => {
      release();
      onDelivered();
    };
    const pushed = this.#reliable.push(text, delivered, options);
    if (this.#stream !== undefined) this.#flush(this.#stream);
    return {
      get eventId() {
        return pushed.eventId;
      },
      get isTaken() {
        return pushed.isTaken;
      },
      dispose: () => {
        release();
        pushed.dispose();
      },
    };
  }

  /** What may wait long for its reader waits in bounded memory, or on disk. */
  #keep(json: string | PiecedText): string | RepeatedText {
    if (typeof json !== "string") return this.#context.waiting.keep(json);
    const isNext = this.#stream?.isBlocked === false && !this.#reliable.hasWaiting;
    return isNext || json.length < shortLength ? json : this.#context.waiting.keep(onePiece(json));
  }

  /** Writes what is due, the reliable messages first, for as long as the reader keeps up. */
  #flush(stream: EventStream): void {
    if (this.#stream !== stream) return;
    while (!stream.isBlocked) {
      const next = this.#reliable.next(stream.lastId);
      if (next === undefined) break;
      if (typeof next.json === "string") stream.write(encodeEvent(next.eventId, next.json), next.onFlushed);
      else stream.writeLong(next.eventId, next.json, next.onFlushed);
    }
    for (const [slot, json] of Array.from(this.#latest)) {
      if (stream.isBlocked) return;
      this.#latest.delete(slot);
      stream.write(this.#context.frames.share(json, stream.lastId));
    }
  }

  beat(nowMs: number): void {
    this.#stream?.keepAlive();
    if (this.isAway) this.#context.considerIdle(this, nowMs);
  }

  /** Ends the stream and everything in flight and tells the engine; the session table is left to the caller. */
  shut(options: ShutOptions = {}): void {
    const { comeBackMs, onEnded } = options;
    if (this.#closed) {
      onEnded?.();
      return;
    }
    this.#closed = true;
    if (onEnded !== undefined) this.#leaving = options;
    const stream = this.#stream;
    if (stream === undefined) onEnded?.();
    else {
      this.#endStream(stream);
      stream.end(comeBackMs, onEnded);
    }
    for (const { response, id } of Array.from(this.#pending.values())) {
      answerJson(response, 200, rpcError(id, rpcCodes.refused, "The session has ended."));
    }
    this.#pending.clear();
    this.#reliable.dispose();
    this.#didOpen.dispose();
    this.#didLoseStream.dispose();
    this.onclose?.();
  }
}
