import type { Clock, Logger, PrivateStorage, Random } from "@patchbay/core";
import type { AgentSession, SessionHost } from "../driver.ts";
import type { TurnEndReason } from "../model/entries.ts";
import type { SessionState } from "../model/session.ts";
import type { QueuedPrompt } from "../model/snapshot.ts";
import type { ConversationFile } from "../transcript/conversation-store.ts";
import type { About } from "../transcript/line.ts";
import { AgentLink, type SessionRequest } from "./agent-link.ts";
import { Answers } from "./answers.ts";
import { type GatheredUpdates, TrackedStatus } from "./gathered-updates.ts";
import type { History } from "./history.ts";
import { Notices } from "./notices.ts";
import { SessionUpdates } from "./session-updates.ts";
import { TitledAbout } from "./titled-about.ts";
import { type ConversationTurns, ToldTurns } from "./told-turns.ts";
import { Changes } from "./turn-changes.ts";
import { TurnRunner } from "./turn-runner.ts";
import { emptyDraft, type Unsent, UnsentKeeper } from "./unsent.ts";

/** What a conversation is made of. */
export interface ConversationOptions {
  /** What a conversation is about that has no transcript yet. */
  readonly about: About;
  /** Opens what is on disk. Called again where a window takes over what another one had. */
  readonly openFile: () => Promise<ConversationFile>;
  /** For what is not sent yet. */
  readonly storage: PrivateStorage;
  readonly host: SessionHost;
  /** Makes a session; starts nothing yet. */
  readonly connect: (request: SessionRequest) => AgentSession;
  /** Hears of every turn, and knows what they changed; absent: nobody does. */
  readonly turns?: ConversationTurns | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What can be done with prompts that wait; false where one has been sent by now. */
export type QueueControls = Pick<TurnRunner, "edit" | "remove" | "move" | "sendNow">;

/** What the running agent tells of itself, its MCP servers, and what it does in the background. */
export type AgentControls = Pick<AgentLink, "facts" | "changeServer" | "stopTask">;

/** The files of a turn (`TurnChanges.turn`), or one of them: what was done to it, and what is to become of that. */
export type FileControls = Pick<Changes, "change" | "view" | "keep" | "undo" | "redo">;

/** Reads the entries: a page before a place, one by its id, all of them in order, or the places of a text. */
export type EntryReader = Pick<History, "before" | "entry" | "all" | "find">;

/** What a conversation has on disk: another file where it changes hands. */
export interface HeldFile {
  file: ConversationFile;
  history: History;
  /** This window has let go of it. */
  isClosed: boolean;
}

export function mayWrite({ file, isClosed }: HeldFile): boolean {
  return file.isOwn && !isClosed;
}

/** The parts of a conversation, each told of what the others do as far as it concerns it. */
export interface ConversationParts {
  readonly about: TitledAbout;
  readonly status: TrackedStatus;
  readonly unsent: UnsentKeeper;
  readonly link: AgentLink;
  readonly turns: TurnRunner;
  readonly told: ToldTurns;
  readonly files: Changes;
  readonly answers: Answers;
  readonly notices: Notices;
}

/** Puts the parts together. */
export function createParts(
  options: ConversationOptions,
  held: HeldFile,
  updates: GatheredUpdates,
  { queue, draft }: Unsent,
): ConversationParts {
  const { clock, random, logger, storage, connect, host } = options;
  const { file, history } = held;
  const about = new TitledAbout(file.transcript.about ?? options.about, clock, (now) => {
    held.file.transcript.describe(now);
    if (now.title !== status.value.title) status.tell({ title: now.title });
  });
  const told = new ToldTurns({ turns: options.turns, about: () => about.value, host });
  const files = new Changes({
    ledger: options.turns?.ledger,
    conversation: about.value.id,
    transcript: () => held.file.transcript,
    history: () => held.history,
    logger,
    onDidChange: (changed) => status.tell({ turns: changed }),
  });
  // One that was sent just when its window was killed is in the history, too. What another window has is that one's.
  const waiting = file.isOwn ? queue.filter(({ id }) => !history.has(id)) : [];
  const { title, capabilities } = about.value;
  const first = { title, queue: waiting, access: file.access, turns: files.turns };
  const status: TrackedStatus = new TrackedStatus(updates, first, history.usage, capabilities);
  const heard = new SessionUpdates({
    clock,
    history: () => held.history,
    status: () => status.value,
    tell: (change) => status.tell(change),
    onDidTitle: (name) => about.nameBy("agent", name),
    onDidName: (sessionId) => about.session(sessionId, turns.isInTurn),
    onEntry: (entry) => {
      told.sees(entry);
      answers.sees(entry);
      turns.heard(entry);
    },
    onDidChangeFile: () => told.wrote(),
    onDidSignIn: () => turns.resume(),
  });
  const link = new AgentLink({
    connect: (start) => {
      heard.expect();
      return connect({ about: about.value, start, wantsHistory: !held.history.hasTalk, host: told.host });
    },
    logger,
    memory: () => about.value,
    hasHistory: () => held.history.hasTalk,
    onUpdate: (update, isReplay) => heard.take(update, isReplay),
    onDidStart: (found) => {
      // Files come back by the ledger, whatever the agent keeps.
      const able = { ...found, rewind: found.rewind || options.turns !== undefined };
      about.able(able);
      status.tell({ capabilities: able });
    },
    onDidForget: (why) => notices.forgotten(why),
    onDidFail: (error) => notices.notStarted(error),
  });
  let begun: { readonly before: SessionState; readonly now: SessionState } | undefined;
  const turns: TurnRunner = new TurnRunner({
    clock,
    random,
    logger,
    queue: waiting,
    link,
    history: () => held.history,
    mayWrite: () => mayWrite(held),
    isSignedOut: () => status.value.state.kind === "signed-out",
    notes: () => told.notes(),
    onDidChangeQueue: () => {
      status.tell({ queue: turns.prompts });
      void held.file.transcript.flush().then(() => unsent.save());
    },
    onDidBegin: (prompt: QueuedPrompt) => {
      // The agent says so once it has the prompt, for which the ledger may be waited for.
      begun = { before: status.value.state, now: { kind: "running", since: clock.now() } };
      status.tell({ state: begun.now });
      told.began(prompt);
      about.asked(prompt.blocks);
      void held.file.transcript.flush();
    },
    onDidEnd: (reason: TurnEndReason) => {
      told.ended();
      if (begun !== undefined && status.value.state === begun.now) status.tell({ state: begun.before });
      if (reason !== "done") answers.ended();
      const said = held.history.newest.findLast(({ entry }) => entry.kind === "message" && entry.text !== "")?.entry;
      about.answered(said?.kind === "message" ? said.text : undefined);
      void held.file.transcript.tidy();
    },
  });
  const notices: Notices = new Notices({
    put: (level, text, more) => turns.notice(level, text, more),
    status: () => status.value,
    tell: (change) => status.tell(change),
  });
  const answers: Answers = new Answers({
    clock,
    history: () => held.history,
    link,
    turns,
    host,
    onDidChange: () => void unsent.save(),
  });
  const unsent: UnsentKeeper = new UnsentKeeper({
    conversationId: about.value.id,
    storage,
    clock,
    logger,
    draft: file.isOwn ? draft : emptyDraft,
    read: () => ({ queue: turns.prompts, accepted: answers.underway }),
    onDidFail: (error) => notices.unsentLost(error),
  });
  return { about, status, unsent, link, turns, told, files, answers, notices };
}
