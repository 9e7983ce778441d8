import { type Clock, type Logger, messageOf, withTimeout } from "@patchbay/core";
import type { SessionHost } from "../driver.ts";
import type { Answer, Question, QuestionEntry, QuestionOutcome, SessionUpdate } from "../model/index.ts";
import type { CanUseTool } from "./requests.ts";
import type { ControlChannel } from "./control.ts";
import { type FileWrite, fileWriteOf } from "./file-writes.ts";
import { type QuestionFacts, questionOf, settle } from "./questions.ts";
import { isFileTool, pathIn } from "./tool-facts.ts";
import type { ToolUses } from "./tool-uses.ts";

/** How long the editor may take to save and read a file before an answer goes without that, ms. */
const editorMs = 1_900;

export interface OpenQuestionsOptions {
  readonly control: ControlChannel;
  readonly tools: ToolUses;
  readonly host: SessionHost;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cwd: string;
  now(): number;
  update(update: SessionUpdate): void;
  lastText(): string | undefined;
  /** The user has changed what a tool writes. */
  onEdited(toolId: string, text: string): void;
  /** A question was opened or has ended. */
  onChange(): void;
}

interface Open {
  readonly ask: CanUseTool;
  readonly facts: QuestionFacts;
  readonly question: Question;
  readonly entry: QuestionEntry;
}

/** The questions that wait for the user; each is an entry with the id of the request. */
export class OpenQuestions {
  readonly #options: OpenQuestionsOptions;
  readonly #open: Map<string, Open> = new Map();
  /** Requests of which the file is still being read. */
  readonly #arriving: Set<string> = new Set();

  constructor(options: OpenQuestionsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#open.size;
  }

  /** A tool may run only if the user says so. Never rejects. */
  async ask(requestId: string, ask: CanUseTool): Promise<void> {
    const { tools, cwd, lastText } = this.#options;
    this.#arriving.add(requestId);
    const [before, write] = await Promise.all([this.#textBefore(ask), this.#writeOf(ask)]);
    const facts = { cwd, ...before, write, input: tools.inputOf(ask.tool_use_id), lastText: lastText() };
    // Withdrawn meanwhile.
    if (!this.#arriving.delete(requestId)) return;
    const question = questionOf(ask, facts);
    const parent = tools.parentOf(ask.tool_use_id);
    const entry: QuestionEntry = {
      kind: "question",
      id: requestId,
      at: this.#options.now(),
      ...(parent === undefined ? {} : { parent }),
      question,
    };
    this.#open.set(requestId, { ask, facts, question, entry });
    tools.asked(ask.tool_use_id);
    this.#options.update({ type: "entry", entry });
    this.#options.onChange();
  }

  /** False if the question is not open any more, or the answer does not fit it. */
  answer(requestId: string, answer: Answer): boolean {
    const open = this.#open.get(requestId);
    const settlement = open === undefined ? undefined : settle(open.ask, open.question, answer, open.facts);
    if (open === undefined || settlement === undefined) return false;
    const { control, tools, onEdited } = this.#options;
    const toolId = open.ask.tool_use_id;
    if (settlement.editedText !== undefined) onEdited(toolId, settlement.editedText);
    if (settlement.isAllowed) tools.allowed(toolId);
    else tools.rejected(toolId);
    if (settlement.editedText === undefined) control.answer(requestId, settlement.response);
    else void this.#answerEdited(requestId, open, answer);
    this.#end(requestId, open, settlement.outcome);
    return true;
  }

  /** An edit says what it replaces: the file as it is now, which may have changed since it was asked for. Never rejects. */
  async #answerEdited(requestId: string, { ask, question, facts }: Open, answer: Answer): Promise<void> {
    const { control, clock } = this.#options;
    this.#arriving.add(requestId);
    const now = await withTimeout(editorMs, clock, this.#textNow(ask)).catch(() => undefined);
    const before = now ?? facts.before;
    // Withdrawn meanwhile.
    if (!this.#arriving.delete(requestId)) return;
    const settlement = settle(ask, question, answer, { ...facts, before });
    if (settlement !== undefined) control.answer(requestId, settlement.response);
  }

  /** What is not saved is in the accepted text, too; the program knows the disk alone. */
  async #textNow(ask: CanUseTool): Promise<string | undefined> {
    const { host, logger, cwd } = this.#options;
    const path = pathIn(ask.input, cwd);
    try {
      if (path !== undefined) await host.saveIfDirty(path);
    } catch (error) {
      logger.warn("A file could not be saved before a change", { reason: messageOf(error) });
    }
    // A whole file replaces whatever there is.
    return ask.tool_name === "Write" ? undefined : (await this.#textBefore(ask)).before;
  }

  /** The program took a question back: nothing is answered. */
  withdraw(requestId: string): void {
    this.#arriving.delete(requestId);
    const open = this.#open.get(requestId);
    if (open !== undefined) this.#end(requestId, open, { type: "withdrawn" });
  }

  withdrawAll(): void {
    this.#arriving.clear();
    for (const [requestId, open] of this.#open) this.#end(requestId, open, { type: "withdrawn" });
  }

  #end(requestId: string, { entry }: Open, outcome: QuestionOutcome): void {
    this.#open.delete(requestId);
    this.#options.update({ type: "entry", entry: { ...entry, outcome } });
    this.#options.onChange();
  }

  /** What cannot be told is shown as the agent says it. */
  async #writeOf({ tool_name: tool, input }: CanUseTool): Promise<FileWrite | undefined> {
    try {
      return await fileWriteOf(tool, input);
    } catch (error) {
      this.#options.logger.warn("What a tool makes of a file could not be told", { tool, reason: messageOf(error) });
      return undefined;
    }
  }

  /** The file that the tool is about. One that cannot be read, or not in time, keeps no question back. */
  async #textBefore(ask: CanUseTool): Promise<Pick<QuestionFacts, "before" | "isUnknown">> {
    const { host, logger, cwd, clock } = this.#options;
    const path = isFileTool(ask.tool_name) ? pathIn(ask.input, cwd) : undefined;
    if (path === undefined) return { before: undefined, isUnknown: false };
    try {
      return { before: await withTimeout(editorMs, clock, host.readText(path)), isUnknown: false };
    } catch (error) {
      logger.warn("A file that an agent wants to change could not be read", { reason: messageOf(error) });
      return { before: undefined, isUnknown: true };
    }
  }
}
