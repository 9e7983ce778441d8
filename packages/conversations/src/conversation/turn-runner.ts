import { type Clock, type Logger, messageOf, type Random } from "@patchbay/core";
import type { AgentSession } from "../driver.ts";
import type { Entry, NoticeEntry, PromptBlock, TurnEndReason } from "../model/entries.ts";
import type { QueuedPrompt } from "../model/snapshot.ts";
import type { AgentLink } from "./agent-link.ts";
import type { History } from "./history.ts";

/** A name that no other entry has; the ids of prompts have to be UUIDs. */
export function newId(random: Random): string {
  const hex = Buffer.from(random.token(16), "base64url").toString("hex");
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4] ?? "8";
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20),
  ];
  return parts.join("-");
}

export interface TurnRunnerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly link: AgentLink;
  readonly history: () => History;
  /** What waited when the conversation was last open. */
  readonly queue: readonly QueuedPrompt[];
  /** False: another window has the conversation. */
  readonly mayWrite: () => boolean;
  /** Nothing is sent to an agent that wants its user to sign in first. */
  readonly isSignedOut: () => boolean;
  readonly onDidChangeQueue: () => void;
  /** What the agent is told besides, with the next prompt. Empty: nothing. Never rejects. */
  readonly notes: () => Promise<string>;
  readonly onDidBegin: (prompt: QueuedPrompt) => void;
  readonly onDidEnd: (reason: TurnEndReason) => void;
}

interface Turn {
  readonly id: string;
  readonly since: number;
  hasEnd: boolean;
  hasNotice: boolean;
}

