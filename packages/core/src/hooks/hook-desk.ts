import type { Review, ReviewRequest, SessionInfo } from "../companion.ts";
import type { Dialect } from "../agents/dialect.ts";
import type { AgentHook, HookChange, HookEvent, HookVerdict } from "../agents/hook.ts";
import type { DiffRegistry } from "../diff/diff-registry.ts";
import type { DiffOutcome } from "../diff/model.ts";
import type { ProposalOwner } from "../diff/proposal.ts";
import type { HookAcceptor, HookCall } from "../endpoint/endpoint.ts";
import type { ContextTracker } from "../context/context-tracker.ts";
import type { EditorHost } from "../editor-host.ts";
import type { Platform } from "../platform/platform.ts";
import { type CheckedPath, checkPath } from "../session/path-check.ts";
import type { SessionRegistry } from "../session/session-registry.ts";
import { openingFacts } from "../session/session-services.ts";
import { joinPath } from "../storage/private-directory.ts";
import type { Disposable } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import { LoadOnce } from "../support/load-once.ts";
import type { Logger } from "../support/logger.ts";
import { HookTurns, type TurnWitness } from "./turn-witness.ts";
import { type Activities, hookOwnerPrefix, ownerIdOf } from "./activity.ts";
import { AgentProcesses, isAttached } from "./agent-processes.ts";
import { commandPoliciesAt, isCommandAsked, isReviewed, policiesAt } from "./policy.ts";
import { CommandQuestions } from "./command-questions.ts";
import { SettledProblems } from "./settled-problems.ts";
import {
  answerReviewQuestion,
  asksForContext,
  asksForPresences,
  readReviewQuestion,
  tellContext,
  tellPresences,
} from "./questions.ts";
import {
  HookVerdicts,
  readForHook,
  type ReviewedChange,
  unansweredCommandReason,
  unclearReason,
  undecidedReason,
} from "./hook-verdicts.ts";

export interface HookDeskOptions {
  readonly host: Pick<EditorHost, "messages" | "documents" | "diagnostics">;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly dialects: readonly Dialect[];
  readonly diffs: DiffRegistry;
  readonly sessions: Pick<SessionRegistry, "all" | "placeSessionsOf">;
  readonly activities: Activities;
  /** What is told of the sessions. */
  readonly sessionInfos: () => readonly SessionInfo[];
  /** Workspace folders with links resolved. */
  readonly realFolders: () => Promise<readonly string[]>;
  /** The user's setting as they wrote it; undefined while they share nothing. */
  readonly policies: () => { readonly setting: unknown } | undefined;
  /** Whether agents may read what the editor says of a file: messages quote it. */
  readonly mayQuote: (path: string) => boolean;
  /** What agents see of the editor. */
  readonly tracker: Pick<ContextTracker, "onDidUpdate" | "snapshot">;
  /** See `Companion.review`. */
  readonly review: (request: ReviewRequest) => Promise<Review>;
  /** Sees what agents do to files; absent: nobody does. */
  readonly turns?: TurnWitness | undefined;
}

/** A change under review. */
interface Asked extends ReviewedChange {
  readonly outcome: Promise<DiffOutcome>;
  readonly withdraw: () => void;
}

/** Answers the hooks of agents: has what they are about to write reviewed, and remembers what they tell of their turns. */
export class HookDesk implements HookAcceptor, Disposable {
  readonly #options: HookDeskOptions;
  readonly #hooks: Map<string, LoadOnce<AgentHook>> = new Map();
  readonly #unclear: Set<string> = new Set();
  readonly #processes: AgentProcesses;
  readonly #problems: SettledProblems;
  readonly #verdicts: HookVerdicts;
  /** Between the turns of agents and the editor. */
  readonly turns: HookTurns;
  /** What agents want to run. */
  readonly commands: CommandQuestions;

