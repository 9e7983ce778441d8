import type { Dialect } from "../agents/dialect.ts";
import type { HookEvent } from "../agents/hook.ts";
import type { ServiceAnswer, ServiceDesk, ServiceQuestion } from "../agents/service.ts";
import type { DiffOutcome } from "../diff/model.ts";
import type { ProposalOwner } from "../diff/proposal.ts";
import { isWithin } from "../session/path-check.ts";
import { onAbort } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import type { CommandQuestions } from "./command-questions.ts";
import type { Agreed, Asked, HookReviews, HookReviewsOptions, Wanted } from "./hook-reviews.ts";
import { patchReason, type RejectedFile } from "./patch-reason.ts";
import { isShownIfAsked, policiesAt } from "./policy.ts";
import type { HookTurns } from "./turn-witness.ts";

export interface EditorServiceDeskOptions
  extends Pick<
    HookReviewsOptions,
    "host" | "platform" | "logger" | "diffs" | "activities" | "realFolders" | "policies"
  > {
  readonly dialect: Pick<Dialect, "id" | "agentName">;
  readonly reviews: Pick<HookReviews, "targetOf" | "open" | "isCommandAsked" | "promise" | "forget">;
  readonly commands: CommandQuestions;
  readonly hookTurns: Pick<HookTurns, "witness">;
  readonly ownerOf: (session: string) => ProposalOwner;
  /** Whether the agent's hook tells of the session, too, and asks about what it does before the service asks. */
  readonly hasHook: (ownerId: string) => boolean;
  /** A session that nobody hears of any more. */
  readonly onEnd: (ownerId: string) => void;
}

const left: ServiceAnswer = { kind: "leave" };
const accepted: ServiceAnswer = { kind: "accept" };

/** Answers what an agent's service asks, and passes on what it tells: the sessions are the same that its hook knows. */
export class EditorServiceDesk implements ServiceDesk {
  readonly #options: EditorServiceDeskOptions;

  constructor(options: EditorServiceDeskOptions) {
    this.#options = options;
  }

  async isOurs(folder: string): Promise<boolean> {
    const { platform, realFolders } = this.#options;
    try {
      const real = (await platform.files.realPath(folder)) ?? folder;
      const isWindows = platform.process.platform === "win32";
      return (await realFolders()).some((one) => isWithin(real, one, isWindows));
    } catch {
      return false;
    }
  }

  tell(event: HookEvent, title?: string): void {
    const { dialect, activities, diffs, reviews, hookTurns, ownerOf, hasHook, onEnd, logger } = this.#options;
    const { sessionId } = ownerOf(event.session);
    if (hasHook(sessionId)) {
      // An interrupted turn, of which no hook tells.
      if (event.kind === "turn-ended") activities.note(dialect.id, event);
      return;
    }
    activities.note(dialect.id, event.kind === "turn-began" ? { ...event, prompt: title ?? event.prompt } : event);
    if (event.kind === "session-ended") onEnd(sessionId);
    if (event.kind === "turn-ended") {
      // What its model was to make again never comes, and is asked about if it does.
      diffs.toolEnded(sessionId);
      reviews.forget(sessionId);
    }
    hookTurns
      .witness(event, { agent: dialect.id, agentName: dialect.agentName })
      .catch((error: unknown) => logger.warn("A turn could not be noted", { reason: messageOf(error) }));
  }

