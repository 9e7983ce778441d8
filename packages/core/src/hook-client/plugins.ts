import { type AgentId, agentOf } from "../agents/catalogue.ts";
import type { PatchbayInAgent } from "../agents/hook.ts";
import { attachOpenCode } from "../agents/opencode-family/plugin.ts";
import { attachPi } from "../agents/pi/plugin.ts";
import { findCompanions, runHook, thisMachine } from "./run-hook.ts";

/** Agents that load a program of ours in place of running one. */
const plugins: Readonly<Partial<Record<AgentId, (host: unknown, patchbay: PatchbayInAgent) => unknown>>> = {
  pi: attachPi,
  opencode: attachOpenCode,
  kilo: attachOpenCode,
};

/** Has an agent, in whose process this runs, ask as its hook would. `host`: what it gives to its plugins; `cwd`:
 * where it works, if its event does not say. What comes back is for the agent. Never throws. */
export function attachTo(id: string, host: unknown, cwd: string): unknown {
  const agent = Object.keys(plugins).find((name): name is AgentId => name === id);
  const attach = agent === undefined ? undefined : plugins[agent];
  if (agent === undefined || attach === undefined) return undefined;
  const dialect = agentOf(agent);
  return attach(host, {
    ask: (event, patience) =>
      runHook({ platform: thisMachine(), dialect, event: JSON.stringify(event), cwd, ...patience }),
    editorOf: async (folder) => {
      const [first] = await findCompanions(thisMachine(), dialect, folder);
      return first?.editorName;
    },
  });
}
