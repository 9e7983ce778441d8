import type { ReviewRequest } from "../companion.ts";
import type { EditorContext } from "../context/model.ts";
import { askHook } from "../endpoint/ask-hook.ts";
import { contextQuestion, readContext } from "../hooks/context-question.ts";
import { encodeReviewQuestion, readReviewReply, type ReviewReply } from "../hooks/review-question.ts";
import type { Platform } from "../platform/platform.ts";
import { findRunningEditors, findServingEditors } from "./running-editors.ts";

/** How long a user may take, ms. */
const patienceMs = 24 * 60 * 60_000;

/** So long after an editor has gone, or was not there, one is looked for again, ms. */
const lookAgainMs = 5_000;

/** The door of the editor that has the folder open; undefined: there is none. */
async function findDoor(
  platform: Platform,
  folder: string,
): Promise<{ readonly port: number; readonly token: string } | undefined> {
  const serving = await findServingEditors(platform, await findRunningEditors(platform), folder).catch(() => []);
  return serving
    .filter(({ answers }) => answers)
    .flatMap(({ port, records }) =>
      records.flatMap(({ token, companion }) =>
        token === undefined || companion === undefined ? [] : [{ port, token }],
      ),
    )[0];
}

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
  const found = await findDoor(platform, folder);
  if (found === undefined || signal.aborted) return undefined;
  const { pid } = platform.process;
  const event = encodeReviewQuestion(request);
  const reply = await askHook({ ...found, event, pid, limitMs: patienceMs, signal });
  return readReviewReply(reply.kind === "answered" ? reply.output : undefined);
}

/**
 * Tells what the user has open in the editor that has the folder open, as far as agents may know of it, now and after each change;
 * undefined: no editor tells it. Resolves once the signal is aborted. Never rejects.
 */
export async function followEditorContext(
  platform: Platform,
  folder: string,
  listener: (context: EditorContext | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const event = JSON.stringify(contextQuestion);
  const { pid } = platform.process;
  while (!signal.aborted) {
    const found = await findDoor(platform, folder).catch(() => undefined);
    if (found !== undefined && !signal.aborted) {
      const onWaiting = (said: string): void => {
        const context = readContext(said);
        if (context !== undefined && !signal.aborted) listener(context);
      };
      await askHook({ ...found, event, pid, limitMs: patienceMs, signal, onWaiting });
      if (!signal.aborted) listener(undefined);
    }
    await wait(platform, signal);
  }
}

async function wait({ clock }: Platform, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = clock.setTimeout(resolve, lookAgainMs);
    const leave = (): void => {
      timer.dispose();
      resolve();
    };
    signal.addEventListener("abort", leave, { once: true });
  });
}
