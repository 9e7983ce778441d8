import type { Socket } from "node:net";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { WebSocket } from "ws";
import type { TcpPorts } from "../platform/platform.ts";
import { Emitter, type Event } from "../support/emitter.ts";
import { holdsLongString, jsonPieces, onePiece, type PiecedText } from "../support/json-pieces.ts";
import type { ConnectionContext, TableEntry } from "./connection-table.ts";
import type { AgentTransport, ReliableMessage } from "./endpoint.ts";
import { portsOf, unlessFailed } from "./event-stream.ts";
import type { ReadingGate } from "./websocket-peer.ts";
import { ReliableQueue } from "./reliable-queue.ts";
import { anyOf, type WaitingText } from "./waiting-texts.ts";

/** A WebSocket and what belongs to it. */
export interface WebSocketPeer {
  readonly webSocket: WebSocket;
  readonly socket: Socket;
  readonly gate: ReadingGate;
}

/** A longer message is sent in fragments, bytes: none of it is in memory that its reader does not take. */
const mostInOneFrame = 1024 * 1024;

/** A message that waits for its reader. */
interface Outgoing {
  readonly text: WaitingText;
  readonly onSent: () => void;
  /** Bytes that were made and not sent yet. */
  ready: Buffer | undefined;
  hasBegun: boolean;
}

/** One session over one WebSocket, from its first message on. */
export class WebSocketTransport implements AgentTransport, TableEntry {
  readonly kind = "websocket";
  readonly sessionId: string;
  readonly isAway = false;
  onmessage?: NonNullable<Transport["onmessage"]>;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  readonly #context: ConnectionContext;
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #gate: ReadingGate;
  readonly #didOpen: Emitter<void>;
  readonly #didLoseStream: Emitter<void>;
  readonly #reliable: ReliableQueue;
  readonly #latest: Map<string, string> = new Map();
  /** What waits for the reader, in order; the first one is being sent. */
  readonly #outgoing: Outgoing[] = [];
  #state: "connecting" | "open" | "closed" = "connecting";

  constructor(sessionId: string, peer: WebSocketPeer, context: ConnectionContext) {
    this.sessionId = sessionId;
    this.#webSocket = peer.webSocket;
    this.#socket = peer.socket;
    this.#gate = peer.gate;
    this.#context = context;
    this.#didOpen = new Emitter(context.onListenerFailure);
    this.#didLoseStream = new Emitter(context.onListenerFailure);
    this.#reliable = new ReliableQueue(context.clock, () => context.frames.nextId());
  }

  get onDidOpen(): Event<void> {
    return this.#didOpen.event;
  }

