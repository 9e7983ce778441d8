/** Longer strings are written in pieces of this many UTF-16 units. */
const pieceLength = 256 * 1024;

/** A text that comes in pieces, for who writes it bit by bit instead of holding everything up for the whole. */
export interface PiecedText {
  /** About how much memory what it is made of takes, UTF-16 units. */
  readonly units: number;
  pieces(): Iterable<string>;
}

/** What `JSON.stringify` makes of plain data, in pieces: for a string of some megabytes it takes long, and the editor waits. */
export function jsonPieces(value: unknown): PiecedText {
  return { units: unitsOf(value), pieces: () => inBatches(write(value)) };
}

/** The same as a line of NDJSON, with its end. */
export function jsonLine(value: unknown): PiecedText {
  const line = function* (): Generator<string> {
    yield* write(value);
    yield "\n";
  };
  return { units: unitsOf(value), pieces: () => inBatches(line()) };
}

/** A text that is there as one. */
export function onePiece(text: string): PiecedText {
  return { units: text.length, pieces: () => [text] };
}

function unitsOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  let units = 1;
  for (const member of Object.values(value)) units += unitsOf(member);
  return units;
}

/** The whole of a text. */
export function wholeText(text: string | PiecedText): string {
  return typeof text === "string" ? text : Array.from(text.pieces()).join("");
}

/** Whether data holds a string for which pieces are worth their while. */
export function holdsLongString(value: unknown): boolean {
  if (typeof value === "string") return value.length > pieceLength;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsLongString);
}

/** Small pieces together, so that what is small comes as one. */
function* inBatches(pieces: Iterable<string>): Generator<string> {
  let batch = "";
  for (const piece of pieces) {
    batch += piece;
    if (batch.length < pieceLength) continue;
    yield batch;
    batch = "";
  }
  if (batch !== "") yield batch;
}

function* write(value: unknown): Generator<string> {
  if (typeof value === "string" && value.length > pieceLength) yield* writeString(value);
  else if (Array.isArray(value)) {
    let separator = "[";
    for (const member of value) {
      yield separator;
      yield* write(member ?? null);
      separator = ",";
    }
    yield value.length === 0 ? "[]" : "]";
  } else if (typeof value === "object" && value !== null) {
    let separator = "{";
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${separator}${JSON.stringify(key)}:`;
      yield* write(member);
      separator = ",";
    }
    yield separator === "{" ? "{}" : "}";
  } else yield JSON.stringify(value);
}

function* writeString(text: string): Generator<string> {
  yield '"';
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + pieceLength, text.length);
    // Half of a pair would be written as an escape of its own.
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end -= 1;
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}
