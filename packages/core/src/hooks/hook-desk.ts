import type { SessionInfo } from "../companion.ts";
import type { Dialect } from "../agents/dialect.ts";
import { type AgentHook, type HookChange, type HookEvent, type HookVerdict, newTextOf } from "../agents/hook.ts";
import type { DiffRegistry } from "../diff/diff-registry.ts";
import type { DiffOutcome } from "../diff/model.ts";
import type { ProposalOwner } from "../diff/proposal.ts";
import type { HookAcceptor, HookCall } from "../endpoint/endpoint.ts";
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
import type { TurnSource, TurnWitness } from "./turn-witness.ts";
import { type Activities, hookOwnerPrefix, ownerIdOf } from "./activity.ts";
import { AgentProcesses } from "./agent-processes.ts";
import { isAttached } from "./attached.ts";
import { commandPoliciesAt, isCommandAsked, isReviewed, policiesAt } from "./policy.ts";
import { CommandQuestions } from "./command-questions.ts";
import { SettledProblems } from "./settled-problems.ts";
import { asksForPresences, tellPresences } from "./presence-question.ts";
import {
  changedNote,
  rejectionReason,
  rewrittenReason,
  unchangedReason,
  unclearReason,
  unansweredCommandReason,
  undecidedReason,
} from "./reasons.ts";

/** Of what a session is told with its next prompt, the newest. */
const mostNotes = 16;

/** A larger file is not shown. */
const largestFileBytes = 64 * 1024 * 1024;

export interface HookDeskOptions {
  readonly host: Pick<EditorHost, "messages" | "documents" | "diagnostics">;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly dialects: readonly Dialect[];
  readonly diffs: DiffRegistry;
  readonly sessions: Pick<SessionRegistry, "all">;
  readonly activities: Activities;
  /** What is told of the sessions. */
  readonly sessionInfos: () => readonly SessionInfo[];
  /** Workspace folders with links resolved. */
  readonly realFolders: () => Promise<readonly string[]>;
  /** The user's setting as they wrote it; undefined while they share nothing. */
  readonly policies: () => { readonly setting: unknown } | undefined;
  /** Whether agents may read what the editor says of a file: messages quote it. */
  readonly mayQuote: (path: string) => boolean;
  /** Sees what agents do to files; absent: nobody does. */
  readonly turns?: TurnWitness | undefined;
}

/** A change under review. */
interface Asked {
  readonly change: HookChange;
  readonly path: string;
  readonly real: string;
  readonly before: string | undefined;
  readonly after: string;
  readonly outcome: Promise<DiffOutcome>;
  readonly withdraw: () => void;
}

/** Answers the hooks of agents: has what they are about to write reviewed, and remembers what they tell of their turns. */
export class HookDesk implements HookAcceptor, Disposable {
  readonly #options: HookDeskOptions;
  readonly #hooks: Map<string, LoadOnce<AgentHook>> = new Map();
  /** Texts that the user wrote and that their agents were told to write, by session and file. */
  readonly #promised: Map<string, string> = new Map();
  /** What sessions are told with their next prompt, by their owners' ids. */
  readonly #notes: Map<string, readonly string[]> = new Map();
  readonly #unclear: Set<string> = new Set();
  readonly #processes: AgentProcesses;
  readonly #problems: SettledProblems;
  /** What agents want to run. */
  readonly commands: CommandQuestions;

