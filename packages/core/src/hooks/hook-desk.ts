import type { Review, ReviewRequest, SessionInfo } from "../companion.ts";
import type { Dialect } from "../agents/dialect.ts";
import type { AgentHook, HookEvent, HookVerdict } from "../agents/hook.ts";
import type { ServiceDesk } from "../agents/service.ts";
import type { ProposalOwner } from "../diff/proposal.ts";
import type { HookAcceptor, HookCall } from "../endpoint/endpoint.ts";
import type { ContextTracker } from "../context/context-tracker.ts";
import type { EditorHost } from "../editor-host.ts";
import type { SessionRegistry } from "../session/session-registry.ts";
import type { Disposable } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import { LoadOnce } from "../support/load-once.ts";
import { withTimeout } from "../support/time.ts";
import { HookTurns, type TurnWitness } from "./turn-witness.ts";
import { hookOwnerPrefix, ownerIdOf } from "./activity.ts";
import { AgentProcesses } from "./agent-processes.ts";
import { CommandQuestions } from "./command-questions.ts";
import { HookReviews, type HookReviewsOptions } from "./hook-reviews.ts";
import { SettledProblems } from "./settled-problems.ts";
import {
  answerReviewQuestion,
  asksForContext,
  asksForPrompt,
  asksForPresences,
  readReviewQuestion,
  tellContext,
  tellPresences,
} from "./questions.ts";

/** Between an agent's question what is open and the prompt that it is for, at most, ms. */
const promptMs = 10_000;

export interface HookDeskOptions extends Omit<HookReviewsOptions, "commands" | "onWrite"> {
  readonly host: Pick<EditorHost, "editors" | "messages" | "documents" | "diagnostics">;
  readonly dialects: readonly Dialect[];
  readonly sessions: Pick<SessionRegistry, "all" | "placeSessionsOf">;
  /** What is told of the sessions. */
  readonly sessionInfos: () => readonly SessionInfo[];
  /** Whether agents may read what the editor says of a file: messages quote it. */
  readonly mayQuote: (path: string) => boolean;
  /** What agents see of the editor. */
  readonly tracker: Pick<ContextTracker, "onDidUpdate" | "snapshot" | "current">;
  /** See `Companion.review`. */
  readonly review: (request: ReviewRequest) => Promise<Review>;
  /** Sees what agents do to files; absent: nobody does. */
  readonly turns?: TurnWitness | undefined;
}

/** Agents that ask what is open wait a few seconds for their answer, ms. */
const upToDateMs = 2_000;

/** Answers the hooks of agents: has what they are about to write reviewed, and remembers what they tell of their turns. */
export class HookDesk implements HookAcceptor, Disposable {
  readonly #options: HookDeskOptions;
  readonly #hooks: Map<string, LoadOnce<AgentHook>> = new Map();
  readonly #processes: AgentProcesses;
  readonly #problems: SettledProblems;
  readonly #reviews: HookReviews;
  /** What each session was told last of what is open in the editor. */
  readonly #contexts: Map<string, string> = new Map();
  /** The calls of each session that its user has accepted as a whole, and about which it may ask by itself. */
  readonly #consented: Map<string, Set<string>> = new Map();
  /** The sessions of which a hook has told. */
  readonly #hooked: Set<string> = new Set();
  /** When an agent asked last what is open, for a prompt of its user's. */
  readonly #prompts: Map<string, number> = new Map();
  /** Between the turns of agents and the editor. */
  readonly turns: HookTurns;
  /** What agents want to run. */
  readonly commands: CommandQuestions;

