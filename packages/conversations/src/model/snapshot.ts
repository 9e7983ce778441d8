import { type Entry, outputLimit, type PromptBlock, type Usage } from "./entries.ts";
import type { BackgroundTask, SessionCapabilities, SessionOption, SessionState, SlashCommand } from "./session.ts";
import type { TurnChanges } from "./changes.ts";

/** An entry at its place: entries count from 0 in the order of their first appearance, and keep their place for good. */
export interface PlacedEntry {
  readonly place: number;
  readonly entry: Entry;
}

/** A prompt that waits for its turn. */
export interface QueuedPrompt {
  readonly id: string;
  readonly blocks: readonly PromptBlock[];
}

/** What the user has begun to write. `caret`: offset in the last text block, UTF-16 units. */
export interface Draft {
  readonly blocks: readonly PromptBlock[];
  readonly caret: number;
  /** When it was written, by the clock of the page, Unix milliseconds: of two pages the newer one counts. */
  readonly at?: number;
  /** The prompts that stood behind it in the queue, if it was taken out of there to be changed: it goes back before them. */
  readonly before?: readonly string[];
}

/** Whether this window may continue the conversation. */
export type ConversationAccess =
  | { readonly kind: "own" }
  /** Another window has it: it is shown as far as that one has written it. */
  | { readonly kind: "read-only" };

/** What a conversation is, for good. */
export interface ConversationFacts {
  readonly id: string;
  /** The id of the agent, e.g. `claude`. */
  readonly agent: string;
  /** Absolute path of the folder in which the agent runs. */
  readonly folder: string;
  /** When it began, Unix milliseconds. */
  readonly at: number;
}

/** What of a conversation changes as a whole. */
export interface ConversationStatus {
  readonly title: string;
  readonly state: SessionState;
  readonly options: readonly SessionOption[];
  readonly commands: readonly SlashCommand[];
  readonly queue: readonly QueuedPrompt[];
  /** How many questions are open. */
  readonly waiting: number;
  readonly access: ConversationAccess;
  /** False: what is new is in memory only, because it could not be written; a notice has said why. */
  readonly isKept: boolean;
  /** The newest turns that changed files, oldest first. */
  readonly turns: readonly TurnChanges[];
  readonly usage?: Usage;
  /** What goes on beside the turns; absent: nothing. */
  readonly tasks?: readonly BackgroundTask[];
  /** Of the agent as it was last started; absent before it has been for the first time. */
  readonly capabilities?: SessionCapabilities;
}

/** A conversation as it is shown: its newest entries; earlier ones are asked for in pages. */
export interface ConversationSnapshot extends ConversationFacts, ConversationStatus {
  /** The number of the last patch that is in it. */
  readonly sequence: number;
  /** In the order of their places. */
  readonly entries: readonly PlacedEntry[];
  /** The place of the first entry that there is, in memory or in the transcript. */
  readonly start: number;
  readonly draft: Draft;
}

/** Text for a message, a thought or a tool's output that is there already. */
export interface PlacedAppend {
  readonly place: number;
  readonly text: string;
}

/** What has changed since the patch before. An entry is in one of `entries` and `appends` at most. */
export interface ConversationPatch {
  readonly sequence: number;
  readonly status: Partial<ConversationStatus>;
  readonly entries: readonly PlacedEntry[];
  readonly appends: readonly PlacedAppend[];
}

/** An entry with more text. An entry that takes none is given back as it is. */
export function appendText(entry: Entry, text: string): Entry {
  switch (entry.kind) {
    case "message":
    case "thought":
      return { ...entry, text: entry.text + text };
    case "tool":
      return { ...entry, ...limitOutput((entry.output ?? "") + text, entry.outputOmitted) };
    default:
      return entry;
  }
}

/** An output that is too long loses so much of its beginning at once: to cut a little each time would copy it each time. */
const cutAtOnce = 256 * 1024;

/** Keeps the end of an output: as much of it, however it came in pieces. */
function limitOutput(
  output: string,
  omitted: number | undefined,
): { readonly output: string; readonly outputOmitted?: number } {
  const more = output.length - outputLimit;
  if (more <= 0) return omitted === undefined ? { output } : { output, outputOmitted: omitted };
  const cut = Math.ceil(more / cutAtOnce) * cutAtOnce;
  return { output: output.slice(cut), outputOmitted: (omitted ?? 0) + cut };
}

/**
 * The snapshot with a patch. Undefined: a patch before it was missed, and the whole state has to be asked for. Changes of
 * entries before the snapshot's first one are left out: they are in the page when it is read.
 */
export function applyPatch(snapshot: ConversationSnapshot, patch: ConversationPatch): ConversationSnapshot | undefined {
  if (patch.sequence !== snapshot.sequence + 1) return undefined;
  const isSame = patch.entries.length === 0 && patch.appends.length === 0;
  const entries = isSame ? snapshot.entries : patchEntries(snapshot.entries, patch);
  return { ...snapshot, ...patch.status, sequence: patch.sequence, entries };
}

/** The same for entries alone. */
export function patchEntries(
  entries: readonly PlacedEntry[],
  patch: Pick<ConversationPatch, "entries" | "appends">,
): readonly PlacedEntry[] {
  const patched = [...entries];
  const first = entries[0]?.place ?? 0;
  for (const placed of patch.entries) {
    if (placed.place < first) continue;
    const index = indexOf(patched, placed.place);
    const isThere = patched[index]?.place === placed.place;
    patched.splice(index, isThere ? 1 : 0, placed);
  }
  for (const { place, text } of patch.appends) {
    const index = indexOf(patched, place);
    const found = patched[index];
    if (found?.place === place) patched[index] = { place, entry: appendText(found.entry, text) };
  }
  return patched;
}

/** Where a place is, or would be. What changes is mostly near the end. */
function indexOf(entries: readonly PlacedEntry[], place: number): number {
  let index = entries.length;
  while (index > 0 && (entries[index - 1]?.place ?? -1) >= place) index -= 1;
  return index;
}
