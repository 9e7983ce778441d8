import type { AgentId } from "@patchbay/core";

/** What an agent calls the moment before a tool, the tool that writes a whole file, and what that is given. */
interface WholeWrite {
  readonly moment: string;
  readonly tool: string;
  readonly path: string;
  readonly text: string;
}

const usual: WholeWrite = { moment: "PreToolUse", tool: "write_file", path: "file_path", text: "content" };
const openCode: WholeWrite = { moment: "tool.execute.before", tool: "write", path: "filePath", text: "content" };

const wholeWrites: Readonly<Partial<Record<AgentId, WholeWrite>>> = {
  gemini: { ...usual, moment: "BeforeTool" },
  claude: { ...usual, tool: "Write" },
  copilot: { ...usual, tool: "Write", path: "path", text: "file_text" },
  pi: { ...usual, moment: "tool_call", tool: "write", path: "path" },
  opencode: openCode,
  kilo: openCode,
};

/** What an agent tells its hook before it writes a whole file, in a mode that asks nobody; `more`: further arguments. */
export function writeEvent(
  agent: AgentId,
  { cwd, path, text }: { readonly cwd: string; readonly path: string; readonly text: string },
  more: Readonly<Record<string, unknown>> = {},
): string {
  const write = wholeWrites[agent] ?? usual;
  return JSON.stringify({
    session_id: "s1",
    cwd,
    hook_event_name: write.moment,
    permission_mode: agent === "claude" ? "bypassPermissions" : "yolo",
    tool_name: write.tool,
    tool_input: { [write.path]: path, [write.text]: text, ...more },
  });
}
