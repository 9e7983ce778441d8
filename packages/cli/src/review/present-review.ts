import type { Review } from "../host/review-queue.ts";
import { pathInFolder } from "../serve/path-in-folder.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
import { readOriginal } from "./original-text.ts";
import { renderDiff } from "./unified-diff.ts";

export interface Presentation {
  readonly paint: Paint;
  readonly folder: string;
  readonly maximumLines: number;
}

const verbs = { create: "wants to make", change: "wants to change", delete: "wants to empty or delete" } as const;

/** What the user reads before deciding. Every line is safe to print. */
export async function presentReview(review: Review, presentation: Presentation): Promise<readonly string[]> {
  const { request } = review;
  const { paint, folder, maximumLines } = presentation;
  const original = await readOriginal(request.path);
  const left = original.kind === "text" ? original.text : "";
  const diff = renderDiff(left, review.text, { paint, maximumLines });
  const name = pathInFolder(request.path, folder);
  const counts = `${paint.added(`+${diff.added}`)} ${paint.removed(`-${diff.removed}`)}`;
  return [
    "",
    `${paint.strong(`${escapeLine(request.agentName)} ${verbs[request.kind]} ${name}`)}  ${counts}`,
    ...(review.edited ? [paint.faint("(with your edits)")] : []),
    ...(review.agentPresent ? [] : [paint.bad("The agent has gone: what you decide reaches nobody.")]),
    ...(original.kind === "unreadable" ? [paint.bad(`(the file on disk ${original.why})`)] : []),
    ...(original.kind === "missing" && request.kind !== "create"
      ? [paint.bad("(the file is not there any more)")]
      : []),
    ...diff.lines,
    ...(diff.omitted === 0 ? [] : [paint.faint(`(${diff.omitted} more lines: v shows all)`)]),
  ];
}
