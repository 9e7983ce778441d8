import type { AgentId } from "@patchbay/core";

/** A file that an agent is about to write as a whole. */
interface WholeFile {
  readonly path: string;
  readonly text: string;
}

/** What an agent calls the moment before a tool, the tool that writes a whole file, and what that is given. */
interface WholeWrite {
  readonly moment: string;
  readonly tool: string;
  input(file: WholeFile): Readonly<Record<string, unknown>>;
}

/** A tool that is given the path and the text under these names. */
function twoNames(path: string, text: string): WholeWrite["input"] {
  return (file) => ({ [path]: file.path, [text]: file.text });
}

const usual: WholeWrite = { moment: "PreToolUse", tool: "write_file", input: twoNames("file_path", "content") };
const openCode: WholeWrite = { moment: "tool.execute.before", tool: "write", input: twoNames("filePath", "content") };

const wholeWrites: Readonly<Partial<Record<AgentId, WholeWrite>>> = {
  gemini: { ...usual, moment: "BeforeTool" },
  claude: { ...usual, tool: "Write" },
  copilot: { ...usual, tool: "Write", input: twoNames("path", "file_text") },
  codex: { ...usual, tool: "apply_patch", input: (file) => ({ command: addition(file) }) },
  pi: { moment: "tool_call", tool: "write", input: twoNames("path", "content") },
  opencode: openCode,
  kilo: openCode,
};

/** A patch that adds a file, or takes its place. */
function addition({ path, text }: WholeFile): string {
  const lines = text.split("\n").slice(0, -1);
  return ["*** Begin Patch", `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), "*** End Patch"].join("\n");
}

/** What an agent tells its hook before it writes a whole file, in a mode that asks nobody; `more`: further arguments. */
export function writeEvent(
  agent: AgentId,
  { cwd, session = "s1", ...file }: WholeFile & { readonly cwd: string; readonly session?: string },
  more: Readonly<Record<string, unknown>> = {},
): string {
  const write = wholeWrites[agent] ?? usual;
  return JSON.stringify({
    session_id: session,
    cwd,
    hook_event_name: write.moment,
    permission_mode: agent === "claude" ? "bypassPermissions" : "yolo",
    tool_name: write.tool,
    tool_input: { ...write.input(file), ...more },
  });
}
