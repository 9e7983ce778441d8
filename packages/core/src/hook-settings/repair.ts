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
}

/** A hook that could not run, or would have stood in the agent's way as soon as it could not. */
export interface HookRepair {
  readonly agentName: string;
  readonly file: string;
  /** Why it is as it was, as a sentence; undefined: it is put right. */
  readonly failure: string | undefined;
}

/**
 * Puts right what agents run as our hook in the user's own settings, where that cannot be run any more (its Node.js went with an update)
 * or an earlier version has entered it. For the start of an editor: who has installed the hook has seen what is entered, and the same
 * is entered but for the program. One that lacks some of its events was changed by somebody, and is left to them. Never rejects.
 */
export async function repairHooks(request: RepairRequest): Promise<readonly HookRepair[]> {
  const repairs: HookRepair[] = [];
  for (const agent of await agentsWithHooks(request.platform)) {
    if (agent.presence !== "installed" && agent.presence !== "partly") continue;
    const { place, settings } = agent.request;
    const state = await inspectIn(place, settings, "user");
    const isToRepair = state.kind === "broken" || (state.kind === "installed" && !state.endsWell);
    if (!isToRepair) continue;
    const { agentName, file } = agent;
    repairs.push({ agentName, file, failure: await repair(agent, request) });
  }
  return repairs;
}

/** A line for a log or a terminal. */
export function describeRepair({ agentName, file, failure }: HookRepair): string {
  const hook = `The hook of ${agentName} in ${file}`;
  return failure === undefined
    ? `${hook} could not run, or was an earlier one: repaired.`
    : `${hook} cannot run. ${failure}`;
}

async function repair(agent: AgentWithHook, request: RepairRequest): Promise<string | undefined> {
  const { platform, runtime, readProgram } = request;
  if (agent.presence === "partly") return "It is installed only in part: install it again.";
  try {
    const plan = await planInstall({ ...agent.request, command: await hookCommand(platform, agent.id, runtime) });
    if (plan.kind === "refused") return plan.reason;
    await placeProgram(platform, await readProgram());
    if (plan.kind === "change") await applyPlan(platform, plan);
    const state = await inspectIn(agent.request.place, agent.request.settings, "user");
    return state.kind === "broken" ? `${state.missing} cannot be run.` : undefined;
  } catch (error) {
    return messageOf(error);
  }
}
