import {
  type Clock,
  type Companion,
  type DiffOutcome,
  type Disposable,
  type Logger,
  messageOf,
  type Review,
  withTimeout,
} from "@patchbay/core";
import type {
  Answer,
  Choice,
  Entry,
  PermissionQuestion,
  QuestionEntry,
  ToolState,
} from "@patchbay/conversations/model";
import type { Conversation } from "@patchbay/conversations";

/** How long a review may take to begin before the question is answered without it, ms. */
const reviewMs = 2_000;

export interface QuestionReviewsOptions {
  readonly conversation: Conversation;
  /** For titles, e.g. `Gemini CLI`. */
  readonly agentName: string;
  readonly companion: Pick<Companion, "review" | "reveal" | "conversationEnded">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A change that is asked for, in both places. */
interface Asked {
  readonly question: PermissionQuestion;
  readonly review: Promise<Review | undefined>;
  /** What the user has said in the conversation, and the review has still to confirm. */
  answer: Answer | undefined;
}

/**
 * The changes that an agent asks for stand in the conversation and in the editor's diff. Both are settled by the review: an
 * answer in the conversation goes through it, too, so that what would be overwritten is looked at once more.
 */
export class QuestionReviews implements Disposable {
  readonly #options: QuestionReviewsOptions;
  readonly #asked: Map<string, Asked> = new Map();
  /** What was accepted, by the tools that are to write it. */
  readonly #written: Map<string, Review> = new Map();
  readonly #following: Disposable;
  #isRunning = false;

