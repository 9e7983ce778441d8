import { type Event, EventEmitter, type Uri } from "vscode";
import { AwaitedEntries } from "./awaited-entries.ts";
import { proposalIdOf } from "./proposal-uri.ts";

/** The left sides: what the file under review holds. A document without an entry is empty. */
export class OriginalTexts {
  readonly #texts: AwaitedEntries<string>;
  readonly #changes: EventEmitter<Uri> = new EventEmitter();
  /** The text of a left side is another one now. */
  readonly onDidChange: Event<Uri> = this.#changes.event;

  /** `restored` resolves when every proposal of an earlier run is back. */
  constructor(restored: Promise<void>) {
    this.#texts = new AwaitedEntries(restored);
  }

  put(id: string, text: string): void {
    this.#texts.set(id, text);
  }

  /** The text of a left side that may be shown already. */
  update(id: string, uri: Uri, text: string): void {
    if (this.#texts.get(id) === text) return;
    this.#texts.set(id, text);
    this.#changes.fire(uri);
  }

  drop(id: string): void {
    this.#texts.delete(id);
  }

  async provideTextDocumentContent(uri: Uri): Promise<string> {
    return (await this.#texts.wait(proposalIdOf(uri) ?? "")) ?? "";
  }
}
