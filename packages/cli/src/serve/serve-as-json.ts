import { createInterface } from "node:readline";
import {
  type Companion,
  createCompanion,
  type HostMessage,
  messageOf,
  PatchbayError,
  type Platform,
} from "@patchbay/core";
import * as z from "zod";
import type { ServeCommand } from "../command-line.ts";
import { HeadlessHost, stateDirectory } from "../host/headless-host.ts";
import { safeJson } from "../terminal/escape-text.ts";
import { closeFile, type CommandResult, mentionFile, openFile } from "./serve-commands.ts";
import { openLedgers } from "../turns/turn-commands.ts";

export interface ServeAsJsonOptions {
  readonly command: ServeCommand;
  /** Absolute, real. */
  readonly folder: string;
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
  const { command, folder, platform, input, output, signal } = options;
  const tell = (event: string, fields: Readonly<Record<string, unknown>>): void =>
    void output.write(`${safeJson({ event, ...fields })}\n`);
  const print = (message: string): void => tell("error", { message });
  const questions = new Questions(tell);
  const host: HeadlessHost = new HeadlessHost({
    folder,
    storageDirectory: stateDirectory(platform.process, folder),
    ask: async (message) => await questions.ask(message),
  });
  const turns = openLedgers(platform, folder);
  const companion = createCompanion({
    host,
    platform,
    turns,
    ...(command.port === undefined ? {} : { port: command.port }),
    ...(command.reviews === undefined ? {} : { settings: { reviews: { "*": command.reviews } } }),
  });
  options.onCompanion?.(companion);
  const tellFailure = ({ done, text }: CommandResult): void => (done ? undefined : print(text));
  for (const place of command.open) tellFailure(openFile(place, { host, folder }));
  const told = new Map<string, number>();
  host.diffs.onDidChange(() => {
    for (const { request, original, text, edited, standing, revision } of host.diffs.waiting) {
      const { id, agentName: agent, path, kind } = request;
      const before = told.get(id);
      told.set(id, revision);
      if (before === undefined) tell("proposal", { id, agent, path, kind, original, text, edited, standing });
      else if (before !== revision) tell("changed", { id, original, text, standing });
    }
  });
  host.diffs.onDidEnd(({ review, end }) => {
    told.delete(review.request.id);
    tell("ended", { id: review.request.id, how: end.kind === "withdrawn" ? end.reason : end.kind });
  });
  let kept = "[]";
  companion.onDidChangeProposals(() => {
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
  companion.onDidChangeSessions(() => tell("sessions", { sessions: companion.sessions }));
  const lines = createInterface({ input, terminal: false });
  try {
    await new Promise<void>((finish, fail) => {
      signal.addEventListener("abort", () => finish(), { once: true });
      lines.on("close", finish);
      // Nobody reads any more: the program has ended.
      output.on("error", () => finish());
      lines.on("line", (line) => {
        const fail = (error: unknown): void => print(messageOf(error));
        try {
          if (line.trim() === "") return;
          const command = parseJsonCommand(line);
          run(command, { companion, host, folder, tell, tellFailure, questions, finish }).catch(fail);
        } catch (error) {
          fail(error);
        }
      });
      companion.start().then(() => {
        const { state, environment } = companion;
        if (state.kind === "listening")
          tell("listening", { folder, port: state.port, environment, warnings: state.warnings });
      }, fail);
    });
  } finally {
    lines.close();
    await companion.stop();
    await turns.settled();
    turns.dispose();
    questions.dispose();
  }
}

interface RunOptions {
  readonly companion: Companion;
  readonly host: HeadlessHost;
  readonly folder: string;
  readonly tell: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly tellFailure: (result: CommandResult) => void;
  readonly questions: Questions;
  readonly finish: () => void;
}

async function run(command: JsonCommand, options: RunOptions): Promise<void> {
  const { companion, tell, host, tellFailure, questions, finish } = options;
  const notWaiting = (id: string): CommandResult => ({ done: false, text: `No proposal ${id} waits.` });
  switch (command.command) {
    case "accept":
    case "reject":
      // Said to the agent, where it can be: only the companion knows how.
      if (command.reason !== undefined && command.command === "reject") {
        if (!(await companion.reject(command.id, command.reason))) tellFailure(notWaiting(command.id));
        return;
      }
      if (!host.diffs[command.command](command.id)) tellFailure(notWaiting(command.id));
      return;
    case "allow-command":
    case "reject-command": {
      const answer = command.command === "allow-command" ? "allow" : "reject";
      if (companion.commands?.answer(command.id, answer, command.reason) === true) return;
      return tellFailure({ done: false, text: `No command ${command.id} waits.` });
    }
    case "edit":
      if (!host.diffs.edit(command.id, command.text)) tellFailure(notWaiting(command.id));
      return;
    case "open":
      return tellFailure(openFile(command.file, options));
    case "close":
      return tellFailure(closeFile(command.file, options));
    case "mention":
      return tellFailure(mentionFile(command.file, options));
    case "accept-all":
      // One after the other: each on the file as the one before has left it.
      for (const { request } of host.diffs.waiting) await companion.accept(request.id);
      return;
    case "read-kept":
      return tell("kept-text", { id: command.id, text: await companion.readKeptText(command.id) });
    case "save-kept":
      return tell("saved", { id: command.id, ...((await companion.saveKeptText(command.id)) ?? { kind: "not-kept" }) });
    case "discard-kept":
      if (!(await companion.discardKeptText(command.id)))
        tellFailure({ done: false, text: "This text is no longer kept." });
      return;
    case "answer":
      return questions.answer(command.id, command.action);
    case "quit":
      return finish();
  }
}

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
    return await new Promise<string | undefined>((resolveAnswer) => {
      this.#open.set(id, resolveAnswer);
      signal?.addEventListener("abort", withdraw);
    }).finally(() => signal?.removeEventListener("abort", withdraw));
  }

  answer(id: number, action: string | undefined): void {
    this.#open.get(id)?.(action);
    this.#open.delete(id);
  }

  dispose(): void {
    for (const id of Array.from(this.#open.keys())) this.answer(id, undefined);
  }
}

/** What a program tells `patchbay serve --json`, one JSON object per line. */
type JsonCommand =
  | {
      readonly command: "accept" | "reject" | "allow-command" | "reject-command";
      readonly id: string;
      readonly reason?: string | undefined;
    }
  | { readonly command: "read-kept" | "save-kept" | "discard-kept"; readonly id: string }
  | { readonly command: "accept-all" }
  | { readonly command: "edit"; readonly id: string; readonly text: string }
  | { readonly command: "open" | "close" | "mention"; readonly file: string }
  | { readonly command: "answer"; readonly id: number; readonly action?: string | undefined }
  | { readonly command: "quit" };

const schema = z.discriminatedUnion("command", [
  z.object({
    command: z.enum(["accept", "reject", "allow-command", "reject-command"]),
    id: z.string(),
    reason: z.string().optional(),
  }),
  z.object({ command: z.enum(["read-kept", "save-kept", "discard-kept"]), id: z.string() }),
  z.object({ command: z.literal("accept-all") }),
  z.object({ command: z.literal("edit"), id: z.string(), text: z.string() }),
  z.object({ command: z.enum(["open", "close", "mention"]), file: z.string() }),
  z.object({ command: z.literal("answer"), id: z.number(), action: z.string().optional() }),
  z.object({ command: z.literal("quit") }),
]);

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
