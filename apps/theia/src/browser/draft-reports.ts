/** The user's text is reported at most this often, in milliseconds; a text of megabytes less often. */
const shortestMs = 250;
const charactersPerMs = 4000;

/** Makes one report of many keys: each costs the whole text on its way to the backend. */
export class DraftReports {
  readonly #report: () => void;
  #due: ReturnType<typeof setTimeout> | undefined;

  constructor(report: () => void) {
    this.#report = report;
  }

  /** The user typed in a text of about so many characters. */
  note(length: number): void {
    this.#due ??= setTimeout(
      () => {
        this.#due = undefined;
        this.#report();
      },
      Math.max(shortestMs, length / charactersPerMs),
    );
  }

  /** What is due is reported at once. */
  flush(): void {
    if (this.#due === undefined) return;
    this.dispose();
    this.#report();
  }

  /** What is due is not reported any more. */
  dispose(): void {
    clearTimeout(this.#due);
    this.#due = undefined;
  }
}
