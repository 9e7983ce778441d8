import type { Socket } from "node:net";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { WebSocket } from "ws";
import type { TcpPorts } from "../platform/platform.ts";
import { Emitter, type Event } from "../support/emitter.ts";
import { holdsLongString, jsonPieces, type PiecedText, wholeText } from "../support/json-pieces.ts";
import type { ConnectionContext, TableEntry } from "./connection-table.ts";
import type { AgentTransport, ReliableMessage } from "./endpoint.ts";
import { PieceEncoder, portsOf } from "./event-stream.ts";
import type { ReadingGate } from "./websocket-peer.ts";
import { ReliableQueue } from "./reliable-queue.ts";

/** A WebSocket and what belongs to it. */
export interface WebSocketPeer {
  readonly webSocket: WebSocket;
  readonly socket: Socket;
  readonly gate: ReadingGate;
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
  /** A message of some megabytes that is being encoded: what comes after it waits. */
  #encoding: PieceEncoder | undefined;
  readonly #behind: (string | PiecedText)[] = [];
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
    this.#sendAnswer(
      "result" in message && holdsLongString(message.result) ? jsonPieces(message) : JSON.stringify(message),
    );
  }

  #sendAnswer(json: string | PiecedText): void {
    if (this.#encoding !== undefined) this.#behind.push(json);
    else if (typeof json === "string") this.#webSocket.send(json);
    else this.#encoding = new PieceEncoder(json, (parts) => this.#sendEncoded(parts));
    this.#holdWhileFull();
  }

  /** Answers must not be dropped: an agent that asks without reading is not read from either. */
  #holdWhileFull(): void {
    if (this.#socket.writableNeedDrain) this.#gate.hold("writing");
  }

  #sendEncoded(parts: readonly Buffer[]): void {
    this.#encoding = undefined;
    this.#webSocket.send(Buffer.concat(parts), { binary: false });
    this.#holdWhileFull();
    for (const json of this.#behind.splice(0)) this.#sendAnswer(json);
    this.#flush();
  }

  /** The reader is slower than what was written, or what comes next is not ready. */
  get #isBlocked(): boolean {
    return this.#encoding !== undefined || this.#socket.writableNeedDrain;
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
      this.#webSocket.send(wholeText(next.json), (error) => {
        if (error === undefined || error === null) next.onFlushed();
      });
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
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) this.#encoding?.cancel();
    else while (this.#encoding !== undefined) this.#encoding.finish();
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
