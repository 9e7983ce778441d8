import type { AgentHook, HookChange, HookEvent, HookVerdict, NamedFile } from "../agents/hook.ts";
import type { DiffRegistry } from "../diff/diff-registry.ts";
import type { DiffOutcome } from "../diff/model.ts";
import type { ProposalOwner } from "../diff/proposal.ts";
import type { EditorHost } from "../editor-host.ts";
import type { HookCall } from "../endpoint/endpoint.ts";
import type { Platform } from "../platform/platform.ts";
import { type CheckedPath, isWithin } from "../session/path-check.ts";
import type { SessionRegistry } from "../session/session-registry.ts";
import { openingFacts } from "../session/session-services.ts";
import {
  followPath,
  isPathRefusal,
  locateWrite,
  longestNamedPath,
  wordsOf,
  type WriteTargetOptions,
} from "../session/write-target.ts";
import { joinPath } from "../storage/private-directory.ts";
import { messageOf, pathRefused } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { Activities } from "./activity.ts";
import { isAttached } from "./agent-processes.ts";
import type { CommandQuestions } from "./command-questions.ts";
import {
  commandLeftReason,
  HookVerdicts,
  leftReason,
  movedReason,
  readForHook,
  type ReviewedChange,
  unansweredCommandReason,
  unclearReason,
  undecidedReason,
  unheardReason,
  untoldReason,
  type ReplacedArguments,
} from "./hook-verdicts.ts";
import { commandPoliciesAt, isCommandAsked, isReviewed, policiesAt } from "./policy.ts";
import { onAbort } from "../support/disposable.ts";

export interface HookReviewsOptions {
  readonly host: Pick<EditorHost, "messages">;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly diffs: DiffRegistry;
  readonly sessions: Pick<SessionRegistry, "all">;
  readonly activities: Activities;
  readonly commands: CommandQuestions;
  /** Workspace folders with links resolved. */
  readonly realFolders: () => Promise<readonly string[]>;
  /** The user's setting as they wrote it; undefined while they share nothing. */
  readonly policies: () => { readonly setting: unknown } | undefined;
  /** An agent is about to write a file of the workspace. */
  readonly onWrite: (ownerId: string, path: string) => void;
}

/** A call of an agent's hook that waits for its user. */
interface Waiting {
  readonly owner: ProposalOwner;
  readonly call: HookCall;
  readonly hook: AgentHook;
}

/** A file of the workspace that an agent is about to write. */
export interface Target {
  /** What people are shown: as the agent names it, where that says where it is. */
  readonly path: string;
  readonly checked: CheckedPath;
}

/** A change that is to be reviewed. */
export interface Wanted extends Target {
  readonly change: HookChange;
  /** From where the file comes. */
  readonly source: Target | undefined;
}

/** A change under review. */
export interface Asked extends ReviewedChange {
  readonly id: string;
  readonly outcome: Promise<DiffOutcome>;
  readonly withdraw: () => void;
}

/** A change that needs no review: the user has said yes to this text of the file already. */
export interface Agreed {
  readonly change: HookChange;
  readonly path: string;
  readonly real: string;
  readonly after: string;
}

/** So many files outside of the workspace are remembered as told. */
const mostOutside = 256;

/** Asks the user, where their policy says so, about what an agent is about to write or to run. */
export class HookReviews {
  readonly #options: HookReviewsOptions;
  readonly #verdicts: HookVerdicts;
  readonly #unclear: Set<string> = new Set();
  /** What the user has been told of, by session and file. */
  readonly #outside: Set<string> = new Set();

  constructor(options: HookReviewsOptions) {
    this.#options = options;
    this.#verdicts = new HookVerdicts(options.platform.files, (ownerId, real) => options.diffs.toldAnew(ownerId, real));
  }

