import * as z from "zod";
import type { ContextTracker } from "../context/context-tracker.ts";
import type { EditorContext } from "../context/model.ts";
import type { HookCall } from "../endpoint/endpoint.ts";

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
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
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
