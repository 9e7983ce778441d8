import * as z from "zod";

/** One message of the companion: an answer, a request or a notification. */
export interface IncomingMessage {
  readonly id?: number | string | undefined;
  readonly method?: string | undefined;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string } | undefined;
}

interface Place {
  readonly line: number;
  readonly character: number;
}

/** `selection_changed`, 0-based. */
export interface SelectionTold {
  readonly text: string;
  readonly filePath: string;
  readonly selection?: { readonly start: Place; readonly end: Place; readonly isEmpty: boolean } | null | undefined;
}

/** `at_mentioned`, 0-based. */
export interface MentionTold {
  readonly filePath: string;
  readonly lineStart?: number | undefined;
  readonly lineEnd?: number | undefined;
}

const incomingSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

const place = z.object({ line: z.number(), character: z.number() });

const selectionSchema = z.object({
  text: z.string(),
  filePath: z.string(),
  selection: z.object({ start: place, end: place, isEmpty: z.boolean() }).nullable().optional(),
});

const mentionSchema = z.object({
  filePath: z.string(),
  lineStart: z.number().optional(),
  lineEnd: z.number().optional(),
});

const toolListSchema = z.object({ tools: z.array(z.looseObject({ name: z.string() })) });

export function parseIncoming(text: string): IncomingMessage {
  return incomingSchema.parse(JSON.parse(text));
}

/** Undefined where it does not fit: the client ignores it. */
export function parseSelection(params: unknown): SelectionTold | undefined {
  return selectionSchema.safeParse(params).data;
}

/** Undefined where it does not fit: the client ignores it. */
export function parseMention(params: unknown): MentionTold | undefined {
  return mentionSchema.safeParse(params).data;
}

/** Names of the tools in an answer to tools/list. */
export function parseToolNames(result: unknown): readonly string[] {
  return toolListSchema.parse(result).tools.map((tool) => tool.name);
}
