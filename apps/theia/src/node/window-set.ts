import { Emitter, type Event } from "@patchbay/core";
import type { WindowContext } from "../common/protocol.ts";
import type { AttachedWindow } from "./attached-window.ts";

export interface ContextChange {
  readonly window: AttachedWindow;
  readonly previous: WindowContext;
}

/** The windows of one workspace, the one used last first. */
export class WindowSet {
  readonly #windows: Set<AttachedWindow> = new Set();
  readonly #onDidJoin = new Emitter<AttachedWindow>();
  readonly #onDidLeave = new Emitter<AttachedWindow>();
  readonly #onDidChangeContext = new Emitter<ContextChange>();
  readonly #onDidUse = new Emitter<AttachedWindow>();
  #uses = 0;

  readonly onDidJoin: Event<AttachedWindow> = this.#onDidJoin.event;
  readonly onDidLeave: Event<AttachedWindow> = this.#onDidLeave.event;
  readonly onDidChangeContext: Event<ContextChange> = this.#onDidChangeContext.event;
  /** Another window than before became the one used last. */
  readonly onDidUse: Event<AttachedWindow> = this.#onDidUse.event;

  get size(): number {
    return this.#windows.size;
  }

  has(window: AttachedWindow): boolean {
    return this.#windows.has(window);
  }

  byUse(): readonly AttachedWindow[] {
    return Array.from(this.#windows).sort((left, right) => right.lastUsed - left.lastUsed);
  }

  lastUsed(): AttachedWindow | undefined {
    return this.byUse()[0];
  }

  join(window: AttachedWindow): void {
    if (this.#windows.has(window)) return;
    this.#windows.add(window);
    window.lastUsed = ++this.#uses;
    this.#onDidJoin.fire(window);
  }

  leave(window: AttachedWindow): void {
    if (this.#windows.delete(window)) this.#onDidLeave.fire(window);
  }

  use(window: AttachedWindow): void {
    if (this.lastUsed() === window) return;
    window.lastUsed = ++this.#uses;
    this.#onDidUse.fire(window);
  }

  /** A file was saved for an agent: true before the window's next picture says so. */
  markSaved(window: AttachedWindow, path: string): void {
    const files = window.context.files.map((file) => (file.path === path ? { ...file, dirty: false } : file));
    window.context = { ...window.context, files };
  }

  updateContext(window: AttachedWindow, context: WindowContext): void {
    const previous = window.context;
    window.context = context;
    if (context.windowFocused) this.use(window);
    this.#onDidChangeContext.fire({ window, previous });
  }
}
