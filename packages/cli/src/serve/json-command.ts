import { PatchbayError } from "@patchbay/core";
import * as z from "zod";

/** What a program tells `patchbay serve --json`, one JSON object per line. */
export type JsonCommand =
  | { readonly command: "accept" | "reject"; readonly id: string }
  | { readonly command: "read-kept" | "save-kept" | "discard-kept"; readonly id: string }
  | { readonly command: "accept-all" }
  | { readonly command: "edit"; readonly id: string; readonly text: string }
  | { readonly command: "open" | "close" | "mention"; readonly file: string }
  | { readonly command: "answer"; readonly id: number; readonly action?: string | undefined }
  | { readonly command: "quit" };

const schema = z.discriminatedUnion("command", [
  z.object({ command: z.enum(["accept", "reject"]), id: z.string() }),
  z.object({ command: z.enum(["read-kept", "save-kept", "discard-kept"]), id: z.string() }),
  z.object({ command: z.literal("accept-all") }),
  z.object({ command: z.literal("edit"), id: z.string(), text: z.string() }),
  z.object({ command: z.enum(["open", "close", "mention"]), file: z.string() }),
  z.object({ command: z.literal("answer"), id: z.number(), action: z.string().optional() }),
  z.object({ command: z.literal("quit") }),
]);

/** Reads a line. Throws PatchbayError `invalid-argument` that says what does not fit. */
export function parseJsonCommand(line: string): JsonCommand {
  const value = parseJson(line);
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const field = issue?.path.join(".") ?? "";
  const reason =
    field === "" || field === "command"
      ? 'it needs a "command" that is known.'
      : `its "${field}" is missing or of the wrong kind.`;
  throw new PatchbayError("invalid-argument", `Invalid command: ${reason}`, { cause: error });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new PatchbayError("invalid-argument", "Invalid command: the line is not JSON.", { cause: error });
  }
}
