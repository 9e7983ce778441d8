import { LoadOnce, messageOf } from "@patchbay/core";
import { commands, type Disposable, version, type WebviewPanel, type WebviewView, window } from "vscode";
import { loadPanel, panelCommandIds, registerLazily } from "../lazy.ts";
import type { Panel, PanelServices } from "./panel.ts";

/** The views of the side bars, of which the settings show one. The tabs are of the first one's kind. */
const viewIds = { sideBar: "patchbay.panel", secondarySideBar: "patchbay.panelSecondary" } as const;

/** The first VS Code that lets extensions have views in the secondary side bar. */
const secondarySince = [1, 106] as const;

/** The panel, of which nothing is loaded before it is opened. */
export function registerPanel(services: Omit<PanelServices, "viewIds" | "hasSecondarySideBar">): LazyPanel {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const hasSecondarySideBar = major > secondarySince[0] || (major === secondarySince[0] && minor >= secondarySince[1]);
  // Views ask for it: where there is no such side bar, VS Code would put its view among the files.
  void commands.executeCommand("setContext", "patchbay.secondarySideBar", hasSecondarySideBar);
  return new LazyPanel({ ...services, viewIds, hasSecondarySideBar });
}

export class LazyPanel implements Disposable {
  readonly #services: PanelServices;
  readonly #panel: LoadOnce<Panel> = new LoadOnce(async () => (await loadPanel()).createPanel(this.#services));
  readonly #parts: readonly Disposable[];

  constructor(services: PanelServices) {
    this.#services = services;
    const views = {
      resolveWebviewView: async (view: WebviewView) => await this.#use((panel) => panel.showView(view)),
    };
    this.#parts = [
      window.registerWebviewViewProvider(viewIds.sideBar, views),
      window.registerWebviewViewProvider(viewIds.secondarySideBar, views),
      window.registerWebviewPanelSerializer(viewIds.sideBar, {
        // The page remembers what it showed, and says so.
        deserializeWebviewPanel: async (tab: WebviewPanel) => await this.#use((panel) => void panel.restoreTab(tab)),
      }),
      registerLazily(panelCommandIds, async () => {
        const panel = await this.#panel.get();
        return () => panel.registerCommands();
      }),
    ];
  }

  /** Ends the agents of all conversations. Nothing happens where the panel was not opened. */
  async close(): Promise<void> {
    await (await this.#panel.settled())?.close();
  }

  /** The last moment of the process: nothing that it has started stays. */
  endNow(): void {
    this.#panel.loaded?.endNow();
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose();
  }

  async #use(work: (panel: Panel) => void): Promise<void> {
    try {
      work(await this.#panel.get());
    } catch (error) {
      this.#services.logger.error("The panel could not be opened", { reason: messageOf(error) });
      void commands.executeCommand("patchbay.showLog");
    }
  }
}
