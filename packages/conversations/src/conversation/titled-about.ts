import type { Clock } from "@patchbay/core";
import type { PromptBlock } from "../model/entries.ts";
import type { About } from "../transcript/line.ts";

/** Longest title that is made of a prompt, and longest preview, characters. */
const titleLength = 60;
const previewLength = 140;

const ranks: Readonly<Record<About["titleFrom"], number>> = { nobody: 0, prompt: 1, agent: 2, user: 3 };

/** What a conversation is about, as it goes on. */
export class TitledAbout {
  readonly #clock: Clock;
  #value: About;

  constructor(value: About, clock: Clock) {
    this.#value = value;
    this.#clock = clock;
  }

  get value(): About {
    return this.#value;
  }

  replace(value: About): void {
    this.#value = value;
  }

  /** It is used just now. */
  use(): void {
    this.#value = { ...this.#value, usedAt: this.#clock.now() };
  }

  /** The first prompt names it, then the agent, then the user. True: the title is another one now. */
  nameBy(who: "prompt" | "agent" | "user", text: string): boolean {
    const title = oneLine(text, titleLength);
    const { titleFrom } = this.#value;
    const isLate = who === "prompt" ? titleFrom !== "nobody" : ranks[who] < ranks[titleFrom];
    if (title === "" || isLate || (title === this.#value.title && who === titleFrom)) return false;
    this.#value = { ...this.#value, title, titleFrom: who };
    return true;
  }

  preview(text: string): void {
    this.#value = { ...this.#value, preview: oneLine(text, previewLength) };
  }

  /** The agent's session, from which the conversation is continued. */
  session(sessionId: string): void {
    const { forkOf: _forkOf, ...rest } = this.#value;
    this.#value = { ...rest, sessionId };
  }
}

/** The words of a prompt. */
export function wordsOf(blocks: readonly PromptBlock[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
}

/** The beginning of a text on one line; cut between words where there is a gap. */
export function oneLine(text: string, limit: number): string {
  // A long text is not looked through to its end.
  const line = text
    .slice(0, limit * 8)
    .replace(/\s+/gu, " ")
    .trim();
  const characters = Array.from(line);
  if (characters.length <= limit) return line;
  const cut = characters.slice(0, limit).join("");
  const gap = cut.lastIndexOf(" ");
  return `${gap > limit / 2 ? cut.slice(0, gap) : cut}…`;
}
