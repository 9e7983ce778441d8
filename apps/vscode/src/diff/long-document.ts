import { Range, type TextDocument } from "vscode";
import { sameLines } from "../host/document-texts.ts";

/**
 * From so many UTF-16 units on a text is not put together for every key. A document is held in lines, and its whole text is
 * made anew for everyone who asks: 6 ms for each megabyte, in which the extension host answers nobody.
 */
export const longText: number = 1024 * 1024;

const linesAtOnce = 8_192;

/** A pause in the typing, ms. */
const pauseMs = 400;

/** Who types without a pause is waited for so often. */
const attempts = 3;

/** The text of a long document, put together in pieces with other work in between. */
export async function readInPieces(document: TextDocument): Promise<string> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const { version } = document;
    const isStill = (): boolean => document.version === version && !document.isClosed;
    const pieces: string[] = [];
    for (let line = 0; line < document.lineCount && isStill(); line += linesAtOnce) {
      pieces.push(document.getText(new Range(line, 0, line + linesAtOnce, 0)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (isStill()) return pieces.join("");
  }
  return document.getText();
}

/** Says after a pause in the typing whether a long document differs from its proposal, instead of with every key. */
export class LongComparison {
  readonly #onCompared: (differs: boolean) => void;
  #due: ReturnType<typeof setTimeout> | undefined;

  constructor(onCompared: (differs: boolean) => void) {
    this.#onCompared = onCompared;
  }

  /** The document has changed. */
  note(document: TextDocument, proposedText: string, onFailure: (error: unknown) => void): void {
    clearTimeout(this.#due);
    this.#due = setTimeout(() => {
      this.#compare(document, proposedText).catch(onFailure);
    }, pauseMs);
  }

  dispose(): void {
    clearTimeout(this.#due);
  }

  async #compare(document: TextDocument, proposedText: string): Promise<void> {
    const { version } = document;
    const text = await readInPieces(document);
    if (document.version === version) this.#onCompared(!sameLines(text, proposedText));
  }
}
