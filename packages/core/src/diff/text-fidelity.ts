import { type Clock, finish, finishInTurns } from "../support/time.ts";

/** U+FEFF, which agents keep in front of a text and editors keep apart from it. */
export const byteOrderMark = "\ufeff";

/** Splits a leading byte order mark from a text. */
export function splitByteOrderMark(text: string): { readonly mark: "" | typeof byteOrderMark; readonly body: string } {
  return text.startsWith(byteOrderMark) ? { mark: byteOrderMark, body: text.slice(1) } : { mark: "", body: text };
}

/** A long text is worked on in pieces of this many UTF-16 units: each is a step, and other work has its turn in between. */
export const pieceLength: number = 128 * 1024;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** So much is compared at once where two texts have the same line ends, UTF-16 units. */
const stride = 4_096;

/** Whether two texts differ in nothing but their line ends, which editors make uniform when they load a document. */
export function sameLines(a: string, b: string): boolean {
  if (a === b) return true;
  if (!a.includes("\r") && !b.includes("\r")) return false;
  // Neither text is made anew: most differ soon, and each would cost as much as it is long.
  let [here, there] = [0, 0];
  while (here < a.length && there < b.length) {
    if (a.slice(here, here + stride) === b.slice(there, there + stride)) {
      here += stride;
      there += stride;
      continue;
    }
    for (let count = 0; count < stride && here < a.length && there < b.length; count += 1) {
      const [one, other] = [a.charCodeAt(here), b.charCodeAt(there)];
      if (one !== other && !(isLineEnd(one) && isLineEnd(other))) return false;
      here += one === carriageReturn && a.charCodeAt(here + 1) === lineFeed ? 2 : 1;
      there += other === carriageReturn && b.charCodeAt(there + 1) === lineFeed ? 2 : 1;
    }
  }
  return here >= a.length && there >= b.length;
}

function isLineEnd(code: number): boolean {
  return code === lineFeed || code === carriageReturn;
}

/**
 * Gives the text of an editor's document the line ends of the proposal it came from, because an agent compares what
 * comes back with what it sent. An unedited text is the proposal itself, byte for byte. In an edited one, a uniform
 * proposal decides for all lines; in a mixed one the lines before and after the edit keep their own ends, and
 * lines of the edit take the most frequent one. A promise only where the texts are long: then in turns with other work.
 *
 * @param documentText without byte order mark, in the editor's line ends
 * @param proposed without byte order mark, as the agent sent it
 */
export function restoreLineEnds(documentText: string, proposed: string, clock: Clock): string | Promise<string> {
  const steps = restoringSteps(documentText, proposed);
  if (documentText.length + proposed.length <= 2 * pieceLength) return finish(steps);
  return finishInTurns(steps, clock);
}

/** See `restoreLineEnds`. */
export function* restoringSteps(documentText: string, proposed: string): Generator<void, string> {
  const lines = yield* lineFeedSteps(documentText);
  if (!proposed.includes("\r")) return lines;
  const plain = yield* lineFeedSteps(proposed);
  if (lines === plain) return proposed;
  const ends = yield* countLineEnds(proposed);
  const [most] = ends;
  if (most === undefined) return lines;
  if (ends.length === 1) return yield* withLineEnds(lines, most.end);
  return yield* mergeLineEnds({ lines, plain, proposed, dominant: most.end });
}

interface Merge {
  /** The edited text with line feeds. */
  readonly lines: string;
  /** The proposal with line feeds. */
  readonly plain: string;
  readonly proposed: string;
  readonly dominant: string;
}

function* mergeLineEnds({ lines, plain, proposed, dominant }: Merge): Generator<void, string> {
  // Whole lines, with their ends.
  const same = sameAtStart(lines, plain);
  const head = same === 0 ? 0 : lines.lastIndexOf("\n", same - 1) + 1;
  const tail = wholeLinesAtEnd(lines, plain, head);
  const before = proposed.slice(0, yield* placeOf(head, proposed));
  const between = yield* withLineEnds(lines.slice(head, lines.length - tail), dominant);
  const after = proposed.slice(yield* placeOf(plain.length - tail, proposed));
  return join(join(before, between), after);
}

