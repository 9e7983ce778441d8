import { resolve } from "node:path";
import {
  type Companion,
  createCompanion,
  type Disposable,
  DisposableStore,
  type HostMessage,
  messageOf,
  onAbort,
  PatchbayError,
  type Platform,
} from "@patchbay/core";
import { LineReader } from "@patchbay/core/json-input";
import * as z from "zod";
import type { ServeCommand } from "../command-line.ts";
import { HeadlessHost, SaidProblems, serveDirectory } from "../host/headless-host.ts";
import type { Review } from "../host/review-queue.ts";
import { isBelow } from "../host/open-files.ts";
import { safeJson } from "../terminal/escape-text.ts";
import { closeFile, type CommandResult, mentionFile, openFile } from "./serve-commands.ts";
import { openLedgers } from "../turns/turn-commands.ts";

/** Of what is spoken here (docs/serve-json.md): it is raised when something is taken out or means something else. */
const protocolVersion = 1;

export interface ServeAsJsonOptions {
  readonly command: ServeCommand;
  /** Absolute, real. The names of files are relative to it. */
  readonly folder: string;
  /** Absolute, real: served along with it. */
  readonly moreFolders?: readonly string[];
  readonly platform: Platform;
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
  readonly onCompanion?: (companion: Companion) => void;
}

/**
 * Serves a folder for another program, such as a plugin of an editor that has no edition of its own: events as lines of
 * JSON on the output, commands as lines of JSON on the input, until `quit` or the end of the input.
 */
export async function serveAsJson(options: ServeAsJsonOptions): Promise<void> {
  const { command, folder, moreFolders = [], platform, input, output, signal } = options;
  const folders = [folder, ...moreFolders];
  const tell = (event: string, fields: Readonly<Record<string, unknown>>): void =>
    void output.write(`${safeJson({ event, ...fields })}\n`);
  const print = (message: string): void => tell("error", { message });
  const questions = new Questions(tell);
  const problems = command.problems ? new SaidProblems() : undefined;
  const host: HeadlessHost = new HeadlessHost({
    folder,
    moreFolders,
    problems,
    storageDirectory: serveDirectory(platform.process, folder),
    ask: async (message) => await questions.ask(message),
  });
  const turns = openLedgers(platform, folders, {
    mayKeep: (path) => companion.mayName(path),
    tellUser: async (message) => await host.messages.show(message),
  });
  const companion: Companion = createCompanion({
    host,
    platform,
    turns,
    ...(command.port === undefined ? {} : { port: command.port }),
    ...(command.reviews === undefined ? {} : { settings: { reviews: { "*": command.reviews } } }),
  });
  options.onCompanion?.(companion);
  const tellFailure = ({ done, text }: CommandResult): void => (done ? undefined : print(text));
  for (const place of command.open) tellFailure(openFile(place, { host, folder }));
  const told = new Map<string, Review>();
  const tellReviews = (isSettled: boolean): void => {
    for (const review of host.diffs.waiting) {
      const { request, original, text, edited, standing, revision } = review;
      const { id, agentName: agent, path, kind, isReadOnly: readOnly } = request;
      const before = told.get(id);
      const isOfFile = before?.revision !== revision;
      if (!isOfFile && before.text === text && (before.standing === standing || !isSettled)) continue;
      told.set(id, review);
      if (before === undefined) tell("proposal", { id, agent, path, kind, original, text, edited, standing, readOnly });
      else tell("changed", { id, by: isOfFile ? "file" : "edit", original, text, standing });
    }
  };
  host.diffs.onDidChange(() => {
    tellReviews(false);
    // A new standing comes before the sides that go with it, or alone, when an edit has resolved a conflict.
    queueMicrotask(() => tellReviews(true));
  });
  host.diffs.onDidEnd(({ review, end }) => {
    told.delete(review.request.id);
    tell("ended", { id: review.request.id, how: end.kind === "withdrawn" ? end.reason : end.kind });
  });
  let kept = "[]";
  let unwritten: ReadonlySet<string> = new Set();
  companion.onDidChangeProposals(() => {
    const late = companion.keptTexts.filter(({ reason }) => reason === "not-written");
    for (const { id, agentName: agent, path, since } of late)
      if (!unwritten.has(id)) tell("not-written", { id, agent, path, since });
    unwritten = new Set(late.map(({ id }) => id));
    const texts = companion.keptTexts.map(({ id, agentName: agent, path, reason, since }) => {
      return { id, agent, path, reason, since };
    });
    if (JSON.stringify(texts) === kept) return;
    kept = JSON.stringify(texts);
    tell("kept", { texts });
  });
  let asked = "[]";
  companion.onDidChangeActivities(() => {
    const waiting = (companion.commands?.all ?? []).map(({ id, agentName: agent, command, folder, since }) => {
      return { id, agent, command, folder, since };
    });
    if (JSON.stringify(waiting) === asked) return;
    asked = JSON.stringify(waiting);
    tell("commands", { commands: waiting });
  });
  companion.onDidChangeSessions(() => {
    const sessions = companion.sessions.map(({ agentName: agent, ...session }) => ({ ...session, agent }));
    tell("sessions", { sessions });
  });
  let stopReading: (() => void) | undefined;
  const ending = new DisposableStore();
  try {
    await new Promise<void>((finish, fail) => {
      const running: Running = { companion, host, folder, problems, tell, questions, finish };
      ending.add(onAbort(signal, finish));
      // Nobody reads any more: the program has ended.
      output.on("error", () => finish());
      const take = (line: string): void => {
        if (line.trim() === "") return;
        const request = requestIn(line);
        const asked = request === undefined ? {} : { request };
        const run = async (): Promise<void> => {
          const { done, text } = await carryOut(parseJsonCommand(line), running);
          if (!done) tell("error", { ...asked, message: text });
          else if (request !== undefined) tell("done", asked);
        };
        run().catch((error: unknown) => tell("error", { ...asked, message: messageOf(error) }));
      };
      const onTooLong = (): void => print("Invalid command: the line is too long.");
      const lines = new LineReader({ onLine: take, onTooLong });
      stopReading = readAll(input, lines, finish);
      companion.start().then(() => {
        const { state, environment } = companion;
        if (state.kind !== "listening") return;
        const { port, warnings } = state;
        tell("listening", { protocol: protocolVersion, folder, folders, port, environment, warnings });
      }, fail);
    });
  } finally {
    ending.dispose();
    stopReading?.();
    await companion.stop();
    await turns.settled();
    turns.dispose();
    questions.dispose();
  }
}