  constructor(options: HookDeskOptions) {
    this.#options = options;
    this.commands = new CommandQuestions(options);
    this.#reviews = new HookReviews({
      ...options,
      commands: this.commands,
      onWrite: (ownerId, path) => this.#problems.begin(ownerId, path),
    });
    this.turns = new HookTurns({ ...options, realPathOf: (file, folder) => this.#reviews.realPathOf(file, folder) });
    const { process, clock } = options.platform;
    this.#problems = new SettledProblems({ ...options, diagnostics: options.host.diagnostics, clock });
    this.#processes = new AgentProcesses({
      process,
      clock,
      onFound: (ownerId, ancestors) => options.activities.place(ownerId.slice(hookOwnerPrefix.length), ancestors),
      onGone: (ownerId) => {
        const gone = options.activities.all.find(({ owner }) => owner === ownerId);
        this.#ended(ownerId);
        const dialect = options.dialects.find(({ id }) => id === gone?.agent);
        if (gone === undefined || dialect === undefined) return;
        const { session, folder } = gone;
        this.turns.gone({ agent: dialect.id, agentName: dialect.agentName, session, folder });
      },
    });
  }

  async answerHook(call: HookCall): Promise<string | undefined> {
    if (asksForPresences(call.event)) return this.#tellPresences(call.tokenName);
    if (asksForPrompt(call.event)) this.#prompts.set(call.tokenName, this.#options.platform.clock.monotonic());
    if (asksForContext(call.event)) {
      await this.#bringUpToDate();
      return await tellContext(call, this.#options.tracker);
    }
    const question = readReviewQuestion(call.event);
    if (question !== undefined) return await answerReviewQuestion(question, call, this.#options.review);
    const dialect = this.#dialectOf(call);
    const hook = await this.#hookOf(dialect);
    const event = hook?.read(call.event);
    if (dialect === undefined || hook === undefined || event === undefined) return undefined;
    const { activities } = this.#options;
    activities.note(dialect.id, event);
    const owner = ownerOf(dialect, event.session, hook);
    this.#hooked.add(owner.sessionId);
    if (event.kind === "asks")
      return this.#consented.get(owner.sessionId)?.delete(event.call) === true ? hook.encodeConsent?.() : undefined;
    if (event.kind === "shows") return await this.#show(owner.sessionId);
    if (event.kind === "session-began") {
      this.#processes.forget(owner.sessionId);
      this.#contexts.delete(owner.sessionId);
    }
    if (event.kind === "session-ended") this.#ended(owner.sessionId);
    else {
      this.#options.sessions.placeSessionsOf(dialect.id);
      await this.#processes.heard(owner.sessionId, call, hook.settings.plugin !== undefined);
    }
    const notes = event.kind === "turn-began" ? await this.turns.notes(dialect.id, event.session) : undefined;
    const hasAsked = this.#hasAsked(call.tokenName);
    const context = event.kind === "turn-began" && !hasAsked ? this.#contextFor(owner.sessionId, hook) : undefined;
    const verdict =
      event.kind === "write"
        ? await this.#ofWrite(event, { owner, call, hook })
        : event.kind === "command"
          ? await this.#reviews.ofCommand(event, { owner, call, hook })
          : toldOf([context, notes?.text]);
    if (verdict?.kind !== "deny" && !call.signal.aborted)
      await this.turns.witness(event, { agent: dialect.id, agentName: dialect.agentName });
    if (event.kind === "write") this.#noteConsent(owner.sessionId, event, verdict);
    if (event.kind === "turn-ended") this.#consented.delete(owner.sessionId);
    await this.#noteEnd(event, dialect.id, owner.sessionId);
    if (event.kind === "wrote") return await this.#tellProblems(event, owner, call, hook);
    if (verdict === undefined || call.signal.aborted) return undefined;
    notes?.passedOn();
    if (context !== undefined) this.#contexts.set(owner.sessionId, context);
    return hook.encode(verdict);
  }

  #noteConsent(
    ownerId: string,
    { callOf }: Extract<HookEvent, { kind: "write" }>,
    verdict: HookVerdict | undefined,
  ): void {
    if (verdict === undefined || verdict.kind === "deny" || verdict.kind === "told" || verdict.isSeen !== true) return;
    const call = callOf?.(verdict.kind === "allow-changed" ? verdict.arguments : undefined);
    if (call === undefined) return;
    const calls = this.#consented.get(ownerId) ?? new Set();
    this.#consented.set(ownerId, calls.add(call));
  }

  /** Who asks only what is open is no agent that an editor has to follow for. */
  async #bringUpToDate(): Promise<void> {
    const { host, platform, logger } = this.#options;
    const asked = host.editors.bringUpToDate?.();
    if (asked === undefined) return;
    await withTimeout(upToDateMs, platform.clock, asked).catch((error: unknown) =>
      logger.debug("What is open is as it was told last", { reason: messageOf(error) }),
    );
  }

  /** Whether the agent has asked just now what is open, and puts the answer in front of its user's prompt. */
  #hasAsked(tokenName: string): boolean {
    const at = this.#prompts.get(tokenName);
    return at !== undefined && this.#options.platform.clock.monotonic() - at < promptMs;
  }

  /** What is open in the editor, where the agent hears of it by its hook alone and that is not what it was told last. */
  #contextFor(ownerId: string, hook: AgentHook): string | undefined {
    if (hook.contextNote === undefined) return undefined;
    const context = this.#options.tracker.current();
    const told = this.#contexts.get(ownerId);
    if (told === undefined && context.files.length === 0) return undefined;
    const note = hook.contextNote(context);
    return note === told ? undefined : note;
  }

  /** Brings up what a session waits for. */
  async #show(ownerId: string): Promise<undefined> {
    const { diffs } = this.#options;
    for (const { id } of this.commands.all.filter(({ owner }) => owner === ownerId)) this.commands.show(id);
    const proposal = diffs.proposals.find(({ sessionId }) => sessionId === ownerId);
    if (proposal !== undefined) await diffs.reveal(proposal.id);
  }

  /** Where an agent's own service is answered, of which the editor is a client. Loaded where there is one. */
  async serviceDesk(dialect: Pick<Dialect, "id" | "agentName">): Promise<ServiceDesk> {
    const { EditorServiceDesk } = await import("./service-desk.ts");
    return new EditorServiceDesk({
      ...this.#options,
      dialect,
      reviews: this.#reviews,
      commands: this.commands,
      hookTurns: this.turns,
      ownerOf: (session) => ({ ...ownerOf(dialect, session, {}), isAskedElsewhere: true }),
      hasHook: (ownerId) => this.#hooked.has(ownerId),
      onEnd: (ownerId) => this.#ended(ownerId),
    });
  }

  /** Whatever goes wrong with a write that may be one to review, its agent does not go on. */
  async #ofWrite(...[event, waiting]: Parameters<HookReviews["ofWrite"]>): Promise<HookVerdict | undefined> {
    try {
      return await this.#reviews.ofWrite(event, waiting);
    } catch (error) {
      this.#options.logger.error("A change could not be reviewed.", { cause: messageOf(error) });
      return await this.#reviews.ofUnreadable(waiting.owner.dialect);
    }
  }

  async answerUnreadable(call: Pick<HookCall, "tokenName" | "agent">): Promise<string | undefined> {
    const dialect = this.#dialectOf(call);
    const hook = await this.#hookOf(dialect);
    const isHooked = dialect !== undefined && hook !== undefined;
    const verdict = isHooked ? await this.#reviews.ofUnreadable(dialect.id) : undefined;
    return verdict === undefined ? undefined : hook?.encode(verdict);
  }

  /** What a tool, or a turn, was to write is there by now, or never comes: also what was accepted by the agent's own protocol. */
  async #noteEnd(event: HookEvent, agent: string, ownerId: string): Promise<void> {
    const { diffs, sessionInfos, activities } = this.#options;
    const hasTurnEnded = event.kind === "turn-ended" || (event.kind === "turn-began" && event.prompt !== "");
    if (!hasTurnEnded && event.kind !== "wrote") return;
    const processes = activities.all.find(({ owner }) => owner === ownerId)?.processes;
    const attached = sessionInfos().filter(({ dialect, pid = 0 }) => dialect === agent && processes?.includes(pid));
    const owners = [ownerId, ...attached.map(({ id }) => id)];
    const files = event.kind === "wrote" ? event.files : [undefined];
    for (const file of files) {
      const real = file === undefined ? undefined : await this.#reviews.realPathOf(file, event.cwd);
      if (file === undefined || real !== undefined) for (const owner of owners) diffs.toolEnded(owner, real);
    }
  }

  #tellPresences(tokenName: string): string {
    const { activities, dialects, diffs, sessionInfos } = this.#options;
    const readers = dialects.filter(({ id, recordsOf }) => (recordsOf ?? id) === tokenName);
    return tellPresences(new Set(readers.map(({ id }) => id)), {
      activities: activities.all,
      commands: this.commands,
      sessions: sessionInfos(),
      proposals: diffs.proposals,
    });
  }

  dispose(): void {
    this.#processes.dispose();
    this.#problems.dispose();
  }

  /** What the write has broken; undefined: nothing that the editor knows of. */
  async #tellProblems(
    event: Extract<HookEvent, { kind: "wrote" }>,
    { sessionId }: ProposalOwner,
    { signal }: HookCall,
    hook: AgentHook,
  ): Promise<string | undefined> {
    if (this.#options.policies() === undefined) return undefined;
    const named = await Promise.all(event.files.map((file) => this.#reviews.pathOf(file, event.cwd)));
    const paths = named.filter((path) => path !== undefined);
    const note = await this.#problems.told(sessionId, paths, signal);
    return note === undefined || signal.aborted ? undefined : hook.encodeNote(note);
  }

  /** The agent has said so, or its process has ended. */
  #ended(ownerId: string): void {
    const { activities, diffs } = this.#options;
    this.#processes.forget(ownerId);
    this.#reviews.forget(ownerId);
    this.commands.forget(ownerId);
    this.#problems.forget(ownerId);
    this.#contexts.delete(ownerId);
    this.#consented.delete(ownerId);
    this.#hooked.delete(ownerId);
    diffs.sessionEnded(ownerId);
    activities.ended(ownerId.slice(hookOwnerPrefix.length));
  }

  /** The agent whose hook it is. What it says counts only among those that read the record whose token it has shown. */
  #dialectOf({ tokenName, agent }: Pick<HookCall, "tokenName" | "agent">): Dialect | undefined {
    const { dialects } = this.#options;
    const readers = dialects.filter(({ id, recordsOf }) => (recordsOf ?? id) === tokenName);
    return readers.find(({ id }) => id === agent) ?? readers.find(({ id }) => id === tokenName);
  }

  async #hookOf(dialect: Dialect | undefined): Promise<AgentHook | undefined> {
    const load = dialect?.loadHook;
    if (dialect === undefined || load === undefined) return undefined;
    const hook = this.#hooks.get(dialect.id) ?? new LoadOnce(load);
    this.#hooks.set(dialect.id, hook);
    return await hook.get();
  }
}

function toldOf(notes: readonly (string | undefined)[]): HookVerdict | undefined {
  const note = notes.filter((one) => one !== undefined).join("\n\n");
  return note === "" ? undefined : { kind: "told", note };
}

/** The text that was accepted is what reaches the disk, marks and all; the hook's connection ends with the run. */
function ownerOf(
  { id, agentName }: Pick<Dialect, "id" | "agentName">,
  session: string,
  { asksAhead }: Pick<AgentHook, "asksAhead">,
): ProposalOwner {
  return {
    sessionId: ownerIdOf(id, session),
    isOfHook: true,
    asksAhead,
    dialect: id,
    agentName,
    byteOrderMark: "as-proposed",
    emptiedText: "",
    writes: "text",
    outlivesConnection: false,
  };
}
