import type { Clock } from "@patchbay/core";
import { splitByteOrderMark } from "@patchbay/core/texts";
import type { SessionHost } from "../driver.ts";
import type { Entry } from "../model/entries.ts";
import { type Answer, type Question, titleOf } from "../model/questions.ts";
import type { AgentLink } from "./agent-link.ts";
import type { History } from "./history.ts";
import { isOpenQuestion, outcomeOf } from "./settling.ts";
import type { TurnRunner } from "./turn-runner.ts";
import type { AcceptedText } from "./unsent.ts";

/** How long an agent may take to end a turn by itself after a rejection, ms: one that goes on is stopped then. */
const ownEndMs = 1_000;

export interface AnswersOptions {
  readonly clock: Clock;
  readonly history: () => History;
  readonly link: Pick<AgentLink, "session">;
  readonly turns: Pick<TurnRunner, "notice" | "prompts" | "add" | "sendNow">;
  readonly host: Pick<SessionHost, "readText">;
  /** What is accepted and not known to be written has changed. */
  readonly onDidChange: () => void;
}

/** What the user answers to questions. A text of theirs that does not reach its file is shown, so that it is not lost. */
export class Answers {
  readonly #options: AnswersOptions;
  /** Accepted, and not known to be written yet; by the calls of tools. */
  readonly #underway: Map<string, AcceptedText> = new Map();

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** Accepted, and not known to be written yet. */
  get underway(): readonly AcceptedText[] {
    return Array.from(this.#underway.values());
  }

  /** What was underway when its window was killed. */
  async restore(accepted: readonly AcceptedText[]): Promise<void> {
    const { host } = this.#options;
    for (const written of accepted) {
      // oxlint-disable-next-line no-await-in-loop -- One or two, as a rule.
      const held = await host.readText(written.path).catch(() => undefined);
      if (held === undefined || plain(held) !== plain(written.text)) this.#tellLost(written);
    }
    this.#options.onDidChange();
  }

  /** Settles an open question, once. False: it is not open any more. */
  give(questionId: string, answer: Answer): boolean {
    const { history, link } = this.#options;
    const entry = history().get(questionId);
    if (entry?.kind !== "question") return false;
    const written = writtenText(entry.question, answer);
    // Before the answer: what the agent does next may come at once.
    const toolId = entry.question.type === "permission" ? entry.question.toolId : undefined;
    if (written !== undefined && toolId !== undefined) {
      this.#underway.set(toolId, written);
      this.#options.onDidChange();
    }
    if (!isOpenQuestion(entry) || link.session?.answer(questionId, answer) !== true) {
      if (toolId !== undefined) this.#isLost(toolId);
      return false;
    }
    const after = history().get(questionId);
    if (after !== undefined && isOpenQuestion(after)) {
      history().upsert({ ...after, outcome: outcomeOf(after.question, answer) });
    }
    if (link.session?.capabilities.rejectsByPrompt === true) this.#sayWhy(entry.question, answer);
    return true;
  }

  /** Sends the reason of a rejection as the next prompt. */
  #sayWhy(question: Question, answer: Answer): void {
    const message = answer.type === "reject" ? (answer.message ?? "").trim() : "";
    if (message === "") return;
    const { turns, clock } = this.#options;
    const title = question.type === "plan" ? "" : titleOf(question);
    // The title may be a path, and what begins with a slash is a command.
    const text = title === "" ? message : `${message} (${title})`;
    const id = turns.add([{ type: "text", text }], { before: turns.prompts.map((prompt) => prompt.id) });
    // Most agents end the turn by themselves, and one that is also stopped then would take the stop for the next prompt's.
    clock.setTimeout(() => void turns.sendNow(id), ownEndMs);
  }

  /** An entry of the agent's is about to be taken. */
  sees(entry: Entry): void {
    if (entry.kind !== "tool") return;
    if (entry.state === "done") this.#forget(entry.id);
    else if (entry.state === "failed" || entry.state === "cancelled" || entry.state === "rejected") {
      this.#isLost(entry.id);
    }
  }

  /** Nothing more is written. */
  ended(): void {
    for (const toolId of Array.from(this.#underway.keys())) this.#isLost(toolId);
  }

  #isLost(toolId: string): void {
    const written = this.#underway.get(toolId);
    if (written !== undefined) this.#tellLost(written);
    this.#forget(toolId);
  }

  #forget(toolId: string): void {
    if (this.#underway.delete(toolId)) this.#options.onDidChange();
  }

  #tellLost({ path, text }: AcceptedText): void {
    this.#options.turns.notice("warning", `Your text for ${path} was not written. It is kept here.`, { detail: text });
  }
}

/** Line ends and a byte order mark are as the file has them, whatever the text that was accepted has. */
function plain(text: string): string {
  return splitByteOrderMark(text).body.replaceAll("\r\n", "\n");
}

/** Undefined where the change was accepted as it was proposed, or not at all. */
function writtenText(question: Question, answer: Answer): AcceptedText | undefined {
  if (question.type !== "permission" || question.change === undefined || answer.type !== "choice") return undefined;
  const { change } = question;
  if (answer.text === undefined || answer.text === change.after) return undefined;
  return { path: change.path, text: answer.text };
}