  constructor(options: HookDeskOptions) {
    this.#options = options;
    this.commands = new CommandQuestions(options);
    this.#verdicts = new HookVerdicts(options.platform.files);
    this.turns = new HookTurns({ ...options, realPathOf: (path, folder) => this.#realPathOf(path, folder) });
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
    if (asksForContext(call.event)) return await tellContext(call, this.#options.tracker);
    const question = readReviewQuestion(call.event);
    if (question !== undefined) return await answerReviewQuestion(question, call, this.#options.review);
    const hook = await this.#hookOf(call.tokenName);
    const event = hook?.read(call.event);
    if (hook === undefined || event === undefined) return undefined;
    const { activities, dialects } = this.#options;
    const dialect = dialects.find(({ id }) => id === call.tokenName);
    activities.note(call.tokenName, event);
    if (dialect === undefined) return undefined;
    const owner = ownerOf(dialect, event.session);
    if (event.kind === "session-began") this.#processes.forget(owner.sessionId);
    if (event.kind === "session-ended") this.#ended(owner.sessionId);
    else {
      this.#options.sessions.placeSessionsOf(dialect.id);
      await this.#processes.heard(owner.sessionId, call);
    }
    const notes = event.kind === "turn-began" ? await this.turns.notes(dialect.id, event.session) : undefined;
    const verdict =
      event.kind === "write"
        ? await this.#review(event, owner, call, hook)
        : event.kind === "command"
          ? await this.#askAbout(event, owner, call, hook)
          : notes?.verdict;
    if (verdict?.kind !== "deny" && !call.signal.aborted)
      await this.turns.witness(event, { agent: dialect.id, agentName: dialect.agentName });
    if (event.kind === "wrote") return await this.#tellProblems(event, owner, call, hook);
    if (verdict === undefined || call.signal.aborted) return undefined;
    notes?.passedOn();
    return hook.encode(verdict);
  }

  #tellPresences(agent: string): string {
    const { activities, diffs, sessionInfos } = this.#options;
    return tellPresences(agent, {
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
    const paths = event.paths.flatMap((path) => absolute(this.#options.platform, path, event.cwd) ?? []);
    const note = await this.#problems.told(sessionId, paths, signal);
    return note === undefined || signal.aborted ? undefined : hook.encodeNote(note);
  }

  /** The agent has said so, or its process has ended. */
  #ended(ownerId: string): void {
    const { activities, diffs } = this.#options;
    this.#processes.forget(ownerId);
    this.#verdicts.forget(ownerId);
    this.#problems.forget(ownerId);
    diffs.sessionEnded(ownerId);
    activities.ended(ownerId.slice(hookOwnerPrefix.length));
  }

  async #hookOf(agent: string): Promise<AgentHook | undefined> {
    const load = this.#options.dialects.find(({ id }) => id === agent)?.loadHook;
    if (load === undefined) return undefined;
    const hook = this.#hooks.get(agent) ?? new LoadOnce(load);
    this.#hooks.set(agent, hook);
    return await hook.get();
  }

  async #review(
    event: Extract<HookEvent, { kind: "write" }>,
    owner: ProposalOwner,
    call: HookCall,
    hook: AgentHook,
  ): Promise<HookVerdict | undefined> {
    const { platform, sessions } = this.#options;
    const policies = this.#options.policies();
    if (policies === undefined) return undefined;
    const wanted: { readonly change: HookChange; readonly path: string; readonly checked: CheckedPath }[] = [];
    for (const change of event.changes) {
      const path = absolute(platform, change.path, event.cwd);
      const checked = path === undefined ? undefined : await this.#check(path);
      if (path === undefined || checked === undefined) continue;
      this.#problems.begin(owner.sessionId, path);
      if (await this.#isReviewed(checked.real, owner.dialect, policies.setting)) wanted.push({ change, path, checked });
    }
    if (wanted.length === 0) return undefined;
    if (event.asks === true && (await isAttached(call, sessions.all, platform.process))) return undefined;
    const asked: Asked[] = [];
    try {
      for (const one of wanted) {
        const opened = await this.#open(one, owner);
        if (opened === "unclear") return { kind: "deny", reason: unclearReason(one.path) };
        if (opened !== undefined) asked.push(opened);
      }
      // Nothing changes, or the user has said yes to it already.
      if (asked.length === 0) return { kind: "allow" };
      return await this.#decided(asked, event, owner, call, hook);
    } finally {
      for (const { withdraw } of asked) withdraw();
    }
  }

  /** Undefined where the file is none of this workspace. */
  async #check(path: string): Promise<CheckedPath | undefined> {
    const { platform, realFolders, logger } = this.#options;
    try {
      const isWindows = platform.process.platform === "win32";
      const checked = await checkPath(path, { files: platform.files, realFolders, isWindows });
      return checked.inside ? checked : undefined;
    } catch (error) {
      logger.debug("A hook named a file that is not looked at", { reason: messageOf(error) });
      return undefined;
    }
  }

  /** Undefined where the file is none of this workspace. */
  async #realPathOf(path: string, folder: string | undefined): Promise<string | undefined> {
    const whole = absolute(this.#options.platform, path, folder);
    return whole === undefined ? undefined : (await this.#check(whole))?.real;
  }

  async #askAbout(
    event: Extract<HookEvent, { readonly kind: "command" }>,
    owner: ProposalOwner,
    call: HookCall,
    hook: AgentHook,
  ): Promise<HookVerdict | undefined> {
    const { platform, realFolders, activities } = this.#options;
    const policies = this.#options.policies();
    if (policies === undefined || event.asks) return undefined;
    const folders = await realFolders();
    const isAsked = await isCommandAsked({
      platform,
      agent: owner.dialect,
      policies: await commandPoliciesAt(policies.setting, await this.#realFolderOf(event, folders), platform),
      folders,
      onUnclear: (file) => this.#tellUnclear(file),
    });
    if (!isAsked) return undefined;
    let end = (): void => {};
    try {
      const folder = event.directory === undefined ? event.cwd : absolute(platform, event.directory, event.cwd);
      return await this.commands.ask({ ...owner, command: event.command, folder, signal: call.signal }, (id) => {
        end = activities.waits(owner.dialect, event, id);
        call.waiting(hook.encode({ kind: "deny", reason: unansweredCommandReason }));
      });
    } finally {
      end();
    }
  }

  async #realFolderOf({ cwd }: Pick<HookEvent, "cwd">, [first = "/"]: readonly string[]): Promise<string> {
    const { files } = this.#options.platform;
    return cwd === undefined ? first : ((await files.realPath(cwd).catch(() => undefined)) ?? cwd);
  }

  async #isReviewed(real: string, agent: string, setting: unknown): Promise<boolean> {
    const { platform, realFolders } = this.#options;
    const [folders, policies] = await Promise.all([realFolders(), policiesAt(setting, real, platform)]);
    return await isReviewed(real, { platform, agent, policies, folders, onUnclear: (file) => this.#tellUnclear(file) });
  }

  /** Undefined: there is nothing to ask. */
  async #open(
    { change, path, checked }: { readonly change: HookChange; readonly path: string; readonly checked: CheckedPath },
    owner: ProposalOwner,
  ): Promise<Asked | "unclear" | undefined> {
    const { diffs, platform } = this.#options;
    const { real } = checked;
    const before = await readForHook(checked, platform.files);
    const after = before.isText ? change.textAfter(before.text) : undefined;
    if (after === undefined) return "unclear";
    if (after === before.text || this.#verdicts.takePromised(owner.sessionId, real, after)) return undefined;
    if (diffs.isAccepted(real, after)) return undefined;
    // Several calls of one answer may be about the same file.
    const input = { path, text: after, handle: `${path} ${platform.random.token(8)}` };
    // What the user had typed into this very change, if the editor was started anew meanwhile.
    const taken = await diffs.takeUp(owner, input);
    const { outcome, abandon } = diffs.open(owner, input, { ...openingFacts(checked, after), taken });
    return { change, path, real, before: before.text, after, outcome, withdraw: abandon };
  }

  async #decided(
    asked: readonly Asked[],
    event: Extract<HookEvent, { kind: "write" }>,
    owner: ProposalOwner,
    call: HookCall,
    hook: AgentHook,
  ): Promise<HookVerdict | undefined> {
    const { activities } = this.#options;
    const ends = asked.map(({ path }) => activities.waits(owner.dialect, event, path));
    // The agent, or its hook, has gone: it waits for nothing any more.
    const leave = (): void => {
      for (const { withdraw } of asked) withdraw();
    };
    call.signal.addEventListener("abort", leave, { once: true });
    if (call.signal.aborted) leave();
    call.waiting(hook.encode({ kind: "deny", reason: undecidedReason }));
    const of = { ownerId: owner.sessionId, isOnly: asked.length === 1 };
    try {
      const verdicts: (HookVerdict | undefined)[] = [];
      for (const one of asked) {
        const verdict = await this.#verdicts.of(one, await one.outcome, of);
        // One no is a no to the call.
        if (verdict === undefined || verdict.kind === "deny") return verdict;
        verdicts.push(verdict);
      }
      return verdicts.length === 1 ? verdicts[0] : { kind: "allow" };
    } finally {
      call.signal.removeEventListener("abort", leave);
      for (const end of ends) end();
    }
  }

  #tellUnclear(file: string): void {
    if (this.#unclear.has(file)) return;
    this.#unclear.add(file);
    const { host, logger } = this.#options;
    const text = `${file} was not used, because Patchbay cannot read it. Until you correct it, only your own settings say which changes are reviewed.`;
    host.messages
      .show({ code: "unclear-project-file", severity: "warning", text, actions: [], values: { file } })
      .catch((error: unknown) => logger.warn("A message could not be shown", { reason: messageOf(error) }));
  }
}

/** Undefined where nobody says in which folder a relative path is. */
function absolute(platform: Platform, path: string, cwd: string | undefined): string | undefined {
  const isWindows = platform.process.platform === "win32";
  if (isWindows ? /^(?:[A-Za-z]:[\\/]|[\\/])/u.test(path) : path.startsWith("/")) return path;
  return cwd === undefined ? undefined : joinPath(platform, cwd, path);
}

/** The text that was accepted is what reaches the disk, marks and all; the hook's connection ends with the run. */
function ownerOf({ id, agentName }: Dialect, session: string): ProposalOwner {
  return {
    sessionId: ownerIdOf(id, session),
    isOfHook: true,
    dialect: id,
    agentName,
    byteOrderMark: "as-proposed",
    emptiedText: "",
    writes: "text",
    outlivesConnection: false,
  };
}
