/** Entering an agent's hook into its settings and taking it out again: an entry of its own, since it is done once. */
export { agentsWithHooks, type AgentWithHook, type HookState, inspectHook, inspectIn } from "./inspect.ts";
export { applyPlan, type EditionRuntime, hookCommand, placeProgram } from "./apply.ts";
export {
  type HookPresence,
  hookPresence,
  planInstall,
  planRemove,
  type PlanRequest,
  type SettingsPlan,
} from "./plan.ts";
