import type { EditorHost, HostActiveEditor, HostSelection } from "../editor-host.ts";
import { type Disposable, DisposableStore } from "../support/disposable.ts";
import { Emitter, type Event } from "../support/emitter.ts";
import { messageOf } from "../support/errors.ts";
import { type Logger, nullLogger, reportListenerFailure } from "../support/logger.ts";
import { limitText } from "../support/text.ts";
import type { Clock } from "../support/time.ts";
import {
  type ActiveFile,
  type EditorContext,
  maximumOpenFiles,
  maximumOtherSelections,
  maximumSelectionBytes,
  type OpenFile,
  type SelectedText,
} from "./model.ts";
import type { SharingPolicy } from "./sharing-policy.ts";

/** Quiet time after the last change before an update goes out, ms (docs/protocols/gemini.md). */
const debounceMs = 50;
/** Longest wait after the first change, so that a held arrow key still gives updates (C03). */
const maximumWaitMs = 100;

export interface ContextTrackerOptions {
  readonly host: Pick<EditorHost, "editors" | "workspace">;
  readonly clock: Clock;
  readonly policy: SharingPolicy;
  readonly logger?: Logger;
}

/**
 * Turns the editor's events into the neutral context. A cursor move costs noting the time; the editor is read once per
 * update, and only while someone listens.
 */
export class ContextTracker implements Disposable {
  readonly #host: Pick<EditorHost, "editors" | "workspace">;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #store: DisposableStore = new DisposableStore();
  readonly #update: Emitter<EditorContext>;
  readonly #focused: Map<string, number> = new Map();
  readonly #startedAt: number;
  #policy: SharingPolicy;
  #sharing = true;
  #newest: string | undefined;
  #last: EditorContext | undefined;
  #timer: Disposable | undefined;
  #firstChange = 0;
  #lastChange = 0;

  constructor(options: ContextTrackerOptions) {
    this.#host = options.host;
    this.#clock = options.clock;
    this.#policy = options.policy;
    this.#logger = options.logger ?? nullLogger;
    this.#update = new Emitter(reportListenerFailure(this.#logger));
    this.#startedAt = options.clock.now();
  }

  /** Fired with a context that differs from the last one, at most every 50 ms and at least every 100 ms while it changes. */
  get onDidUpdate(): Event<EditorContext> {
    return this.#update.event;
  }

