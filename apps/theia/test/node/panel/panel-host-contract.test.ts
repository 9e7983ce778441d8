import { type PanelHostContractOptions, panelHostContract } from "@patchbay/testkit";
import { describe, it } from "vitest";
import { PanelBackend } from "../../support/panel-window.ts";

/** The backend's conversations, with pages of a window over Theia's own messages. */
const create: PanelHostContractOptions["create"] = async ({ id, name, program }) => {
  const panel = new PanelBackend();
  const window = await panel.open("one");
  window.agents = { [id]: { name, program } };
  return {
    folder: window.folder,
    openPage: async () => await window.openPage(),
    logged: () => window.window.log.filter((line) => /\[(?:warn|error)\]/u.test(line)),
    close: async () => await panel.backend.workspaces.stop(),
    dispose: async () => await panel.end(),
  };
};

panelHostContract({ runner: { describe, it }, create });
