import type { Dialect } from "../agents/dialect.ts";
import type { Review, ReviewRequest, SessionInfo } from "../companion.ts";
import type { ContextTracker } from "../context/context-tracker.ts";
import { DiffRegistry } from "../diff/diff-registry.ts";
import type { BeforeWrite } from "../diff/diff-services.ts";
import type {
  DiffOutcome,
  OpenReviews,
  ProposalInfo,
  CarriedOutcome,
  CarriedTo,
  OutcomeCarrier,
} from "../diff/model.ts";
import type { ProposalOwner } from "../diff/proposal.ts";
import { createStoredProposals, emptyProposalStore, type TextStorage } from "../diff/stored-proposals.ts";
import type { EditorHost } from "../editor-host.ts";
import { Activities, hookOwnerPrefix, sessionOf } from "../hooks/activity.ts";
import { isSecretPath } from "../context/sharing-policy.ts";
import { HookDesk } from "../hooks/hook-desk.ts";
import { titled } from "../inbox/inbox.ts";
import type { TurnWitness } from "../hooks/turn-witness.ts";
import type { Platform, TcpPorts } from "../platform/platform.ts";
import { type GuardedRun, Guardian } from "../port-holder/guardian.ts";
import { withVerdicts } from "../port-holder/start.ts";
import { checkPath } from "../session/path-check.ts";
import { SessionRegistry } from "../session/session-registry.ts";
import { openingFacts, OpensInOrder } from "../session/session-services.ts";
import type { Session } from "../session/session.ts";
import type { Logger } from "../support/logger.ts";
import { withOpenNames } from "./open-names.ts";

export interface AgentSideOptions {
  readonly host: EditorHost;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly dialects: readonly Dialect[];
  readonly tracker: ContextTracker;
  /** Undefined: proposals are not kept over a restart. */
  readonly storage: TextStorage | undefined;
  readonly realFolders: () => Promise<readonly string[]>;
  /** Undefined: nothing is kept for another run, so there is nothing to watch over. */
  readonly guarded: GuardedRun | undefined;
  /** See `HookDeskOptions.policies`. */
  readonly policies: () => { readonly setting: unknown } | undefined;
  readonly onDidChangeActivities: () => void;
  /** See `DiffOptions.openReviews`. */
  readonly openReviews?: () => OpenReviews;
  /** See `CompanionOptions.turns`. */
  readonly turns?: TurnWitness | undefined;
}

/** Everything that is there only because agents are: their sessions and their proposals. */
export interface AgentSide {
  readonly sessions: SessionRegistry;
  readonly diffs: DiffRegistry;
  readonly conversations: ConversationReviews;
  readonly activities: Activities;
  readonly hooks: HookDesk;
  /** Undefined: agents are on their own when this process is killed. */
  readonly guardian: Guardian | undefined;
  /** What is told of the sessions. */
  sessionInfos(): readonly SessionInfo[];
  /** What is told of their proposals. */
  proposalInfos(): readonly ProposalInfo[];
}

// A port holder is wanted only where agents were: what starts one is loaded with their side.
export { startPortHolder } from "../port-holder/start.ts";

