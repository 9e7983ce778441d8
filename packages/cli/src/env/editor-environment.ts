import { delimiter } from "node:path";
import type { AgentId } from "../records/agent-places.ts";
import type { EditorRecord } from "../records/editor-record.ts";
import type { RunningEditor } from "../records/running-editors.ts";

/**
 * The variables that the editor itself puts into its own terminals, told from its records (docs/protocols). Never a token:
 * agents take it from the record.
 */
export function editorEnvironment(editor: RunningEditor): Readonly<Record<string, string>> {
  const port = String(editor.port);
  const of = (agent: AgentId): EditorRecord | undefined => editor.records.find((record) => record.agent === agent);
  const gemini = of("gemini");
  const qwen = of("qwen");
  return {
    ...(gemini === undefined
      ? {}
      : {
          GEMINI_CLI_IDE_SERVER_PORT: port,
          GEMINI_CLI_IDE_WORKSPACE_PATH: gemini.folders.join(delimiter),
          ...(gemini.pid === undefined ? {} : { GEMINI_CLI_IDE_PID: String(gemini.pid) }),
        }),
    ...(qwen === undefined
      ? {}
      : { QWEN_CODE_IDE_SERVER_PORT: port, QWEN_CODE_IDE_WORKSPACE_PATH: qwen.folders.join(delimiter) }),
    ...(of("claude") === undefined ? {} : { CLAUDE_CODE_SSE_PORT: port, ENABLE_IDE_INTEGRATION: "true" }),
  };
}
