import type { DiffRequest, DiffViewEvents } from "@patchbay/core";
import { settle, type TestBackend } from "../support/backend.ts";
import { FakeCompanion } from "../support/fake-companion.ts";
import { SimulatedWindow } from "../support/simulated-window.ts";
import type { WindowService } from "../../src/node/window-service.ts";

export interface Connected {
  readonly window: SimulatedWindow;
  readonly service: WindowService;
}

export async function open(
  backend: TestBackend,
  windowId: string,
  roots: readonly string[] = ["/ws"],
  workspace?: string,
): Promise<Connected> {
  const window = new SimulatedWindow({ windowId, roots, ...(workspace === undefined ? {} : { workspace }) });
  const service = backend.connect(window);
  await window.attach(service);
  await settle();
  return { window, service };
}

export function theOnly(backend: TestBackend): FakeCompanion {
  const [companion] = backend.companions;
  if (companion === undefined || backend.companions.length !== 1) {
    throw new Error(`there are ${backend.companions.length} companions`);
  }
  return companion;
}

export const request: DiffRequest = {
  id: "proposal-1",
  agentName: "Gemini CLI",
  path: "/workspace/a.txt",
  originalText: "old\n",
  unsaved: false,
  standing: "unchanged",
  kind: "change",
  proposedText: "proposed\n",
  agentPresent: true,
};

export function record(): { readonly events: DiffViewEvents; readonly said: string[] } {
  const said: string[] = [];
  const events: DiffViewEvents = {
    edited: () => said.push("edited"),
    accepted: (text) => said.push(`accepted ${text}`),
    rejected: () => said.push("rejected"),
    closed: () => said.push("closed"),
  };
  return { events, said };
}
