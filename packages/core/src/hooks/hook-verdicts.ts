import { type HookChange, type HookVerdict, newTextOf } from "../agents/hook.ts";
import type { DiffOutcome } from "../diff/model.ts";
import type { Platform } from "../platform/platform.ts";
import type { CheckedPath } from "../session/path-check.ts";
import { changedNote, rejectionReason, rewrittenReason, unchangedReason } from "./reasons.ts";

/** A larger file is not shown. */
const largestFileBytes = 64 * 1024 * 1024;

/** A change that was reviewed. */
export interface ReviewedChange {
  readonly change: HookChange;
  readonly path: string;
  readonly real: string;
  readonly before: string | undefined;
  readonly after: string;
}

/** The text of a file before an agent writes it; no text: there is no such file, or it is not text. */
export async function readForHook(
  { exists, real }: Pick<CheckedPath, "exists" | "real">,
  files: Pick<Platform["files"], "readText">,
): Promise<{ readonly isText: boolean; readonly text?: string }> {
  if (!exists) return { isText: true };
  const text = await files.readText(real, largestFileBytes);
  return text === undefined ? { isText: false } : { isText: true, text };
}

/** Puts what the user decided into words that an agent's hook understands, and remembers which of their texts an agent was told to write. */
export class HookVerdicts {
  readonly #files: Pick<Platform["files"], "readText">;
  /** Texts that the user wrote and that their agents were told to write, by session and file. */
  readonly #promised: Map<string, string> = new Map();

  constructor(files: Pick<Platform["files"], "readText">) {
    this.#files = files;
  }

  /** Undefined: nobody has an opinion any more. `isOnly`: the call changes nothing else, so that its arguments can be replaced. */
  async of(
    { change, path, real, before, after }: ReviewedChange,
    outcome: DiffOutcome,
    { ownerId, isOnly }: { readonly ownerId: string; readonly isOnly: boolean },
  ): Promise<HookVerdict | undefined> {
    if (outcome.kind === "rejected" || outcome.kind === "closed") {
      return { kind: "deny", reason: rejectionReason(path, outcome.kind === "rejected" ? outcome.reason : undefined) };
    }
    if (outcome.kind !== "accepted") return undefined;
    const { text: wanted } = outcome;
    const now = await readForHook({ exists: true, real }, this.#files);
    if (now.text === wanted) return { kind: "deny", reason: unchangedReason(path) };
    if (wanted === after && now.text === before && !change.isDelicate) return { kind: "allow" };
    const given = isOnly ? change.argumentsFor(now.text, wanted) : undefined;
    if (given !== undefined) {
      return { kind: "allow-changed", arguments: given, note: changedNote(path, newTextOf(given)) };
    }
    if (wanted === change.textAfter(now.text)) return { kind: "allow" };
    this.#promised.set(`${ownerId} ${real}`, wanted);
    return { kind: "deny", reason: rewrittenReason(path, wanted) };
  }

  /** The agent writes what the user wrote: they are not asked about their own text. Holds once. */
  takePromised(ownerId: string, real: string, text: string): boolean {
    const key = `${ownerId} ${real}`;
    return this.#promised.get(key) === text && this.#promised.delete(key);
  }

  /** The session has ended. */
  forget(ownerId: string): void {
    for (const key of this.#promised.keys()) if (key.startsWith(`${ownerId} `)) this.#promised.delete(key);
  }
}
