import { type Event, messageOf } from "@patchbay/core";
import type { Restoring } from "../model/changes.ts";
import type { PromptBlock } from "../model/entries.ts";
import type { ConversationSnapshot, ConversationStatus, Draft } from "../model/snapshot.ts";
import type { Answer } from "../model/questions.ts";
import type { About } from "../transcript/line.ts";
import type { Transcript } from "../transcript/transcript.ts";
import {
  type AgentControls,
  type ConversationOptions,
  type ConversationParts,
  createParts,
  type EntryReader,
  type FileControls,
  type HeldFile,
  mayWrite,
  type QueueControls,
} from "./conversation-parts.ts";
import { type ConversationChange, GatheredUpdates } from "./gathered-updates.ts";
import { History } from "./history.ts";
import { emptyDraft, readUnsent, type Unsent } from "./unsent.ts";

/**
 * One conversation with one agent. It lives in the editor's process and keeps everything: views come and go. To show it starts
 * nothing; `wake` or the first prompt starts the agent, and so does the next one after the agent has exited.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #updates: GatheredUpdates;
  readonly #held: HeldFile;
  readonly #parts: ConversationParts;

  private constructor(options: ConversationOptions, held: HeldFile, updates: GatheredUpdates, unsent: Unsent) {
    this.#options = options;
    this.#updates = updates;
    this.#held = held;
    this.#parts = createParts(options, held, updates, unsent);
    this.#parts.notices.follow(held.file.transcript);
  }

  /** Opens a conversation as it is on disk, or a new one. Starts no agent. */
  static async open(options: ConversationOptions): Promise<Conversation> {
    const { clock, logger, storage, about } = options;
    const updates = new GatheredUpdates(clock, (error) =>
      logger.error("A view of a conversation failed", { reason: messageOf(error) }),
    );
    const [file, unsent] = await Promise.all([options.openFile(), readUnsent(storage, about.id)]);
    const history = await History.open(file, updates);
    const conversation = new Conversation(options, { file, history, isClosed: false }, updates, unsent);
    if (file.isOwn) await conversation.#goOn(unsent);
    return conversation;
  }

  get id(): string {
    return this.#parts.about.value.id;
  }

  /** What the list of conversations says of it. */
  get about(): About {
    return this.#parts.about.value;
  }

  get status(): ConversationStatus {
    return { ...this.#parts.status.value, waiting: this.#held.history.waiting };
  }

  /** Nothing was said in it, and nothing is about to be. */
  get isEmpty(): boolean {
    return (
      this.#held.history.isEmpty &&
      this.#parts.unsent.draft.blocks.length === 0 &&
      this.#parts.turns.prompts.length === 0
    );
  }

  /** At most every 50 ms. */
  get onDidChange(): Event<ConversationChange> {
    return this.#updates.onDidChange;
  }

  /** The whole state, for a view that is new or has missed a patch. The next patch goes on from it. */
  snapshot(): ConversationSnapshot {
    this.#updates.flush();
    const { id, agent, folder, at } = this.#parts.about.value;
    return {
      ...this.status,
      id,
      agent,
      folder,
      at,
      sequence: this.#updates.sequence,
      entries: this.#held.history.newest,
      start: 0,
      draft: this.#parts.unsent.draft,
    };
  }

  /** Everything that was said, also what is not in memory. */
  get entries(): EntryReader {
    return this.#held.history;
  }

  /**
   * Sends a prompt when its turn comes, and returns its id. Undefined: this window may only read the conversation. `before`: it
   * stands before the first of these that still waits. `id`: a UUID by which the sender knows it. Of two with the same one the
   * second is taken for the first, sent again because nobody knew whether it had arrived.
   */
  prompt(
    blocks: readonly PromptBlock[],
    { id, before }: { readonly id?: string; readonly before?: readonly string[] } = {},
  ): string | undefined {
    if (!mayWrite(this.#held)) return undefined;
    if (id !== undefined && (this.#parts.turns.knows(id) || this.#held.history.has(id))) return id;
    this.#parts.unsent.replace(emptyDraft);
    return this.#parts.turns.add(blocks, { id, before });
  }

  /** The prompts that wait. */
  get queue(): QueueControls {
    return this.#parts.turns;
  }

  /** The agent that runs for it. */
  get agent(): AgentControls {
    return this.#parts.link;
  }

  /** What turns did to the files. */
  get files(): FileControls {
    return this.#parts.files;
  }

  /** Settles an open question, once. False: it is not open any more. */
  answer(questionId: string, answer: Answer): boolean {
    return this.#parts.answers.give(questionId, answer);
  }

  /** Stops the turn. Prompts that wait stay until the user sends something. */
  async stop(): Promise<void> {
    await this.#parts.turns.stop();
  }

  /** Starts the agent before there is a prompt, so that its modes, models and commands can be chosen from. Never rejects. */
  async wake(): Promise<void> {
    if (mayWrite(this.#held)) await this.#parts.link.get();
  }

  /** Starts the agent anew, and goes on with what waits. */
  async restart(): Promise<void> {
    if (mayWrite(this.#held)) await this.#parts.turns.restart();
  }

  /** Tries again what did not work: what waits, else the prompt whose turn has failed. */
  async retry(): Promise<void> {
    if (mayWrite(this.#held)) await this.#parts.turns.retry();
  }

  /** Ends the agent: the next prompt starts it again. Prompts that wait stay. */
  async endAgent(): Promise<void> {
    await this.#parts.turns.end();
    this.#parts.status.tell({ state: { kind: "ended" } });
  }

  /** Chooses a value of an option. Rejects with a sentence where the agent refuses. */
  async setOption(optionId: string, value: string | boolean): Promise<void> {
    if (mayWrite(this.#held)) await this.#parts.link.setOption(optionId, value);
  }

  /** Undoes what the turns since a prompt changed. `dryRun` only tells. */
  async rewind(promptId: string, dryRun: boolean): Promise<Restoring> {
    return await this.#parts.files.rewind(promptId, dryRun, this.#parts.link.session);
  }

  /** Keeps what the user has begun to write, on disk within half a second. */
  setDraft(draft: Draft): void {
    if (!mayWrite(this.#held)) return;
    // A conversation that has nothing but a draft is found again, too.
    if (this.#held.file.transcript.about === undefined) this.#parts.about.tell();
    this.#parts.unsent.write(draft);
  }

  /** Names the conversation, also with the agent where that keeps names. */
  async rename(title: string): Promise<void> {
    if (!mayWrite(this.#held)) return;
    this.#parts.about.nameBy("user", title);
    await this.#parts.link.rename(title);
  }

  /**
   * Takes the conversation if the other window has let go of it; else shows what that one has written by now. False: it still
   * has it.
   */
  async takeOver(): Promise<boolean> {
    if (this.#held.isClosed || this.#held.file.isOwn) return this.#held.file.isOwn;
    const file = await this.#options.openFile();
    if (!file.isOwn && file.transcript.size === this.#held.file.transcript.size) return false;
    const history = await History.open(file, this.#updates);
    const unsent = await readUnsent(this.#options.storage, this.id);
    if (this.#held.isClosed) {
      await file.release();
      return false;
    }
    this.#held.file = file;
    this.#held.history = history;
    this.#parts.about.replace(file.transcript.about ?? this.#parts.about.value);
    this.#parts.files.load();
    const { capabilities } = this.#parts.about.value;
    const can = capabilities === undefined ? {} : { capabilities };
    this.#parts.status.tell({ access: file.access, turns: this.#parts.files.turns, ...can });
    if (file.isOwn) {
      this.#parts.notices.follow(file.transcript);
      this.#parts.unsent.replace(unsent.draft);
      this.#parts.turns.adopt(unsent.queue.filter(({ id }) => !history.has(id)));
      await this.#goOn(unsent);
    }
    this.#updates.reset();
    return file.isOwn;
  }

  /** Lets another window go on with it: its agent ends here, and this window only reads it from now on. */
  async giveAway(): Promise<void> {
    if (!mayWrite(this.#held)) return;
    const { transcript, release } = this.#held.file;
    const access = { kind: "read-only" } as const;
    this.#held.file = { transcript, isOwn: false, access, release: async () => {} };
    this.#parts.status.tell({ access, queue: [] });
    await this.#letGo(transcript);
    await release();
    this.#parts.status.tell({ state: { kind: "ended" } });
  }

  /** Resolves when everything is on disk, or could not be written. */
  async flush(): Promise<void> {
    await Promise.all([this.#parts.unsent.close(), this.#held.file.transcript.flush()]);
  }

  /** Ends the agent, writes what is left, and gives the conversation back. */
  async close(): Promise<void> {
    if (this.#held.isClosed) return;
    this.#held.isClosed = true;
    this.#parts.files.dispose();
    await this.#letGo(this.#held.file.transcript);
    await this.#held.file.release();
    this.#updates.flush();
    this.#updates.dispose();
  }

  async #letGo(transcript: Transcript): Promise<void> {
    // To end an agent may take longer than the editor has.
    await this.flush();
    await this.#parts.turns.end();
    this.#held.history.settle();
    await transcript.close();
  }

  /** What another process was in the middle of has ended. */
  async #goOn({ accepted }: Unsent): Promise<void> {
    if (accepted.length > 0) await this.#parts.answers.restore(accepted);
    this.#parts.turns.endInterrupted("exited");
    this.#parts.told.ended();
  }
}