  /** Undefined where there is nothing to say about it. */
  async ofWrite(event: Extract<HookEvent, { kind: "write" }>, waiting: Waiting): Promise<HookVerdict | undefined> {
    const { owner, call } = waiting;
    const { platform, sessions } = this.#options;
    const policies = event.isPaused ? undefined : this.#options.policies();
    if (policies === undefined) return undefined;
    const wanted: Wanted[] = [];
    let untold: string | undefined;
    for (const change of event.changes) {
      const target = await this.targetOf(change, event.cwd);
      if ("untold" in target) {
        if (await this.#isAnyReviewed(owner.dialect, policies.setting))
          untold ??= untoldReason(change.path, target.untold);
      } else if (!target.checked.inside) this.#tellOutside(change, target, { owner, cwd: event.cwd });
      else {
        this.#options.onWrite(owner.sessionId, target.path);
        if (await this.#isReviewed(target.checked.real, owner.dialect, policies.setting)) {
          const source = change.source === undefined ? undefined : await this.targetOf(change.source, event.cwd);
          wanted.push({ change, ...target, source: source === undefined || "untold" in source ? undefined : source });
        }
      }
    }
    if (wanted.length === 0 && untold === undefined) return undefined;
    if (event.asks === true && (await isAttached(call, sessions.all, platform.process))) return undefined;
    if (call.isOneTooMany === true) return { kind: "deny", reason: unheardReason };
    // One no is a no to the call.
    if (untold !== undefined) return { kind: "deny", reason: untold };
    // What one part makes of a file another one would find.
    const twice = wanted.find(({ checked }, at) => wanted.findIndex((one) => one.checked.real === checked.real) < at);
    if (twice !== undefined) return { kind: "deny", reason: unclearReason(twice.path) };
    const asked: Asked[] = [];
    try {
      for (const one of wanted) {
        const opened = await this.open(one, owner);
        if (opened === "unclear") return { kind: "deny", reason: unclearReason(one.path) };
        if (opened !== undefined && "outcome" in opened) asked.push(opened);
      }
      // Nothing changes, or the user has said yes to it already.
      if (asked.length === 0) return { kind: "allow" };
      const verdict = await this.#decided(asked, event, waiting);
      if (verdict === undefined || verdict.kind === "deny" || verdict.kind === "told") return verdict;
      const isSeen = asked.length === event.changes.length;
      return (await this.#movedOf(asked, event.cwd)) ?? { ...verdict, isSeen };
    } finally {
      for (const { withdraw } of asked) withdraw();
    }
  }

  /** The same of a command. */
  async ofCommand(
    event: Extract<HookEvent, { readonly kind: "command" }>,
    { owner, call, hook }: Waiting,
  ): Promise<HookVerdict | undefined> {
    const { platform, activities } = this.#options;
    if (event.asks || event.isPaused) return undefined;
    if (!(await this.isCommandAsked(owner.dialect, event.cwd))) return undefined;
    if (call.isOneTooMany === true) return { kind: "deny", reason: unheardReason };
    let end = (): void => {};
    try {
      const folder = event.directory === undefined ? event.cwd : absolute(platform, event.directory, event.cwd);
      return await this.#options.commands.ask(
        { ...owner, command: event.command, folder, signal: call.signal },
        (id) => {
          end = activities.waits(owner.dialect, event, id);
          call.waiting(
            hook.encode({ kind: "deny", reason: unansweredCommandReason }),
            hook.encode({ kind: "deny", reason: commandLeftReason }),
          );
        },
      );
    } finally {
      end();
    }
  }

  /** Whether the user wants to be asked about commands in a folder. */
  async isCommandAsked(agent: string, cwd: string | undefined): Promise<boolean> {
    const { platform, realFolders } = this.#options;
    const policies = this.#options.policies();
    if (policies === undefined) return false;
    const folders = await realFolders();
    const real = await this.#realFolderOf({ cwd }, folders);
    return await isCommandAsked({
      platform,
      agent,
      policies: await commandPoliciesAt(policies.setting, real, platform),
      folders,
      onUnclear: (file) => this.#tellUnclear(file),
    });
  }

  /** Of an event that cannot be read: a no, where the user reviews anything that the agent writes in this workspace. */
  async ofUnreadable(agent: string): Promise<HookVerdict | undefined> {
    const policies = this.#options.policies();
    const isWanted = policies !== undefined && (await this.#isAnyReviewed(agent, policies.setting));
    return isWanted ? { kind: "deny", reason: unheardReason } : undefined;
  }

  async #realFolderOf({ cwd }: Pick<HookEvent, "cwd">, [first = "/"]: readonly string[]): Promise<string> {
    const { files } = this.#options.platform;
    return cwd === undefined ? first : ((await files.realPath(cwd).catch(() => undefined)) ?? cwd);
  }

  /** The session has ended. */
  forget(ownerId: string): void {
    this.#verdicts.forget(ownerId);
  }

  /** Undefined where the file is none of this workspace. */
  async realPathOf(file: NamedFile, folder: string | undefined): Promise<string | undefined> {
    const target = await this.targetOf(file, folder);
    return "untold" in target || !target.checked.inside ? undefined : target.checked.real;
  }

  /** What people are shown of a file; undefined where it is none of this workspace. */
  async pathOf(file: NamedFile, folder: string | undefined): Promise<string | undefined> {
    const target = await this.targetOf(file, folder);
    return "untold" in target || !target.checked.inside ? undefined : target.path;
  }

  /** The file that the agent will write, by its own rules; `untold`: why nobody can say which. */
  async targetOf(file: NamedFile, cwd: string | undefined): Promise<Target | { readonly untold: string }> {
    const { platform, realFolders, logger } = this.#options;
    const { files, process } = platform;
    const isWindows = process.platform === "win32";
    const options: WriteTargetOptions = { files, realFolders, isWindows };
    const words = wordsOf(options);
    try {
      if (file.path.length > longestNamedPath) throw pathRefused("The path is too long.");
      const opened = await file.opened({
        cwd,
        words,
        homeDirectory: process.homeDirectory,
        isWindows,
        files,
        follow: (path, links) => followPath(path, files, links),
      });
      const checked = await locateWrite(opened, options);
      const named = absolute(platform, file.path, cwd);
      if (named === undefined || (!isWindows && words.resolve(named) !== named)) return { path: checked.real, checked };
      // A link that leads nowhere yet is not the file that is made.
      if (!checked.exists && words.basename(checked.real) !== words.basename(named))
        return { path: checked.real, checked };
      const asNamed = named === opened ? checked : await locateWrite(named, options).catch(() => undefined);
      return { path: asNamed?.real === checked.real ? named : checked.real, checked };
    } catch (error) {
      logger.info("A hook named a file that cannot be told", { reason: messageOf(error) });
      return { untold: isPathRefusal(error) ? messageOf(error) : "The path cannot be looked at." };
    }
  }

  /** A no, where a path has come to lead elsewhere since the user was asked. */
  async #movedOf(asked: readonly Asked[], cwd: string | undefined): Promise<HookVerdict | undefined> {
    for (const { change, real } of asked) {
      if ((await this.realPathOf(change, cwd)) !== real) return { kind: "deny", reason: movedReason(change.path) };
    }
    return undefined;
  }

