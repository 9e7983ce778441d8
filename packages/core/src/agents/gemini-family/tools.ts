import * as z from "zod";
import { messageOf, PatchbayError } from "../../support/errors.ts";
import type { SessionServices } from "../dialect.ts";
import { defineTool, errorResult, jsonText, textResult, type TextResult, type Tool } from "../tool.ts";

const openDiffArguments = z.object({ filePath: z.string(), newContent: z.string() });
const closeDiffArguments = z.object({ filePath: z.string(), suppressNotification: z.boolean().optional() });

/** `openDiff` and `closeDiff`; the client uses editor diffs only if both are listed. */
export function createCompanionSpecTools(services: SessionServices, options: CompanionSpecOptions): readonly Tool[] {
  return [
    defineTool({
      name: "openDiff",
      description: "Shows a proposed change of a file in the editor's diff view. The decision comes as a notification.",
      inputSchema: {
        type: "object",
        properties: {
          filePath: { type: "string", description: "Absolute path of the file" },
          newContent: { type: "string", description: "Whole proposed text of the file" },
        },
        required: ["filePath", "newContent"],
      },
      parse: openDiffArguments,
      run: async ({ filePath, newContent }) => {
        const opened = await services.diffs.open({ path: filePath, text: newContent, handle: filePath });
        return answerWhenShown(opened.shown, services, options);
      },
    }),
    defineTool({
      name: "closeDiff",
      description: "Closes the diff view of a file and returns its final text as JSON.",
      inputSchema: {
        type: "object",
        properties: {
          filePath: { type: "string", description: "Absolute path as given to openDiff" },
          suppressNotification: { type: "boolean", description: "Send no rejection for this close" },
        },
        required: ["filePath"],
      },
      parse: closeDiffArguments,
      run: async ({ filePath, suppressNotification }) => {
        const closed = await services.diffs.close(filePath, { notify: suppressNotification !== true });
        if (closed === undefined) return errorResult("There is no open diff for this file.");
        // The published text says plain text; the running client drops that and wants JSON (docs/protocols/gemini.md).
        return textResult(await jsonText({ content: closed.text }, services.platform.clock));
      },
    }),
  ];
}

/** Name both Gemini CLI and Qwen Code give their client; another client of this protocol understands `isError` as MCP has it. */
const familyClientName = "streamable-http-client";

/** How long openDiff waits to learn that the editor failed, ms. Views open faster; a question to the user takes longer. */
const showGraceMs = 400;

async function answerWhenShown(
  shown: Promise<void>,
  services: SessionServices,
  options: CompanionSpecOptions,
): Promise<TextResult> {
  const answer: TextResult = { content: [] };
  const failed = await new Promise<unknown>((resolve) => {
    const timer = services.platform.clock.setTimeout(() => resolve(undefined), showGraceMs);
    shown.then(
      () => {
        timer.dispose();
        resolve(undefined);
      },
      (error: unknown) => {
        timer.dispose();
        resolve(error ?? new PatchbayError("host-failed", "The editor could not show the proposal."));
      },
    );
  });
  if (failed === undefined) return answer;
  const reason = messageOf(failed).replace(/[^.!?]$/u, "$&.");
  const name = services.client?.clientName;
  if (options.showFailure === "error" || (name !== undefined && name !== familyClientName)) return errorResult(reason);
  // This client fails its write for good on isError, even if the user then approves in the terminal.
  services.tellUser("show-failed", `${reason} Answer in the agent's terminal.`, { reason });
  return answer;
}

/** In what members of the Gemini family differ, beside where they look. */
export interface CompanionSpecOptions {
  readonly byteOrderMark: "as-proposed" | "as-on-disk";
  /** Whether an `isError` from openDiff fails the agent's write for good (Gemini) or leaves it to the terminal (Qwen). */
  readonly showFailure: "silent" | "error";
}
