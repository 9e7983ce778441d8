import { workspace } from "vscode";

export type AgentId = "gemini" | "qwen" | "claude";

/** What is put behind the command so that the agent asks before it writes, and the setting that leaves the agent its own way. */
const asking: Readonly<Partial<Record<AgentId, { readonly setting: string; readonly flags: string }>>> = {
  qwen: { setting: "qwen.approvalMode", flags: "--approval-mode default" },
  claude: { setting: "claude.permissionMode", flags: "--permission-mode manual" },
};

/** The command line that starts an agent, as the user's settings have it. */
export function agentCommandLine(agent: AgentId): string {
  const settings = workspace.getConfiguration("patchbay.agents");
  const configured: unknown = settings.get(`${agent}.command`);
  const command = typeof configured === "string" && configured.trim() !== "" ? configured.trim() : agent;
  const asks = asking[agent];
  return asks === undefined || settings.get(asks.setting) === "asConfigured" ? command : `${command} ${asks.flags}`;
}
