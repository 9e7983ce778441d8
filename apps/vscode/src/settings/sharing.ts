import { commands, type Disposable, type Event, EventEmitter } from "vscode";
import type { Companion } from "@patchbay/core";
import type { EditionContext } from "../edition-context.ts";
import type { Settings } from "./settings.ts";

const pausedKey = "patchbay.paused";

/** Whether context goes out: the setting, and the pause that lasts until the user ends it, over restarts too. */
export class Sharing implements Disposable {
  readonly #companion: Companion;
  readonly #settings: Settings;
  readonly #state: EditionContext["workspaceState"];
  readonly #changes: EventEmitter<void> = new EventEmitter();
  readonly #subscription: Disposable;
  readonly onDidChange: Event<void> = this.#changes.event;

  constructor(companion: Companion, settings: Settings, state: EditionContext["workspaceState"]) {
    this.#companion = companion;
    this.#settings = settings;
    this.#state = state;
    this.#subscription = settings.onDidChange(() => this.apply());
    this.apply();
  }

  get paused(): boolean {
    return this.#state.get(pausedKey) === true || !this.#settings.share;
  }

  apply(): void {
    const { exclude, shareSelection } = this.#settings;
    this.#companion.updateSettings({ exclude, shareSelection, sharing: !this.paused });
    void commands.executeCommand("setContext", "patchbay.paused", this.paused);
    this.#changes.fire();
  }

  async setPaused(paused: boolean): Promise<void> {
    await this.#state.update(pausedKey, paused);
    this.apply();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changes.dispose();
  }
}
