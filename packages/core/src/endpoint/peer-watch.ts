import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Disposable } from "../support/disposable.ts";
import type { Clock } from "../support/time.ts";
import type { Beating } from "./connection-table.ts";

/**
 * Unanswered pings after which a peer is dead. A process on this machine that dies takes its socket with it, so this is
 * for tunnels and containers; it is generous because a user may suspend an agent (Ctrl-Z) and come back to it.
 */
const missedPings = 10;

/** Bytes of a masked control frame around its data. */
const controlFrameBytes = 6;

export interface PeerWatchOptions {
  readonly webSocket: WebSocket;
  readonly socket: Socket;
  readonly gate: ReadingGate;
  readonly clock: Clock;
  /** From the first bytes of a message to its end, ms. */
  readonly messageTimeoutMs: number;
}

/** Looks after one WebSocket: answers and sends pings, and ends it when the peer is dead or a message never gets finished. */
export class PeerWatch implements Beating {
  readonly #options: PeerWatchOptions;
  #unanswered = 0;
  /** Bytes read up to the last whole message, and of control frames since. */
  #accountedBytes: number;
  /** Runs while a message is unfinished. */
  #timer: Disposable | undefined;

  constructor(options: PeerWatchOptions) {
    this.#options = options;
    this.#accountedBytes = options.socket.bytesRead;
  }

  /** Begins; to be called when `ws` listens to the socket already, so that each chunk is seen after what it completes. */
  follow(): void {
    const { webSocket, socket, gate } = this.#options;
    socket.on("data", () => this.#chunkCame());
    socket.on("drain", () => gate.release("writing"));
    webSocket.on("message", () => this.#messageEnded());
    webSocket.on("pong", (data) => this.#controlFrameEnded(data.length));
    webSocket.on("ping", (data) => {
      this.#controlFrameEnded(data.length);
      webSocket.pong(data);
      // A peer that pings without reading the answers is not read from either.
      if (socket.writableNeedDrain) gate.hold("writing");
    });
    webSocket.on("close", () => this.#clearTimer());
  }

  beat(): void {
    const { webSocket } = this.#options;
    if (this.#unanswered >= missedPings) {
      webSocket.terminate();
      return;
    }
    this.#unanswered += 1;
    webSocket.ping();
  }

  #chunkCame(): void {
    const { socket } = this.#options;
    if (socket.bytesRead > this.#accountedBytes && this.#timer === undefined && !socket.destroyed) this.#startTimer();
  }

  #startTimer(): void {
    const { clock, gate, messageTimeoutMs, webSocket } = this.#options;
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      // Where we do not read, it is not the peer who is late.
      if (gate.isHeld) this.#startTimer();
      else webSocket.terminate();
    }, messageTimeoutMs);
  }

  #messageEnded(): void {
    this.#unanswered = 0;
    this.#accountedBytes = this.#options.socket.bytesRead;
    this.#clearTimer();
  }

  #controlFrameEnded(dataBytes: number): void {
    this.#unanswered = 0;
    this.#accountedBytes += controlFrameBytes + dataBytes;
  }

  #clearTimer(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }
}

/** Why a WebSocket is not read from for now: its session is being started, a long message is being read, or it does not read what it asked for. */
export type HoldReason = "starting" | "reading" | "writing";

/** Holds a WebSocket's reading back for as long as there is any reason to, so that its peer waits instead of our memory filling. */
export class ReadingGate {
  readonly #webSocket: WebSocket;
  readonly #reasons: Set<HoldReason> = new Set();

  constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket;
  }

  get isHeld(): boolean {
    return this.#reasons.size > 0;
  }

  hold(reason: HoldReason): void {
    this.#reasons.add(reason);
    this.#webSocket.pause();
  }

  release(reason: HoldReason): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0) this.#webSocket.resume();
  }

  /** The socket is closing: the peer's goodbye must be read. */
  open(): void {
    this.#reasons.clear();
    this.#webSocket.resume();
  }
}
