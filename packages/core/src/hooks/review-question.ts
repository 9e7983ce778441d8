import * as z from "zod";
import type { Review, ReviewRequest } from "../companion.ts";
import type { HookCall } from "../endpoint/endpoint.ts";

/**
 * What a program asks at the door of the hooks that has a conversation of its own, beside an editor: that the user reviews a change
 * there, too. As JSON, in place of an event.
 */
const reviewQuestion = "review";

const questionSchema = z.object({
  patchbay: z.literal(reviewQuestion),
  conversation: z.object({ id: z.string().max(200), agent: z.string().max(100), agentName: z.string().max(200) }),
  path: z.string(),
  text: z.string(),
  base: z.string().optional(),
  isEditable: z.boolean(),
});

const replySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("accepted"), text: z.string() }),
  z.object({ kind: z.literal("rejected"), reason: z.string().optional() }),
]);

/** What the user has decided there. */
export type ReviewReply =
  | { readonly kind: "accepted"; readonly text: string }
  | { readonly kind: "rejected"; readonly reason?: string | undefined };

export function encodeReviewQuestion(request: ReviewRequest): string {
  return JSON.stringify({ ...request, patchbay: reviewQuestion });
}

/** Undefined: this is asked by nobody, and is an event of an agent. */
export function readReviewQuestion(event: unknown): ReviewRequest | undefined {
  if (typeof event !== "object" || event === null || !("patchbay" in event)) return undefined;
  const { success, data } = questionSchema.safeParse(event);
  if (!success) return undefined;
  const { conversation, path, text, base, isEditable } = data;
  return { conversation, path, text, isEditable, ...(base === undefined ? {} : { base }) };
}

/** Undefined: nobody has decided. */
export function readReviewReply(output: string | undefined): ReviewReply | undefined {
  if (output === undefined) return undefined;
  try {
    return replySchema.safeParse(JSON.parse(output)).data;
  } catch {
    return undefined;
  }
}

/** Shows the change and says what became of it; undefined where nothing was decided. Whoever hangs up takes the question back. */
export async function answerReviewQuestion(
  request: ReviewRequest,
  call: Pick<HookCall, "signal" | "waiting">,
  review: (request: ReviewRequest) => Promise<Review>,
): Promise<string | undefined> {
  const opened = await review(request);
  const leave = (): void => opened.withdraw();
  call.signal.addEventListener("abort", leave, { once: true });
  if (call.signal.aborted) leave();
  call.waiting("");
  const outcome = await opened.outcome;
  call.signal.removeEventListener("abort", leave);
  const reply: ReviewReply | undefined =
    outcome.kind === "accepted"
      ? { kind: "accepted", text: outcome.text }
      : outcome.kind === "rejected"
        ? { kind: "rejected", reason: outcome.reason }
        : undefined;
  return reply === undefined ? undefined : JSON.stringify(reply);
}
