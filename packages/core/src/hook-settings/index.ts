/** Entering an agent's hook into its settings and taking it out again: an entry of its own, since it is done once. */
export { type AgentWithHook, agentsWithHooks } from "./agents-with-hooks.ts";
export { applyPlan } from "./apply.ts";
export { type HookState, inspectHook, inspectIn } from "./inspect.ts";
export {
  type HookPresence,
  hookPresence,
  planInstall,
  planRemove,
  type PlanRequest,
  type SettingsPlan,
} from "./plan.ts";
export { type EditionRuntime, hookCommand, placeProgram } from "./program.ts";