/** Reads a stream to its end; the last line may have no line feed. What is returned lets go of the stream. */
function readAll(input: NodeJS.ReadableStream, lines: LineReader, onEnd: () => void): () => void {
  const onData = (chunk: string | Uint8Array): void =>
    lines.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
  const end = (): void => {
    lines.end();
    onEnd();
  };
  input.on("data", onData).on("end", end).on("close", onEnd).on("error", onEnd);
  return () => {
    input.off("data", onData).off("end", end).off("close", onEnd);
    input.pause();
  };
}

interface Running {
  readonly companion: Companion;
  readonly host: HeadlessHost;
  readonly folder: string;
  readonly problems: SaidProblems | undefined;
  readonly tell: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly questions: Questions;
  readonly finish: () => void;
}

const done: CommandResult = { done: true, text: "" };

async function carryOut(command: JsonCommand, running: Running): Promise<CommandResult> {
  const { companion, tell, host, problems, questions, finish, folder } = running;
  const orNot = (isDone: boolean, text: string): CommandResult => (isDone ? done : { done: false, text });
  switch (command.command) {
    case "accept":
      if (command.text !== undefined && host.diffs.isReadOnly(command.id)) return takesNoText(command.id, running);
      // Both at once: what an agent gets is what the program had on its screen.
      if (command.text !== undefined && !host.diffs.edit(command.id, command.text)) return notWaiting(command.id);
      return host.diffs.accept(command.id) ? done : notWaiting(command.id);
    case "reject":
      // Said to the agent, where it can be: only the companion knows how.
      if (command.reason !== undefined) {
        const { agentName: agent, readsReasons } = companion.proposals.find(({ id }) => id === command.id) ?? {};
        if (!(await companion.reject(command.id, command.reason))) return notWaiting(command.id);
        // Where it is not read, the program can have its user paste it.
        tell("reason", { id: command.id, agent, reason: command.reason, told: readsReasons === true });
        return done;
      }
      return host.diffs.reject(command.id) ? done : notWaiting(command.id);
    case "allow-command":
      return orNot(companion.commands?.answer(command.id, "allow") === true, noCommand(command.id));
    case "reject-command":
      return orNot(companion.commands?.answer(command.id, "reject", command.reason) === true, noCommand(command.id));
    case "edit":
      if (host.diffs.isReadOnly(command.id)) return takesNoText(command.id, running);
      return host.diffs.edit(command.id, command.text) ? done : notWaiting(command.id);
    case "open":
      return openFile(command.file, running, command.cursor, command.selection);
    case "close":
      return closeFile(command.file, running);
    case "mention":
      return mentionFile(command.file, running);
    case "problems":
      if (problems === undefined) return { done: false, text: "Start with --problems to tell agents of problems." };
      problems.say(resolve(folder, command.file), command.problems);
      return done;
    case "accept-all":
    case "reject-all": {
      const meant = command.folder === undefined ? undefined : resolve(folder, command.folder);
      const all = host.diffs.waiting.filter(({ request }) => meant === undefined || isBelow(request.path, meant));
      // One after the other: each is accepted on the file as the one before has left it.
      for (const { request } of all) {
        if (command.command === "accept-all") await companion.accept(request.id);
        else host.diffs.reject(request.id);
      }
      return done;
    }
    case "read-kept":
      tell("kept-text", { id: command.id, text: await companion.readKeptText(command.id) });
      return done;
    case "save-kept":
      tell("saved", { id: command.id, ...((await companion.saveKeptText(command.id)) ?? { kind: "not-kept" }) });
      return done;
    case "discard-kept":
      return orNot(await companion.discardKeptText(command.id), "This text is no longer kept.");
    case "answer":
      questions.answer(command.id, command.action);
      return done;
    case "quit":
      finish();
      return done;
  }
}

