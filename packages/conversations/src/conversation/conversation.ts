import { type Event, messageOf } from "@patchbay/core";
import type { RewindResult } from "../driver.ts";
import type { PromptBlock, TurnEndReason } from "../model/entries.ts";
import type { ConversationSnapshot, ConversationStatus, Draft, QueuedPrompt } from "../model/snapshot.ts";
import type { Answer } from "../model/questions.ts";
import type { About } from "../transcript/line.ts";
import type { ConversationFile } from "../transcript/conversation-store.ts";
import type { Transcript } from "../transcript/transcript.ts";
import { Answers } from "./answers.ts";
import { AgentLink } from "./agent-link.ts";
import type {
  ConversationOptions,
  EntryReader,
  FactControls,
  FileControls,
  QueueControls,
} from "./conversation-options.ts";
import { type ConversationChange, GatheredUpdates, TrackedStatus } from "./gathered-updates.ts";
import { History } from "./history.ts";
import { Notices } from "./notices.ts";
import { SessionUpdates } from "./session-updates.ts";
import { TitledAbout } from "./titled-about.ts";
import { ToldTurns } from "./told-turns.ts";
import { TurnFiles } from "./turn-files.ts";
import { TurnRunner } from "./turn-runner.ts";
import { emptyDraft, readUnsent, type Unsent, UnsentKeeper } from "./unsent.ts";

