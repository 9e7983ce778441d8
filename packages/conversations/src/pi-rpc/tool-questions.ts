import { homedir } from "node:os";
import * as words from "node:path";
import {
  agentOf,
  type Clock,
  type Dialect,
  type Files,
  limitText,
  type Logger,
  messageOf,
  withTimeout,
} from "@patchbay/core";
import type { Problem, SessionHost } from "../driver.ts";
import type {
  Answer,
  Choice,
  PermissionQuestion,
  ProposedChange,
  QuestionEntry,
  QuestionOutcome,
  SessionUpdate,
} from "../model/index.ts";
import { type DialogRequest, parseToolRequest } from "./codec.ts";
import { type Mode, modeNamed, type PiOptions } from "./options.ts";
import type { Send } from "./requests.ts";
import { readingTools, shownInput, titleOf, type ToolUses } from "./tool-uses.ts";

/** How long the editor may take to save and read a file, ms. */
const editorMs = 1_900;

/** How long the editor may take to find new problems behind a change, ms, and how often it is looked. */
const problemsMs = 1_000;
const lookMs = 200;

/** The most that the model is told of a file, bytes: it can read the rest. */
const toldBytes = 32_768;
const toldProblems = 50;

type Input = Readonly<Record<string, unknown>>;
type Hook = Awaited<ReturnType<NonNullable<Dialect["loadHook"]>>>;
type FileWrite = Extract<NonNullable<ReturnType<Hook["read"]>>, { kind: "write" }>["changes"][number];

export interface ToolQuestionsOptions {
  readonly send: Send;
  readonly tools: ToolUses;
  readonly choices: PiOptions;
  readonly host: SessionHost;
  readonly files: Pick<Files, "lstat" | "readLink" | "realPath">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cwd: string;
  readonly autosave: boolean;
  update(update: SessionUpdate): void;
  /** The user has chosen another mode in an answer. */
  onMode(mode: Mode): void;
  /** A question was opened or has ended. */
  onChange(): void;
}

/** A tool that is about to run. */
interface Call {
  /** Of Pi's request. */
  readonly request: string;
  readonly id: string;
  readonly tool: string;
  readonly input: Input;
}

/** What it would make of a file. */
interface Writing {
  readonly write: FileWrite;
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
}

interface Open {
  readonly call: Call;
  readonly entry: QuestionEntry;
  readonly question: PermissionQuestion;
  readonly writing: Writing | undefined;
}

/** What is said of a tool that has ended. */
interface Followed {
  readonly path: string;
  /** Problems of the file before. */
  readonly problems: readonly Problem[];
  /** The user has changed what it wrote; undefined: not. */
  editedText: string | undefined;
}

const allowOnce: Choice = { id: "allow", name: "Yes", kind: "allow-once" };
const rejectOnce: Choice = { id: "reject", name: "No", kind: "reject-once" };
const always = "always";

/** What the model reads where the user has not said why. */
const plainRejection =
  "The user does not want this. Do not try it again in another way; ask what they want instead, or go on with something else.";
const unclear =
  "The user wants to review every change of this file, and this one cannot be shown to them: its old text does not stand in the file exactly once, or the file is not text. Read the file again and use its exact text, or write the whole file.";

/** Answers Pi's tools, each of which asks before it runs: with the user's word where the mode wants it. */
export class ToolQuestions {
  readonly #options: ToolQuestionsOptions;
  readonly #open: Map<string, Open> = new Map();
  /** Requests of which the file is still being read. */
  readonly #arriving: Set<string> = new Set();
  /** What was accepted and is not written yet: Pi asks for all tools of a message before the first of them runs. */
  readonly #ahead: Map<string, { readonly id: string; readonly text: string }> = new Map();
  readonly #followed: Map<string, Followed> = new Map();
  /** Tools that the user has allowed for the session. */
  readonly #allowed: Set<string> = new Set();