  async askAboutPatch(question: Parameters<ServiceDesk["askAboutPatch"]>[0]): Promise<ServiceAnswer> {
    const asked: Asked[] = [];
    const agreed: Agreed[] = [];
    try {
      const owner = this.#options.ownerOf(question.session);
      const wanted = await this.#wantedOf(question);
      if (wanted === undefined) return left;
      for (const one of wanted) {
        const opened = question.signal.aborted
          ? "unclear"
          : await this.#options.reviews.open(one, owner, wanted.length);
        // Part of a patch is no patch: nobody says yes to what they were not shown.
        if (opened === "unclear") return left;
        if (opened !== undefined) ("outcome" in opened ? asked : agreed).push(opened);
      }
      // The user has said yes to all of it when the hook asked, or to the same in a patch before.
      if (asked.length === 0 && this.#options.hasHook(owner.sessionId)) return accepted;
      if (asked.length === 0 && agreed.length === 0) return left;
      return await this.#decided(asked, agreed, question);
    } catch (error) {
      this.#options.logger.warn("A patch could not be reviewed: its terminal asks", { reason: messageOf(error) });
      return left;
    } finally {
      for (const { withdraw } of asked) withdraw();
    }
  }

  async askAboutCommand(question: Parameters<ServiceDesk["askAboutCommand"]>[0]): Promise<ServiceAnswer> {
    const { dialect, reviews, commands, activities, ownerOf, hasHook, logger } = this.#options;
    const { session, cwd, signal, command, directory: folder = cwd } = question;
    const owner = ownerOf(session);
    let end = (): void => {};
    try {
      if (hasHook(owner.sessionId) || !(await reviews.isCommandAsked(dialect.id, cwd)) || signal.aborted) return left;
      const verdict = await commands.ask({ ...owner, command, folder, signal }, (id) => {
        end = activities.waits(dialect.id, { session, cwd }, id);
      });
      if (verdict?.kind === "allow") return accepted;
      if (verdict?.kind !== "deny" || verdict.said === undefined) return left;
      return { kind: "decline", reason: verdict.said === "" ? undefined : verdict.said };
    } catch (error) {
      logger.warn("A command could not be asked about: its terminal asks", { reason: messageOf(error) });
      return left;
    } finally {
      end();
    }
  }

  /** Undefined: the whole is left to the terminal, since some of it cannot be shown, or the user wants to see none of it. */
  async #wantedOf({
    cwd,
    changes,
  }: Parameters<ServiceDesk["askAboutPatch"]>[0]): Promise<readonly Wanted[] | undefined> {
    const { platform, dialect, reviews } = this.#options;
    const policies = this.#options.policies();
    if (policies === undefined) return undefined;
    const wanted: Wanted[] = [];
    let isAnyWanted = false;
    for (const change of changes) {
      const target = await reviews.targetOf(change, cwd);
      if ("untold" in target || !target.checked.inside) return undefined;
      if (wanted.some(({ checked }) => checked.real === target.checked.real)) return undefined;
      const source = change.source === undefined ? undefined : await reviews.targetOf(change.source, cwd);
      if (source !== undefined && "untold" in source) return undefined;
      wanted.push({ change, ...target, source });
      const own = await policiesAt(policies.setting, target.checked.real, platform);
      isAnyWanted ||= isShownIfAsked(own, dialect.id);
    }
    return isAnyWanted ? wanted : undefined;
  }

  /** A yes is one to all files that are left, a no one to a file: the whole is made only if there is none. */
  async #decided(
    asked: readonly Asked[],
    agreed: readonly Agreed[],
    question: ServiceQuestion,
  ): Promise<ServiceAnswer> {
    const { dialect, diffs, activities } = this.#options;
    const { session, cwd, signal } = question;
    const ends = asked.map(({ path }) => activities.waits(dialect.id, { session, cwd }, path));
    const leave = (): void => {
      for (const { withdraw } of asked) withdraw();
    };
    const following = onAbort(signal, leave);
    const decided = new AbortController();
    let isTold = false;
    const open = (): readonly string[] => asked.flatMap(({ id }) => (diffs.isOpen(id) ? [id] : []));
    const follow = async (one: Asked): Promise<DiffOutcome> => {
      const ended = await one.outcome;
      if (ended.kind === "accepted") {
        if (open().length > 0) await diffs.acceptAll(open());
      } else if (!isRejected(ended)) leave();
      else {
        // A file that moves stays, or goes.
        for (const other of asked) if (isSameMove(one, other)) await diffs.reject(other.id);
        if (!isTold && open().length > 0) void this.#tellOfRest(one, open, decided.signal);
        isTold = true;
      }
      return ended;
    };
    try {
      const outcomes = await Promise.all(asked.map(follow));
      if (signal.aborted) return left;
      const rejected: RejectedFile[] = [];
      const wanted: Agreed[] = [...agreed];
      for (const [at, ended] of outcomes.entries()) {
        const one = asked[at];
        if (one === undefined || (ended.kind !== "accepted" && !isRejected(ended))) return left;
        if (ended.kind === "accepted") wanted.push({ ...one, after: ended.text });
        else rejected.push({ path: one.path, reason: ended.kind === "rejected" ? ended.reason?.trim() : undefined });
      }
      return rejected.length === 0
        ? await this.#accepted([...agreed, ...asked], question)
        : this.#declined(rejected, wanted, question);
    } finally {
      decided.abort();
      following.dispose();
      for (const end of ends) end();
    }
  }

  async #accepted(files: readonly Agreed[], { session, cwd }: ServiceQuestion): Promise<ServiceAnswer> {
    const { dialect, hookTurns } = this.#options;
    const write = { isPaused: false, asks: true, changes: files.map(({ change }) => change) };
    await hookTurns.witness(
      { kind: "write", session, cwd, ...write },
      { agent: dialect.id, agentName: dialect.agentName },
    );
    return accepted;
  }

  /** The model is to make again what the user wants of it, which is not asked about once more. */
  #declined(
    rejected: readonly RejectedFile[],
    wanted: readonly Agreed[],
    { session, cwd }: ServiceQuestion,
  ): ServiceAnswer {
    const { reviews, ownerOf } = this.#options;
    const { sessionId } = ownerOf(session);
    for (const one of wanted) reviews.promise(sessionId, one);
    return { kind: "decline", reason: patchReason(cwd, rejected, wanted) };
  }

  /** What becomes of the files about which nothing has been said. */
  async #tellOfRest({ path }: Asked, open: () => readonly string[], signal: AbortSignal): Promise<void> {
    const { host, logger, diffs, dialect } = this.#options;
    const { agentName: agent } = dialect;
    const text = `You rejected ${path}. ${agent} applies its patch as a whole or not at all. If you accept the other files, it is asked to propose them again, without another review.`;
    const values = { agent, path };
    const [acceptOthers, rejectAll] = ["Accept the Others", "Reject All"];
    try {
      const chosen = await host.messages.show({
        code: "patch-rest",
        severity: "info",
        text,
        actions: [acceptOthers, rejectAll],
        values,
        signal,
      });
      if (signal.aborted) return;
      if (chosen === acceptOthers) await diffs.acceptAll(open());
      else if (chosen === rejectAll) for (const id of open()) await diffs.reject(id);
    } catch (error) {
      logger.warn("A message could not be shown", { reason: messageOf(error) });
    }
  }
}

function isRejected({ kind }: DiffOutcome): boolean {
  return kind === "rejected" || kind === "closed";
}

/** What comes and what goes of one file that moves. */
function isSameMove({ change: one }: Asked, { change: other }: Asked): boolean {
  return one.source?.path === other.path || other.source?.path === one.path;
}
