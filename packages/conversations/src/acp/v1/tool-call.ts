import * as z from "zod";
import type { ToolKind } from "../../model/index.ts";
import { listOf, maybe, meta, text } from "../lenient.ts";
import type { ToolContent, ToolFields } from "../wire.ts";

/** A block of content, whatever kind it is. */
export interface ContentBlock {
  readonly type: string;
  readonly text: string | undefined;
  readonly uri: string | undefined;
  readonly resource: { readonly uri: string | undefined; readonly text: string | undefined } | undefined;
}

const toolKinds: Readonly<Record<string, ToolKind>> = {
  read: "read",
  edit: "edit",
  delete: "delete",
  move: "move",
  search: "search",
  execute: "execute",
  think: "think",
  fetch: "fetch",
};

/** A block of content, as far as it can be shown. */
export const contentBlock: z.ZodType<ContentBlock> = z.object({
  type: text,
  text: maybe(text),
  uri: maybe(text),
  resource: maybe(z.object({ uri: maybe(text), text: maybe(text) })),
});

const toolContent = z.union([
  z
    .object({ type: z.literal("diff"), path: text, oldText: maybe(text), newText: text })
    .transform(({ type, path, oldText, newText }): ToolContent => ({ type, path, before: oldText, after: newText })),
  z.object({ type: z.literal("terminal"), terminalId: text }),
  z
    .object({ type: z.literal("content"), content: contentBlock })
    .transform(({ content }): ToolContent => ({ type: "text", text: wordsOf(content) })),
]);

/** A block as text: what has no words is named. */
export function wordsOf(block: ContentBlock): string {
  return block.text ?? block.resource?.text ?? block.uri ?? block.resource?.uri ?? `[${block.type}]`;
}

const location = z
  .object({ path: text, line: maybe(z.number().int().positive()) })
  .transform(({ path, line }) => (line === undefined ? { path } : { path, line }));

/** What is said of a use of a tool. */
export const toolCall: z.ZodType<ToolFields> = z
  .object({
    toolCallId: text,
    title: maybe(text),
    kind: maybe(text),
    status: maybe(z.enum(["pending", "in_progress", "completed", "failed"])),
    content: maybe(listOf(toolContent)),
    locations: maybe(listOf(location)),
    rawInput: z.unknown().optional(),
    rawOutput: z.unknown().optional(),
    _meta: meta,
  })
  .transform(
    ({ toolCallId, kind, _meta, ...rest }): ToolFields => ({
      ...rest,
      id: toolCallId,
      kind: kind === undefined ? undefined : (toolKinds[kind] ?? "other"),
      isModeSwitch: kind === "switch_mode",
      meta: _meta,
    }),
  );
