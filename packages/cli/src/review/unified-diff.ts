import { structuredPatch } from "diff";
import { escapeText } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";

export interface RenderedDiff {
  /** Safe to print. */
  readonly lines: readonly string[];
  readonly added: number;
  readonly removed: number;
  /** How many lines were left out at the end. */
  readonly omitted: number;
}

export interface DiffRendering {
  readonly paint: Paint;
  readonly maximumLines: number;
}

/** Longest search for a small diff, milliseconds; beyond that the texts have little in common. */
const patienceMs = 1000;

/** A coloured unified diff. Line ends are compared as equal (the agents keep a file's own), and said where they differ. */
export function renderDiff(original: string, proposed: string, rendering: DiffRendering): RenderedDiff {
  const { paint, maximumLines } = rendering;
  const patch = structuredPatch("", "", withoutCr(original), withoutCr(proposed), "", "", {
    context: 3,
    timeout: patienceMs,
  });
  const lines: string[] = [];
  if (hasCr(original) !== hasCr(proposed) && original !== "" && proposed !== "") {
    lines.push(
      paint.faint(`(lines end with ${name(original)} in the file and with ${name(proposed)} in the proposal)`),
    );
  }
  if (patch === undefined) {
    return { ...count(original, proposed), lines: [...lines, paint.faint("(too different to compare)")], omitted: 0 };
  }
  let added = 0;
  let removed = 0;
  for (const hunk of patch.hunks) {
    lines.push(paint.place(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`));
    for (const line of hunk.lines) {
      if (line.startsWith("+")) added += 1;
      if (line.startsWith("-")) removed += 1;
      lines.push(colourLine(line, paint));
    }
  }
  if (lines.length === 0) lines.push(paint.faint("(no line differs)"));
  const omitted = Math.max(0, lines.length - maximumLines);
  return { lines: lines.slice(0, maximumLines), added, removed, omitted };
}

/** A line of a diff, safe to print. */
export function colourLine(line: string, paint: Paint): string {
  const safe = escapeText(line);
  if (line.startsWith("+")) return paint.added(safe);
  if (line.startsWith("-")) return paint.removed(safe);
  return line.startsWith("\\") ? paint.faint(safe) : safe;
}

function count(original: string, proposed: string): { readonly added: number; readonly removed: number } {
  return { added: proposed.split("\n").length, removed: original.split("\n").length };
}

function hasCr(text: string): boolean {
  return text.includes("\r\n");
}

function withoutCr(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function name(text: string): string {
  return hasCr(text) ? "CRLF" : "LF";
}
