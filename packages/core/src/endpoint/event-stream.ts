import type { ServerResponse } from "node:http";
import type { EventFrame } from "./event-frames.ts";

/**
 * What a client waits before it re-opens a stream that ended unannounced, ms. Clients built on the MCP SDK try twice,
 * after this span each time; their own default is 1,000 and then 1,500 (gemini.md, "Session on the wire").
 */
const ordinaryRetryMs = 1_250;

const comment = Buffer.from(":\n\n");

/** One open GET stream of server-sent events. */
export class EventStream {
  readonly #response: ServerResponse;
  #lastId: number;

  /** `lastId` is what the client says it has: ids never go back for it, or it would be told again what it has. */
  constructor(response: ServerResponse, lastId: number) {
    this.#response = response;
    this.#lastId = lastId;
  }

  /** Sends the headers at once and tells the ends: `onDrain` when the reader caught up, `onLost` when the stream is gone. */
  open(sessionId: string, onDrain: () => void, onLost: () => void): void {
    const response = this.#response;
    response.on("drain", onDrain);
    response.on("close", onLost);
    // A write that meets a reset connection is told by "close".
    response.on("error", () => undefined);
    response.shouldKeepAlive = false;
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "mcp-session-id": sessionId,
    });
    response.write(`retry: ${ordinaryRetryMs}\n\n`);
  }

  /** The reader is slower than what was written; anything more would only fill memory. */
  get isBlocked(): boolean {
    return this.#response.writableNeedDrain;
  }

  /** Id of the last event written, or of the one that the client had before. */
  get lastId(): number {
    return this.#lastId;
  }

  /** `onFlushed` runs when the system has taken the bytes, not when the connection broke before. */
  write(frame: EventFrame, onFlushed?: () => void): void {
    this.#lastId = frame.id;
    if (onFlushed === undefined) this.#response.write(frame.bytes);
    else {
      this.#response.write(frame.bytes, (error) => {
        if (error === undefined || error === null) onFlushed();
      });
    }
  }

  /** A line that clients ignore; keeps proxies and client timeouts (undici: 300 s) from ending a quiet stream. */
  keepAlive(): void {
    if (!this.isBlocked) this.#response.write(comment);
  }

  /** Ends with the last chunk, upon which clients re-open silently; a reader that is stuck is cut. `onEnded` runs once. */
  end(retryMs?: number, onEnded?: () => void): void {
    const response = this.#response;
    if (onEnded !== undefined) {
      if (response.destroyed) onEnded();
      else response.once("close", onEnded);
    }
    if (this.isBlocked) response.destroy();
    else if (retryMs === undefined) response.end();
    else response.end(`retry: ${retryMs}\n\n`);
  }
}
