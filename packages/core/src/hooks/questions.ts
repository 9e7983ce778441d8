import { type KnownSessions, presencesOf, shownCommand } from "./presences.ts";
import * as z from "zod";
import type { ContextTracker } from "../context/context-tracker.ts";
import type { EditorContext } from "../context/model.ts";
import type { HookCall } from "../endpoint/endpoint.ts";
import type { Review, ReviewRequest } from "../companion.ts";
import { onAbort } from "../support/disposable.ts";

/** What a program asks at the door of the hooks that wants to know what the agents of a companion do: as JSON, in place of an event. */
export const presenceQuestion = { patchbay: "presences" } as const;

/** Whether this is asked, and not an event of an agent. */
export function asksForPresences(event: unknown): boolean {
  return (
    typeof event === "object" && event !== null && "patchbay" in event && event.patchbay === presenceQuestion.patchbay
  );
}

/** What the sessions of these agents do, as JSON: whoever has a token hears of those that come with it, and of no other. */
export function tellPresences(agents: ReadonlySet<string>, known: KnownSessions): string {
  const presences = presencesOf({
    activities: known.activities.filter(({ agent }) => agents.has(agent)),
    sessions: known.sessions.filter(({ dialect }) => agents.has(dialect)),
    proposals: known.proposals,
    commands: known.commands,
  });
  return JSON.stringify(
    presences.map(({ id, agent, title, state, since, waitsFor, commands, processes }) => ({
      id,
      agent,
      title,
      state,
      since,
      waitsFor: [...waitsFor, ...commands.map(({ command }) => shownCommand(command))],
      processes,
    })),
  );
}

/**
 * What a program asks at the door of the hooks that has a conversation of its own, beside an editor: what its user has open there, and
 * what is selected. As JSON, in place of an event. It is told at once and after each change, until it hangs up.
 */
export const contextQuestion = { patchbay: "context" } as const;

/** Whether this is asked, and not an event of an agent. */
export function asksForContext(event: unknown): boolean {
  return (
    typeof event === "object" && event !== null && "patchbay" in event && event.patchbay === contextQuestion.patchbay
  );
}

/** The same, asked for an agent that puts it in front of a prompt by itself: nobody need tell it once more with that prompt. */
export const promptQuestion = { patchbay: "context", isForPrompt: true } as const;

/** Whether it is asked so. */
export function asksForPrompt(event: unknown): boolean {
  return asksForContext(event) && typeof event === "object" && event !== null && "isForPrompt" in event;
}

/** Made by whoever reads: an editor, which tells, has no use for it. */
function createContextSchema() {
  const positionSchema = z.object({ line: z.int().min(0), character: z.int().min(0) });
  return z.object({
    files: z.array(z.object({ path: z.string(), timestamp: z.number() })),
    active: z
      .object({
        path: z.string(),
        cursor: positionSchema,
        selection: z
          .object({ range: z.object({ start: positionSchema, end: positionSchema }), text: z.string() })
          .optional(),
      })
      .optional(),
  });
}

let contextSchema: ReturnType<typeof createContextSchema> | undefined;

/** Tells what agents may see, as the user's settings have it, until whoever asks hangs up. */
export async function tellContext(
  { signal, waiting }: Pick<HookCall, "signal" | "waiting">,
  tracker: Pick<ContextTracker, "onDidUpdate" | "snapshot">,
): Promise<undefined> {
  if (signal.aborted) return;
  const tell = ({ files, active }: EditorContext): void => waiting(JSON.stringify({ files, active }));
  const following = tracker.onDidUpdate(tell);
  tell(tracker.snapshot());
  await new Promise<void>((resolve) => onAbort(signal, resolve));
  following.dispose();
}

/** Undefined: this says nothing of an editor. */
export function readContext(text: string): EditorContext | undefined {
  try {
    contextSchema ??= createContextSchema();
    const { files, active } = contextSchema.parse(JSON.parse(text));
    if (active === undefined) return { files };
    const { path, cursor, selection } = active;
    return { files, active: { path, cursor, ...(selection === undefined ? {} : { selection }) } };
  } catch {
    return undefined;
  }
}

/**
 * What a program asks at the door of the hooks that has a conversation of its own, beside an editor: that the user reviews a change
 * there, too. As JSON, in place of an event.
 */
const reviewQuestion = "review";

const questionSchema = z.object({
  patchbay: z.literal(reviewQuestion),
  conversation: z.object({
    id: z.string().max(200),
    agent: z.string().max(100),
    agentName: z.string().max(200),
    readsReasons: z.boolean().optional(),
  }),
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
  const leaving = onAbort(call.signal, () => opened.withdraw());
  call.waiting("");
  const outcome = await opened.outcome;
  leaving.dispose();
  const reply: ReviewReply | undefined =
    outcome.kind === "accepted"
      ? { kind: "accepted", text: outcome.text }
      : outcome.kind === "rejected"
        ? { kind: "rejected", reason: outcome.reason }
        : undefined;
  return reply === undefined ? undefined : JSON.stringify(reply);
}
