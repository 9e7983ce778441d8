import type { Dialect } from "../agents/dialect.ts";
import type { HookEvent } from "../agents/hook.ts";
import type { ServiceAnswer, ServiceDesk, ServiceQuestion } from "../agents/service.ts";
import type { DiffOutcome } from "../diff/model.ts";
import type { ProposalOwner } from "../diff/proposal.ts";
import { isWithin } from "../session/path-check.ts";
import { onAbort } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import type { CommandQuestions } from "./command-questions.ts";
import type { Asked, HookReviews, HookReviewsOptions, Wanted } from "./hook-reviews.ts";
import { isShownIfAsked, policiesAt } from "./policy.ts";
import type { HookTurns } from "./turn-witness.ts";

export interface EditorServiceDeskOptions
  extends Pick<HookReviewsOptions, "platform" | "logger" | "diffs" | "activities" | "realFolders" | "policies"> {
  readonly dialect: Pick<Dialect, "id" | "agentName">;
  readonly reviews: Pick<HookReviews, "targetOf" | "open" | "isCommandAsked">;
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
    const { dialect, activities, hookTurns, ownerOf, hasHook, onEnd, logger } = this.#options;
    const { sessionId } = ownerOf(event.session);
    if (hasHook(sessionId)) {
      // An interrupted turn, of which no hook tells.
      if (event.kind === "turn-ended") activities.note(dialect.id, event);
      return;
    }
    activities.note(dialect.id, event.kind === "turn-began" ? { ...event, prompt: title ?? event.prompt } : event);
    if (event.kind === "session-ended") onEnd(sessionId);
    hookTurns
      .witness(event, { agent: dialect.id, agentName: dialect.agentName })
      .catch((error: unknown) => logger.warn("A turn could not be noted", { reason: messageOf(error) }));
  }

  async askAboutPatch(question: Parameters<ServiceDesk["askAboutPatch"]>[0]): Promise<ServiceAnswer> {
    const asked: Asked[] = [];
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
        if (opened !== undefined) asked.push(opened);
      }
      // The user has said yes to all of it when the hook asked.
      if (asked.length === 0) return this.#options.hasHook(owner.sessionId) ? accepted : left;
      return await this.#decided(asked, question);
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

  /** The first word about one of the files is the word about all. */
  async #decided(asked: readonly Asked[], { session, cwd, signal }: ServiceQuestion): Promise<ServiceAnswer> {
    const { dialect, diffs, activities, hookTurns } = this.#options;
    const ends = asked.map(({ path }) => activities.waits(dialect.id, { session, cwd }, path));
    const leave = (): void => {
      for (const { withdraw } of asked) withdraw();
    };
    const following = onAbort(signal, leave);
    const follow = async ({ outcome }: Asked): Promise<DiffOutcome> => {
      const ended = await outcome;
      const others = asked.map(({ id }) => id).filter((id) => diffs.isOpen(id));
      if (ended.kind !== "accepted") leave();
      else if (others.length > 0) await diffs.acceptAll(others);
      return ended;
    };
    try {
      const outcomes = await Promise.all(asked.map(follow));
      const rejected = outcomes.find(({ kind }) => kind === "rejected" || kind === "closed");
      if (rejected !== undefined) {
        const said = rejected.kind === "rejected" ? (rejected.reason?.trim() ?? "") : "";
        return { kind: "decline", reason: said === "" ? undefined : said };
      }
      if (signal.aborted || outcomes.some(({ kind }) => kind !== "accepted")) return left;
      const write = { isPaused: false, asks: true, changes: asked.map(({ change }) => change) };
      await hookTurns.witness(
        { kind: "write", session, cwd, ...write },
        { agent: dialect.id, agentName: dialect.agentName },
      );
      return accepted;
    } finally {
      following.dispose();
      for (const end of ends) end();
    }
  }
}