  /** Begins to follow the editor. */
  follow(): this {
    const { editors, workspace } = this.#host;
    const active = editors.active();
    if (active !== undefined) this.#focus(active.path);
    this.#store.add(
      editors.onDidChange((change) => {
        if (change.kind === "focused") this.#focus(change.path);
        else if (change.kind === "closed") this.#focused.delete(change.path);
        this.#changed();
      }),
    );
    this.#store.add(workspace.onDidChangeTrust(() => this.#changed()));
    return this;
  }

  setPolicy(policy: SharingPolicy, sharing: boolean): void {
    this.#policy = policy;
    this.#sharing = sharing;
    this.#changed();
  }

  /** The context now, read from the editor. */
  current(): EditorContext {
    const trusted = this.#host.workspace.trusted();
    const trust = trusted === undefined ? {} : { trusted };
    if (!this.#sharing) return { files: [], ...trust };
    const active = this.#host.editors.active();
    const activePath = active !== undefined && this.#policy.mayName(active.path) ? active.path : undefined;
    const files = this.#files(activePath);
    if (active === undefined || activePath === undefined) return { files, ...trust };
    const [selection, ...otherSelections] = this.#policy.mayShareText(activePath) ? this.#selections(active) : [];
    const picture: ActiveFile = {
      path: activePath,
      cursor: active.cursor,
      ...(selection === undefined ? {} : { selection }),
      ...(otherSelections.length === 0 ? {} : { otherSelections }),
    };
    return { files, active: picture, ...trust };
  }

  /**
   * The context now, for an agent that is told it outside of the updates. The next update is then fired whatever it says:
   * a state that was the last one before may be news to that agent.
   */
  snapshot(): EditorContext {
    this.#last = undefined;
    return this.current();
  }

  /** Whether anything may be told of a file: not where it is excluded, and of none while sharing is paused. */
  mayName(path: string): boolean {
    return this.#sharing && this.#policy.mayName(path);
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#store.dispose();
    this.#update.dispose();
  }

  /** The user's own first. A text that cannot be read (its file was removed, say) is left out, and the rest of the picture is told. */
  #selections(active: HostActiveEditor): readonly SelectedText[] {
    const { selection, otherSelections = [] } = active;
    if (selection === undefined) return [];
    const own: HostSelection = { range: selection, read: (limitBytes) => active.readSelection(limitBytes) };
    const found: SelectedText[] = [];
    let left = maximumSelectionBytes;
    for (const { range, read } of [own, ...otherSelections.slice(0, maximumOtherSelections)]) {
      if (left <= 0) break;
      try {
        const text = limitText(read(left), left);
        // Three bytes per code unit is the most UTF-8 takes.
        left -= text.length * 3;
        found.push({ range, text });
      } catch (error) {
        this.#logger.warn("The selection could not be read from the editor", { reason: messageOf(error) });
      }
    }
    return found;
  }

  #focus(path: string): void {
    // The newest one keeps its time: focusing it again changes nothing for anyone.
    if (this.#newest === path && this.#focused.has(path)) return;
    this.#newest = path;
    this.#focused.set(path, this.#clock.now());
  }

  #files(activePath: string | undefined): readonly OpenFile[] {
    const seen = new Set<string>();
    const files: OpenFile[] = [];
    for (const path of this.#host.editors.openFiles()) {
      if (seen.has(path) || !this.#policy.mayName(path)) continue;
      seen.add(path);
      files.push({ path, timestamp: this.#focused.get(path) ?? this.#startedAt - 1 });
    }
    if (activePath !== undefined && !seen.has(activePath)) {
      files.push({ path: activePath, timestamp: this.#focused.get(activePath) ?? this.#startedAt });
    }
    // Agents sort by time and take only the newest as active, so the active one must be that, also after the clock went back.
    const newest = files.reduce((most, file) => Math.max(most, file.timestamp), 0);
    return files
      .map((file) =>
        file.path === activePath && file.timestamp < newest ? { path: file.path, timestamp: newest } : file,
      )
      .toSorted((a, b) => (a.path === activePath ? -1 : b.path === activePath ? 1 : b.timestamp - a.timestamp))
      .slice(0, maximumOpenFiles);
  }

  #changed(): void {
    if (!this.#update.hasListeners) return;
    this.#lastChange = this.#clock.monotonic();
    if (this.#timer !== undefined) return;
    this.#firstChange = this.#lastChange;
    this.#arm(debounceMs);
  }

  #arm(delayMs: number): void {
    this.#timer = this.#clock.setTimeout(() => {
      const now = this.#clock.monotonic();
      const due = Math.min(this.#lastChange + debounceMs, this.#firstChange + maximumWaitMs);
      // Timers count in whole milliseconds and may come a part of one early; to wait for that part would cost one or two.
      if (due - now >= 1) return this.#arm(due - now);
      this.#timer = undefined;
      this.#flush();
    }, delayMs);
  }

  #flush(): void {
    let context: EditorContext;
    try {
      context = this.current();
    } catch (error) {
      this.#logger.warn("The open files could not be read from the editor", { reason: messageOf(error) });
      return;
    }
    if (this.#last !== undefined && sameContext(this.#last, context)) return;
    this.#last = context;
    this.#update.fire(context);
  }
}

/** Whether two contexts say the same to an agent. Both were made here, so that the same stands in the same order. */
function sameContext(a: EditorContext, b: EditorContext): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
