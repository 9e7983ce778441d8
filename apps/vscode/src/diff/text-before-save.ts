/** Save participants change the text at most this long before VS Code tells of the save, ms; seen: 1 to 70, more on a busy machine. */
const participantSpan = 400;

/** Participants make a handful of changes; more are not looked back at. */
const longestHistory = 8;

/** Larger texts are taken as they are, UTF-16 units. */
const largestText = 1024 * 1024;

/** One of the changes of VS Code's change event. */
export interface ContentChange {
  readonly text: string;
  readonly rangeLength: number;
}

interface Change {
  readonly before: string;
  readonly at: number;
  /** Whether a save participant may have made it: blanks taken away or replaced, a newline put at the end. */
  readonly likeParticipant: boolean;
}

/**
 * The text before save participants touched it. VS Code runs its own (trailing blanks, final newlines, formatting)
 * before it tells of the save, so the text of that moment is already theirs. Changes of nothing but white space right
 * before a save are taken for their doing, because nobody types and saves within that time. A typed blank is none of them.
 */
export class TextBeforeSave {
  readonly #history: Change[] = [];
  #latest: string | undefined;

  constructor(text: string) {
    this.#latest = text;
  }

  /** Times are in milliseconds, of any one clock. */
  noteChange(text: string, changes: readonly ContentChange[], now: number): void {
    const likeParticipant = changes.every(isLikeParticipant);
    if (this.#latest !== undefined) this.#history.push({ before: this.#latest, at: now, likeParticipant });
    if (this.#history.length > longestHistory || text.length > largestText) this.#history.shift();
    this.#latest = text;
  }

  /** A change of which only its being is known: what was before is not looked back at. */
  forget(): void {
    this.#history.length = 0;
    this.#latest = undefined;
  }

  /** What the user had when the save with this text began. */
  textOf(saved: string, now: number): string {
    const essence = saved.length > largestText ? undefined : withoutWhiteSpace(saved);
    let text = saved;
    for (const { before, at, likeParticipant } of Array.from(this.#history).reverse()) {
      if (!likeParticipant || now - at > participantSpan || withoutWhiteSpace(before) !== essence) break;
      text = before;
    }
    return text;
  }
}

function isLikeParticipant({ text, rangeLength }: ContentChange): boolean {
  return rangeLength > 0 ? /^\s*$/u.test(text) : /^[\r\n]+$/u.test(text);
}

function withoutWhiteSpace(text: string): string {
  return text.replace(/\s+/gu, "");
}
