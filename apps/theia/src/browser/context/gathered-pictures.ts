import type { WindowContext } from "../../common/protocol.ts";

/** Milliseconds in which changes are gathered before a picture is taken. Core debounces again: this only spares the connection. */
const gatherMs = 25;

export interface GatheredPicturesOptions {
  /** Takes a picture of the window's editors. Costs what reading a selection costs: it is called only for one that is due. */
  readonly take: () => Omit<WindowContext, "focused">;
  readonly send: (context: WindowContext) => void;
}

/**
 * Makes one picture of many changes, and none of changes nobody waits for: as long as no agent is there, a cursor that
 * moves costs a note that it did.
 */
export class GatheredPictures {
  readonly #options: GatheredPicturesOptions;
  #due: ReturnType<typeof setTimeout> | undefined;
  /** The last picture without its news, to tell whether another one says anything. */
  #lastSent = "";
  /** Files that got the focus since the last picture, the last one last, each once. */
  readonly #focused: Set<string> = new Set();
  #started = false;
  #wanted = false;
  #stale = false;

  constructor(options: GatheredPicturesOptions) {
    this.#options = options;
  }

  /** Nothing is sent before: half a picture would be wrong. */
  start(): void {
    this.#started = true;
    this.#schedule();
  }

  /** Whether somebody is to be told. What happened meanwhile is told as soon as somebody is. */
  set wanted(wanted: boolean) {
    this.#wanted = wanted;
    if (wanted && this.#stale) this.#schedule();
  }

  /** Something changed. */
  note(): void {
    this.#stale = true;
    if (this.#wanted) this.#schedule();
  }

  /** A file got the focus. */
  noteFocus(path: string): void {
    this.#focused.delete(path);
    this.#focused.add(path);
    this.note();
  }

  /** The user came to this window: that is told in any case, it decides where proposals open. */
  noteUse(): void {
    this.#schedule();
  }

  /** The next picture is sent even if it is the same: the backend may not have it. */
  refresh(): void {
    this.#lastSent = "";
    this.#schedule();
  }

  /** Sends what is due now, for a question that is about to follow. */
  flush(): void {
    if (!this.#started || (!this.#stale && this.#due === undefined)) return;
    clearTimeout(this.#due);
    this.#due = undefined;
    this.#send();
  }

  #schedule(): void {
    if (!this.#started) return;
    this.#due ??= setTimeout(() => {
      this.#due = undefined;
      this.#send();
    }, gatherMs);
  }

  #send(): void {
    this.#stale = false;
    const picture = this.#options.take();
    const text = JSON.stringify(picture);
    const focused = Array.from(this.#focused);
    // A file that gets the focus again is the same picture, and still news.
    if (text === this.#lastSent && focused.length === 0) return;
    this.#lastSent = text;
    this.#focused.clear();
    this.#options.send({ ...picture, focused });
  }
}
