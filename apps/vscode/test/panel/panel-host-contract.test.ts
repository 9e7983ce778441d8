import { describe, it } from "vitest";
import { type PanelHostContractOptions, panelHostContract } from "@patchbay/testkit";
import { deactivate } from "../../src/extension.ts";
import { PanelWindow } from "./panel-window.ts";

/** Tabs of VS Code's panel: each contract page is one. */
const create: PanelHostContractOptions["create"] = async ({ id, name, program }) => {
  const window = new PanelWindow();
  await window.activate();
  const { bench } = window;
  bench.configure("patchbay.panel.agents", { [id]: { name, program } });
  return {
    folder: window.folder,
    openPage: async () => {
      const tab = await bench.webviews.restoreTab("patchbay.panel");
      return {
        messages: tab.webview.posted,
        say: async (message) => tab.webview.say(Object(message)),
        leave: async () => tab.show(false),
        comeBack: async () => tab.show(true),
      };
    },
    logged: () => bench.logged.filter((line) => /warn|error/iu.test(line)),
    close: async () => await deactivate(),
    dispose: async () => await window.end(),
  };
};

panelHostContract({ runner: { describe, it }, create });