/** Sends the prompts, one turn at a time, and sees to it that each turn ends. */
export class TurnRunner {
  readonly #options: TurnRunnerOptions;
  readonly #queue: PromptQueue;
  /** All prompts that came, also those that the user has taken out of the queue again. */
  readonly #known: Set<string>;
  #turn: Turn | undefined;
  /** The queue waits for the user: nothing was sent yet, the agent was stopped, has exited or cannot be started. */
  #isPaused = true;
  #isRunning = false;
  #resumes = 0;
  #done: Promise<void> = Promise.resolve();

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
    this.#queue = new PromptQueue(options.queue);
    this.#known = new Set(options.queue.map(({ id }) => id));
  }

  /** Whether a prompt of this name has come. */
  knows(id: string): boolean {
    return this.#known.has(id);
  }

  get isInTurn(): boolean {
    return this.#turn !== undefined;
  }

  get prompts(): readonly QueuedPrompt[] {
    return this.#queue.prompts;
  }

  /** Another window has left these; what waited here before, it has had. */
  adopt(prompts: readonly QueuedPrompt[]): void {
    this.#queue.replace(prompts);
    for (const { id } of prompts) this.#known.add(id);
    this.#options.onDidChangeQueue();
  }

  /** Queues a prompt, before the first of some others that still waits, and goes on with what waits. */
  add(
    blocks: readonly PromptBlock[],
    how: { readonly id?: string | undefined; readonly before?: readonly string[] | undefined } = {},
  ): string {
    const { id = newId(this.#options.random), before = [] } = how;
    this.#known.add(id);
    this.#queue.add({ id, blocks }, before);
    this.#options.onDidChangeQueue();
    this.resume();
    return id;
  }

  edit(id: string, blocks: readonly PromptBlock[]): boolean {
    return this.#change(() => this.#queue.edit(id, blocks));
  }

  remove(id: string): boolean {
    return this.#change(() => this.#queue.remove(id) !== undefined);
  }

  move(id: string, position: number): boolean {
    return this.#change(() => this.#queue.move(id, position));
  }

  /** Stops the turn that runs, and sends a prompt that waits as the next one. */
  async sendNow(id: string): Promise<boolean> {
    if (!this.move(id, 0)) return false;
    // The turn's end goes on with the queue.
    if (this.#turn !== undefined) await this.#interrupt();
    this.resume();
    return true;
  }

  /** Goes on with what waits, if anything does. */
  resume(): void {
    this.#isPaused = false;
    this.#resumes += 1;
    if (!this.#isRunning) this.#done = this.#run();
  }

  /** Starts the agent anew, and goes on with what waits. */
  async restart(): Promise<void> {
    await this.end();
    await this.#goOn();
  }

  /** Sends what waits, else the last prompt again if its turn has failed. */
  async retry(): Promise<void> {
    // A program that was started before its user signed in may not know of it.
    if (this.#options.isSignedOut()) await this.end();
    const failed = this.#turn !== undefined || this.prompts.length > 0 ? undefined : this.#failedPrompt();
    if (failed !== undefined) this.add(failed);
    await this.#goOn();
  }

  /** Stops the turn, or the start of the agent. What waits stays where it is. */
  async stop(): Promise<void> {
    this.#isPaused = true;
    if (this.#turn !== undefined) await this.#interrupt();
    else if (this.#isRunning) await this.#options.link.close();
  }

  /** Ends the session, and resolves when no turn runs. What waits stays where it is. */
  async end(): Promise<void> {
    this.#isPaused = true;
    await this.#options.link.close();
    await this.#done;
  }

  /** An entry of the agent's came. */
  heard(entry: Entry): void {
    if (this.#turn === undefined) return;
    if (entry.kind === "turn-end") this.#turn.hasEnd = true;
    if (entry.kind === "notice" && entry.level === "error") this.#turn.hasNotice = true;
  }

  /** Puts a sentence into the conversation. */
  notice(level: NoticeEntry["level"], text: string, more: Pick<NoticeEntry, "detail" | "action"> = {}): void {
    const { clock, random, history } = this.#options;
    history().upsert({ kind: "notice", id: newId(random), at: clock.now(), level, text, ...more });
  }

  /** What was going on when a window was killed has ended, and so has what an agent has told of an earlier session. */
  endInterrupted(reason: TurnEndReason): void {
    const last = this.#options.history().newest.findLast(({ entry }) => entry.kind !== "notice");
    if (last !== undefined && last.entry.kind !== "turn-end") this.#addEnd(reason, {});
  }

  async #goOn(): Promise<void> {
    this.resume();
    if (this.prompts.length > 0 || this.#turn !== undefined) return;
    if ((await this.#options.link.get()) !== undefined) this.endInterrupted("done");
  }

  #failedPrompt(): readonly PromptBlock[] | undefined {
    const { newest } = this.#options.history();
    const end = newest.findLast(({ entry }) => entry.kind === "turn-end" || entry.kind === "prompt")?.entry;
    if (end?.kind !== "turn-end" || (end.reason !== "failed" && end.reason !== "exited")) return undefined;
    const prompt = newest.findLast(({ entry }) => entry.kind === "prompt")?.entry;
    return prompt?.kind === "prompt" ? prompt.blocks : undefined;
  }

  #change(change: () => boolean): boolean {
    const isChanged = this.#options.mayWrite() && change();
    if (isChanged) this.#options.onDidChangeQueue();
    return isChanged;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.prompts.length > 0 && !this.#isPaused) await this.#runNext();
    } finally {
      this.#isRunning = false;
    }
  }

  async #runNext(): Promise<void> {
    const resumes = this.#resumes;
    const session = await this.#options.link.get();
    // Stopped while it was being started, or not to be started; unless the user has sent something since.
    if (session === undefined && this.#resumes === resumes) this.#isPaused = true;
    if (session === undefined || this.#isPaused) return;
    if (this.#options.isSignedOut()) {
      this.#isPaused = true;
      return;
    }
    // Meanwhile it may have been changed, moved or removed.
    const [next] = this.prompts;
    const prompt = next === undefined ? undefined : this.#queue.remove(next.id);
    if (prompt === undefined) return;
    this.endInterrupted("done");
    await this.#runTurn(session, prompt);
  }

  async #runTurn(session: AgentSession, prompt: QueuedPrompt): Promise<void> {
    const { clock, history, logger, onDidBegin, onDidChangeQueue, onDidEnd } = this.#options;
    const turn = { id: prompt.id, since: clock.now(), hasEnd: false, hasNotice: false };
    this.#turn = turn;
    history().upsert({ kind: "prompt", id: prompt.id, at: turn.since, blocks: prompt.blocks });
    onDidBegin(prompt);
    // In the history first: one that were in neither would be lost with the window.
    onDidChangeQueue();
    let reason: TurnEndReason;
    try {
      reason = await session.prompt(await this.#withNotes(prompt));
    } catch (error) {
      // It promises not to; the turn has to end all the same.
      logger.error("A session failed in a turn", { reason: messageOf(error) });
      reason = "failed";
    }
    this.#turn = undefined;
    // What a turn that has ended well has started may go on.
    history().settle((entry) => reason === "done" && entry.kind === "tool");
    if (reason === "exited" && !turn.hasNotice && !this.#isPaused)
      this.notice("error", "The agent has exited. The conversation is kept.", { action: "restart" });
    if (!turn.hasEnd) this.#addEnd(reason, { durationMs: clock.now() - turn.since });
    if (reason === "exited") this.#isPaused = true;
    onDidEnd(reason);
    history().trim();
  }

  /** Nothing is sent that the user does not see. */
  async #withNotes(prompt: QueuedPrompt): Promise<QueuedPrompt> {
    const text = await this.#options.notes();
    if (text === "") return prompt;
    this.notice("info", "Also sent:", { detail: text });
    return { ...prompt, blocks: [...prompt.blocks, { type: "text", text }] };
  }

  #addEnd(reason: TurnEndReason, more: { readonly durationMs?: number }): void {
    const { clock, random, history } = this.#options;
    history().upsert({ kind: "turn-end", id: newId(random), at: clock.now(), reason, ...more });
  }

  async #interrupt(): Promise<void> {
    const { link, logger } = this.#options;
    await link.session?.interrupt().catch((error: unknown) => {
      logger.warn("A turn could not be stopped", { reason: messageOf(error) });
    });
  }
}

/** The prompts that wait for their turn: the user sees them, and may change them until they are sent. */
class PromptQueue {
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