/** Loaded when the first agent has shown the token, or an earlier run left a proposal; until then an editor does not pay for it. */
export function createAgentSide(given: AgentSideOptions): AgentSide {
  const options = { ...given, host: withOpenNames(given.host, given.platform.files) };
  const { host, platform, logger, dialects, tracker, storage, realFolders } = options;
  const writers = new Writers(platform.clock);
  const sessions: SessionRegistry = new SessionRegistry({
    host,
    platform,
    logger,
    dialects,
    tracker,
    realFolders,
    diffs: () => diffs,
    isAtWork: (sessionId) => writers.has(sessionId),
    onDidEnd: ({ dialect: agent, agentName, sessionId: session }) => {
      writers.forget(session);
      options.turns?.turnEnded({ agent, agentName, session, folder: undefined });
    },
  });
  const diffs: DiffRegistry = new DiffRegistry({
    host,
    logger,
    clock: platform.clock,
    random: platform.random,
    files: platform.files,
    store:
      storage === undefined
        ? emptyProposalStore
        : withVerdicts(
            createStoredProposals(storage, () => platform.clock.now()),
            storage,
          ),
    carrier: new Carriers(sessions),
    ...(options.openReviews === undefined ? {} : { openReviews: options.openReviews }),
    beforeWrite: options.turns === undefined ? undefined : tellAccepted(options.turns, writers),
  });
  const { guarded } = options;
  const guardian =
    guarded === undefined ? undefined : new Guardian({ ...guarded, platform, logger, agents: { sessions, diffs } });
  const conversations = new ConversationReviews({ platform, diffs, realFolders });
  const sessionInfos = (): readonly SessionInfo[] => sessions.all.map((session) => infoOf(session, diffs));
  const activities = new Activities(() => platform.clock.now(), options.onDidChangeActivities);
  const hooks = new HookDesk({
    ...options,
    diffs,
    sessions,
    activities,
    sessionInfos,
    review: (request) => conversations.review(request),
    mayQuote: (path) => tracker.mayName(path) && !isSecretPath(path),
  });
  const proposalInfos = (): readonly ProposalInfo[] => titled(diffs.proposals, sessionInfos(), activities.all);
  return { sessions, diffs, conversations, activities, hooks, guardian, sessionInfos, proposalInfos };
}

/** A turn whose end nobody tells ends after so much quiet, ms: see `FolderLedgersOptions.quietMs`. Then nobody asks for its agent. */
const quietMs = 30_000;

/** Sessions that have just been given a text to write: a turn of theirs may be open. */
class Writers {
  readonly #clock: Platform["clock"];
  readonly #given: Map<string, number> = new Map();

  constructor(clock: Platform["clock"]) {
    this.#clock = clock;
  }

