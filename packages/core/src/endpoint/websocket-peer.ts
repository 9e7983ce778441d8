import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Disposable } from "../support/disposable.ts";
import type { Clock } from "../support/time.ts";
import type { Beating } from "./connection-table.ts";

/** A frame of more bytes comes to `ws` in parts of this size; a multiple of a mask's four bytes. */
const partBytes = 256 * 1024;

const text = 0x1;
const binary = 0x2;
const final = 0x80;
const masked = 0x80;

/** A long frame of which more is to come. */
interface LongFrame {
  /** Payload bytes of which no header was written yet. */
  rest: number;
  readonly isFinal: boolean;
  readonly mask: Buffer;
}

/**
 * Makes fragments of the long frames of a WebSocket while they come in. `ws` collects a frame until its end, unmasks it, puts a
 * message's fragments together and looks whether they are UTF-8: for 65 MB that holds the editor up for half a second.
 * A long text therefore comes to `ws` as a binary message, whose fragments it hands out as they are; who takes it reads it
 * piece by piece. What is no frame of a client is left as it is: `ws` knows what to answer.
 */
export class FrameSplitter {
  readonly #maximumBytes: number;
  /** For each message that has begun and was not taken yet, whether it is a long text. */
  readonly #longTexts: boolean[] = [];
  /** The beginning of a header. */
  #unfinished: Buffer | undefined;
  /** Payload bytes until the next header, read or to be written. */
  #passing = 0;
  #long: LongFrame | undefined;

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes;
  }

  /** Everything that listens to the socket from now on gets its data in smaller frames. */
  follow(socket: Socket): void {
    const emit = socket.emit.bind(socket);
    // Before every listener: `ws` comes and goes as one of them.
    socket.emit = (event: string | symbol, ...values: readonly unknown[]): boolean => {
      const [chunk] = values;
      if (event !== "data" || !Buffer.isBuffer(chunk)) return emit(event, ...values);
      for (const part of this.split(chunk)) emit(event, part);
      return true;
    };
  }

  /** The same bytes, with further headers in between. */
  split(chunk: Buffer): readonly Buffer[] {
    const bytes = this.#unfinished === undefined ? chunk : Buffer.concat([this.#unfinished, chunk]);
    this.#unfinished = undefined;
    const parts: Buffer[] = [];
    let start = 0;
    let index = 0;
    const cut = (end: number, next: number, insert?: Buffer): void => {
      if (end > start) parts.push(bytes.subarray(start, end));
      if (insert !== undefined) parts.push(insert);
      start = next;
    };
    while (index < bytes.length) {
      if (this.#passing > 0) {
        const passed = Math.min(this.#passing, bytes.length - index);
        this.#passing -= passed;
        index += passed;
        if (this.#passing === 0 && this.#long !== undefined) cut(index, index, this.#nextPart(this.#long, 0));
        continue;
      }
      const header = readHeader(bytes, index);
      if (header === undefined) {
        this.#unfinished = bytes.subarray(index);
        cut(index, bytes.length);
        break;
      }
      const end = index + header.size;
      if (this.#isSplit(header)) {
        const isText = header.opcode === text;
        if (header.opcode !== 0) this.#longTexts.push(isText);
        this.#long = {
          rest: header.length,
          isFinal: header.isFinal,
          // A copy: the chunk's memory is not ours.
          mask: Buffer.from(bytes.subarray(end - 4, end)),
        };
        cut(index, end, this.#nextPart(this.#long, isText ? binary : header.opcode));
      } else {
        if (header.opcode === text || header.opcode === binary) this.#longTexts.push(false);
        this.#passing = header.length;
      }
      index = end;
    }
    cut(bytes.length, bytes.length);
    return parts;
  }

  /** Whether the next message that `ws` gives out is a long text; to be asked once for each. */
  takeKind(): "as-it-says" | "long-text" {
    return this.#longTexts.shift() === true ? "long-text" : "as-it-says";
  }

  /** What is too long altogether is left to `ws`, which refuses it at its header. */
  #isSplit({ opcode, length, isMasked, isPlain }: Header): boolean {
    return isMasked && isPlain && opcode <= binary && length > partBytes && length <= this.#maximumBytes;
  }

  #nextPart(frame: LongFrame, opcode: number): Buffer {
    const length = Math.min(frame.rest, partBytes);
    frame.rest -= length;
    this.#passing = length;
    const isLast = frame.rest === 0;
    if (isLast) this.#long = undefined;
    const header = Buffer.alloc(14);
    header[0] = opcode | (isLast && frame.isFinal ? final : 0);
    header[1] = masked | 127;
    header.writeBigUInt64BE(BigInt(length), 2);
    frame.mask.copy(header, 10);
    return header;
  }
}

interface Header {
  readonly size: number;
  readonly opcode: number;
  readonly length: number;
  readonly isFinal: boolean;
  readonly isMasked: boolean;
  /** No bit is set that nobody has agreed on. */
  readonly isPlain: boolean;
}

/** A frame's header (RFC 6455, 5.2), or undefined where it is not all there. */
function readHeader(bytes: Buffer, start: number): Header | undefined {
  const first = bytes[start];
  const second = bytes[start + 1];
  if (first === undefined || second === undefined) return undefined;
  const isMasked = (second & masked) !== 0;
  const short = second & 0x7f;
  const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
  const size = 2 + lengthBytes + (isMasked ? 4 : 0);
  if (bytes.length < start + size) return undefined;
  const length =
    lengthBytes === 8
      ? Number(bytes.readBigUInt64BE(start + 2))
      : lengthBytes === 2
        ? bytes.readUInt16BE(start + 2)
        : short;
  return {
    size,
    opcode: first & 0x0f,
    length,
    isFinal: (first & final) !== 0,
    isMasked,
    isPlain: (first & 0x70) === 0,
  };
}

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
  /** Whether more waits for the peer than was written to its socket. */
  readonly hasMore: () => boolean;
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
    const { webSocket, socket, gate, hasMore } = this.#options;
    socket.on("data", () => this.#chunkCame());
    socket.on("drain", () => {
      if (!hasMore()) gate.release("writing");
    });
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