/**
 * One conversation with one agent. It lives in the editor's process and keeps everything: views come and go. To show it starts
 * nothing; `wake` or the first prompt starts the agent, and so does the next one after the agent has exited.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #updates: GatheredUpdates;
  readonly #about: TitledAbout;
  readonly #unsent: UnsentKeeper;
  readonly #link: AgentLink;
  readonly #turns: TurnRunner;
  readonly #told: ToldTurns;
  readonly #heard: SessionUpdates;
  readonly #files: TurnFiles;
  readonly #answers: Answers;
  readonly #notices: Notices;
  #file: ConversationFile;
  #history: History;
  readonly #status: TrackedStatus;
  #isClosed = false;

  private constructor(
    options: ConversationOptions,
    parts: Unsent & { readonly file: ConversationFile; readonly history: History; readonly updates: GatheredUpdates },
  ) {
    const { clock, random, logger, storage, connect } = options;
    const { file, history, updates, draft } = parts;
    this.#options = options;
    this.#updates = updates;
    this.#file = file;
    this.#history = history;
    this.#about = new TitledAbout(file.transcript.about ?? options.about, clock, (about) => {
      this.#file.transcript.describe(about);
      if (about.title !== this.#status.value.title) this.#status.tell({ title: about.title });
    });
    this.#told = new ToldTurns(options.turns, () => this.#about.value);
    this.#files = new TurnFiles({
      host: options.host,
      told: this.#told,
      transcript: () => this.#file.transcript,
      mayWrite: () => this.#mayWrite,
      clock,
      logger,
      onDidChange: (turns) => this.#status.tell({ turns }),
    });
    // One that was sent just when its window was killed is in the history, too. What another window has is that one's.
    const queue = file.isOwn ? parts.queue.filter(({ id }) => !history.has(id)) : [];
    const { title } = this.#about.value;
    const { turns } = this.#files;
    this.#status = new TrackedStatus(updates, { title, queue, access: file.access, turns }, history.usage);
    this.#heard = new SessionUpdates({
      clock,
      history: () => this.#history,
      status: () => this.#status.value,
      tell: (status) => this.#status.tell(status),
      onDidTitle: (title) => this.#about.nameBy("agent", title),
      onDidName: (sessionId) => this.#about.session(sessionId, this.#turns.isInTurn),
      onEntry: (entry) => {
        this.#files.sees(entry);
        this.#told.sees(entry);
        this.#answers.sees(entry);
        this.#turns.heard(entry);
      },
      onDidChangeFile: (update) => this.#files.changed(update),
      onDidSignIn: () => this.#turns.resume(),
    });
    this.#link = new AgentLink({
      connect: (start) => {
        this.#heard.expect();
        const wantsHistory = !this.#history.hasTalk;
        return connect({ about: this.#about.value, start, wantsHistory, host: this.#files.host });
      },
      logger,
      memory: () => this.#about.value,
      hasHistory: () => this.#history.hasTalk,
      onUpdate: (update, isReplay) => this.#heard.take(update, isReplay),
      // The texts of changed files are kept here, whatever the agent keeps.
      onDidStart: (capabilities) => this.#status.tell({ capabilities: { ...capabilities, rewind: true } }),
      onDidForget: (why) => this.#notices.forgotten(why),
      onDidFail: (error) => this.#notices.notStarted(error),
    });
    this.#turns = new TurnRunner({
      clock,
      random,
      logger,
      queue,
      link: this.#link,
      history: () => this.#history,
      mayWrite: () => this.#mayWrite,
      isSignedOut: () => this.#status.value.state.kind === "signed-out",
      onDidChangeQueue: () => this.#onDidChangeQueue(),
      notes: () => this.#told.notes(),
      onDidBegin: (prompt) => this.#onDidBegin(prompt),
      onDidEnd: (reason) => this.#onDidEnd(reason),
    });
    this.#notices = new Notices({
      put: (level, text, more) => this.#turns.notice(level, text, more),
      status: () => this.#status.value,
      tell: (status) => this.#status.tell(status),
    });
    this.#answers = new Answers({
      history: () => this.#history,
      link: this.#link,
      turns: this.#turns,
      host: options.host,
      onDidChange: () => void this.#unsent.save(),
    });
    this.#unsent = new UnsentKeeper({
      conversationId: this.id,
      storage,
      clock,
      logger,
      draft: file.isOwn ? draft : emptyDraft,
      read: () => ({ queue: this.#turns.prompts, accepted: this.#answers.underway }),
      onDidFail: (error) => this.#notices.unsentLost(error),
    });
    this.#notices.follow(file.transcript);
  }

  /** Opens a conversation as it is on disk, or a new one. Starts no agent. */
  static async open(options: ConversationOptions): Promise<Conversation> {
    const { clock, logger, storage, about } = options;
    const updates = new GatheredUpdates(clock, (error) =>
      logger.error("A view of a conversation failed", { reason: messageOf(error) }),
    );
    const [file, unsent] = await Promise.all([options.openFile(), readUnsent(storage, about.id)]);
    const history = await History.open(file, updates);
    const conversation = new Conversation(options, { file, history, updates, ...unsent });
    if (file.isOwn) await conversation.#goOn(unsent);
    return conversation;
  }

  get id(): string {
    return this.#about.value.id;
  }

  /** What the list of conversations says of it. */
  get about(): About {
    return this.#about.value;
  }

  get status(): ConversationStatus {
    return { ...this.#status.value, waiting: this.#history.waiting };
  }

  /** Nothing was said in it, and nothing is about to be. */
  get isEmpty(): boolean {
    return this.#history.isEmpty && this.#unsent.draft.blocks.length === 0 && this.#turns.prompts.length === 0;
  }

  /** At most every 50 ms. */
  get onDidChange(): Event<ConversationChange> {
    return this.#updates.onDidChange;
  }

  /** The whole state, for a view that is new or has missed a patch. The next patch goes on from it. */
  snapshot(): ConversationSnapshot {
    this.#updates.flush();
    const { id, agent, folder, at } = this.#about.value;
    return {
      ...this.status,
      id,
      agent,
      folder,
      at,
      sequence: this.#updates.sequence,
      entries: this.#history.newest,
      start: 0,
      draft: this.#unsent.draft,
    };
  }

  /** Everything that was said, also what is not in memory. */
  get entries(): EntryReader {
    return this.#history;
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
    if (!this.#mayWrite) return undefined;
    if (id !== undefined && (this.#turns.knows(id) || this.#history.has(id))) return id;
    this.#unsent.replace(emptyDraft);
    return this.#turns.add(blocks, { id, before });
  }

  /** The prompts that wait. */
  get queue(): QueueControls {
    return this.#turns;
  }

  /** The agent that runs for it. */
  get agent(): FactControls {
    return this.#link;
  }

  /** What turns did to the files. */
  get files(): FileControls {
    return this.#files;
  }

  /** Settles an open question, once. False: it is not open any more. */
  answer(questionId: string, answer: Answer): boolean {
    return this.#answers.give(questionId, answer);
  }

  /** Stops the turn. Prompts that wait stay until the user sends something. */
  async stop(): Promise<void> {
    await this.#turns.stop();
  }

  /** Starts the agent before there is a prompt, so that its modes, models and commands can be chosen from. Never rejects. */
  async wake(): Promise<void> {
    if (this.#mayWrite) await this.#link.get();
  }

  /** Starts the agent anew, and goes on with what waits. */
  async restart(): Promise<void> {
    if (this.#mayWrite) await this.#turns.restart();
  }

  /** Tries again what did not work: what waits, else the prompt whose turn has failed. */
  async retry(): Promise<void> {
    if (this.#mayWrite) await this.#turns.retry();
  }

  /** Ends the agent: the next prompt starts it again. Prompts that wait stay. */
  async endAgent(): Promise<void> {
    await this.#turns.end();
    this.#status.tell({ state: { kind: "ended" } });
  }

  /** Chooses a value of an option. Rejects with a sentence where the agent refuses. */
  async setOption(optionId: string, value: string | boolean): Promise<void> {
    if (this.#mayWrite) await this.#link.setOption(optionId, value);
  }

  /** Restores the files as they were before a prompt. `dryRun` only tells. */
  async rewind(promptId: string, dryRun: boolean): Promise<RewindResult> {
    return await this.#files.rewind(promptId, dryRun, this.#link.session);
  }

  /** Keeps what the user has begun to write, on disk within half a second. */
  setDraft(draft: Draft): void {
    if (!this.#mayWrite) return;
    // A conversation that has nothing but a draft is found again, too.
    if (this.#file.transcript.about === undefined) this.#about.tell();
    this.#unsent.write(draft);
  }

  /** Names the conversation, also with the agent where that keeps names. */
  async rename(title: string): Promise<void> {
    if (!this.#mayWrite) return;
    this.#about.nameBy("user", title);
    await this.#link.rename(title);
  }

  /**
   * Takes the conversation if the other window has let go of it; else shows what that one has written by now. False: it still
   * has it.
   */
  async takeOver(): Promise<boolean> {
    if (this.#isClosed || this.#file.isOwn) return this.#file.isOwn;
    const file = await this.#options.openFile();
    if (!file.isOwn && file.transcript.size === this.#file.transcript.size) return false;
    const history = await History.open(file, this.#updates);
    const unsent = await readUnsent(this.#options.storage, this.id);
    if (this.#isClosed) {
      await file.release();
      return false;
    }
    this.#file = file;
    this.#history = history;
    this.#about.replace(file.transcript.about ?? this.#about.value);
    this.#files.load();
    this.#status.tell({ access: file.access, turns: this.#files.turns });
    if (file.isOwn) {
      this.#notices.follow(file.transcript);
      this.#unsent.replace(unsent.draft);
      this.#turns.adopt(unsent.queue.filter(({ id }) => !history.has(id)));
      await this.#goOn(unsent);
    }
    this.#updates.reset();
    return file.isOwn;
  }

  /** Lets another window go on with it: its agent ends here, and this window only reads it from now on. */
  async giveAway(): Promise<void> {
    if (!this.#mayWrite) return;
    const { transcript, release } = this.#file;
    const access = { kind: "read-only" } as const;
    this.#file = { transcript, isOwn: false, access, release: async () => {} };
    this.#status.tell({ access, queue: [] });
    await this.#letGo(transcript);
    await release();
    this.#status.tell({ state: { kind: "ended" } });
  }

  /** Resolves when everything is on disk, or could not be written. */
  async flush(): Promise<void> {
    await Promise.all([this.#unsent.close(), this.#file.transcript.flush()]);
  }

  /** Ends the agent, writes what is left, and gives the conversation back. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#letGo(this.#file.transcript);
    await this.#file.release();
    this.#updates.flush();
    this.#updates.dispose();
  }

  async #letGo(transcript: Transcript): Promise<void> {
    // To end an agent may take longer than the editor has.
    await this.flush();
    await this.#turns.end();
    await this.#files.settled();
    this.#history.settle();
    await transcript.close();
  }

  /** What another process was in the middle of has ended. */
  async #goOn({ accepted }: Unsent): Promise<void> {
    if (accepted.length > 0) await this.#answers.restore(accepted);
    this.#turns.endInterrupted("exited");
    this.#told.ended();
  }

  get #mayWrite(): boolean {
    return this.#file.isOwn && !this.#isClosed;
  }

  #onDidBegin({ id, blocks }: QueuedPrompt): void {
    this.#files.begin(id, this.#history.next - 1);
    this.#told.began(blocks);
    this.#about.asked(blocks);
    void this.#file.transcript.flush();
  }

  #onDidEnd(reason: TurnEndReason): void {
    this.#told.ended();
    if (reason !== "done") this.#answers.ended();
    const said = this.#history.newest.findLast(({ entry }) => entry.kind === "message" && entry.text !== "")?.entry;
    this.#about.answered(said?.kind === "message" ? said.text : undefined);
    void this.#file.transcript.tidy();
  }

  #onDidChangeQueue(): void {
    this.#status.tell({ queue: this.#turns.prompts });
    void this.#file.transcript.flush().then(() => this.#unsent.save());
  }
}
