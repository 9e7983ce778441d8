import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { basename, isAbsolute, relative, resolve } from "node:path";
import {
  type DiffRequest,
  type EditorChange,
  Emitter,
  type HostActiveEditor,
  type HostEditors,
  type Position,
  type Range,
} from "@patchbay/core";
import { escapeLine } from "../terminal/escape-text.ts";

/** A file that the user says to have open. */
export interface OpenPlace {
  readonly path: string;
  readonly cursor: Position;
  readonly selection?: Range;
}

/** What the user of the headless host says to have open: files, and a place or a selection in each. */
export class OpenFiles implements HostEditors {
  readonly #places: Map<string, OpenPlace> = new Map();
  readonly #change: Emitter<EditorChange> = new Emitter();
  #active: string | undefined;

  readonly onDidChange: HostEditors["onDidChange"] = this.#change.event;

  /** Those that are there: a file may be removed while it is open here. */
  openFiles(): readonly string[] {
    return Array.from(this.#places.keys()).filter((path) => isRegularFile(path));
  }

  active(): HostActiveEditor | undefined {
    const place = this.#active === undefined ? undefined : this.#places.get(this.#active);
    if (place === undefined || !isRegularFile(place.path)) return undefined;
    const { path, selection } = place;
    return {
      ...place,
      readSelection: (limitBytes) => (selection === undefined ? "" : readFileRange(path, selection, limitBytes)),
    };
  }

  /** Opens a file or goes to another place in it; it is the active one then. */
  open(place: OpenPlace): void {
    const isNew = !this.#places.has(place.path);
    this.#places.set(place.path, place);
    this.#active = place.path;
    if (isNew) this.#change.fire({ kind: "opened", path: place.path });
    this.#change.fire({ kind: "focused", path: place.path });
    this.#change.fire({ kind: "selection" });
  }

  /** Says whether the file was open. The file opened before it is then the active one. */
  close(path: string): boolean {
    if (!this.#places.delete(path)) return false;
    if (this.#active === path) this.#active = Array.from(this.#places.keys()).at(-1);
    this.#change.fire({ kind: "closed", path });
    return true;
  }
}

/** A file, and the lines meant in it. Lines 0-based, both ends included. */
export interface FilePlace {
  readonly path: string;
  readonly lines?: { readonly start: number; readonly end?: number };
}

const placePattern = /^(?<file>.+?):(?<start>\d+)(?:-(?<end>\d+))?$/u;

/** Reads `file`, `file:12` or `file:12-20` (1-based, as people count), relative to `folder`. */
export function parseFilePlace(text: string, folder: string): FilePlace {
  const groups = placePattern.exec(text)?.groups;
  const { file, start, end } = groups ?? {};
  if (file === undefined || start === undefined || Number(start) === 0) return { path: resolve(folder, text) };
  const first = Number(start) - 1;
  const last = end === undefined ? undefined : Math.max(first, Number(end) - 1);
  return { path: resolve(folder, file), lines: { start: first, ...(last === undefined ? {} : { end: last }) } };
}

/** The cursor at the line, or the lines selected whole. Reads the file: it must be there. */
export function toOpenPlace({ path, lines }: FilePlace): OpenPlace {
  const start = { line: lines?.start ?? 0, character: 0 };
  if (lines?.end === undefined) return { path, cursor: start };
  const end = { line: lines.end, character: lineLength(path, lines.end) };
  return { path, cursor: end, selection: { start, end } };
}

const chunkBytes = 65_536;

/** A part of a line. A line comes in several where it is long, so that one of a whole file is never held. */
interface Piece {
  readonly text: string;
  readonly line: number;
  /** Where in its line it begins. */
  readonly character: number;
  /** Whether the line's newline follows it. */
  readonly endsLine: boolean;
}

/** The text of a range of a file, read in pieces and not much further than `limitBytes` of it. Columns are UTF-16 units. */
export function readFileRange(path: string, { start, end }: Range, limitBytes: number): string {
  let taken = "";
  forEachPiece(path, ({ text, line, character, endsLine }) => {
    if (line < start.line) return true;
    const from = line === start.line ? Math.max(0, start.character - character) : 0;
    const to = line === end.line ? Math.max(0, end.character - character) : text.length;
    taken += text.slice(from, to);
    const isOver = line === end.line && (endsLine || to <= text.length);
    if (endsLine && line < end.line) taken += "\n";
    return !isOver && taken.length < limitBytes;
  });
  return taken;
}

/** How many UTF-16 units a line has, its line end not counted; 0 where there is no such line. */
export function lineLength(path: string, line: number): number {
  let length = 0;
  let last = "";
  forEachPiece(path, (piece) => {
    if (piece.line < line) return true;
    length += piece.text.length;
    last = piece.text.at(-1) ?? last;
    return !piece.endsLine;
  });
  return last === "\r" ? length - 1 : length;
}

/** How many lines a file has, counted no further than `most`. A newline at its end begins no line of its own. */
export function countLines(path: string, most: number): number {
  let count = 0;
  forEachPiece(path, ({ text, line, endsLine }) => {
    if (text !== "" || endsLine) count = line + 1;
    return count < most;
  });
  return count;
}

function isRegularFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * Opens a file for reading; undefined where it is none. What was a file when the user opened it may be a pipe or a device by now:
 * to open or read one of those could take for ever, and nothing else would happen meanwhile.
 */
export function openRegularFile(path: string): number | undefined {
  if (!isRegularFile(path)) return undefined;
  // Windows does not know the flag.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  return undefined;
}

/** Calls for each piece, in order, until the callback says false. */
function forEachPiece(path: string, visit: (piece: Piece) => boolean): void {
  const file = openRegularFile(path);
  if (file === undefined) return;
  try {
    const decoder = new TextDecoder("utf-8");
    const buffer = Buffer.alloc(chunkBytes);
    let line = 0;
    let character = 0;
    for (;;) {
      const count = readSync(file, buffer, 0, chunkBytes, null);
      const parts = decoder.decode(buffer.subarray(0, count), { stream: count > 0 }).split("\n");
      for (const [index, text] of parts.entries()) {
        const endsLine = index < parts.length - 1;
        if (!visit({ text, line, character, endsLine })) return;
        line = endsLine ? line + 1 : line;
        character = endsLine ? 0 : character + text.length;
      }
      if (count === 0) return;
    }
  } finally {
    closeSync(file);
  }
}

/** Whether a file is in a folder, or in one below it. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && !/^\.\.(?:[/\\]|$)/u.test(way) && !isAbsolute(way);
}

/** What a review is about as people read it; where a made-up file is says nothing to them. Safe to print. */
export function nameOf({ path, isTrial }: Pick<DiffRequest, "path" | "isTrial">, folder: string): string {
  return isTrial === true ? basename(path) : pathInFolder(path, folder);
}

/** A path as people read it: below the folder relative to it, else whole. Safe to print. */
export function pathInFolder(path: string, folder: string): string {
  const way = relative(folder, path);
  return escapeLine(way === "" || way.startsWith("..") || isAbsolute(way) ? path : way);
}
