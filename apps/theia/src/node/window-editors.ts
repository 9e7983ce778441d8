import { Emitter, type EditorChange, type Event, type HostActiveEditor, type HostEditors } from "@patchbay/core";
import type { WindowActiveFile, WindowContext, WindowFile } from "../common/protocol.ts";
import type { WindowSet } from "./window-set.ts";

/** What is open in all windows of a workspace taken together; the window used last says which file is the active one. */
export class WindowEditors implements HostEditors {
  readonly #windows: WindowSet;
  readonly #onDidChange = new Emitter<EditorChange>();
  readonly onDidChange: Event<EditorChange> = this.#onDidChange.event;
  /** The picture of a window that went away a moment ago: it may be reloading. */
  #departed: WindowContext | undefined;
  #known: ReadonlySet<string> = new Set();

  constructor(windows: WindowSet) {
    this.#windows = windows;
    windows.onDidChangeContext(({ window, previous }) => {
      this.#departed = undefined;
      this.#reconcile();
      for (const path of window.context.focused) this.#onDidChange.fire({ kind: "focused", path });
      if (!sameActive(previous.active, window.context.active)) this.#onDidChange.fire({ kind: "selection" });
    });
    windows.onDidUse((window) => {
      const path = window.context.active?.path;
      if (path !== undefined) this.#onDidChange.fire({ kind: "focused", path });
    });
    windows.onDidLeave((window) => {
      if (windows.size === 0) this.#departed = window.context;
      else this.#reconcile();
    });
  }

  openFiles(): readonly string[] {
    return Array.from(this.#known);
  }

  active(): HostActiveEditor | undefined {
    const active = this.#contexts()
      .map((context) => context.active)
      .find((candidate) => candidate !== undefined);
    if (active === undefined) return undefined;
    const { path, cursor, selection } = active;
    return {
      path,
      cursor,
      ...(selection === undefined ? {} : { selection: selection.range }),
      // Core cuts bytes on a whole code point; so many units are never fewer bytes.
      readSelection: (limitBytes) => selection?.text.slice(0, limitBytes) ?? "",
    };
  }

  /** What the windows know of an open file; undefined where none has it open. */
  find(path: string): WindowFile | undefined {
    const files = this.#contexts().flatMap((context) => context.files.filter((file) => file.path === path));
    return files.find((file) => file.dirty) ?? files[0];
  }

  /** The last window is not coming back: nothing is open any more. */
  forgetDeparted(): void {
    if (this.#departed === undefined) return;
    this.#departed = undefined;
    this.#reconcile();
  }

  #contexts(): readonly WindowContext[] {
    const contexts = this.#windows.byUse().map((window) => window.context);
    return this.#departed === undefined ? contexts : [...contexts, this.#departed];
  }

  #reconcile(): void {
    const before = this.#known;
    this.#known = new Set(this.#contexts().flatMap((context) => context.files.map((file) => file.path)));
    for (const path of this.#known) if (!before.has(path)) this.#onDidChange.fire({ kind: "opened", path });
    for (const path of before) if (!this.#known.has(path)) this.#onDidChange.fire({ kind: "closed", path });
  }
}

function sameActive(left: WindowActiveFile | undefined, right: WindowActiveFile | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
