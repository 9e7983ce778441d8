import { splitByteOrderMark } from "../diff/text-fidelity.ts";
import { limitText } from "../support/text.ts";
import { type HookChange, type HookVerdict, newTextOf, type ToolArguments } from "../agents/hook.ts";
import type { DiffOutcome } from "../diff/model.ts";
import type { Platform } from "../platform/platform.ts";
import type { CheckedPath } from "../session/path-check.ts";

/** The model can read the rest of a longer text nowhere: it is told that there is more. */
const longestTextBytes = 65_536;

/** What the model reads when the user has said no. */
export function rejectionReason(path: string, reason: string | undefined): string {
  const said = reason?.trim() ?? "";
  const rejected = `The user reviewed this change of ${path} in their editor and rejected it. Nothing was written.`;
  return said === ""
    ? `${rejected} Ask them what they want instead, or go on with something else.`
    : `${rejected} They say: ${said}`;
}

/** What the model reads where nobody decided before the hook's time was up. */
export const undecidedReason =
  "Nobody decided on this change in the editor in time, so nothing was written. Ask the user to review it, then try again.";

/** A second attempt would be made without an editor, and thus without a review. */
const withoutEditor = "Do not try again before the user tells you to.";

/** What the model reads where the editor ended before its user decided. */
export const leftReason: string = `The editor went away before the user decided on this change, so nothing was written. ${withoutEditor}`;

/** What the model reads where it asks for too much at once, or in a form that nobody can read. */
export const unheardReason =
  "Nothing was done: the user wants to be asked about this in their editor, and it could not be shown there. Do one thing after the other, with no more arguments than the tool has.";

/** What the model reads when the user does not want a command to run. */
export function rejectedCommandReason(reason: string | undefined): string {
  const said = reason?.trim() ?? "";
  const rejected = "The user was asked about this command in their editor and rejected it. It was not run.";
  return said === ""
    ? `${rejected} Ask them what they want instead, or go on with something else.`
    : `${rejected} They say: ${said}`;
}

/** What the model reads where nobody answered before the hook's time was up. */
export const unansweredCommandReason =
  "Nobody answered in the editor in time whether this command may run, so it was not run. Ask the user to answer there, then try again.";

/** What the model reads where the editor ended before its user answered. */
export const commandLeftReason: string = `The editor went away before the user answered whether this command may run, so it was not run. ${withoutEditor}`;

/** What the model reads where the user wants another text, and the tool cannot be told so. */
export function rewrittenReason(path: string, text: string): string {
  const { body } = splitByteOrderMark(text);
  const told = limitText(body, longestTextBytes);
  if (told.length < body.length) {
    return `The user reviewed this change of ${path} and changed it. Their text is too long to be told here: ask them to write it themselves.`;
  }
  return `The user reviewed this change of ${path} and wrote this instead. Nothing was written yet: write exactly this text, and do not undo their changes.\n${told}`;
}

/** What the model reads where the user's text is written in place of its own; `text`: what stands there now. */
export function changedNote(path: string, text: string | undefined): string {
  const told = text === undefined ? undefined : splitByteOrderMark(text).body;
  const changed = `The user reviewed this change of ${path} and changed it: what is written is their text, not yours. Do not undo their changes.`;
  return told === undefined || limitText(told, longestTextBytes).length < told.length
    ? `${changed} Read the file before you go on with it.`
    : `${changed} In place of your text stands:\n${told}`;
}

/** What the model reads where the user wants the file as it is. */
export function unchangedReason(path: string): string {
  return `The user reviewed this change of ${path} and took all of it back: the file stays as it is.`;
}

/** What the model reads where a change that has to be reviewed cannot be shown. */
export function unclearReason(path: string): string {
  return `The user wants to review every change of ${path}, and this one cannot be shown to them: its old text does not stand in the file exactly once, or the file is not text. Read the file again and use its exact text, or write the whole file.`;
}

/** What the model reads where nobody can say which file it would write. */
export function untoldReason(path: string, why: string): string {
  return `The user wants to review every change, and it cannot be told which file ${nameFor(path)} is. ${why} Nothing was written: use the plain absolute path of a file.`;
}

/** What the model reads where its path leads to another file than it did when the user was asked. */
export function movedReason(path: string): string {
  return `While the user reviewed this change, ${nameFor(path)} came to lead to another file than the one they saw. Nothing was written: try again.`;
}

/** Paths that cannot be told may hold anything. */
function nameFor(path: string): string {
  return JSON.stringify(path.length > longestShownPath ? `${path.slice(0, longestShownPath)}…` : path);
}

const longestShownPath = 200;

/** A larger file is not shown. */
const largestFileBytes = 64 * 1024 * 1024;

/** A change that was reviewed. */
export interface ReviewedChange {
  readonly change: HookChange;
  readonly path: string;
  readonly real: string;
  /** What was on disk; undefined: no such file. */
  readonly onDisk: string | undefined;
  /** What the tool finds: the same, with what the agent was told to write before. */
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

/** As `HookChange.argumentsFor`, of the whole call. */
export type ReplacedArguments = (
  ...given: Parameters<HookChange["argumentsFor"]>
) => ToolArguments | undefined | Promise<ToolArguments | undefined>;

/** Puts what the user decided into words that an agent's hook understands, and remembers which of their texts an agent was told to write. */
export class HookVerdicts {
  readonly #files: Pick<Platform["files"], "readText">;
  /** Texts that the user wrote and that their agents were told to write, by session and file. */
  readonly #promised: Map<string, string> = new Map();

  readonly #onToldAnew: (ownerId: string, real: string) => void;

  /** `onToldAnew`: a model was told to write a file's text by itself. */
  constructor(files: Pick<Platform["files"], "readText">, onToldAnew: (ownerId: string, real: string) => void) {
    this.#files = files;
    this.#onToldAnew = onToldAnew;
  }

  /** `argumentsFor`: how the call's arguments are replaced; undefined: they cannot be. */
  async of(
    { change, path, real, onDisk, before, after }: ReviewedChange,
    outcome: DiffOutcome,
    { ownerId, argumentsFor }: { readonly ownerId: string; readonly argumentsFor: ReplacedArguments | undefined },
  ): Promise<HookVerdict> {
    if (outcome.kind === "rejected" || outcome.kind === "closed") {
      return { kind: "deny", reason: rejectionReason(path, outcome.kind === "rejected" ? outcome.reason : undefined) };
    }
    if (outcome.kind !== "accepted") return { kind: "deny", reason: leftReason };
    const { text: wanted } = outcome;
    const { text } = await readForHook({ exists: true, real }, this.#files);
    const now = text === onDisk ? before : text;
    if (now === wanted) return { kind: "deny", reason: unchangedReason(path) };
    if (wanted === after && now === before && !change.isDelicate) return { kind: "allow" };
    const given = await argumentsFor?.(now, wanted);
    if (given !== undefined) {
      return { kind: "allow-changed", arguments: given, note: changedNote(path, newTextOf(given) ?? wanted) };
    }
    if (wanted === change.textAfter(now)) return { kind: "allow" };
    this.promise(ownerId, real, wanted);
    return { kind: "deny", reason: rewrittenReason(path, wanted) };
  }

  /** A model is told to write the user's text by itself: it is not asked about it again. */
  promise(ownerId: string, real: string, wanted: string): void {
    this.#promised.set(`${ownerId} ${real}`, wanted);
    this.#onToldAnew(ownerId, real);
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
