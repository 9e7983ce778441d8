import * as z from "zod/mini";
import type { Entry, PromptBlock } from "../model/entries.ts";
import { entrySchema, sessionCapabilitiesSchema } from "../model/schema.ts";
import type { SessionCapabilities } from "../model/session.ts";

/** What a transcript says of its conversation. The newest one counts. */
export interface About {
  readonly id: string;
  readonly agent: string;
  /** Absolute path of the folder in which the agent runs. */
  readonly folder: string;
  /** When it began and was last used, Unix milliseconds. */
  readonly at: number;
  readonly usedAt: number;
  readonly title: string;
  /** Who gave the title: later ones win over earlier ones of this list. */
  readonly titleFrom: "nobody" | "prompt" | "agent" | "user";
  /** The beginning of the last message. */
  readonly preview?: string;
  /** The agent's own id of the session. */
  readonly sessionId?: string;
  /** When that session began, Unix milliseconds; absent where somebody else began it. */
  readonly sessionAt?: number;
  /** The session that it goes on from, where it is a fork that has not been started yet. */
  readonly forkOf?: { readonly sessionId: string; readonly upTo?: string };
  /** What the agent could do when it was last started: it need not run for that to be offered. */
  readonly capabilities?: SessionCapabilities;
}

/** What earlier versions kept of a file that a turn had changed; texts are named by their keys among the kept texts. */
export interface FileRecord {
  readonly path: string;
  /** `absent`: there was no such file. Absent itself: what was there is not known. */
  readonly before?: TextRecord;
  readonly after?: TextRecord;
  readonly isAsked: boolean;
  readonly isUndone: boolean;
}

export type TextRecord = { readonly kind: "absent" } | { readonly kind: "text"; readonly key: string };

/** What earlier versions kept of a turn that had changed files. The newest one of a turn counts. */
export interface TurnRecord {
  readonly turn: string;
  /** The place of that prompt. */
  readonly place: number;
  readonly ranCommands: boolean;
  readonly files: readonly FileRecord[];
}

/** One line of a transcript. */
export type Line =
  /** `isFirst`: its first one, so that everything before it is about entries before it, or about nothing that counts. */
  | {
      readonly kind: "entry";
      readonly place: number;
      readonly entry: Entry;
      readonly isFirst: boolean;
      /** Keys of the images among the kept texts, by the number of their block. */
      readonly images?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "append"; readonly place: number; readonly text: string }
  | { readonly kind: "about"; readonly about: About; readonly superseded: number }
  | { readonly kind: "turn"; readonly turn: TurnRecord };

/** What the head of a line tells, before it is parsed. */
export type LineHead =
  | { readonly kind: "entry"; readonly place: number; readonly isFirst: boolean }
  | { readonly kind: "append"; readonly place: number; readonly isFirst: boolean }
  | { readonly kind: "about" }
  | { readonly kind: "turn" };

/** The version of the format. A line of a later one is parsed as far as it is known. */
const version = 1;

/** Longest text of an entry's part that is kept as it is, UTF-16 units, where the entry as a whole is too long. */
const partLimit = 64 * 1024;
/** Longest line that is written, UTF-16 units: a tool may have written a file of 50 MB. */
const lineLimit = 4 * 1024 * 1024;

/** The text of a line, with its line feed. What is asked of the head stands first in it. */
export function encodeLine(line: Line): string {
  switch (line.kind) {
    case "entry": {
      const { place, entry, isFirst, images } = line;
      const head = { place, ...(isFirst ? { first: true } : {}) };
      const tail = images === undefined ? {} : { images };
      const text = JSON.stringify({ ...head, entry, ...tail });
      return `${text.length <= lineLimit ? text : JSON.stringify({ ...head, entry: shorten(entry), ...tail })}\n`;
    }
    case "append":
      return `${JSON.stringify({ place: line.place, append: line.text })}\n`;
    case "about":
      return `${JSON.stringify({ about: line.about, superseded: line.superseded, version })}\n`;
    case "turn":
      return `${JSON.stringify({ turn: line.turn })}\n`;
  }
}

const cut = (text: string): string => (text.length <= partLimit ? text : `${text.slice(0, partLimit)}…`);

