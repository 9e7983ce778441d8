import { LoadOnce, messageOf } from "@patchbay/core";
import { commands, type Disposable, type WebviewPanel, type WebviewView, window } from "vscode";
import { loadPanel, panelCommandIds, registerLazily } from "../lazy.ts";
import type { Panel, PanelServices } from "./panel.ts";

/** The view of the side bar, and the kind of its tabs. */
const viewId = "patchbay.panel";

/** The panel, of which nothing is loaded before it is opened. */
export function registerPanel(services: Omit<PanelServices, "viewId">): LazyPanel {
  return new LazyPanel({ ...services, viewId });
}

export class LazyPanel implements Disposable {
  readonly #services: PanelServices;
  readonly #panel: LoadOnce<Panel> = new LoadOnce(async () => (await loadPanel()).createPanel(this.#services));
  readonly #parts: readonly Disposable[];

  constructor(services: PanelServices) {
    this.#services = services;
    this.#parts = [
      window.registerWebviewViewProvider(viewId, {
        resolveWebviewView: async (view: WebviewView) => await this.#use((panel) => panel.showView(view)),
      }),
      window.registerWebviewPanelSerializer(viewId, {
        // The page remembers what it showed, and says so.
        deserializeWebviewPanel: async (tab: WebviewPanel) => await this.#use((panel) => panel.restoreTab(tab)),
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