  constructor(options: HookDeskOptions) {
    this.#options = options;
    this.commands = new CommandQuestions(options);
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
        options.turns?.turnEnded({ agent: dialect.id, agentName: dialect.agentName, session, folder });
      },
    });
  }

  async answerHook(call: HookCall): Promise<string | undefined> {
    if (asksForPresences(call.event)) return this.#tellPresences(call.tokenName);
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
    else await this.#processes.heard(owner.sessionId, call);
    const verdict =
      event.kind === "write"
        ? await this.#review(event, owner, call, hook)
        : event.kind === "command"
          ? await this.#askAbout(event, owner, call, hook)
          : event.kind === "turn-began"
            ? this.#takeNotes(owner.sessionId)
            : undefined;
    if (verdict?.kind !== "deny" && !call.signal.aborted) await this.#witness(event, owner);
    if (event.kind === "wrote") return await this.#tellProblems(event, owner, call, hook);
    return verdict === undefined || call.signal.aborted ? undefined : hook.encode(verdict);
  }

  /** Says what is about to happen, once nobody is in its way any more. */
  async #witness(event: HookEvent, { agentName, dialect }: ProposalOwner): Promise<void> {
    const { turns, platform } = this.#options;
    if (turns === undefined) return;
    const source: TurnSource = { agent: dialect, agentName, session: event.session, folder: event.cwd };
    switch (event.kind) {
      case "turn-began":
        turns.turnBegan(source, event.prompt);
        break;
      case "turn-ended":
      case "session-ended":
        turns.turnEnded(source);
        return;
      case "wrote":
        turns.wrote(source);
        return;
      case "command":
        turns.aboutToRun(source, event.command);
        break;
      case "write": {
        const named = event.changes.map(async ({ path }): Promise<readonly { readonly path: string }[]> => {
          const whole = absolute(platform, path, event.cwd);
          const real = whole === undefined ? undefined : (await this.#check(whole))?.real;
          return real === undefined ? [] : [{ path: real }];
        });
        turns.aboutToWrite(source, (await Promise.all(named)).flat());
        break;
      }
      default:
        return;
    }
    await turns.ready();
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

  /** See `Companion.tellAgent`. */
  tell(agent: string, session: string, text: string): boolean {
    const { activities } = this.#options;
    const isThere = activities.all.some(
      (one) => one.agent === agent && one.session === session && one.state !== "ended",
    );
    if (!isThere) return false;
    const key = ownerIdOf(agent, session);
    this.#notes.set(key, [...(this.#notes.get(key) ?? []), text].slice(-mostNotes));
    return true;
  }

  #takeNotes(ownerId: string): HookVerdict | undefined {
    const notes = this.#notes.get(ownerId);
    this.#notes.delete(ownerId);
    return notes === undefined ? undefined : { kind: "told", note: notes.join("\n") };
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
    this.#notes.delete(ownerId);
    for (const key of this.#promised.keys()) if (key.startsWith(`${ownerId} `)) this.#promised.delete(key);
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
    const before = await this.#read(checked);
    const after = before.isText ? change.textAfter(before.text) : undefined;
    if (after === undefined) return "unclear";
    if (after === before.text || this.#isPromised(owner, real, after) || diffs.isAccepted(real, after))
      return undefined;
    // Several calls of one answer may be about the same file.
    const input = { path, text: after, handle: `${path} ${platform.random.token(8)}` };
    // What the user had typed into this very change, if the editor was started anew meanwhile.
    const taken = await diffs.takeUp(owner, input);
    const { outcome, abandon } = diffs.open(owner, input, { ...openingFacts(checked, after), taken });
    return { change, path, real, before: before.text, after, outcome, withdraw: abandon };
  }

  async #read({ exists, real }: Pick<CheckedPath, "exists" | "real">): Promise<{ isText: boolean; text?: string }> {
    if (!exists) return { isText: true };
    const text = await this.#options.platform.files.readText(real, largestFileBytes);
    return text === undefined ? { isText: false } : { isText: true, text };
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
    try {
      const verdicts: (HookVerdict | undefined)[] = [];
      for (const one of asked) {
        const verdict = await this.#verdictOf(one, await one.outcome, owner, asked.length === 1);
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

  /** Undefined: nobody has an opinion any more. */
  async #verdictOf(
    { change, path, real, before, after }: Asked,
    outcome: DiffOutcome,
    owner: ProposalOwner,
    isOnly: boolean,
  ): Promise<HookVerdict | undefined> {
    if (outcome.kind === "rejected" || outcome.kind === "closed") {
      return { kind: "deny", reason: rejectionReason(path, outcome.kind === "rejected" ? outcome.reason : undefined) };
    }
    if (outcome.kind !== "accepted") return undefined;
    const { text: wanted } = outcome;
    const now = await this.#read({ exists: true, real });
    if (now.text === wanted) return { kind: "deny", reason: unchangedReason(path) };
    if (wanted === after && now.text === before && !change.isDelicate) return { kind: "allow" };
    const given = isOnly ? change.argumentsFor(now.text, wanted) : undefined;
    if (given !== undefined) {
      return { kind: "allow-changed", arguments: given, note: changedNote(path, newTextOf(given)) };
    }
    if (wanted === change.textAfter(now.text)) return { kind: "allow" };
    this.#promised.set(`${owner.sessionId} ${real}`, wanted);
    return { kind: "deny", reason: rewrittenReason(path, wanted) };
  }

  /** The agent writes what the user wrote: they are not asked about their own text. */
  #isPromised({ sessionId }: ProposalOwner, real: string, text: string): boolean {
    const key = `${sessionId} ${real}`;
    return this.#promised.get(key) === text && this.#promised.delete(key);
  }

  #tellUnclear(file: string): void {
    if (this.#unclear.has(file)) return;
    this.#unclear.add(file);
    const { host, logger } = this.#options;
    const text = `${file} was not used, because it is not what Patchbay can read. Correct it: until then only your own settings say which changes are reviewed.`;
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