  async #isReviewed(real: string, agent: string, setting: unknown): Promise<boolean> {
    const { platform, realFolders } = this.#options;
    const [folders, policies] = await Promise.all([realFolders(), policiesAt(setting, real, platform)]);
    return await isReviewed(real, { platform, agent, policies, folders, onUnclear: (file) => this.#tellUnclear(file) });
  }

  /** Whether any file of the workspace would be reviewed. */
  async #isAnyReviewed(agent: string, setting: unknown): Promise<boolean> {
    const { platform, realFolders } = this.#options;
    const folders = await realFolders();
    const onUnclear = (file: string): void => this.#tellUnclear(file);
    for (const folder of folders) {
      const policies = await policiesAt(setting, folder, platform);
      if (await isReviewed(undefined, { platform, agent, policies, folders, onUnclear })) return true;
    }
    return false;
  }

  /** A model is told to make a change again that the user has accepted: they are not asked about it once more. */
  promise(ownerId: string, { real, after }: Pick<Agreed, "real" | "after">): void {
    this.#verdicts.promise(ownerId, real, after);
  }

  /** Undefined: nothing changes. `patchFiles`: it is one of so many that are written as a whole or not at all, and nobody carries what the user would type. */
  async open(
    { change, path, checked, source }: Wanted,
    owner: ProposalOwner,
    patchFiles?: number,
  ): Promise<Asked | Agreed | "unclear" | undefined> {
    const { diffs, platform } = this.#options;
    const { real } = checked;
    const { isText, text: onDisk } = await readForHook(checked, platform.files);
    const ahead = owner.asksAhead === true && isText ? diffs.aheadText(owner.sessionId, real, onDisk) : undefined;
    const before = ahead ?? onDisk;
    const moved = source === undefined ? undefined : await readForHook(source.checked, platform.files);
    const after = isText ? change.textAfter(before, moved?.text) : undefined;
    if (after === undefined) return "unclear";
    if (after === before) return undefined;
    const isPromised = this.#verdicts.takePromised(owner.sessionId, real, after);
    if (isPromised || (ahead === undefined && diffs.isAccepted(real, after))) return { change, path, real, after };
    // Several calls of one answer may be about the same file.
    const input = { path, text: after, handle: `${path} ${platform.random.token(8)}` };
    // What the user had typed into this very change, if the editor was started anew meanwhile.
    const isWhole = patchFiles !== undefined;
    const taken = isWhole ? undefined : await diffs.takeUp(owner, input);
    const whole = isWhole ? { isReadOnly: true, patchFiles: patchFiles > 1 ? patchFiles : undefined } : {};
    const facts = { ...openingFacts(checked, after), taken, ...whole };
    // By then the file is there.
    if (ahead !== undefined && facts.kind === "create") facts.kind = "change";
    const { id, outcome, abandon } = diffs.open(owner, input, facts);
    return { id, change, path, real, onDisk, before, after, outcome, withdraw: abandon };
  }

