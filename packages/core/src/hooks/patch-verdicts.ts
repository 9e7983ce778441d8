import type { FinishedChange, HookVerdict, ToolArguments } from "../agents/hook.ts";
import type { DiffOutcome } from "../diff/model.ts";
import type { Platform } from "../platform/platform.ts";
import {
  changedNote,
  leftReason,
  readForHook,
  rejectionReason,
  type ReviewedChange,
  rewrittenReason,
  unchangedReason,
} from "./hook-verdicts.ts";

/** A call that changes several files, and can be made anew without some of them. */
export interface PatchCall {
  readonly files: Pick<Platform["files"], "readText">;
  /** See `HookEvent`. */
  argumentsForAll(finished: readonly FinishedChange[]): Promise<ToolArguments | undefined>;
  /** The model is told to write this text by itself. */
  promise(real: string, wanted: string): void;
}

/**
 * What the user decided of several changes that one call makes: what they refused is left out of it. Loaded with the first such call.
 */
export async function verdictOfAll(
  asked: readonly ReviewedChange[],
  outcomes: readonly DiffOutcome[],
  { files, argumentsForAll, promise }: PatchCall,
): Promise<HookVerdict> {
  const ends: (FinishedChange & { readonly path: string; readonly real: string; readonly refusal?: string })[] = [];
  for (const [index, { change, path, real, onDisk, before, after }] of asked.entries()) {
    const outcome = outcomes[index];
    const { text } = await readForHook({ exists: true, real }, files);
    const now = text === onDisk ? before : text;
    const common = { change, path, real, before: now };
    if (outcome?.kind === "accepted") {
      const wanted = outcome.text === now ? undefined : outcome.text;
      const isAsProposed = outcome.text === after && now === before;
      ends.push({
        ...common,
        wanted,
        isAsProposed,
        ...(wanted === undefined ? { refusal: unchangedReason(path) } : {}),
      });
    } else if (outcome?.kind === "rejected" || outcome?.kind === "closed") {
      const refusal = rejectionReason(path, outcome.kind === "rejected" ? outcome.reason : undefined);
      ends.push({ ...common, wanted: undefined, isAsProposed: false, refusal });
    } else return { kind: "deny", reason: leftReason };
  }
  const refusals = ends.flatMap(({ refusal }) => refusal ?? []);
  if (refusals.length === ends.length) return { kind: "deny", reason: refusals.join("\n") };
  if (ends.every(({ isAsProposed }) => isAsProposed)) return { kind: "allow" };
  const given = await argumentsForAll(ends);
  const others = ends.filter(({ wanted }) => wanted !== undefined);
  if (given !== undefined) {
    const notes = others.flatMap(({ path, wanted, isAsProposed }) => (isAsProposed ? [] : [changedNote(path, wanted)]));
    const kept = `The user reviewed the files of this patch one by one. Written: ${others.map(({ path }) => path).join(", ")}.`;
    const leftOut = refusals.map((refusal) => refusal.replace("Nothing was written.", "It was left out."));
    return { kind: "allow-changed", arguments: given, note: [kept, ...leftOut, ...notes].join("\n") };
  }
  // They are not asked about these again.
  for (const { real, wanted } of others) {
    promise(real, wanted ?? "");
  }
  const told = others.map(({ path, wanted = "", isAsProposed }) =>
    isAsProposed ? acceptedReason(path) : rewrittenReason(path, wanted),
  );
  return { kind: "deny", reason: [...refusals, ...told].join("\n") };
}

/** What the model reads of a change that the user accepted, where the whole call was not made. */
function acceptedReason(path: string): string {
  return `The user accepted this change of ${path} as it is. Nothing was written yet: make it again.`;
}
