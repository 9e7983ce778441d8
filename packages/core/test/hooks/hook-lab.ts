import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import * as z from "zod";
import { type AgentId, agentOf } from "../../src/agents/catalogue.ts";
import type { ToolArguments } from "../../src/agents/hook.ts";
import type { TurnWitness } from "../../src/hooks/turn-witness.ts";
import { findCompanions, runHook } from "../../src/hook-client/run-hook.ts";
import { createWorkspaceLab, type EditorRun, type WorkspaceLab } from "../workspace-lab.ts";

/** What an agent tells its hook before a tool. */
export interface Call {
  readonly tool: string;
  readonly input: ToolArguments;
  readonly mode?: string;
  readonly session?: string;
  readonly cwd?: string;
}

export interface HookLab extends WorkspaceLab, EditorRun {
  /** What an agent's hook prints; undefined: no opinion. `signal`: whoever asks may be interrupted. */
  ask(agent: AgentId, call: Call, signal?: AbortSignal): Promise<string | undefined>;
  /** The same for an event that is no tool. */
  tell(agent: AgentId, event: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  /** The hook of Claude Code that dies when the signal says so. */
  askUntil(call: Call, signal: AbortSignal): Promise<void>;
}

const momentsBefore: Readonly<Partial<Record<AgentId, string>>> = {
  gemini: "BeforeTool",
  pi: "tool_call",
  opencode: "tool.execute.before",
  kilo: "tool.execute.before",
};

/** A workspace with a companion that is started, and the agents' hooks. */
export async function createHookLab(text?: string, turns?: TurnWitness): Promise<HookLab> {
  const lab = createWorkspaceLab(text);
  const { platform } = lab;
  const run = lab.build(undefined, undefined, turns);
  await run.companion.start();
  const eventOf = (agent: AgentId, { tool, input, mode, session = "s1", cwd = platform.workspace }: Call): string =>
    JSON.stringify({
      session_id: session,
      cwd,
      hook_event_name: momentsBefore[agent] ?? "PreToolUse",
      ...(mode === undefined ? {} : { permission_mode: mode }),
      tool_name: tool,
      tool_input: input,
    });
  const hook = (agent: AgentId, event: string, signal?: AbortSignal): Promise<string | undefined> =>
    runHook({
      platform,
      dialect: agentOf(agent),
      event,
      cwd: platform.workspace,
      limitMs: 50_000,
      ...(signal === undefined ? {} : { signal }),
    });
  return {
    ...lab,
    ...run,
    ask: (agent, call, signal) => hook(agent, eventOf(agent, call), signal),
    tell: (agent, event) => hook(agent, JSON.stringify({ session_id: "s1", cwd: platform.workspace, ...event })),
    askUntil: async (call, signal) => {
      const [companion] = await findCompanions(platform, agentOf("claude"), platform.workspace);
      const headers = { authorization: `Bearer ${companion?.token ?? ""}`, "content-type": "application/json" };
      const body = eventOf("claude", call);
      const url = `http://127.0.0.1:${companion?.port ?? 0}/hook`;
      const response = await fetch(url, { method: "POST", headers, body, signal });
      await response.text().catch(() => "");
    },
  };
}

/** The part of an answer that counts. */
export interface ClaudeAnswer {
  readonly permissionDecision: string;
  readonly permissionDecisionReason?: string;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly additionalContext?: string;
}

/** What Claude Code reads. */
export function readClaude(output: string | undefined): ClaudeAnswer {
  expect(output).toBeDefined();
  const { permissionDecisionReason: reason, ...answer } = parsed.parse(JSON.parse(output ?? "")).hookSpecificOutput;
  const { updatedInput, additionalContext, ...others } = answer;
  return {
    ...others,
    ...(additionalContext === undefined ? {} : { additionalContext }),
    ...(reason === undefined ? {} : { permissionDecisionReason: reason }),
    ...(updatedInput === undefined ? {} : { updatedInput }),
  };
}

const parsed = z.object({
  hookSpecificOutput: z.object({
    hookEventName: z.literal("PreToolUse"),
    permissionDecision: z.enum(["allow", "deny"]),
    permissionDecisionReason: z.string().optional(),
    updatedInput: z.record(z.string(), z.unknown()).optional(),
    additionalContext: z.string().optional(),
  }),
});

/** Writes as Claude Code's edit does, by the rules that were seen; written apart from our own code on purpose. */
export function editAsClaude(
  path: string,
  { old_string: from, new_string: to }: Readonly<Record<string, unknown>>,
): void {
  const text = readFileSync(path, "utf8");
  const hasReturns = text.includes("\r\n");
  const [before, after, ...more] = text.replaceAll("\r\n", "\n").split(String(from));
  if (before === undefined || after === undefined || more.length > 0) throw new Error("It would refuse.");
  const now = before + String(to) + after;
  writeFileSync(path, hasReturns ? now.replaceAll("\n", "\r\n") : now);
}
