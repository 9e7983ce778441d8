import type { Disposable } from "../support/disposable.ts";
import type { PiecedText } from "../support/json-pieces.ts";
import type { Clock } from "../support/time.ts";
import type { ReliableMessage, ReliableOptions } from "./endpoint.ts";

/** A flushed message counts as delivered when its stream stayed open for this long, ms. */
const settleMs = 1_000;

/**
 * The last part of that, ms. It begins with a look at what is due and ends with a second one: a process that was held up
 * (busy, stopped, asleep) runs its timers before it hears that a stream broke meanwhile.
 */
const hearMs = 50;

interface QueuedMessage<Text> {
  readonly json: Text;
  readonly onDelivered: () => void;
  /** Given when it is first written, by this run or an earlier one; 0 before. */
  eventId: number;
  state: "waiting" | "written" | "flushed";
  flushedAtMs: number;
}

/** A message to be written now. */
export interface ReliableWrite<Text = string | PiecedText> {
  readonly json: Text;
  readonly eventId: number;
  /** To be called when the system has taken the bytes. */
  readonly onFlushed: () => void;
}

/**
 * The messages of one session that must not get lost, in order, each until the agent has it. A stream's end puts back
 * what may not have arrived; a timer runs only while something flushed waits for its second.
 */
export class ReliableQueue<Text = string | PiecedText> {
  readonly #clock: Clock;
  readonly #nextId: () => number;
  #messages: QueuedMessage<Text>[] = [];
  /** The last event that the client says it has. */
  #lastTold = 0;
  /** Counts the streams, so that a late flush of an earlier one says nothing about this one. */
  #stream = 0;
  #timer: Disposable | undefined;

  constructor(clock: Clock, nextId: () => number) {
    this.#clock = clock;
    this.#nextId = nextId;
  }

  get hasWaiting(): boolean {
    return this.#messages.some((message) => message.state === "waiting");
  }

  /** Disposing the result takes the message back where it is not delivered yet. */
  push(json: Text, onDelivered: () => void, options: ReliableOptions = {}): ReliableMessage {
    const eventId = options.eventId ?? 0;
    const message: QueuedMessage<Text> = { json, onDelivered, eventId, state: "waiting", flushedAtMs: 0 };
    if (eventId !== 0 && eventId <= this.#lastTold) onDelivered();
    else this.#messages.push(message);
    return {
      get eventId() {
        return message.eventId;
      },
      get isTaken() {
        return message.state === "flushed";
      },
      dispose: () => {
        this.#messages = this.#messages.filter((other) => other !== message);
      },
    };
  }

  /**
   * The next message that was not written on this stream yet; it counts as written from now on. It keeps the id it was
   * written under before, unless the stream is past that: ids go up on every stream.
   */
  next(aboveId: number): ReliableWrite<Text> | undefined {
    const message = this.#messages.find((candidate) => candidate.state === "waiting");
    if (message === undefined) return undefined;
    if (message.eventId <= aboveId) message.eventId = this.#nextId();
    message.state = "written";
    const stream = this.#stream;
    return {
      json: message.json,
      eventId: message.eventId,
      onFlushed: () => {
        if (stream !== this.#stream || message.state !== "written") return;
        message.state = "flushed";
        message.flushedAtMs = this.#clock.monotonic();
        this.#watch();
      },
    };
  }

  /** A new stream: what the client has by its last event id is delivered, everything else is due again. */
  streamOpened(lastEventId: number | undefined): void {
    this.#stream += 1;
    this.#lastTold = lastEventId ?? 0;
    if (lastEventId !== undefined) this.#deliver((message) => message.eventId !== 0 && message.eventId <= lastEventId);
    for (const message of this.#messages) message.state = "waiting";
  }

  /** The stream ended: what was not there for its second waits for the next stream. */
  streamEnded(): void {
    this.#stream += 1;
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    const flushed = this.#messages.filter((message) => message.state === "flushed");
    if (flushed.length === 0) return;
    const earliest = Math.min(...flushed.map((message) => message.flushedAtMs));
    const dueMs = Math.max(1, earliest + settleMs - hearMs - this.#clock.monotonic());
    this.#timer = this.#clock.setTimeout(() => this.#settleSoon(), dueMs);
  }

  #settleSoon(): void {
    const before = this.#clock.monotonic() - (settleMs - hearMs);
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#deliver((message) => message.state === "flushed" && message.flushedAtMs <= before);
      this.#watch();
    }, hearMs);
  }

  #deliver(isDelivered: (message: QueuedMessage<Text>) => boolean): void {
    const delivered: QueuedMessage<Text>[] = [];
    const kept: QueuedMessage<Text>[] = [];
    for (const message of this.#messages) (isDelivered(message) ? delivered : kept).push(message);
    this.#messages = kept;
    for (const message of delivered) message.onDelivered();
  }
}
