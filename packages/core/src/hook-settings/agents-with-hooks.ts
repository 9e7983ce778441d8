import { type AgentId, agents } from "../agents/catalogue.ts";
import type { Platform } from "../platform/platform.ts";
import { type HookPresence, hookPresence, type PlanRequest } from "./plan.ts";

/** An agent that can run a hook, and what the user's own settings of it say of ours. */
export interface AgentWithHook {
  readonly id: AgentId;
  readonly agentName: string;
  readonly request: Omit<PlanRequest, "command">;
  readonly file: string;
  readonly presence: HookPresence;
}

/** Never rejects. */
export async function agentsWithHooks(platform: Platform): Promise<readonly AgentWithHook[]> {
  const place = { platform, folder: undefined };
  const found = agents.map(async ({ id, agentName, loadHook }): Promise<readonly AgentWithHook[]> => {
    const hook = await loadHook?.();
    if (hook === undefined) return [];
    const { settings } = hook;
    const request = { place, scope: "user", settings } as const;
    return [{ id, agentName, request, file: settings.file(place, "user"), presence: await hookPresence(request) }];
  });
  return (await Promise.all(found)).flat();
}
