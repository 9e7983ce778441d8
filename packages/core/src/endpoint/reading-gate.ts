import type { WebSocket } from "ws";

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
