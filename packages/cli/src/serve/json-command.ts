import { messageOf, PatchbayError } from "@patchbay/core";
import * as z from "zod";

/** What a program tells `patchbay serve --json`, one JSON object per line. */
export type JsonCommand =
  | { readonly command: "accept" | "reject"; readonly id: string }
  | { readonly command: "edit"; readonly id: string; readonly text: string }
  | { readonly command: "open" | "close" | "mention"; readonly file: string }
  | { readonly command: "answer"; readonly id: number; readonly action?: string | undefined }
  | { readonly command: "quit" };

const schema = z.discriminatedUnion("command", [
  z.object({ command: z.enum(["accept", "reject"]), id: z.string() }),
  z.object({ command: z.literal("edit"), id: z.string(), text: z.string() }),
  z.object({ command: z.enum(["open", "close", "mention"]), file: z.string() }),
  z.object({ command: z.literal("answer"), id: z.number(), action: z.string().optional() }),
  z.object({ command: z.literal("quit") }),
]);

/** Reads a line. Throws PatchbayError `invalid-argument` that says what does not fit. */
export function parseJsonCommand(line: string): JsonCommand {
  try {
    return schema.parse(JSON.parse(line));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new PatchbayError("invalid-argument", `This line is no command: ${reason}`, { cause: error });
  }
}
