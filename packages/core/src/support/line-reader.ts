/** The longest line that is read, bytes: it may hold a whole file, or what a build printed. */
const defaultLimit: number = 64 * 1_048_576;

const smallestBuffer = 4_096;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

export interface LineReaderOptions {
  /** Without its line end. Empty lines are left out. */
  readonly onLine: (line: string, bytes: number) => void;
  /** A line over the limit was skipped to its end. */
  readonly onTooLong?: (bytes: number) => void;
  /** Bytes, line ends not counted. */
  readonly limit?: number;
}

/**
 * Cuts bytes into lines at line feeds and nowhere else; a carriage return before one belongs to it. Node's `readline` also
 * cuts at U+2028 and U+2029, which JSON may hold as they are. What waits for its end takes at most twice the limit,
 * however small the chunks are.
 */
export class LineReader {
  readonly #options: LineReaderOptions;
  readonly #limit: number;
  // Whole lines only: a character may be cut between two chunks.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #begun: Uint8Array = new Uint8Array(0);
  /** Of the line that has begun; beyond the limit it is only counted. */
  #size = 0;
  #lastByte: number | undefined;

  constructor(options: LineReaderOptions) {
    this.#options = options;
    this.#limit = options.limit ?? defaultLimit;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      const last = chunk.subarray(start, end);
      if (this.#size === 0) this.#finish(last, last.length, last.at(-1));
      else {
        this.#keep(last);
        this.#finishBegun();
      }
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** Nothing follows: the last line may have no end. */
  end(): void {
    this.#finishBegun();
  }

  #keep(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    // The limit, and a carriage return.
    if (size > this.#limit + 1) this.#begun = new Uint8Array(0);
    else {
      if (size > this.#begun.length) {
        const larger = new Uint8Array(
          Math.max(size, Math.min(this.#begun.length * 2, this.#limit + 1), smallestBuffer),
        );
        larger.set(this.#begun.subarray(0, this.#size));
        this.#begun = larger;
      }
      this.#begun.set(piece, this.#size);
    }
    this.#size = size;
    this.#lastByte = piece.at(-1) ?? this.#lastByte;
  }

  #finishBegun(): void {
    const [begun, size] = [this.#begun, this.#size];
    this.#size = 0;
    // A long line is rare: its room is not kept for the next one.
    if (begun.length > smallestBuffer) this.#begun = new Uint8Array(0);
    this.#finish(begun.subarray(0, size), size, this.#lastByte);
  }

  /** `size` is what came; over the limit, `line` holds nothing of it. */
  #finish(line: Uint8Array, size: number, lastByte: number | undefined): void {
    const length = size > 0 && lastByte === carriageReturn ? size - 1 : size;
    if (length > this.#limit) this.#options.onTooLong?.(length);
    else if (length > 0) this.#options.onLine(this.#decoder.decode(line.subarray(0, length)), length);
  }
}

/** The lines of a stream of bytes, cut at line feeds only. */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  let lines: string[] = [];
  const reader = new LineReader({ onLine: (line) => lines.push(line) });
  for await (const chunk of stream) {
    reader.push(chunk);
    yield* lines;
    lines = [];
  }
  reader.end();
  yield* lines;
}
