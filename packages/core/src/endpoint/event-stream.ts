import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TcpPorts } from "../platform/platform.ts";
import { anyOf } from "./waiting-texts.ts";

/**
 * What a client waits before it re-opens a stream that ended unannounced, ms. Clients built on the MCP SDK try twice,
 * after this span each time; their own default is 1,000 and then 1,500 (gemini.md, "Session on the wire").
 */
const ordinaryRetryMs = 1_250;

const comment = ":\n\n";

/** A text that comes in pieces, from memory or from disk. */
interface LongText {
  pieces(): Iterable<string> | AsyncIterable<string>;
}

/** Undefined where the connection has ended. */
export function portsOf({ localPort, remotePort }: Socket): TcpPorts | undefined {
  return localPort === undefined || remotePort === undefined ? undefined : { localPort, remotePort };
}

/**
 * One open GET stream of server-sent events. Events go to the socket as chunks that are ready: Node's response would make
 * each of them four writes, which for an update to a hundred agents is most of what it costs.
 */
export class EventStream {
  readonly #socket: Socket;
  readonly #response: ServerResponse;
  readonly #isChunked: boolean;
  #lastId: number;
  /** A message of some megabytes that is being sent: what comes after it waits. */
  #sending: LongText | undefined;
  #onDrain: () => void = () => {};

  /** `lastId` is what the client says it has: ids never go back for it, or it would be told again what it has. */
  constructor(request: IncomingMessage, response: ServerResponse, lastId: number) {
    this.#socket = request.socket;
    this.#response = response;
    // HTTP/1.0 knows no chunks; there the stream ends with its connection.
    this.#isChunked = request.httpVersion === "1.1";
    this.#lastId = lastId;
  }

  /** Sends the headers at once and tells the ends: `onDrain` when the reader caught up, `onLost` when the stream is gone. */
  open(sessionId: string, onDrain: () => void, onLost: () => void): void {
    const response = this.#response;
    this.#onDrain = onDrain;
    response.on("drain", onDrain);
    // It ends with the stream.
    this.#socket.on("drain", onDrain);
    response.on("close", () => {
      this.#sending = undefined;
      onLost();
    });
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
    return this.#sending !== undefined || this.#response.writableNeedDrain || this.#socket.writableNeedDrain;
  }

  get ports(): TcpPorts | undefined {
    return portsOf(this.#socket);
  }

  /** Id of the last event written, or of the one that the client had before. */
  get lastId(): number {
    return this.#lastId;
  }

  /** `onFlushed` runs when the system has taken the bytes, not when the connection broke before. */
  write(frame: EventFrame, onFlushed?: () => void): void {
    this.#lastId = frame.id;
    const onWritten = onFlushed === undefined ? undefined : unlessFailed(onFlushed);
    if (this.#isChunked && this.#isOnSocket) this.#socket.write(frame.chunk, onWritten);
    else this.#response.write(frame.bytes, onWritten);
  }

  /** As `write`, for a message of some megabytes: a piece is made when the reader has taken the one before, with other work in between. */
  writeLong(id: number, json: LongText, onFlushed: () => void): void {
    this.#lastId = id;
    this.#sending = json;
    // The rest of the event is lost: the client opens its stream anew, and is told again.
    this.#sendLong(json, `id: ${id}\ndata: `, onFlushed).catch(() => this.#response.destroy());
  }

  async #sendLong(json: LongText, head: string, onFlushed: () => void): Promise<void> {
    const response = this.#response;
    response.write(head);
    for await (const piece of json.pieces()) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#sending === json && (response.writableNeedDrain || this.#socket.writableNeedDrain))
        await anyOf(["drain", "close"], [response, this.#socket]);
      // The stream has ended meanwhile.
      if (this.#sending !== json) return;
      // Node makes chunks of them where it must.
      response.write(piece);
    }
    this.#sending = undefined;
    response.write("\n\n", unlessFailed(onFlushed));
    if (!this.isBlocked) this.#onDrain();
  }

  /** False while an earlier answer on the same connection is not through, and after the end. */
  get #isOnSocket(): boolean {
    return this.#response.socket === this.#socket && !this.#response.writableEnded;
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

/** For the callback of a write. */
export function unlessFailed(onFlushed: () => void): (error?: Error | null) => void {
  return (error) => {
    if (error === undefined || error === null) onFlushed();
  };
}

/** One server-sent event, ready to be written. */
export interface EventFrame {
  readonly id: number;
  readonly bytes: Buffer;
  /** The same as a chunk of HTTP/1.1 (RFC 9112, 7.1), so that it goes to the socket in one piece. */
  readonly chunk: Buffer;
}

/**
 * Gives out event ids for all streams of one endpoint and keeps the last shared frame, so that one update to a hundred
 * agents is encoded once. Ids start from the clock in microseconds and thereby go on increasing over restarts.
 */
export class EventFrames {
  #lastId: number;
  #shared: (EventFrame & { readonly json: string }) | undefined;

  constructor(nowMs: number) {
    this.#lastId = nowMs * 1000;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Later ids are larger than one that a client has from before, whatever the clock did since. */
  raiseAbove(id: number): void {
    // An id near the end of the safe integers was never ours.
    if (id > this.#lastId && id < Number.MAX_SAFE_INTEGER / 2) this.#lastId = id;
  }

  /** The frame of a message that goes to many; its id is larger than `aboveId`. */
  share(json: string, aboveId: number): EventFrame {
    const last = this.#shared;
    if (last !== undefined && last.id > aboveId && last.json === json) return last;
    const id = this.nextId();
    const shared = { ...encodeEvent(id, json), json };
    this.#shared = shared;
    return shared;
  }
}

/** One event; `json` stands on one line. */
export function encodeEvent(id: number, json: string): EventFrame {
  const text = `id: ${id}\ndata: ${json}\n\n`;
  const size = `${Buffer.byteLength(text).toString(16)}\r\n`;
  const chunk = Buffer.from(`${size}${text}\r\n`, "utf8");
  return { id, chunk, bytes: chunk.subarray(size.length, -2) };
}
