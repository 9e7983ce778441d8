import type { Clock } from "@patchbay/core";
import type { PromptBlock } from "../model/entries.ts";
import type { SessionCapabilities } from "../model/session.ts";
import type { About } from "../transcript/line.ts";

/** Longest title that is made of a prompt, and longest preview, characters. */
const titleLength = 60;
const previewLength = 140;

const ranks: Readonly<Record<About["titleFrom"], number>> = { nobody: 0, prompt: 1, agent: 2, user: 3 };

/** What a conversation is about, as it goes on. */
export class TitledAbout {
  readonly #clock: Clock;
  readonly #onDidChange: (about: About) => void;
  #value: About;
  /** One in which nothing was said yet. */
  #unusedSession: string | undefined;
  #capabilities: SessionCapabilities | undefined;

  constructor(value: About, clock: Clock, onDidChange: (about: About) => void) {
    this.#value = value;
    this.#capabilities = value.capabilities;
    this.#clock = clock;
    this.#onDidChange = onDidChange;
  }

  get value(): About {
    return this.#value;
  }

  /** Another window has gone on with it. */
  replace(value: About): void {
    this.#capabilities = value.capabilities;
    this.#set(value);
  }

  /** The first prompt names it, then the agent, then the user. */
  nameBy(who: "prompt" | "agent" | "user", text: string): void {
    const title = oneLine(text, titleLength);
    const { titleFrom } = this.#value;
    const isLate = who === "prompt" ? titleFrom !== "nobody" : ranks[who] < ranks[titleFrom];
    if (title !== "" && !isLate) this.#set({ ...this.#value, title, titleFrom: who });
  }

  /** A turn has begun with a prompt. */
  asked(blocks: readonly PromptBlock[]): void {
    if (this.#unusedSession !== undefined) this.session(this.#unusedSession, true);
    this.nameBy("prompt", wordsOf(blocks));
    this.#set({ ...this.#value, usedAt: this.#clock.now() });
  }

  /** A turn has ended; what was said last is undefined where nothing was. */
  answered(said: string | undefined): void {
    const preview = said === undefined ? {} : { preview: oneLine(said, previewLength) };
    this.#set({ ...this.#value, ...preview, usedAt: this.#clock.now() });
  }

  /**
   * The agent's session, from which the conversation is continued. Agents keep none in which nothing was said: to continue that
   * would tell that something was forgotten.
   */
  session(sessionId: string, isUsed: boolean): void {
    const { forkOf, ...rest } = this.#value;
    this.#unusedSession = undefined;
    // One that goes on keeps its beginning.
    if (sessionId === rest.sessionId) return;
    if (!isUsed && forkOf === undefined && rest.sessionId === undefined) {
      this.#unusedSession = sessionId;
      return;
    }
    this.#set({ ...rest, sessionId, sessionAt: this.#clock.now() });
  }

  /** What the agent can do, which is written with what is written next. */
  able(capabilities: SessionCapabilities): void {
    const isKnown = JSON.stringify(capabilities) === JSON.stringify(this.#value.capabilities);
    this.#capabilities = capabilities;
    // Nothing of a conversation is written before something was said in it.
    if (!isKnown && this.#value.sessionId !== undefined) this.#set(this.#value);
  }

  /** Says it once more: it has not been written yet. */
  tell(): void {
    this.#onDidChange(this.#value);
  }

  #set(value: About): void {
    this.#value = this.#capabilities === undefined ? value : { ...value, capabilities: this.#capabilities };
    this.tell();
  }
}

/** The words of a prompt. */
function wordsOf(blocks: readonly PromptBlock[]): string {
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