/** After a carriage return a line feed alone would end no line of its own. */
function join(text: string, next: string): string {
  if (!text.endsWith("\r")) return text + next;
  let feeds = 0;
  while (next.charCodeAt(feeds) === lineFeed) feeds += 1;
  return text + "\r".repeat(feeds) + next.slice(feeds);
}

/** How many UTF-16 units two texts have in common from their starts on. */
function sameAtStart(a: string, b: string): number {
  return narrow(Math.min(a.length, b.length), (length, from) => a.slice(from, length) === b.slice(from, length));
}

/** How many UTF-16 units of whole lines two texts have in common at their ends, without what comes before `from`. */
function wholeLinesAtEnd(a: string, b: string, from: number): number {
  const most = Math.min(a.length, b.length) - from;
  const same = narrow(
    most,
    (length, before) => a.slice(a.length - length, a.length - before) === b.slice(b.length - length, b.length - before),
  );
  const startsLine = (text: string): boolean =>
    text.length === same || text.charCodeAt(text.length - same - 1) === lineFeed;
  if (startsLine(a) && startsLine(b)) return same;
  const next = a.indexOf("\n", a.length - same);
  return next === -1 ? 0 : a.length - next - 1;
}

/** The largest number up to `most` for which everything between it and a smaller one that holds is the same. */
function narrow(most: number, isSame: (length: number, from: number) => boolean): number {
  let known = 0;
  for (let step = most; step >= 1; step = Math.floor(step / 2)) {
    while (known + step <= most && isSame(known + step, known)) known += step;
  }
  return known;
}

/** Where in a text the place is that is at `offset` when every line ends with a line feed. */
function* placeOf(offset: number, text: string): Generator<void, number> {
  let [place, plain] = [0, 0];
  for (const piece of piecesOf(text)) {
    const shorter = piece.split("\r\n").length - 1;
    if (plain + piece.length - shorter > offset) break;
    place += piece.length;
    plain += piece.length - shorter;
    if (piece.length < text.length) yield;
  }
  for (; plain < offset; plain += 1) {
    place += text.charCodeAt(place) === carriageReturn && text.charCodeAt(place + 1) === lineFeed ? 2 : 1;
  }
  return place;
}

/** The kinds of line ends of a text, the most frequent first; the earlier one where two are equally frequent. */
function* countLineEnds(text: string): Generator<void, readonly { readonly end: string; readonly count: number }[]> {
  const counts = new Map<string, number>();
  const add = (end: string): void => void counts.set(end, (counts.get(end) ?? 0) + 1);
  for (const piece of piecesOf(text)) {
    for (let index = 0; index < piece.length; index += 1) {
      const code = piece.charCodeAt(index);
      if (code === lineFeed) add("\n");
      else if (code === carriageReturn && piece.charCodeAt(index + 1) === lineFeed) {
        add("\r\n");
        index += 1;
      } else if (code === carriageReturn) add("\r");
    }
    if (piece.length < text.length) yield;
  }
  return Array.from(counts, ([end, count]) => ({ end, count })).sort((a, b) => b.count - a.count);
}

/** A text whose lines all end with a line feed. */
export function* lineFeedSteps(text: string): Generator<void, string> {
  return yield* withLineEnds(text, "\n");
}

function* withLineEnds(text: string, end: string): Generator<void, string> {
  if (end === "\n" && !text.includes("\r")) return text;
  const pieces: string[] = [];
  for (const piece of piecesOf(text)) {
    // Many times faster than a replacement with as many matches.
    const lines = piece.includes("\r") ? piece.split("\r\n").join("\n").split("\r").join("\n") : piece;
    pieces.push(end === "\n" ? lines : lines.split("\n").join(end));
    if (piece.length < text.length) yield;
  }
  return pieces.join("");
}

/** A text in pieces, none of which ends within a line end. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + pieceLength, text.length);
    if (text.charCodeAt(end - 1) === carriageReturn && text.charCodeAt(end) === lineFeed) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}
