import { Emitter, type Event } from "@theia/core/lib/common/event";
import { URI } from "@theia/core/lib/common/uri";
import { inject, injectable } from "@theia/core/shared/inversify";
import { MonacoTextModelService } from "@theia/monaco/lib/browser/monaco-text-model-service";
import { filePathOf } from "./selection-text.ts";

/** Many keys make one report, milliseconds. */
const gatherMs = 150;

type TextModel = MonacoTextModelService["models"][number];

/** Says of which files the unsaved text came, changed or went, while a proposal is under review. */
@injectable()
export class UnsavedReports {
  @inject(MonacoTextModelService)
  protected readonly models: MonacoTextModelService;
  protected readonly due: Set<string> = new Set();
  protected readonly onDidChangeEmitter: Emitter<string> = new Emitter();
  /** The path of the file. */
  readonly onDidChange: Event<string> = this.onDidChangeEmitter.event;
  /** Whether anything is under review. */
  wanted = false;

  start(): void {
    for (const model of this.models.models) this.follow(model);
    this.models.onDidCreate((model) => this.follow(model));
  }

  protected follow(model: TextModel): void {
    const path = filePathOf(new URI(model.uri));
    if (path === undefined) return;
    const note = (): void => this.note(path);
    model.onDidChangeContent(note);
    model.onDirtyChanged(note);
    model.onDispose(note);
  }

  protected note(path: string): void {
    if (!this.wanted || this.due.has(path)) return;
    this.due.add(path);
    window.setTimeout(() => {
      this.due.delete(path);
      this.onDidChangeEmitter.fire(path);
    }, gatherMs);
  }
}

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
