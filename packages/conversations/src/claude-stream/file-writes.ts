import { agentOf, type Dialect } from "@patchbay/core";
import { isFileTool, type ToolInput } from "./tool-facts.ts";

type Hook = Awaited<ReturnType<NonNullable<Dialect["loadHook"]>>>;
type FileWrites = Extract<NonNullable<ReturnType<Hook["read"]>>, { kind: "write" }>["changes"];

/** What a tool makes of its file. */
export type FileWrite = Pick<FileWrites[number], "textAfter">;

/** As for the hook, which the same tools run before they write: what is shown is what is written. Undefined where it writes no text. */
export async function fileWriteOf(tool: string, input: ToolInput): Promise<FileWrite | undefined> {
  if (!isFileTool(tool)) return undefined;
  const hook = await agentOf("claude").loadHook?.();
  const event = { session_id: "panel", hook_event_name: "PreToolUse", tool_name: tool, tool_input: input };
  const read = hook?.read(event);
  return read?.kind === "write" ? read.changes[0] : undefined;
}