  constructor(options: ToolQuestionsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Our extension asks. Never rejects. */
  async take(request: DialogRequest): Promise<void> {
    const asked = parseToolRequest(request);
    if (asked === undefined) {
      this.#deny(request.id, "", plainRejection);
      return;
    }
    if (asked.moment === "after") {
      const note = await this.#noteOf(asked.id);
      this.#reply(request.id, note === undefined ? {} : { note });
      return;
    }
    const { id, tool, input } = asked;
    this.#arriving.add(request.id);
    try {
      await this.#before({ request: request.id, id, tool, input });
    } catch (error) {
      // What could not be looked at is not done.
      this.#options.logger.warn("A tool of Pi could not be looked at", { tool, reason: messageOf(error) });
      if (this.#arriving.delete(request.id)) this.#deny(request.id, id, messageOf(error));
    }
  }

  /** False if the question is not open any more, or the answer does not fit it. */
  answer(request: string, answer: Answer): boolean {
    const open = this.#open.get(request);
    if (open === undefined || answer.type === "form") return false;
    const { call, question } = open;
    if (answer.type !== "choice") {
      this.#rejected(open, answer.type === "reject" ? (answer.message ?? "") : undefined);
      return true;
    }
    const choice = question.choices.find(({ id }) => id === answer.choiceId);
    if (choice === undefined) return false;
    if (choice.kind === "reject-once") {
      this.#rejected(open, "");
      return true;
    }
    if (choice.id === always) this.#allowFromNowOn(call);
    const text = answer.text ?? open.writing?.after;
    const isEdited = open.writing !== undefined && text !== open.writing.after;
    const outcome = {
      type: "answered",
      summary: choice.name,
      isAllowed: true,
      ...(isEdited ? { isEdited } : {}),
    } as const;
    this.#options.tools.move(call.id, "running");
    this.#arriving.add(request);
    this.#end(request, outcome);
    void this.#allow(call, open.writing, { text, isAsked: true });
    return true;
  }

  /** A tool has ended. */
  ended(id: string): void {
    for (const [path, one] of Array.from(this.#ahead)) if (one.id === id) this.#ahead.delete(path);
    this.#followed.delete(id);
  }

  /** The turn is stopped, or the process has ended: Pi answers for its user. */
  withdrawAll(): void {
    this.#arriving.clear();
    this.#ahead.clear();
    this.#followed.clear();
    for (const [request, { call }] of Array.from(this.#open)) {
      this.#options.tools.isDenied(call.id, "cancelled");
      this.#end(request, { type: "withdrawn" });
    }
  }

  async #before(call: Call): Promise<void> {
    const { cwd, choices, tools, autosave } = this.#options;
    const hook = await agentOf("pi").loadHook?.();
    const event = hook?.read({
      session_id: "panel",
      cwd,
      hook_event_name: "tool_call",
      tool_name: call.tool,
      tool_input: call.input,
    });
    if (event?.kind === "write") return await this.#beforeWrite(call, event.changes);
    const path = call.tool === "read" && typeof call.input["path"] === "string" ? call.input["path"] : undefined;
    if (path !== undefined && autosave) await this.#save(words.resolve(cwd, path.replace(/^@/u, "")));
    const isFree = readingTools.has(call.tool) || this.#allowed.has(call.tool) || choices.mode !== "ask";
    if (!this.#arriving.has(call.request)) return;
    if (isFree) {
      tools.move(call.id, "running");
      await this.#allow(call, undefined, { text: undefined, isAsked: false });
      return;
    }
    this.#ask(call, undefined);
  }

  async #beforeWrite(call: Call, [write]: readonly FileWrite[]): Promise<void> {
    const { choices, tools, autosave } = this.#options;
    if (write === undefined) return;
    const path = await write.opened(this.#place());
    if (autosave) await this.#save(path);
    const before = await this.#textOf(path);
    const after = write.textAfter(before);
    if (!this.#arriving.has(call.request)) return;
    const isFree = choices.mode === "free";
    if (after === undefined && !isFree) {
      this.#arriving.delete(call.request);
      this.#deny(call.request, call.id, unclear);
      return;
    }
    const writing = after === undefined ? undefined : { write, path, before, after };
    // The tool refuses, or has nothing to do.
    if (isFree || after === before) {
      tools.move(call.id, "running");
      await this.#allow(call, writing, { text: after, isAsked: false });
      return;
    }
    this.#ask(call, writing);
  }

  #ask(call: Call, writing: Writing | undefined): void {
    const { tools, clock, cwd, update, onChange } = this.#options;
    if (!this.#arriving.delete(call.request)) return;
    const { path, before, after } = writing ?? {};
    const change: ProposedChange | undefined =
      path === undefined || after === undefined
        ? undefined
        : { path, ...(before === undefined ? {} : { before }), after, isEditable: true };
    const question: PermissionQuestion = {
      type: "permission",
      toolId: call.id,
      title: titleOf(call.tool, call.input, cwd),
      ...shownInput(call.tool, call.input),
      ...(change === undefined ? {} : { change }),
      choices: [allowOnce, ...(change === undefined ? [fromNowOn(call)] : []), rejectOnce],
    };
    const entry: QuestionEntry = { kind: "question", id: call.request, at: clock.now(), question };
    this.#open.set(call.request, { call, entry, question, writing });
    tools.move(call.id, "waiting");
    update({ type: "entry", entry });
    onChange();
  }

  #allowFromNowOn({ tool }: Call): void {
    if (tool === "bash") this.#options.onMode("commands");
    else this.#allowed.add(tool);
  }

  #rejected({ call, entry }: Open, message: string | undefined): void {
    const said = message?.trim() ?? "";
    // The user stops the turn with it.
    const isCancelled = message === undefined;
    this.#options.tools.isDenied(call.id, isCancelled ? "cancelled" : "rejected");
    const reason = said === "" ? plainRejection : `The user rejected this, and says: ${said}`;
    this.#reply(entry.id, { kind: "deny", reason });
    this.#end(
      entry.id,
      isCancelled
        ? { type: "withdrawn" }
        : { type: "answered", summary: said === "" ? "No" : `No: ${said}`, isAllowed: false },
    );
  }

  #deny(request: string, id: string, reason: string): void {
    this.#options.tools.isDenied(id, "failed");
    this.#reply(request, { kind: "deny", reason });
  }

  /** Lets a tool run, with arguments that make the user's text. Never rejects. */
  async #allow(
    call: Call,
    writing: Writing | undefined,
    { text, isAsked }: { readonly text: string | undefined; readonly isAsked: boolean },
  ): Promise<void> {
    const { host, logger, tools } = this.#options;
    if (writing === undefined || text === undefined) {
      if (this.#arriving.delete(call.request)) this.#reply(call.request, { kind: "allow" });
      return;
    }
    const { write, path } = writing;
    let given: Input | undefined;
    let problems: readonly Problem[] = [];
    let before = writing.before;
    try {
      if (isAsked) {
        // What is not saved is in the accepted text, too; and the file may have changed since.
        await this.#save(path);
        before = await this.#textOf(path);
      }
      problems = await withTimeout(editorMs, this.#options.clock, host.problems(path)).catch(() => []);
      await host.aboutToWrite?.(path);
    } catch (error) {
      logger.warn("A file could not be read before a change", { reason: messageOf(error) });
    }
    if (!this.#arriving.delete(call.request)) return;
    const isOwn = write.textAfter(before) === text;
    if (!isOwn) given = write.argumentsFor(before, text);
    if (!isOwn && given === undefined) {
      const told = limitText(text, toldBytes);
      const reason = `The user has changed this, and their text could not be passed on. Nothing was written: write exactly this text into ${path}.\n${told}`;
      this.#deny(call.request, call.id, reason);
      return;
    }
    this.#ahead.set(path, { id: call.id, text });
    tools.writes(call.id, { path, ...(before === undefined ? {} : { before }), after: text }, isAsked);
    this.#followed.set(call.id, { path, problems, editedText: isOwn && text === writing.after ? undefined : text });
    const verdict = given === undefined ? { kind: "allow" } : { kind: "allow-changed", arguments: given };
    this.#reply(call.request, { ...verdict, isFollowed: true });
  }

  /** What the model is told with the result of a tool; taken once. Never rejects. */
  async #noteOf(id: string): Promise<string | undefined> {
    const followed = this.#followed.get(id);
    if (followed === undefined) return undefined;
    this.#followed.delete(id);
    const { path, problems, editedText } = followed;
    const found = await this.#newProblems(path, problems).catch(() => []);
    const lines = found.slice(0, toldProblems).map((problem) => `${path}:${problem.line}: ${problemText(problem)}`);
    const parts = [
      ...(editedText === undefined ? [] : [editedNote(editedText)]),
      ...(lines.length === 0 ? [] : [`New problems in the user's editor:\n${lines.join("\n")}`]),
    ];
    return parts.length === 0 ? undefined : parts.join("\n\n");
  }

  /** Those that were not there before; what only moved to another line was. */
  async #newProblems(path: string, before: readonly Problem[]): Promise<readonly Problem[]> {
    const { host, clock } = this.#options;
    const begun = clock.monotonic();
    for (;;) {
      const found = added(await host.problems(path), before);
      if (found.length > 0 || clock.monotonic() - begun >= problemsMs) return found;
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, lookMs));
    }
  }

