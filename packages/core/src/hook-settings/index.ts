/** Entering an agent's hook into its settings and taking it out again: an entry of its own, since it is done once. */
export { agentsWithHooks, type AgentWithHook, type HookState, inspectHook, inspectIn } from "./inspect.ts";
export type { HookConsent } from "../agents/hook.ts";
export { applyPlan, placeProgram } from "./apply.ts";
export { type EditionRuntime, hookCommand } from "./command.ts";
export { repairHooks } from "./repair.ts";
export {
  type HookPresence,
  hookPresence,
  planInstall,
  planRemove,
  type PlanRequest,
  type SettingsPlan,
} from "./plan.ts";
