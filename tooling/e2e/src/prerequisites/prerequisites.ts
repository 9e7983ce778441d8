import { ensureInstalled, type Component } from "./cache.ts";
import {
  claudeCode,
  codeServer,
  codexCli,
  copilotCli,
  exponentReadingClaudeCode,
  geminiCli,
  kiloProgram,
  node24,
  oldClaudeCode,
  oldQwenCode,
  piAgent,
  opencodeProgram,
  qwenCode,
  recordReadingQwenCode,
} from "./components.ts";
import { neovim } from "./coc.ts";
import { ensureDebianPackages } from "./debian.ts";
import { theiaApplication } from "./theia.ts";

const byName: Readonly<Record<string, Component>> = {
  gemini: geminiCli,
  qwen: qwenCode,
  "qwen-old": oldQwenCode,
  "qwen-reading-records": recordReadingQwenCode,
  claude: claudeCode,
  "claude-old": oldClaudeCode,
  "claude-reading-exponents": exponentReadingClaudeCode,
  copilot: copilotCli,
  codex: codexCli,
  pi: piAgent,
  opencode: opencodeProgram,
  kilo: kiloProgram,
  vscode: codeServer,
  theia: theiaApplication,
  neovim,
};

/** Installs what runs of these editors and agents need, one thing after the other. */
export async function ensurePrerequisites(names: readonly string[], progress: (line: string) => void): Promise<void> {
  await ensureDebianPackages(progress);
  await ensureInstalled(node24, progress);
  for (const name of names) {
    if (name === "neovim" && process.env["PATCHBAY_E2E_NVIM"] !== undefined) continue;
    const component = byName[name];
    if (component !== undefined) await ensureInstalled(component, progress);
  }
}