/** An entry without the texts of files: what was changed is on disk, and can be undone by what is kept of the turn. */
function shorten(entry: Entry): Entry {
  switch (entry.kind) {
    case "message":
    case "thought":
      return { ...entry, text: entry.text.slice(0, lineLimit / 4) };
    case "tool": {
      const { changes, input, command, ...rest } = entry;
      return {
        ...rest,
        ...(command === undefined ? {} : { command: cut(command) }),
        ...(input === undefined ? {} : { input: cut(input) }),
        ...(changes === undefined ? {} : { changes: changes.map(({ path }) => ({ path, isFragment: true })) }),
      };
    }
    case "question": {
      const { question } = entry;
      if (question.type !== "permission") return entry;
      const { change, input, command, ...rest } = question;
      return {
        ...entry,
        question: {
          ...rest,
          ...(command === undefined ? {} : { command: cut(command) }),
          ...(input === undefined ? {} : { input: cut(input) }),
          ...(change === undefined ? {} : { change: { path: change.path, isFragment: true, isEditable: false } }),
        },
      };
    }
    case "prompt":
      return { ...entry, blocks: entry.blocks.map(shortenBlock) };
    default:
      return entry;
  }
}

function shortenBlock(block: PromptBlock): PromptBlock {
  return block.type === "text" || block.type === "excerpt" ? { ...block, text: cut(block.text) } : block;
}

const headPattern = /^\{"(?:place":(\d{1,9}),(?:"first":(true),)?"(entry|append)"|(about|turn)"):/;

/** What a line is, by its beginning. Undefined: none of ours. */
export function headOf(beginning: string): LineHead | undefined {
  const match = headPattern.exec(beginning);
  if (match === null) return undefined;
  const [, place, first, content, other] = match;
  if (other === "about" || other === "turn") return { kind: other };
  if (content !== "entry" && content !== "append") return undefined;
  return { kind: content, place: Number(place), isFirst: first === "true" };
}

const textRecord: z.ZodMiniType<TextRecord> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("absent") }),
  z.object({ kind: z.literal("text"), key: z.string() }),
]);

const turnSchema: z.ZodMiniType<TurnRecord> = z.object({
  turn: z.string(),
  place: z.number(),
  ranCommands: z.boolean(),
  files: z.array(
    z.object({
      path: z.string(),
      before: z.exactOptional(textRecord),
      after: z.exactOptional(textRecord),
      isAsked: z.boolean(),
      isUndone: z.boolean(),
    }),
  ),
});

/** Parses what a transcript, or the index, says of a conversation. */
export const aboutSchema: z.ZodMiniType<About> = z.object({
  id: z.string(),
  agent: z.string(),
  folder: z.string(),
  at: z.number(),
  usedAt: z.number(),
  title: z.string(),
  titleFrom: z.enum(["nobody", "prompt", "agent", "user"]),
  preview: z.exactOptional(z.string()),
  sessionId: z.exactOptional(z.string()),
  sessionAt: z.exactOptional(z.number()),
  forkOf: z.exactOptional(z.object({ sessionId: z.string(), upTo: z.exactOptional(z.string()) })),
  capabilities: z.exactOptional(sessionCapabilitiesSchema),
});

const lineSchema = z.union([
  z.object({
    place: z.number(),
    first: z.exactOptional(z.boolean()),
    entry: entrySchema,
    images: z.exactOptional(z.record(z.string(), z.string())),
  }),
  z.object({ place: z.number(), append: z.string() }),
  z.object({ about: aboutSchema, superseded: z.number() }),
  z.object({ turn: turnSchema }),
]);

/** Undefined for what is no line of ours, was torn, or is of a kind that is not known. */
export function parseLine(text: string): Line | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Torn, or written by somebody else: what can be read is shown.
    return undefined;
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const line = parsed.data;
  if ("about" in line) return { kind: "about", about: line.about, superseded: line.superseded };
  if ("turn" in line) return { kind: "turn", turn: line.turn };
  if ("append" in line) return { kind: "append", place: line.place, text: line.append };
  const { place, entry, first, images } = line;
  return { kind: "entry", place, entry, isFirst: first === true, ...(images === undefined ? {} : { images }) };
}