  async #decided(
    asked: readonly Asked[],
    event: Extract<HookEvent, { kind: "write" }>,
    { owner, call, hook }: Waiting,
  ): Promise<HookVerdict | undefined> {
    const { activities } = this.#options;
    const ends = asked.map(({ path }) => activities.waits(owner.dialect, event, path));
    // The agent, or its hook, has gone: it waits for nothing any more.
    const leave = (): void => {
      for (const { withdraw } of asked) withdraw();
    };
    const following = onAbort(call.signal, leave);
    call.waiting(
      hook.encode({ kind: "deny", reason: undecidedReason }),
      hook.encode({ kind: "deny", reason: leftReason }),
    );
    const of = { ownerId: owner.sessionId, argumentsFor: this.#soleArguments(asked, event) };
    try {
      if (asked.length > 1 && event.argumentsForAll !== undefined) {
        const { verdictOfAll } = await import("./patch-verdicts.ts");
        const outcomes = await Promise.all(asked.map(({ outcome }) => outcome));
        return await verdictOfAll(asked, outcomes, {
          files: this.#options.platform.files,
          argumentsForAll: event.argumentsForAll,
          promise: (real, wanted) => this.#verdicts.promise(owner.sessionId, real, wanted),
        });
      }
      const verdicts: HookVerdict[] = [];
      for (const one of asked) {
        const verdict = await this.#verdicts.of(one, await one.outcome, of);
        // One no is a no to the call.
        if (verdict.kind === "deny") return verdict;
        verdicts.push(verdict);
      }
      return verdicts.length === 1 ? verdicts[0] : { kind: "allow" };
    } finally {
      following.dispose();
      for (const end of ends) end();
    }
  }

  /** How the arguments are replaced where one change alone is under review. */
  #soleArguments(
    asked: readonly Asked[],
    { argumentsForAll }: Extract<HookEvent, { kind: "write" }>,
  ): ReplacedArguments | undefined {
    const [{ change } = {}] = asked;
    if (asked.length !== 1 || change === undefined) return undefined;
    if (argumentsForAll === undefined) return change.argumentsFor.bind(change);
    return (before, wanted) => argumentsForAll([{ change, before, wanted, isAsProposed: false }]);
  }

  /** What is written outside of the workspace is not reviewed. The user hears of it where its name said otherwise. */
  #tellOutside(
    { path: named }: HookChange,
    { checked: { real } }: Target,
    { owner, cwd }: { readonly owner: ProposalOwner; readonly cwd: string | undefined },
  ): void {
    const { host, logger, platform, realFolders } = this.#options;
    const { agentName: agent, sessionId } = owner;
    logger.info("An agent writes outside of the workspace, which is not reviewed", { agent, path: real });
    const whole = absolute(platform, named, cwd);
    const key = `${sessionId} ${real}`;
    if (whole === undefined) return;
    const path = real;
    const text = `${agent} is about to write ${path}, which is outside this workspace. It is not reviewed.`;
    const isWindows = platform.process.platform === "win32";
    const tell = async (): Promise<void> => {
      const isNamedInside = (await realFolders()).some((folder) => isWithin(whole, folder, isWindows));
      // By another name it may be told of later.
      if (!isNamedInside || this.#outside.has(key)) return;
      if (this.#outside.size >= mostOutside) this.#outside.clear();
      this.#outside.add(key);
      await host.messages.show({
        code: "written-outside-workspace",
        severity: "warning",
        text,
        actions: [],
        values: { agent, path },
      });
    };
    tell().catch((error: unknown) => logger.warn("A message could not be shown", { reason: messageOf(error) }));
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