  constructor(options: QuestionReviewsOptions) {
    const { conversation } = options;
    this.#options = options;
    this.#following = conversation.onDidChange((change) => {
      // Too much at once: what is there now counts.
      const entries = change.kind === "patch" ? change.patch.entries : conversation.snapshot().entries;
      for (const { entry } of entries) this.#look(entry);
      this.#noteState();
    });
    for (const { entry } of conversation.snapshot().entries) this.#look(entry);
  }

  /** The user's answer in the conversation. False: nothing waits for it any more. */
  async answer(questionId: string, answer: Answer): Promise<boolean> {
    const { conversation } = this.#options;
    const asked = this.#asked.get(questionId);
    // A file that hangs must not keep the answer back.
    const review = asked && (await withTimeout(reviewMs, this.#options.clock, asked.review).catch(() => undefined));
    if (asked === undefined || review === undefined || answer.type === "cancel" || answer.type === "form") {
      return conversation.answer(questionId, answer);
    }
    asked.answer = answer;
    const isSettled = isYes(asked.question, answer) ? await review.accept() : await review.reject();
    if (isSettled) return true;
    asked.answer = undefined;
    // Its review has ended with the question still open, or says why it was not accepted.
    return this.#asked.get(questionId) === asked ? false : conversation.answer(questionId, answer);
  }

  /** Shows the review of an open question. False: there is none. */
  async reveal(questionId: string): Promise<boolean> {
    const review = await this.#asked.get(questionId)?.review;
    return review !== undefined && (await this.#options.companion.reveal(review.id));
  }

  /** The conversation is closed: what the user typed in a review is kept. */
  dispose(): void {
    this.#following.dispose();
    this.#asked.clear();
    this.#options.companion.conversationEnded(this.#options.conversation.id);
  }

  #look(entry: Entry): void {
    if (entry.kind === "tool" && hasEnded(entry.state)) this.#toolEnded(entry.id);
    if (entry.kind !== "question") return;
    // What another window asks is answered there.
    if (this.#options.conversation.status.access.kind !== "own") return;
    const known = this.#asked.get(entry.id);
    if (entry.outcome !== undefined) {
      this.#asked.delete(entry.id);
      // Answered by a rule, taken back by the agent, or gone with the turn.
      void known?.review.then((review) => review?.withdraw());
    } else if (known === undefined) this.#ask(entry);
  }

  #ask({ id, question }: QuestionEntry): void {
    if (question.type !== "permission" || question.change === undefined || question.change.isFragment === true) return;
    const { change } = question;
    const { companion, conversation, agentName, logger } = this.#options;
    const reviewing = companion.review({
      conversation: {
        id: conversation.id,
        agent: conversation.about.agent,
        agentName,
        readsReasons: conversation.status.capabilities?.rejectionMessages === true,
        asksAhead: conversation.status.capabilities?.asksAhead,
      },
      path: change.path,
      text: change.after ?? "",
      ...(change.before === undefined ? {} : { base: change.before }),
      isEditable: change.isEditable,
    });
    const review = reviewing.catch((error: unknown) => {
      // The question can be answered in the conversation.
      logger.warn("A change of a conversation could not be shown as a diff", { reason: messageOf(error) });
      return undefined;
    });
    const asked: Asked = { question, review, answer: undefined };
    this.#asked.set(id, asked);
    void review.then(async (shown) => {
      if (shown === undefined) return;
      const outcome = await shown.outcome;
      if (outcome.kind === "accepted") this.#written.set(question.toolId, shown);
      this.#settle(id, asked, outcome);
    });
  }

  #settle(id: string, asked: Asked, outcome: DiffOutcome): void {
    const { conversation } = this.#options;
    const isOpen = this.#asked.get(id) === asked;
    this.#asked.delete(id);
    if (!isOpen) return;
    switch (outcome.kind) {
      case "accepted": {
        // A no that was said in the conversation at the same moment came second.
        const said = asked.answer !== undefined && isYes(asked.question, asked.answer) ? asked.answer : undefined;
        const choiceId = said?.type === "choice" ? said.choiceId : yesOnce(asked.question)?.id;
        if (choiceId === undefined) return;
        const { change } = asked.question;
        const isOwn = change?.isEditable !== true || outcome.text === (change.after ?? "");
        conversation.answer(id, { type: "choice", choiceId, ...(isOwn ? {} : { text: outcome.text }) });
        return;
      }
      case "rejected":
      case "closed":
        conversation.answer(id, (isNo(asked) ? asked.answer : undefined) ?? noOf(outcome));
        return;
      default:
      // Its agent or the editor has ended, or it asks for something newer: the conversation says so.
    }
  }

  /** The agent has exited: nobody writes what is still under review. */
  #noteState(): void {
    const { companion, conversation } = this.#options;
    const isRunning = conversation.status.state.kind !== "ended";
    if (this.#isRunning && !isRunning) companion.conversationEnded(conversation.id);
    this.#isRunning = isRunning;
    if (conversation.status.state.kind === "idle") for (const id of this.#written.keys()) this.#toolEnded(id);
  }

  /** Agents do not say whether a tool has written what was accepted: its file does. */
  #toolEnded(toolId: string): void {
    this.#written.get(toolId)?.toolEnded();
    this.#written.delete(toolId);
  }
}

function hasEnded(state: ToolState): boolean {
  return state === "done" || state === "failed" || state === "rejected" || state === "cancelled";
}

function isYes({ choices }: PermissionQuestion, answer: Answer): boolean {
  if (answer.type !== "choice") return false;
  const kind = choices.find(({ id }) => id === answer.choiceId)?.kind;
  return kind === "allow-once" || kind === "allow-always";
}

/** What was said in the conversation is no yes. */
function isNo({ question, answer }: Asked): boolean {
  return answer === undefined || !isYes(question, answer);
}

/** With what the user said about it in the review. */
function noOf(outcome: DiffOutcome): Answer {
  const reason = outcome.kind === "rejected" ? outcome.reason : undefined;
  return { type: "reject", ...(reason === undefined ? {} : { message: reason }) };
}

function yesOnce({ choices }: PermissionQuestion): Choice | undefined {
  return choices.find(({ kind }) => kind === "allow-once") ?? choices.find(({ kind }) => kind === "allow-always");
}
