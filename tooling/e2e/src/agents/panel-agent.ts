import { join } from "node:path";
import type { AgentId } from "@patchbay/core";
import { listenModelServer, type ModelServer } from "../models/model-server.ts";
import type { Lab } from "../support/lab.ts";
import { quote } from "../terminals/tmux.ts";
import { type AgentKind, writeLauncher } from "./agent.ts";

/** An agent that the conversation panel starts, with its scripted model. */
export interface PanelAgent {
  readonly kind: AgentKind;
  readonly model: ModelServer;
  /** Takes what it pays its model with away from its next start, or gives it back. */
  signIn(isSignedIn: boolean): Promise<void>;
}

/** The program that the panel is told to start for an agent. */
export function panelProgram(lab: Lab, id: AgentId): string {
  return join(lab.root, `panel-${id}`);
}

/** Sets an agent up for the panel in a lab and starts its model. */
export async function preparePanelAgent(kind: AgentKind, lab: Lab): Promise<PanelAgent> {
  await kind.configure(lab);
  const model = await listenModelServer(kind.protocol);
  const signIn = async (isSignedIn: boolean): Promise<void> => {
    await kind.configureModel?.(lab, isSignedIn ? model.url : undefined);
    const all = Object.entries(kind.environment(lab, model.url));
    const variables = all.filter(([name]) => isSignedIn || !name.endsWith("_API_KEY"));
    const command = `exec ${kind.command().map(quote).join(" ")} "$@"`;
    await writeLauncher(panelProgram(lab, kind.id), Object.fromEntries(variables), [command]);
  };
  await signIn(true);
  return { kind, model, signIn };
}
