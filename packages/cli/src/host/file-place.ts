import { resolve } from "node:path";
import type { OpenPlace } from "./open-files.ts";
import { lineLength } from "./read-file-range.ts";

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
