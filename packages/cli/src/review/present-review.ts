import { readFile, stat } from "node:fs/promises";
import { nameOf } from "../host/open-files.ts";
import type { Review } from "../host/review-queue.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import { wrapText } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { conflictSentence, keptSentence, verbs } from "./review-words.ts";
import { renderDiff } from "./unified-diff.ts";

export interface Presentation {
  readonly paint: Paint;
  readonly folder: string;
  readonly maximumLines: number;
  /** How wide the terminal is; undefined where there is none. */
  /** The agent will not come back. */
  readonly isKept: boolean;
  readonly columns: number | undefined;
}

function standingLines({ standing, request, text }: Review, name: string, paint: Paint): readonly string[] {
  switch (standing) {
    case "unchanged":
      return [];
    case "merged":
      return [
        paint.faint(
          `(${name} has changed since ${escapeLine(request.agentName)} proposed this; the proposal includes those changes)`,
        ),
      ];
    case "conflict":
      // Resolved by hand, which core has still to hear of.
      if (!/^(?:<{7}|>{7}) /mu.test(text)) return [];
      return [paint.bad(conflictSentence(name))];
  }
}

/** What the user reads before deciding. Every line is safe to print. */
export async function presentReview(review: Review, presentation: Presentation): Promise<readonly string[]> {
  const { request } = review;
  const { paint, folder, maximumLines, columns, isKept } = presentation;
  const original = await readOriginal(request.path);
  const diff = renderDiff(review.original, review.text, { paint, maximumLines });
  const name = nameOf(request, folder);
  const counts = `${paint.added(`+${diff.added}`)} ${paint.removed(`-${diff.removed}`)}`;
  const head = [
    "",
    `${paint.strong(`${escapeLine(request.agentName)} ${verbs[request.kind]} ${name}`)}  ${counts}`,
    ...standingLines(review, name, paint),
    ...(review.edited ? [paint.faint("(with your edits)")] : []),
    ...(request.isReadOnly === true
      ? [paint.faint(`(${escapeLine(request.agentName)} does not take an edited text: ${wholeOf(request)})`)]
      : []),
    ...(isKept ? [paint.bad(keptSentence(review, folder))] : []),
    ...(review.agentPresent || isKept ? [] : [paint.bad("The agent has exited; your decision won't be sent.")]),
    ...(original.kind === "unreadable" ? [paint.bad(`(the file on disk ${original.why})`)] : []),
    ...(original.kind === "missing" && request.kind !== "create" ? [paint.bad("(the file no longer exists)")] : []),
  ];
  return [
    ...head.map((line) => wrapText(line, columns)),
    ...diff.lines,
    ...(diff.omitted === 0 ? [] : [paint.faint(`(${diff.omitted} more lines: v shows all of it)`)]),
  ];
}

function wholeOf({ patchFiles }: Review["request"]): string {
  return patchFiles === undefined
    ? "accept or reject it as it is"
    : `accept its patch of ${patchFiles} files as it is, or reject this file`;
}

/** What is on disk now, for the left side of a diff. */
export type OriginalText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing" }
  /** Cannot be shown as text; `why` completes "the file on disk …". */
  | { readonly kind: "unreadable"; readonly why: string };

const limitBytes = 64 * 1024 * 1024;

/** Reads a file for comparison; its byte order mark is left out, as it is in proposals. */
export async function readOriginal(path: string): Promise<OriginalText> {
  try {
    const { size } = await stat(path);
    if (size > limitBytes) return { kind: "unreadable", why: `has ${size} bytes, too many to compare` };
    const bytes = await readFile(path);
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return { kind: "unreadable", why: "is not UTF-8 text" };
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
    return { kind: "unreadable", why: `cannot be read (${code === "" ? "unknown error" : code})` };
  }
}
