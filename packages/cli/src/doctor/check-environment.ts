import type { Platform } from "@patchbay/core";
import { type AgentId, agentNames } from "../records/agent-places.ts";
import type { RunningEditor } from "../records/running-editors.ts";
import type { Finding } from "./finding.ts";
import { program } from "../own-command.ts";

const portVariables: readonly (readonly [agent: AgentId, name: string])[] = [
  ["gemini", "GEMINI_CLI_IDE_SERVER_PORT"],
  ["qwen", "QWEN_CODE_IDE_SERVER_PORT"],
  ["claude", "CLAUDE_CODE_SSE_PORT"],
];

/** Do the variables of this terminal fit the editors that are running, and is the way to them free? */
export function checkEnvironment(platform: Platform, editors: readonly RunningEditor[]): readonly Finding[] {
  const read = (name: string): string | undefined => platform.process.environment(name) || undefined;
  const findings: Finding[] = [];
  for (const [agent, name] of portVariables) {
    const value = read(name);
    if (value === undefined) continue;
    const editor = editors.find(({ port }) => String(port) === value);
    if (editor?.answers === true) continue;
    const text = `${name}=${value} names an editor that is not running any more: this terminal is older than the editor.`;
    findings.push({
      level: agent === "gemini" ? "warning" : "problem",
      agent,
      text,
      fix: `eval "$(${program} env)"   # or: unset ${name}`,
    });
  }
  if (read("CLAUDE_CODE_SSE_PORT") === undefined && editors.some((editor) => editor.answers)) {
    const text = `CLAUDE_CODE_SSE_PORT is not set: in a terminal outside the editor ${agentNames.claude} may wait for /ide.`;
    findings.push({ level: "warning", agent: "claude", text, fix: `eval "$(${program} env)"` });
  }
  const proxy = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].find((name) => read(name) !== undefined);
  const except = `${read("NO_PROXY") ?? ""},${read("no_proxy") ?? ""}`;
  if (proxy !== undefined && !/(?:^|,)\s*(?:127\.0\.0\.1|\*)\s*(?:,|$)/u.test(except)) {
    const text = `${proxy} is set and 127.0.0.1 is not excepted: an agent may look for the editor at the proxy.`;
    findings.push({ level: "warning", agent: undefined, text, fix: "export NO_PROXY=127.0.0.1,localhost" });
  }
  return findings;
}
