import { commands, type Disposable } from "vscode";
import type { AgentTerminals } from "../terminals/agent-terminals.ts";

/** "Run Gemini CLI", "Run Qwen Code", "Run Claude Code". */
export function registerRunAgent(terminals: AgentTerminals): Disposable[] {
  return [
    commands.registerCommand("patchbay.runGemini", () => terminals.run("gemini")),
    commands.registerCommand("patchbay.runQwen", () => terminals.run("qwen")),
    commands.registerCommand("patchbay.runClaude", () => terminals.run("claude")),
  ];
}