const noCommand = (id: string): string => `No command ${id} waits.`;

const notWaiting = (id: string): CommandResult => ({ done: false, text: `No proposal ${id} waits.` });

/** Messages with actions that wait for the program's answer. */
class Questions {
  readonly #tell: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly #open: Map<number, (action: string | undefined) => void> = new Map();
  #count = 0;

  constructor(tell: (event: string, fields: Readonly<Record<string, unknown>>) => void) {
    this.#tell = tell;
  }

  async ask(message: HostMessage): Promise<string | undefined> {
    this.#count += 1;
    const id = this.#count;
    const { code, severity, text, actions, signal } = message;
    if (signal?.aborted === true) return undefined;
    this.#tell("message", { id, code, severity, text, actions });
    if (actions.length === 0) return undefined;
    const withdraw = (): void => {
      this.#tell("withdrawn", { id });
      this.answer(id, undefined);
    };
    let following: Disposable | undefined;
    return await new Promise<string | undefined>((resolveAnswer) => {
      this.#open.set(id, resolveAnswer);
      following = onAbort(signal, withdraw);
    }).finally(() => following?.dispose());
  }

  answer(id: number, action: string | undefined): void {
    this.#open.get(id)?.(action);
    this.#open.delete(id);
  }

  dispose(): void {
    for (const id of Array.from(this.#open.keys())) this.answer(id, undefined);
  }
}

/** From 0; characters are UTF-16 units. */
const position = z.object({ line: z.int().min(0), character: z.int().min(0) });

const range = z.object({ start: position, end: position });

/** Programs leave out what they have nothing to say of, or say null. */
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);

/** What it was told for a proposal whose agent writes what it likes. */
function takesNoText(id: string, { companion }: Running): CommandResult {
  const { agentName } = companion.proposals.find((one) => one.id === id) ?? {};
  return {
    done: false,
    text: `${agentName ?? "This agent"} takes no edited text. Accept the proposal as it is, or reject it.`,
  };
}

/** What a program tells `patchbay serve --json`, one JSON object per line (docs/serve-json.md). */
const schema = z.discriminatedUnion("command", [
  z.object({ command: z.literal("accept"), id: z.string(), text }),
  z.object({ command: z.literal("reject"), id: z.string(), reason: text }),
  z.object({ command: z.literal("allow-command"), id: z.string() }),
  z.object({ command: z.literal("reject-command"), id: z.string(), reason: text }),
  z.object({ command: z.enum(["read-kept", "save-kept", "discard-kept"]), id: z.string() }),
  z.object({ command: z.enum(["accept-all", "reject-all"]), folder: text }),
  z.object({ command: z.literal("edit"), id: z.string(), text: z.string() }),
  z.object({ command: z.literal("open"), file: z.string(), cursor: position.optional(), selection: range.optional() }),
  z.object({ command: z.enum(["close", "mention"]), file: z.string() }),
  z.object({
    command: z.literal("problems"),
    file: z.string(),
    problems: z.array(
      z.object({
        message: z.string(),
        severity: z.enum(["Error", "Warning", "Information", "Hint"]),
        range,
        source: z.string().exactOptional(),
        code: z.string().exactOptional(),
      }),
    ),
  }),
  z.object({ command: z.literal("answer"), id: z.number(), action: text }),
  z.object({ command: z.literal("quit") }),
]);

type JsonCommand = z.infer<typeof schema>;

/** By which a program knows an answer again; undefined: it does not ask for one. */
function requestIn(line: string): string | number | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const request: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "request") : undefined;
    return typeof request === "string" || typeof request === "number" ? request : undefined;
  } catch {
    // What is wrong with it is said when it is parsed.
    return undefined;
  }
}

/** Reads a line. Throws PatchbayError `invalid-argument` that says what does not fit. */
function parseJsonCommand(line: string): JsonCommand {
  const value = parseJson(line);
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const field = issue?.path.join(".") ?? "";
  const reason =
    field === "" || field === "command"
      ? 'it needs a "command" that is known.'
      : `its "${field}" is missing or of the wrong kind.`;
  throw new PatchbayError("invalid-argument", `Invalid command: ${reason}`, { cause: error });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new PatchbayError("invalid-argument", "Invalid command: the line is not JSON.", { cause: error });
  }
}
