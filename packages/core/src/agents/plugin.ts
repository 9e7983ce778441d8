import { memberOf, textOf } from "./hook.ts";

// What programs of ours have in common that run in the process of an agent (docs/decisions/0007-hooks.md).

/** The agent waits for a review without a limit; a review waits longer than anybody is away, ms. */
export const reviewMs: number = 14 * 24 * 60 * 60 * 1_000;

/** For a word about what was written, or about a turn, the agent's user waits so long at most, ms. */
export const writtenMs = 10_000;
export const turnMs = 3_000;
export const goodbyeMs = 1_000;

/** What the model reads where the user's text does not reach its tool. */
export const unusableReason =
  "The user reviewed this change in their editor and changed it, and their text could not be passed on. Nothing was written: try again.";

/** So many notes about calls that never ended are kept. */
const mostNotes = 64;

/** What the model is to read when a call has ended, by the agent's name for the call. */
export class NotesOfCalls {
  readonly #notes: Map<string, string> = new Map();

  keep(call: string, note: string | undefined): void {
    if (note === undefined) return;
    if (this.#notes.size >= mostNotes) this.#notes.clear();
    this.#notes.set(call, note);
  }

  take(call: string): string | undefined {
    const note = this.#notes.get(call);
    this.#notes.delete(call);
    return note;
  }
}

/**
 * The file that an agent loads. It knows nothing but where our program is: whatever is done with the agent's events is in there, and so is
 * renewed with it. The first line is how a later version knows it for ours.
 */
export function pluginFile({
  id,
  agentName,
  kind,
  body,
}: {
  readonly id: string;
  readonly agentName: string;
  /** What the agent calls such a file. */
  readonly kind: "extension" | "plugin";
  /** The function that the agent calls with what it gives; it has `load(host)`. */
  readonly body: readonly string[];
}): string {
  return `// Patchbay's ${kind} for ${agentName}: you review in your editor what ${agentName} is about to write.
// Written by \`patchbay hook install ${id}\`, and taken away by \`patchbay hook remove ${id}\`.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

${body.join("\n")}
`;
}

/** A member of what an agent gives to its plugins: also one that stands in a prototype, or behind a getter. */
export function memberOfAny(value: unknown, member: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, member) : undefined;
}

/** A verdict, as a plugin reads it. */
export interface Answer {
  readonly kind: string | undefined;
  readonly reason: string | undefined;
  readonly note: string | undefined;
  readonly arguments: unknown;
}

/** Undefined: no opinion. */
export function readAnswer(output: string | undefined): Answer | undefined {
  if (output === undefined) return undefined;
  const told: unknown = JSON.parse(output);
  return {
    kind: textOf(told, "kind"),
    reason: textOf(told, "reason"),
    note: textOf(told, "note"),
    arguments: memberOf(told, "arguments"),
  };
}

/** Puts arguments in the place of the model's own, in the object that the tool is going to be given. False: it cannot be. */
export function put(given: unknown, input: unknown): boolean {
  if (typeof given !== "object" || given === null || typeof input !== "object" || input === null) return false;
  for (const name of Object.keys(input)) if (!Object.hasOwn(given, name)) Reflect.deleteProperty(input, name);
  Object.assign(input, given);
  return true;
}
