import type { Platform } from "../platform/platform.ts";
import { messageOf } from "../support/errors.ts";
import { applyPlan, placeProgram } from "./apply.ts";
import { type EditionRuntime, hookCommand } from "./command.ts";
import { agentsWithHooks, type AgentWithHook, inspectIn } from "./inspect.ts";
import { planInstall } from "./plan.ts";

export interface RepairRequest {
  readonly platform: Platform;
  readonly runtime: EditionRuntime;
  /** The text of what agents run as their hook. */
  readonly readProgram: () => Promise<string>;
  /** A line for a log or a terminal about each hook that could not run, whether it can now or not. */
  readonly warn: (line: string) => void;
}

/**
 * Puts right what agents run as our hook in the user's own settings, where that cannot be run any more (its Node.js went with an update)
 * or an earlier version has entered it. For the start of an editor: who has installed the hook has seen what is entered, and the same
 * is entered but for the program. One that lacks some of its events was changed by somebody, and is left to them. Never rejects.
 */
export async function repairHooks(request: RepairRequest): Promise<void> {
  for (const agent of await agentsWithHooks(request.platform)) {
    const state = await inspectIn(agent.request.place, agent.request.settings, "user");
    if (state.kind !== "broken" && (state.kind !== "installed" || state.endsWell)) continue;
    const outcome = await repair(agent, request).catch(messageOf);
    request.warn(`The hook of ${agent.agentName} in ${agent.file} cannot run, or is an earlier one. ${outcome}`);
  }
}

/** What became of it, as a sentence. */
async function repair(agent: AgentWithHook, { platform, runtime, readProgram }: RepairRequest): Promise<string> {
  if (agent.presence === "partly") return "Part of it is missing, too: install it again.";
  const plan = await planInstall({ ...agent.request, command: await hookCommand(platform, agent.id, runtime) });
  if (plan.kind === "refused") return plan.reason;
  await placeProgram(platform, await readProgram());
  if (plan.kind === "change") await applyPlan(platform, plan);
  return "Repaired.";
}
