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
