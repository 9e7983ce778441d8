import type { AgentHook, HookChange, HookEvent, HookVerdict } from "../agents/hook.ts";
import type { DiffRegistry } from "../diff/diff-registry.ts";
import type { DiffOutcome } from "../diff/model.ts";
import type { ProposalOwner } from "../diff/proposal.ts";
import type { EditorHost } from "../editor-host.ts";
import type { HookCall } from "../endpoint/endpoint.ts";
import type { Platform } from "../platform/platform.ts";
import { type CheckedPath, checkPath } from "../session/path-check.ts";
import type { SessionRegistry } from "../session/session-registry.ts";
import { openingFacts } from "../session/session-services.ts";
import { joinPath } from "../storage/private-directory.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { Activities } from "./activity.ts";
import { isAttached } from "./agent-processes.ts";
import type { CommandQuestions } from "./command-questions.ts";
import {
  commandLeftReason,
  HookVerdicts,
  leftReason,
  readForHook,
  type ReviewedChange,
  unansweredCommandReason,
  unclearReason,
  undecidedReason,
  unheardReason,
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

/** A change under review. */
interface Asked extends ReviewedChange {
  readonly outcome: Promise<DiffOutcome>;
  readonly withdraw: () => void;
}

/** Asks the user, where their policy says so, about what an agent is about to write or to run. */
export class HookReviews {
  readonly #options: HookReviewsOptions;
  readonly #verdicts: HookVerdicts;
  readonly #unclear: Set<string> = new Set();

  constructor(options: HookReviewsOptions) {
    this.#options = options;
    this.#verdicts = new HookVerdicts(options.platform.files);
  }

  /** Undefined where there is nothing to say about it. */
  async ofWrite(event: Extract<HookEvent, { kind: "write" }>, waiting: Waiting): Promise<HookVerdict | undefined> {
    const { owner, call } = waiting;
    const { platform, sessions } = this.#options;
    const policies = this.#options.policies();
    if (policies === undefined) return undefined;
    const wanted: { readonly change: HookChange; readonly path: string; readonly checked: CheckedPath }[] = [];
    for (const change of event.changes) {
      const path = absolute(platform, change.path, event.cwd);
      const checked = path === undefined ? undefined : await this.#check(path);
      if (path === undefined || checked === undefined) continue;
      this.#options.onWrite(owner.sessionId, path);
      if (await this.#isReviewed(checked.real, owner.dialect, policies.setting)) wanted.push({ change, path, checked });
    }
    if (wanted.length === 0) return undefined;
    if (call.isOneTooMany === true) return { kind: "deny", reason: unheardReason };
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
      return await this.#decided(asked, event, waiting);
    } finally {
      for (const { withdraw } of asked) withdraw();
    }
  }

  /** The same of a command. */
  async ofCommand(
    event: Extract<HookEvent, { readonly kind: "command" }>,
    { owner, call, hook }: Waiting,
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

  /** Of an event that cannot be read: a no, where the user reviews anything that the agent writes in this workspace. */
  async ofUnreadable(agent: string): Promise<HookVerdict | undefined> {
    const { platform, realFolders } = this.#options;
    const policies = this.#options.policies();
    if (policies === undefined) return undefined;
    const folders = await realFolders();
    const facts = { platform, agent, folders, onUnclear: (file: string) => this.#tellUnclear(file) };
    for (const folder of folders) {
      const here = await policiesAt(policies.setting, folder, platform);
      if (await isReviewed(undefined, { ...facts, policies: here })) return { kind: "deny", reason: unheardReason };
    }
    return undefined;
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
  async realPathOf(path: string, folder: string | undefined): Promise<string | undefined> {
    const whole = absolute(this.#options.platform, path, folder);
    return whole === undefined ? undefined : (await this.#check(whole))?.real;
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
    const of = { ownerId: owner.sessionId, isOnly: asked.length === 1 };
    try {
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
export function absolute(platform: Platform, path: string, cwd: string | undefined): string | undefined {
  const isWindows = platform.process.platform === "win32";
  if (isWindows ? /^(?:[A-Za-z]:[\\/]|[\\/])/u.test(path) : path.startsWith("/")) return path;
  return cwd === undefined ? undefined : joinPath(platform, cwd, path);
}
