import * as z from "zod";
import type { UndoRequest } from "../model.ts";

/** What a file held at some time. */
export type Content =
  /** There was no file. */
  | { readonly kind: "none" }
  /** A text that is kept, by its name in the store. */
  | { readonly kind: "text"; readonly text: string }
  /** Anything else than UTF-8 text, byte for byte, by its name in the store; `size` in bytes. */
  | { readonly kind: "bytes"; readonly text: string; readonly size: number }
  /** A link, by what it says. It is never followed. */
  | { readonly kind: "link"; readonly target: string }
  /** A file of the user's repository: it is read there when it is wanted. */
  | { readonly kind: "git"; readonly repository: string; readonly object: string; readonly size: number }
  /**
   * Nothing is kept of it; `sign` differs from what it held at another time. `failed`: the store could not be written. `unread`: nobody
   * could look at it, or had the time.
   */
  | {
      readonly kind: "named";
      readonly why: "binary" | "large" | "withheld" | "failed" | "unread" | "other";
      readonly sign: string;
    };

export const noFile: Content = { kind: "none" };

/** One file that a turn changed. */
export interface FileRecord {
  /** Absolute, links resolved. */
  readonly path: string;
  before: Content;
  after: Content;
  /** Permission bits, where they changed. */
  mode: { readonly before: number; readonly after: number } | undefined;
  /** Permission bits that a file had which is gone, where they were seen. */
  goneMode: number | undefined;
  /** Where a new file stood before, exactly as it is; absolute, links resolved. */
  movedFrom: string | undefined;
  /** Folders that the turn made for the file, the innermost first. */
  madeFolders: readonly string[] | undefined;
  /** Commands that changed it, where that is known, by their conversation's names for them. */
  commands?: readonly string[] | undefined;
  attribution: "exact" | "likely" | "unknown";
  review: "unreviewed" | "kept" | "undone" | "partly" | "queued";
  /** What is not decided, where something is: a kept hunk is on both sides, an undone one on none. */
  undecided: { readonly before: Content; readonly after: Content } | undefined;
  lines: { readonly added: number; readonly removed: number } | undefined;
}

/** The permission bits that a file had which is gone: not those of a link, or others, that stood in its place meanwhile. */
export function goneModeOf({ mode, goneMode }: FileRecord): number | undefined {
  return mode !== undefined && mode.after === goneMode ? mode.before : goneMode;
}

/** What is known of a turn; `TurnInfo` is what is told of it. */
export interface TurnRecord {
  readonly id: string;
  /** Counts up: clocks jump. Users know the turn by this number. */
  readonly order: number;
  readonly agent: string;
  readonly session: string;
  /** Where a conversation tells of it: what the hooks of its agent tell belongs to it, too. */
  conversation: { readonly agentSession: string | undefined; readonly prompt?: string | undefined } | undefined;
  readonly folder: string | undefined;
  readonly began: number;
  readonly border: "exact" | "estimated";
  readonly undoes: string | undefined;
  prompt: string;
  agents: readonly string[];
  ended: number | undefined;
  headMoved: boolean;
  git: readonly string[];
  isPartial: boolean;
  /** What the agent is to hear of this undo, until it was passed on. */
  note: string | undefined;
  readonly files: Map<string, FileRecord>;
  /** What files held that the agent was about to write when it was last heard of. */
  readonly pending: Map<string, Content>;
  queued: readonly UndoRequest[];
}

const number = z.number();
const string = z.string();
const mayText = string.optional();
const mayTexts = z.array(string).optional();

const content = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("none") }),
  z.object({ kind: z.literal("text"), text: string }),
  z.object({ kind: z.literal("bytes"), text: string, size: number }),
  z.object({ kind: z.literal("link"), target: string }),
  z.object({ kind: z.literal("git"), repository: string, object: string, size: number }),
  z.object({
    kind: z.literal("named"),
    why: z.enum(["binary", "large", "withheld", "failed", "unread", "other"]),
    sign: string,
  }),
]);

const file = z.object({
  path: string,
  before: content,
  after: content,
  mode: z.object({ before: number, after: number }).optional(),
  goneMode: number.optional(),
  movedFrom: mayText,
  madeFolders: mayTexts,
  commands: mayTexts,
  attribution: z.enum(["exact", "likely", "unknown"]),
  review: z.enum(["unreviewed", "kept", "undone", "partly", "queued"]),
  undecided: z.object({ before: content, after: content }).optional(),
  lines: z.object({ added: number, removed: number }).optional(),
});

const request = z.object({
  path: string.exactOptional(),
  hunk: z.object({ start: number, end: number, isPart: z.literal(true).exactOptional() }).exactOptional(),
  now: z.boolean().exactOptional(),
  reason: string.exactOptional(),
  except: z.array(string).exactOptional(),
  lines: z.object({ before: string, after: string }).exactOptional(),
});

