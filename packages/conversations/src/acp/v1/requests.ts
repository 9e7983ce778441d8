import * as z from "zod";
import { count, listOf, maybe, meta, text } from "../lenient.ts";
import type { ElicitationRequest, PermissionRequest, ReadRequest, WriteRequest } from "../wire.ts";
import { toolCall } from "./tool-call.ts";

const permissionRequest = z.object({
  toolCall,
  options: listOf(
    z.object({
      optionId: text,
      name: text.catch(""),
      kind: z.enum(["allow_once", "allow_always", "reject_once", "reject_always"]),
    }),
  ),
});

/** `session/request_permission`. */
export function readPermissionRequest(params: unknown): PermissionRequest | undefined {
  const found = permissionRequest.safeParse(params).data;
  if (found === undefined) return undefined;
  const options = found.options.map(({ optionId, name, kind }) => ({ id: optionId, name: name || optionId, kind }));
  return { call: found.toolCall, options };
}

/** What a permission request is answered with. `extra` stands beside the outcome. */
export function permissionResult(optionId: string | undefined, extra: Readonly<Record<string, unknown>> = {}): unknown {
  const outcome = optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  return { outcome, ...extra };
}

const readRequest = z.object({ path: text, line: count, limit: count });

/** `fs/read_text_file`. */
export function readReadRequest(params: unknown): ReadRequest | undefined {
  return readRequest.safeParse(params).data;
}

/** One agent writes without returns, and says beside it that the file has them. */
const writeRequest = z.object({ path: text, content: text, _meta: meta }).transform(({ path, content, _meta }) => ({
  path,
  text: _meta["lineEnding"] === "crlf" ? content.replaceAll(/\r?\n/gu, "\r\n") : content,
}));

/** `fs/write_text_file`. */
export function readWriteRequest(params: unknown): WriteRequest | undefined {
  return writeRequest.safeParse(params).data;
}

const elicitation = z.object({
  mode: text.catch("form"),
  message: text.catch(""),
  toolCallId: maybe(text),
  requestedSchema: z.object({ properties: z.record(z.string(), z.unknown()), required: z.array(text).catch([]) }),
});

/** `elicitation/create`; undefined for what is not a form. */
export function readElicitation(params: unknown): ElicitationRequest | undefined {
  const found = elicitation.safeParse(params).data;
  if (found === undefined || found.mode !== "form") return undefined;
  const { message, toolCallId, requestedSchema } = found;
  return { message, toolId: toolCallId, ...requestedSchema };
}
