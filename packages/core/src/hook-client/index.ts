/** What an agent's hook needs, and nothing else: an entry of its own, since an agent waits for it before each of its tools. */
export { agents } from "../agents/catalogue.ts";
export { attachTo } from "./plugins.ts";
export { findCompanions, type HookRun, runHook, thisMachine } from "./run-hook.ts";