  get onDidLoseStream(): Event<void> {
    return this.#didLoseStream.event;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Messages wait for the reader, beyond what was written to its socket. */
  get hasOutgoing(): boolean {
    return this.#outgoing.length > 0;
  }

  get ports(): TcpPorts | undefined {
    return portsOf(this.#socket);
  }

  get lastSeenMs(): number {
    return this.#context.clock.monotonic();
  }

  async start(): Promise<void> {
    // Messages come through `receive` when the session is accepted.
  }

  async close(): Promise<void> {
    this.#context.leave(this, "closed");
    this.shut();
  }

  /** The engine is connected: messages flow from now on. */
  open(): void {
    if (this.#state !== "connecting") return;
    this.#state = "open";
    this.#socket.on("drain", this.#onDrain);
    this.#reliable.streamOpened(undefined);
    this.#flush();
    this.#didOpen.fire();
  }

  receive(message: JSONRPCMessage): void {
    if (this.#state !== "open") return;
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.#context.onListenerFailure(error);
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#state === "closed") return;
    this.#say("result" in message && holdsLongString(message.result) ? jsonPieces(message) : JSON.stringify(message));
  }

  /** An answer of the endpoint itself, in its turn. */
  answer(json: string): void {
    if (this.#state !== "closed") this.#say(json);
  }

  /** Sends at once what the reader takes at once, and the rest at its pace. Answers must not be dropped: an agent that asks without reading is not read from either. */
  #say(json: string | PiecedText, onSent: () => void = () => {}): void {
    if (typeof json === "string" && !this.#isBlocked) this.#webSocket.send(json, unlessFailed(onSent));
    else {
      const text = this.#context.waiting.hold(typeof json === "string" ? onePiece(json) : json);
      this.#outgoing.push({ text, onSent, ready: undefined, hasBegun: false });
      if (this.#outgoing.length === 1) this.#sendAtPace().catch((error: unknown) => this.#sendFailed(error));
    }
    if (this.#isBlocked) this.#gate.hold("writing");
  }

  async #sendAtPace(): Promise<void> {
    for (let one = this.#outgoing[0]; one !== undefined; one = this.#outgoing[0]) {
      one.ready = await one.text.next();
      while (one.ready !== undefined) {
        const more = await one.text.next();
        if (this.#outgoing[0] !== one) return;
        if (more !== undefined && !one.hasBegun && one.ready.length < mostInOneFrame) {
          one.ready = Buffer.concat([one.ready, more]);
          continue;
        }
        const { ready } = one;
        one.ready = more;
        if (this.#socket.writableNeedDrain) await anyOf(["drain", "close"], [this.#socket]);
        if (this.#outgoing[0] !== one) return;
        this.#sendPart(one, ready, more === undefined);
      }
      one.text.dispose();
      this.#outgoing.shift();
    }
    if (!this.#isBlocked) this.#gate.release("writing");
    this.#flush();
  }

  #sendPart(one: Outgoing, part: Buffer, isLast: boolean): void {
    one.hasBegun = true;
    const onWritten = isLast ? unlessFailed(one.onSent) : undefined;
    this.#webSocket.send(part, { binary: false, fin: isLast }, onWritten);
  }

  /** The rest of a message is lost: nothing that comes after it could be told from it. */
  #sendFailed(error: unknown): void {
    this.#context.onListenerFailure(error);
    this.#webSocket.terminate();
  }

  /** There is no later turn: what is in memory is said now. */
  #sayTheRest(): void {
    const left = this.#outgoing.splice(0);
    for (const one of left) {
      const rest = this.#webSocket.readyState === this.#webSocket.OPEN ? one.text.rest() : Buffer.alloc(0);
      one.text.dispose();
      if (rest === undefined) {
        // What is on disk would come too late, and what is behind it out of its turn.
        if (one.hasBegun) this.#webSocket.terminate();
        for (const other of left) other.text.dispose();
        return;
      }
      if (this.#webSocket.readyState === this.#webSocket.OPEN)
        this.#sendPart(one, Buffer.concat([one.ready ?? Buffer.alloc(0), rest]), true);
    }
  }

  /** The reader is slower than what was written, or what comes next is not ready. */
  get #isBlocked(): boolean {
    return this.#outgoing.length > 0 || this.#socket.writableNeedDrain;
  }

  pushLatest(slot: string, json: string): void {
    if (this.#state !== "open") return;
    if (this.#isBlocked || this.#reliable.hasWaiting) {
      this.#latest.delete(slot);
      this.#latest.set(slot, json);
    } else this.#webSocket.send(json);
  }

  /** Event ids mean nothing here: a socket that is gone is not resumed. */
  pushReliable(json: string | PiecedText, onDelivered: () => void): ReliableMessage {
    const pushed = this.#reliable.push(json, onDelivered);
    this.#flush();
    return pushed;
  }

  beat(): void {
    // The socket itself is looked after by its peer watch.
  }

  readonly #onDrain = (): void => {
    this.#flush();
  };

  #flush(): void {
    if (this.#state !== "open") return;
    while (!this.#isBlocked) {
      const next = this.#reliable.next(0);
      if (next === undefined) break;
      this.#say(next.json, next.onFlushed);
    }
    for (const [slot, json] of Array.from(this.#latest)) {
      if (this.#isBlocked) return;
      this.#latest.delete(slot);
      this.#webSocket.send(json);
    }
  }

  /** The socket is gone or going: tells the session and the engine. */
  shut(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#socket.off("drain", this.#onDrain);
    // An end waits for nobody: what was to be said is said now, where anybody hears it.
    this.#sayTheRest();
    this.#gate.open();
    this.#webSocket.close(1000);
    this.#latest.clear();
    this.#reliable.streamEnded();
    this.#didLoseStream.fire();
    this.#didOpen.dispose();
    this.#didLoseStream.dispose();
    this.onclose?.();
  }
}
