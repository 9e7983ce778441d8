import type { Uri } from "vscode";
import { AwaitedEntries } from "./awaited-entries.ts";
import { proposalIdOf } from "./proposal-uri.ts";

/** The left sides: what the file held when the review began. A document without an entry is empty. */
export class OriginalTexts {
  readonly #texts: AwaitedEntries<string>;

  /** `restored` resolves when every proposal of an earlier run is back. */
  constructor(restored: Promise<void>) {
    this.#texts = new AwaitedEntries(restored);
  }

  put(id: string, text: string): void {
    this.#texts.set(id, text);
  }

  drop(id: string): void {
    this.#texts.delete(id);
  }

  async provideTextDocumentContent(uri: Uri): Promise<string> {
    return (await this.#texts.wait(proposalIdOf(uri) ?? "")) ?? "";
  }
}
