import { PatchbayError } from "@patchbay/core";
import * as z from "zod";

const toolResultSchema = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).default([]),
  isError: z.boolean().optional(),
});

/** The text parts of a tools/call result; an `isError` result is thrown as its sentence. */
export function readToolResult(result: unknown): readonly string[] {
  const { content, isError } = toolResultSchema.parse(result);
  const texts = content.flatMap((part) => (part.text === undefined ? [] : [part.text]));
  if (isError === true) throw new PatchbayError("host-failed", texts.join("\n"));
  return texts;
}