  add(sessionId: string): void {
    for (const known of Array.from(this.#given.keys())) this.has(known);
    this.#given.set(sessionId, this.#clock.monotonic());
  }

  has(sessionId: string): boolean {
    const given = this.#given.get(sessionId);
    if (given === undefined) return false;
    if (this.#clock.monotonic() - given <= quietMs) return true;
    this.#given.delete(sessionId);
    return false;
  }

  forget(sessionId: string): void {
    this.#given.delete(sessionId);
  }
}

function tellAccepted(turns: TurnWitness, writers: Writers): BeforeWrite {
  return async ({ isOfHook, isTrial, dialect, agent, agentName, conversationId, sessionId }, path, text) => {
    if (isTrial === true) return;
    // That the agent is about to write is told by the hook's own event, once it has the verdict.
    if (isOfHook === true) {
      turns.accepted(
        { agent: dialect, agentName, session: sessionOf(dialect, sessionId), folder: undefined },
        path,
        text,
      );
      return;
    }
    const source = { agent: agent ?? dialect, agentName, session: conversationId ?? sessionId, folder: undefined };
    if (conversationId === undefined) writers.add(sessionId);
    turns.aboutToWrite(source, [{ path }]);
    turns.accepted(source, path, text);
    await turns.ready();
  };
}

/** Whoever asks by a hook holds the promise of its outcome: nothing is carried there. */
class Carriers implements OutcomeCarrier {
  readonly #sessions: SessionRegistry;

  constructor(sessions: SessionRegistry) {
    this.#sessions = sessions;
  }

  carry(to: CarriedTo, outcome: DiffOutcome, onDelivered: () => void): CarriedOutcome | undefined {
    if (!to.sessionId.startsWith(hookOwnerPrefix)) return this.#sessions.carry(to, outcome, onDelivered);
    onDelivered();
    return undefined;
  }

  isReachable(sessionId: string): boolean {
    return sessionId.startsWith(hookOwnerPrefix) || this.#sessions.isReachable(sessionId);
  }

  awaySince(sessionId: string): number | undefined {
    return this.#sessions.awaySince(sessionId);
  }
}

function infoOf(session: Session, diffs: DiffRegistry): SessionInfo {
  const { id, dialect, state, since, version, title, lastContext } = session;
  const pid = session.owner.process?.pid ?? session.pid;
  return {
    id,
    dialect: dialect.id,
    agentName: dialect.agentName,
    state,
    since,
    openProposals: diffs.openCount(id),
    ...(version === undefined ? {} : { version }),
    ...(pid === undefined ? {} : { pid }),
    ...(title === undefined ? {} : { title }),
    ...(lastContext === undefined ? {} : { lastContext }),
  };
}

/** No agent's session has such an id: those begin with the name of a dialect and a dot. */
const prefix = "conversation:";

/** So many parents of a process are looked at: wrappers start launchers that start programs. */
const mostParents = 16;

export interface ConversationReviewsOptions {
  readonly platform: Platform;
  readonly diffs: DiffRegistry;
  /** Workspace folders with links resolved. */
  readonly realFolders: () => Promise<readonly string[]>;
}

/** Reviews of what conversations ask for. Nothing is carried to their agents, which are processes of this editor: who asks hears the outcome. */
class ConversationReviews {
  readonly #options: ConversationReviewsOptions;
  readonly #order: OpensInOrder = new OpensInOrder();

  constructor(options: ConversationReviewsOptions) {
    this.#options = options;
  }

  /** See `Companion.review`. */
  review(request: ReviewRequest): Promise<Review> {
    return this.#order.open(() => this.#open(request));
  }

  /** See `Companion.conversationEnded`. */
  async ended(conversationId: string): Promise<void> {
    await this.#order.after(async () => this.#options.diffs.sessionEnded(prefix + conversationId));
  }

  /**
   * Whether the process at the other end of a connection is one that `isOwn` means, or was started by one. `told`: which one it says
   * that it is, for where the system does not know.
   */
  async isBehind(ports: TcpPorts | undefined, isOwn: (pid: number) => boolean, told?: number): Promise<boolean> {
    const { process } = this.#options.platform;
    let pid = (ports === undefined ? undefined : await process.peerOf?.(ports)) ?? told;
    for (let count = 0; pid !== undefined && pid > 1 && count < mostParents; count += 1) {
      if (isOwn(pid)) return true;
      pid = await process.parentOf(pid);
    }
    return false;
  }

  async #open({ conversation, path, text, base, isEditable, isTrial = false }: ReviewRequest): Promise<Review> {
    const { diffs, platform, realFolders } = this.#options;
    const isWindows = platform.process.platform === "win32";
    const checked = await checkPath(path, { files: platform.files, realFolders, isWindows });
    const owner = { ...ownerOf(conversation), isTrial };
    const input = { path, text, handle: path };
    const taken = isEditable ? await diffs.takeUp(owner, input) : undefined;
    const facts = { ...openingFacts(checked, text), isReadOnly: !isEditable, base, taken };
    if (isTrial) facts.inside = true;
    const { id, outcome, shown, abandon } = diffs.open(owner, input, facts);
    return {
      id,
      outcome,
      shown,
      // What is kept of it afterwards is the user's, and in the lists.
      accept: async () => diffs.isOpen(id) && (await diffs.accept(id)),
      reject: async () => diffs.isOpen(id) && (await diffs.reject(id)),
      withdraw: abandon,
      toolEnded: () => diffs.toolEnded(owner.sessionId, checked.real),
    };
  }
}

/** Whoever writes the accepted text keeps the byte order mark of the file; the text may be empty. */
function ownerOf({ id, agent, agentName, readsReasons, asksAhead }: ReviewRequest["conversation"]): ProposalOwner {
  return {
    sessionId: prefix + id,
    conversationId: id,
    readsReasons,
    asksAhead,
    dialect: "conversation",
    agent,
    agentName,
    byteOrderMark: "as-proposed",
    emptiedText: "",
    writes: "text",
    outlivesConnection: false,
  };
}