  async #save(path: string): Promise<void> {
    const { host, clock, logger } = this.#options;
    await withTimeout(editorMs, clock, host.saveIfDirty(path)).catch((error: unknown) => {
      logger.warn("A file could not be saved before an agent reads it", { reason: messageOf(error) });
    });
  }

  /** The file as the next tool finds it. */
  async #textOf(path: string): Promise<string | undefined> {
    const { host, clock } = this.#options;
    return this.#ahead.get(path)?.text ?? (await withTimeout(editorMs, clock, host.readText(path)));
  }

  #place(): Parameters<FileWrite["opened"]>[0] {
    const { files, cwd } = this.#options;
    return {
      words,
      cwd,
      homeDirectory: homedir(),
      isWindows: process.platform === "win32",
      files,
      follow: async (path) => {
        const real = (await files.realPath(path)) ?? path;
        return { real, facts: await files.lstat(real), existing: real };
      },
    };
  }

  #reply(request: string, value: Readonly<Record<string, unknown>>): void {
    this.#options.send({ type: "extension_ui_response", id: request, value: JSON.stringify(value) });
  }

  #end(request: string, outcome: QuestionOutcome): void {
    const open = this.#open.get(request);
    if (open === undefined) return;
    this.#open.delete(request);
    this.#options.update({ type: "entry", entry: { ...open.entry, outcome } });
    this.#options.onChange();
  }
}

