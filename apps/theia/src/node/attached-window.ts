import { type EditorChange, Emitter, type Event, type HostActiveEditor, type HostEditors } from "@patchbay/core";
import type { PatchbayWindow, WindowActiveFile, WindowContext, WindowFacts, WindowFile } from "../common/protocol.ts";

/** Thrown to whoever waits for a window that went away: closed, reloaded, or cut off for too long. */
export class WindowGoneError extends Error {
  constructor() {
    super("The window is gone.");
    this.name = "WindowGoneError";
  }
}

const emptyContext: WindowContext = { files: [], focused: [], active: undefined, windowFocused: false };

/** One window of a workspace, for as long as its connection (or its page) lives. */
export class AttachedWindow {
  readonly client: PatchbayWindow;
  facts: WindowFacts;
  context: WindowContext = emptyContext;
  /** Grows with every use; the highest is the window the user was in last. */
  lastUsed = 0;
  #gone = false;
  readonly #departures: Set<(error: WindowGoneError) => void> = new Set();

  constructor(client: PatchbayWindow, facts: WindowFacts) {
    this.client = client;
    this.facts = facts;
  }

  get isGone(): boolean {
    return this.#gone;
  }

  /** Calls the window; rejects with {@link WindowGoneError} as soon as it is gone, whatever the connection still promises. */
  async call<T>(action: (client: PatchbayWindow) => Promise<T>): Promise<T> {
    if (this.#gone) throw new WindowGoneError();
    let depart: ((error: WindowGoneError) => void) | undefined;
    const departure = new Promise<never>((_resolve, reject) => {
      depart = reject;
      this.#departures.add(reject);
    });
    try {
      return await Promise.race([action(this.client), departure]);
    } catch (error) {
      // A connection that breaks rejects what was pending before anyone has told us that the window is gone.
      throw this.#gone ? new WindowGoneError() : error;
    } finally {
      if (depart !== undefined) this.#departures.delete(depart);
    }
  }

  /** Sends what needs no answer; a window that is gone needs nothing. */
  notify(action: (client: PatchbayWindow) => void): void {
    if (!this.#gone) action(this.client);
  }

  /** Settles everything that waits for this window. Idempotent. */
  leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    for (const reject of Array.from(this.#departures)) reject(new WindowGoneError());
    this.#departures.clear();
  }
}

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

  /** A window tells what is open while an agent is there; else it is asked. One that is going has nothing to tell. */
  async bringUpToDate(): Promise<void> {
    const windows = this.#windows.byUse();
    await Promise.allSettled(windows.map((window) => window.call((client) => client.tellContext())));
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

/** What decoding needs of Theia. */
export interface Encodings {
  /** What the bytes themselves show: a byte order mark, or what UTF-16 looks like without one. */
  detect(bytes: Uint8Array): Promise<string | undefined>;
  decode(bytes: Uint8Array, encoding: string): string;
}

/** Reads files as the windows of a workspace do: in the encoding of the settings, or the one that the user chose for a document. */
export class FileDecoding {
  readonly #encodings: Encodings;
  readonly #windows: WindowSet;
  /** By path, for the time in which a window is loaded anew: the text of a file must not change with it. */
  readonly #known: Map<string, string> = new Map();

  constructor(encodings: Encodings, windows: WindowSet) {
    this.#encodings = encodings;
    this.#windows = windows;
  }

  /** The text of a file's bytes; undefined where that is plain UTF-8. */
  async decode(path: string, bytes: Uint8Array): Promise<string | undefined> {
    // What the bytes show wins over the settings in Theia, too.
    const encoding = (await this.#encodings.detect(bytes)) ?? (await this.#encodingOf(path));
    return encoding === undefined || encoding.startsWith("utf8") ? undefined : this.#encodings.decode(bytes, encoding);
  }

  async #encodingOf(path: string): Promise<string | undefined> {
    const windows = this.#windows.byUse();
    const window = windows.find(({ context }) => context.files.some((file) => file.path === path)) ?? windows[0];
    try {
      const encoding = await window?.call((client) => client.encodingOf(path));
      if (encoding !== undefined) this.#known.set(path, encoding);
    } catch (error) {
      // What was known before counts while nobody can be asked.
      if (window?.isGone !== true) throw error;
    }
    return this.#known.get(path);
  }
}
