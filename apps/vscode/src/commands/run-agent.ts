import { commands, type Disposable } from "vscode";
import type { AgentId } from "../settings/agent-command.ts";
import type { AgentTerminals } from "../terminals/agent-terminals.ts";
import { tellIfMissing } from "../terminals/installed-agents.ts";

/** "Run Gemini CLI", "Run Qwen Code", "Run Claude Code". */
export function registerRunAgent(terminals: AgentTerminals): Disposable[] {
  const run = async (agent: AgentId): Promise<void> => {
    terminals.run(agent);
    await tellIfMissing(agent);
  };
  return [
    commands.registerCommand("patchbay.runGemini", async () => await run("gemini")),
    commands.registerCommand("patchbay.runQwen", async () => await run("qwen")),
    commands.registerCommand("patchbay.runClaude", async () => await run("claude")),
  ];
}