function fromNowOn({ tool }: Call): Choice {
  const base = { id: always, kind: "allow-always" } as const;
  if (tool !== "bash") return { ...base, name: `Yes, and allow ${tool} for this session`, rule: tool };
  const { name, description = "" } = modeNamed("commands");
  return { ...base, name: `Yes, and switch to “${name}” for this session. ${description}`, rule: description };
}

function editedNote(text: string): string {
  const told = limitText(text, toldBytes);
  const begin =
    "This edit was changed before it was accepted, by the user or because the file had changed. Do not undo that. The file now ";
  return `${begin}${told.length === text.length ? "reads" : "begins as follows; read it for the rest"}:\n${told}`;
}

function problemText({ severity, message, source }: Problem): string {
  return `${severity}: ${message}${source === undefined ? "" : ` (${source})`}`;
}

function added(now: readonly Problem[], before: readonly Problem[]): readonly Problem[] {
  const known = new Map<string, number>();
  for (const problem of before) known.set(problemText(problem), (known.get(problemText(problem)) ?? 0) + 1);
  return now.filter((problem) => {
    const left = known.get(problemText(problem)) ?? 0;
    known.set(problemText(problem), left - 1);
    return left <= 0 && (problem.severity === "error" || problem.severity === "warning");
  });
}
