import type { ReviewRequest } from "../companion.ts";
import { askHook } from "../endpoint/ask-hook.ts";
import { encodeReviewQuestion, readReviewReply, type ReviewReply } from "../hooks/review-question.ts";
import type { Platform } from "../platform/platform.ts";
import { findRunningEditors, findServingEditors } from "./running-editors.ts";

/** How long a user may take, ms. */
const patienceMs = 24 * 60 * 60_000;

/**
 * Has a change reviewed in the editor that has the folder open. Undefined: there is none, it does not know this question, or nothing
 * was decided there. Aborted: the question is taken back. Never rejects.
 */
export async function askEditorForReview(
  platform: Platform,
  folder: string,
  request: ReviewRequest,
  signal: AbortSignal,
): Promise<ReviewReply | undefined> {
  const serving = await findServingEditors(platform, await findRunningEditors(platform), folder).catch(() => []);
  const [found] = serving
    .filter(({ answers }) => answers)
    .flatMap(({ port, records }) =>
      records.flatMap(({ token, companion }) =>
        token === undefined || companion === undefined ? [] : [{ port, token }],
      ),
    );
  if (found === undefined || signal.aborted) return undefined;
  const { pid } = platform.process;
  const event = encodeReviewQuestion(request);
  const reply = await askHook({ ...found, event, pid, limitMs: patienceMs, signal });
  return readReviewReply(reply.kind === "answered" ? reply.output : undefined);
}
