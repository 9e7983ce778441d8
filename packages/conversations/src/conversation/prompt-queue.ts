import type { PromptBlock } from "../model/entries.ts";
import type { QueuedPrompt } from "../model/snapshot.ts";

/** The prompts that wait for their turn: the user sees them, and may change them until they are sent. */
export class PromptQueue {
  #prompts: readonly QueuedPrompt[];

  constructor(prompts: readonly QueuedPrompt[]) {
    this.#prompts = prompts;
  }

  get prompts(): readonly QueuedPrompt[] {
    return this.#prompts;
  }

  has(id: string): boolean {
    return this.#prompts.some((prompt) => prompt.id === id);
  }

  replace(prompts: readonly QueuedPrompt[]): void {
    this.#prompts = prompts;
  }

  /** Before the first of some others that still waits, else at the end. */
  add(prompt: QueuedPrompt, before: readonly string[]): void {
    const found = this.#prompts.findIndex(({ id }) => before.includes(id));
    this.#prompts = this.#prompts.toSpliced(found === -1 ? this.#prompts.length : found, 0, prompt);
  }

  /** False where it has been sent by now. */
  edit(id: string, blocks: readonly PromptBlock[]): boolean {
    if (!this.has(id)) return false;
    this.#prompts = this.#prompts.map((prompt) => (prompt.id === id ? { id, blocks } : prompt));
    return true;
  }

  /** Undefined where it has been sent by now. */
  remove(id: string): QueuedPrompt | undefined {
    const found = this.#prompts.find((prompt) => prompt.id === id);
    this.#prompts = this.#prompts.filter((prompt) => prompt.id !== id);
    return found;
  }

  /** Puts one at another position; one beyond the end is the end. False where it has been sent by now. */
  move(id: string, position: number): boolean {
    const moved = this.remove(id);
    if (moved === undefined) return false;
    const at = Math.max(0, Math.min(position, this.#prompts.length));
    this.#prompts = [...this.#prompts.slice(0, at), moved, ...this.#prompts.slice(at)];
    return true;
  }
}
