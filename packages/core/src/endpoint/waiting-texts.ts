import type { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { messageOf } from "../support/errors.ts";
import type { PiecedText } from "../support/json-pieces.ts";
import type { Logger } from "../support/logger.ts";

/** Answers that their readers have not taken use this much memory at most, all together, bytes. What is more is on disk. */
export const maximumWaitingBytes: number = 32 * 1024 * 1024;

/** Keys of answers that wait on disk. */
export const waitingKeyPrefix = "waiting-";

/** What is needed of a private storage (storage/private-storage.ts). */
export interface WaitingStorage {
  read(key: string): Promise<string | undefined>;
  write(key: string, text: string): Promise<void>;
  remove(key: string): Promise<void>;
  list(prefix: string): Promise<readonly string[]>;
}

export interface WaitingTextsOptions {
  /** Undefined: there is no disk to use. Answers then wait in memory, and only a reader that is held back bounds them. */
  readonly storage: WaitingStorage | undefined;
  readonly logger: Logger;
  readonly token: () => string;
  readonly maximumBytes?: number;
}

/** A text on its way to a reader, piece by piece at the reader's pace. */
export interface WaitingText {
  /** The next bytes; undefined at the end. Rejects where what is on disk cannot be read any more. */
  next(): Promise<Buffer | undefined>;
  /** All that is left, at once; undefined where it is not in memory. */
  rest(): Buffer | undefined;
  /** Nobody wants the rest of it. To be called at the end, too. */
  dispose(): void;
}

/** A text that may have to be sent again, from its beginning, until it has arrived. */
export interface RepeatedText {
  pieces(): AsyncIterable<string>;
  /** Nobody begins it again. Who is reading it reads it to its end. */
  dispose(): void;
}

/**
 * The answers of one endpoint that wait for slow readers. Each takes its bytes from one budget or goes to disk, one piece a file, and
 * is read back a piece at a time. A text counts from when it is handed over to when it is sent or on disk.
 */
export class WaitingTexts {
  readonly #options: WaitingTextsOptions;
  readonly #maximumBytes: number;
  /** Keys of this run: they are not swept. */
  readonly #run: string;
  #heldBytes = 0;
  #count = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: WaitingTextsOptions) {
    this.#options = options;
    this.#maximumBytes = options.maximumBytes ?? maximumWaitingBytes;
    this.#run = `${waitingKeyPrefix}${options.token()}-`;
  }

  /** Of the budget, bytes. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  hold(text: PiecedText): WaitingText {
    // A unit takes two bytes at most.
    const bytes = 2 * text.units;
    if (this.#options.storage === undefined || this.#heldBytes + bytes <= this.#maximumBytes) {
      this.#heldBytes += bytes;
      return new TextInMemory(text, () => (this.#heldBytes -= bytes));
    }
    this.#count += 1;
    const kept = new TextOnDisk(text, this.#options.storage, `${this.#run}${this.#count}-`, this.#options.logger);
    // One after the other, so that the writes themselves take no more memory than one piece.
    this.#writing = this.#writing.then(() => kept.write());
    return kept;
  }

  /** As `hold`, for what counts as waiting until it has arrived. */
  keep(text: PiecedText): RepeatedText {
    const bytes = 2 * text.units;
    if (this.#options.storage === undefined || this.#heldBytes + bytes <= this.#maximumBytes) {
      this.#heldBytes += bytes;
      return new RepeatedInMemory(text, () => (this.#heldBytes -= bytes));
    }
    this.#count += 1;
    const kept = new RepeatedOnDisk(text, this.#options.storage, `${this.#run}${this.#count}-`, this.#options.logger);
    this.#writing = this.#writing.then(() => kept.write());
    return kept;
  }

  /** Removes what an earlier run has left. */
  async sweep(): Promise<void> {
    const { storage } = this.#options;
    for (const key of (await storage?.list(waitingKeyPrefix)) ?? []) {
      if (!key.startsWith(this.#run)) await storage?.remove(key);
    }
  }
}

/** Encoded when it is sent and not before: it is never there twice. */
class TextInMemory implements WaitingText {
  #pieces: Iterator<string> | undefined;
  readonly #onEnd: () => void;

  constructor(text: PiecedText, onEnd: () => void) {
    this.#pieces = text.pieces()[Symbol.iterator]();
    this.#onEnd = onEnd;
  }

  async next(): Promise<Buffer | undefined> {
    // Other work comes in between.
    await new Promise((resolve) => setImmediate(resolve));
    const step = this.#pieces?.next();
    return step === undefined || step.done === true ? undefined : Buffer.from(step.value);
  }

  rest(): Buffer {
    const left: Buffer[] = [];
    for (let step = this.#pieces?.next(); step !== undefined && step.done !== true; step = this.#pieces?.next())
      left.push(Buffer.from(step.value));
    return Buffer.concat(left);
  }

  dispose(): void {
    if (this.#pieces === undefined) return;
    this.#pieces = undefined;
    this.#onEnd();
  }
}

/** In memory until all of it is written, and again where the disk takes nothing. */
class TextOnDisk implements WaitingText {
  readonly #storage: WaitingStorage;
  readonly #prefix: string;
  readonly #logger: Logger;
  #pieces: Iterator<string> | undefined;
  #written = 0;
  #read = 0;
  #isOver = false;
  // oxlint-disable-next-line patchbay/no-kept-promise -- Never rejects.
  readonly #done: Promise<void>;
  #announceDone: () => void = () => {};

  constructor(text: PiecedText, storage: WaitingStorage, prefix: string, logger: Logger) {
    this.#pieces = text.pieces()[Symbol.iterator]();
    this.#storage = storage;
    this.#prefix = prefix;
    this.#logger = logger;
    this.#done = new Promise((resolve) => {
      this.#announceDone = resolve;
    });
  }

  async write(): Promise<void> {
    let piece: IteratorResult<string> | undefined;
    try {
      while (!this.#isOver) {
        piece = this.#pieces?.next();
        if (piece === undefined || piece.done === true) break;
        await this.#storage.write(this.#prefix + this.#written, piece.value);
        this.#written += 1;
        piece = undefined;
      }
      this.#pieces = undefined;
    } catch (error) {
      // A full disk: the rest waits in memory, since no answer may be lost.
      this.#logger.warn("An answer could not be put on disk", { reason: messageOf(error) });
      if (piece !== undefined && piece.done !== true) this.#pieces = withFirst(piece.value, this.#pieces);
    }
    this.#announceDone();
    if (this.#isOver) await this.#removeFrom(this.#read);
  }

  async next(): Promise<Buffer | undefined> {
    await this.#done;
    if (this.#isOver) return undefined;
    if (this.#read < this.#written) {
      const key = this.#prefix + this.#read;
      const text = await this.#storage.read(key);
      if (text === undefined) throw new Error("An answer is no longer on disk.");
      this.#read += 1;
      await this.#storage.remove(key);
      return Buffer.from(text);
    }
    const step = this.#pieces?.next();
    return step === undefined || step.done === true ? undefined : Buffer.from(step.value);
  }

  rest(): undefined {
    return undefined;
  }

  dispose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#pieces = undefined;
    void this.#done.then(() => this.#removeFrom(this.#read));
  }

  async #removeFrom(first: number): Promise<void> {
    try {
      for (let index = first; index < this.#written; index += 1) await this.#storage.remove(this.#prefix + index);
    } catch (error) {
      this.#logger.warn("An answer on disk could not be removed", { reason: messageOf(error) });
    }
  }
}

/** Counts who reads a text, and ends it when nobody does any more. */
abstract class Repeated implements RepeatedText {
  #readers = 0;
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  async *pieces(): AsyncGenerator<string> {
    this.#readers += 1;
    try {
      yield* this.read();
    } finally {
      this.#readers -= 1;
      if (this.#isOver && this.#readers === 0) this.end();
    }
  }

  dispose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#readers === 0) this.end();
  }

  protected abstract read(): AsyncIterable<string> | Iterable<string>;
  /** Called once. */
  protected abstract end(): void;
}

class RepeatedInMemory extends Repeated {
  #text: PiecedText | undefined;
  readonly #onEnd: () => void;

  constructor(text: PiecedText, onEnd: () => void) {
    super();
    this.#text = text;
    this.#onEnd = onEnd;
  }

  protected read(): Iterable<string> {
    return this.#text?.pieces() ?? [];
  }

  protected end(): void {
    this.#text = undefined;
    this.#onEnd();
  }
}

/** In memory until all of it is written, and further on where the disk does not take it. */
class RepeatedOnDisk extends Repeated {
  readonly #storage: WaitingStorage;
  readonly #prefix: string;
  readonly #logger: Logger;
  #text: PiecedText | undefined;
  #written = 0;
  // oxlint-disable-next-line patchbay/no-kept-promise -- Never rejects.
  readonly #done: Promise<void>;
  #announceDone: () => void = () => {};

  constructor(text: PiecedText, storage: WaitingStorage, prefix: string, logger: Logger) {
    super();
    this.#text = text;
    this.#storage = storage;
    this.#prefix = prefix;
    this.#logger = logger;
    this.#done = new Promise((resolve) => {
      this.#announceDone = resolve;
    });
  }

  async write(): Promise<void> {
    try {
      for (const piece of this.#text?.pieces() ?? []) {
        await this.#storage.write(this.#prefix + this.#written, piece);
        this.#written += 1;
        if (this.#text === undefined) break;
      }
      this.#text = undefined;
    } catch (error) {
      this.#logger.warn("A message could not be put on disk", { reason: messageOf(error) });
      // None of it may be lost: all of it stays in memory.
      await this.#remove();
      this.#written = 0;
    }
    this.#announceDone();
  }

  protected async *read(): AsyncGenerator<string> {
    await this.#done;
    if (this.#text !== undefined) yield* this.#text.pieces();
    for (let index = 0; index < this.#written; index += 1) {
      const piece = await this.#storage.read(this.#prefix + index);
      if (piece === undefined) throw new Error("A message is no longer on disk.");
      yield piece;
    }
  }

  protected end(): void {
    this.#text = undefined;
    void this.#done.then(() => this.#remove());
  }

  async #remove(): Promise<void> {
    try {
      for (let index = 0; index < this.#written; index += 1) await this.#storage.remove(this.#prefix + index);
    } catch (error) {
      this.#logger.warn("A message on disk could not be removed", { reason: messageOf(error) });
    }
  }
}

function* withFirst(first: string, rest: Iterator<string> | undefined): Generator<string> {
  yield first;
  for (let step = rest?.next(); step !== undefined && step.done !== true; step = rest?.next()) yield step.value;
}

/** A JSON answer at the pace of its reader: nothing is encoded before the connection takes it. */
export async function answerAtPace(response: ServerResponse, text: WaitingText): Promise<void> {
  try {
    if (!(await hasTurn(response))) return;
    response.writeHead(200, { "content-type": "application/json" });
    await writeAtPace(response, text);
    response.end();
  } finally {
    text.dispose();
  }
}

/** Whether an answer can be sent at once: it is its turn, and what was written before has been taken. */
export function isReadyFor(response: ServerResponse): boolean {
  return response.socket !== null && !response.socket.writableNeedDrain;
}

/** Writes a text as fast as the reader takes it, and what it is made of is let go of. */
export async function writeAtPace(response: ServerResponse, text: WaitingText): Promise<void> {
  for (;;) {
    const piece = await text.next();
    if (piece === undefined || response.destroyed) return;
    if (response.write(piece)) continue;
    await anyOf(["drain", "close"], [response]);
  }
}

/** Resolves when one of these says one of these. */
export function anyOf(events: readonly string[], sources: readonly EventEmitter[]): Promise<void> {
  return new Promise((resolve) => {
    const each = (act: "on" | "off"): void => {
      for (const source of sources) for (const event of events) source[act](event, go);
    };
    const go = (): void => {
      each("off");
      resolve();
    };
    each("on");
  });
}

/** Waits for the answers before it on its connection. False: the connection has ended. */
async function hasTurn(response: ServerResponse): Promise<boolean> {
  const { socket } = response.req;
  if (response.socket === null && !socket.destroyed) await anyOf(["socket", "close"], [response, socket]);
  return response.socket !== null && !response.destroyed;
}
