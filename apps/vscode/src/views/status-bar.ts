import { type Disposable, l10n, StatusBarAlignment, type StatusBarItem, window } from "vscode";
import type { Companion } from "@patchbay/core";
import { loadLater } from "../load-later.ts";

/** The item in the status bar. While there is nothing to tell it needs no code to tell it with. */
export class StatusBar implements Disposable {
  readonly #companion: Companion;
  readonly #isPaused: () => boolean;
  readonly #item: StatusBarItem;
  #told = false;

  constructor(companion: Companion, isPaused: () => boolean) {
    this.#companion = companion;
    this.#isPaused = isPaused;
    this.#item = window.createStatusBarItem("patchbay.status", StatusBarAlignment.Left, 0);
    this.#item.name = "Patchbay";
    this.#item.text = "$(debug-disconnect) Patchbay";
    this.#item.tooltip = l10n.t("No agent is connected.");
    this.#item.command = "patchbay.showConnections";
    this.#item.show();
    this.update();
  }

  update(): void {
    if (!this.#told && this.#isQuiet()) return;
    this.#told = true;
    void loadLater().then(({ writeStatus }) => writeStatus(this.#item, this.#companion, this.#isPaused()));
  }

  dispose(): void {
    this.#item.dispose();
  }

  #isQuiet(): boolean {
    const { state, sessions, proposals } = this.#companion;
    if (this.#isPaused() || sessions.length > 0 || proposals.length > 0 || state.kind === "failed") return false;
    return state.kind !== "listening" || state.warnings.length === 0;
  }
}