const entry = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("turn"),
    id: string,
    order: number,
    agent: string,
    session: string,
    conversation: z.object({ agentSession: mayText, prompt: mayText }).optional(),
    folder: mayText,
    began: number,
    border: z.enum(["exact", "estimated"]),
    undoes: mayText,
    prompt: string,
    agents: z.array(string),
    ended: number.optional(),
    headMoved: z.boolean(),
    git: z.array(string).default([]),
    isPartial: z.boolean(),
    note: mayText,
  }),
  z.object({ type: z.literal("file"), file }),
  /** The turn has left the file as it was. */
  z.object({ type: z.literal("gone"), path: string }),
  z.object({ type: z.literal("pending"), path: string, before: content }),
  /** What was pending is worked in. */
  z.object({ type: z.literal("settled") }),
  /** All that is known of the turn follows: lines may be missing before. */
  z.object({ type: z.literal("anew") }),
  z.object({ type: z.literal("queue"), queued: z.array(request) }),
]);

/** One line of a turn's journal: it takes the place of an earlier one about the same. */
export type JournalEntry =
  | { readonly type: "turn"; readonly turn: TurnRecord }
  | { readonly type: "file"; readonly file: FileRecord }
  | { readonly type: "gone"; readonly path: string }
  | { readonly type: "pending"; readonly path: string; readonly before: Content }
  | { readonly type: "settled" }
  | { readonly type: "anew" }
  | { readonly type: "queue"; readonly queued: readonly UndoRequest[] };

export function writeEntry(entry: JournalEntry): string {
  if (entry.type !== "turn") return `${JSON.stringify(entry)}\n`;
  const { files: _files, pending: _pending, queued: _queued, ...turn } = entry.turn;
  return `${JSON.stringify({ type: "turn", ...turn })}\n`;
}

/** Everything that is known of a turn, for a journal in which lines may be missing. */
export function wholeOf(turn: TurnRecord): readonly JournalEntry[] {
  return [
    { type: "turn", turn },
    { type: "anew" },
    ...Array.from(turn.files.values(), (one): JournalEntry => ({ type: "file", file: one })),
    ...Array.from(turn.pending, ([path, before]): JournalEntry => ({ type: "pending", path, before })),
    { type: "queue", queued: turn.queued },
  ];
}

/** So many lines of a journal are read at once, which takes some milliseconds. */
const linesAtOnce = 250;

/**
 * A journal as it was written, up to what cannot be read: a process that is killed leaves half a line. Undefined where no turn stands in
 * it. One of thousands of files makes room for other work.
 */
export async function readJournal(lines: AsyncIterable<string>): Promise<TurnRecord | undefined> {
  let turn: TurnRecord | undefined;
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (number % linesAtOnce === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    const found = line === "" ? undefined : parse(line);
    if (found === undefined) continue;
    if (found.type === "turn") {
      const { type: _type, folder, undoes, ended, note, conversation: told, ...others } = found;
      const conversation = told === undefined ? undefined : { agentSession: told.agentSession, prompt: told.prompt };
      const { files, pending, queued } = turn ?? { files: new Map(), pending: new Map(), queued: [] };
      turn = { ...others, folder, undoes, ended, note, conversation, files, pending, queued };
    } else if (turn !== undefined) apply(turn, found);
  }
  return turn;
}

function apply(turn: TurnRecord, found: Exclude<z.infer<typeof entry>, { type: "turn" }>): void {
  switch (found.type) {
    case "file": {
      const { mode, goneMode, movedFrom, madeFolders, undecided, lines, ...others } = found.file;
      turn.files.set(others.path, { ...others, mode, goneMode, movedFrom, madeFolders, undecided, lines });
      return;
    }
    case "gone":
      turn.files.delete(found.path);
      return;
    case "pending":
      turn.pending.set(found.path, found.before);
      return;
    case "settled":
      turn.pending.clear();
      return;
    case "anew":
      turn.files.clear();
      turn.pending.clear();
      return;
    case "queue":
      turn.queued = found.queued;
  }
}

function parse(line: string): z.infer<typeof entry> | undefined {
  try {
    return entry.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** In the order in which they began, whatever the clock did. */
export function inOrder(turns: readonly TurnRecord[]): readonly TurnRecord[] {
  return turns.toSorted((one, other) => one.order - other.order || (one.id < other.id ? -1 : 1));
}

/** Everything in the store that a turn names. */
export function* textsOf(turn: TurnRecord): Generator<string> {
  const contents: (Content | undefined)[] = Array.from(turn.pending.values());
  for (const { before, after, undecided } of turn.files.values()) {
    contents.push(before, after, undecided?.before, undecided?.after);
  }
  for (const one of contents) if (one?.kind === "text" || one?.kind === "bytes") yield one.text;
}
