import type { Dialect } from "../dialect.ts";
import { hookAgent } from "../hook-agent.ts";

const behaviour = async (): Promise<typeof import("./behaviour.ts")> => await import("./behaviour.ts");

/** Pi, which speaks with an editor by an extension of ours alone: docs/protocols/pi.md. */
export const pi: Dialect<"pi"> = hookAgent({
  id: "pi",
  agentName: "Pi",
  program: { command: "pi", package: "@earendil-works/pi-coding-agent" },
  loadHook: async () => (await behaviour()).piHook,
  loadChecks: async () => (await behaviour()).piChecks,
});
