import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { type Companion, createCompanion, type HostMessage, messageOf, type Platform } from "@patchbay/core";
import type { ServeCommand } from "../command-line.ts";
import { HeadlessHost } from "../host/headless-host.ts";
import { type JsonCommand, parseJsonCommand } from "./json-command.ts";
import { mentionFile, noMentions, openFile } from "./serve-commands.ts";
import { stateDirectory } from "./state-directory.ts";

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
    void output.write(`${JSON.stringify({ event, ...fields })}\n`);
  const print = (message: string): void => tell("error", { message });
  const questions = new Questions(tell);
  const host: HeadlessHost = new HeadlessHost({
    folder,
    storageDirectory: stateDirectory(platform.process, folder),
    ask: async (message) => await questions.ask(message),
    keep: async (text, likePath) => tell("kept", { text, path: likePath }),
  });
  const companion = createCompanion({ host, platform, ...(command.port === undefined ? {} : { port: command.port }) });
  options.onCompanion?.(companion);
  for (const place of command.open) openFile(place, { host, folder, print });
  const told = new Set<string>();
  host.diffs.onDidChange(() => {
    for (const { request, text, edited } of host.diffs.waiting) {
      if (told.has(request.id)) continue;
      told.add(request.id);
      const { id, agentName: agent, path, kind } = request;
      tell("proposal", { id, agent, path, kind, text, edited });
    }
  });
  host.diffs.onDidEnd(({ review, end }) => {
    told.delete(review.request.id);
    tell("ended", { id: review.request.id, how: end.kind === "withdrawn" ? end.reason : end.kind });
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
        try {
          if (line.trim() !== "") run(parseJsonCommand(line), { companion, host, folder, print, questions, finish });
        } catch (error) {
          print(messageOf(error));
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
    questions.dispose();
  }
}

interface RunOptions {
  readonly companion: Companion;
  readonly host: HeadlessHost;
  readonly folder: string;
  readonly print: (message: string) => void;
  readonly questions: Questions;
  readonly finish: () => void;
}

function run(command: JsonCommand, options: RunOptions): void {
  const { host, folder, print, questions, finish } = options;
  switch (command.command) {
    case "accept":
    case "reject":
      if (!host.diffs[command.command](command.id)) print(`No proposal ${command.id} waits.`);
      return;
    case "edit":
      if (!host.diffs.edit(command.id, command.text)) print(`No proposal ${command.id} waits.`);
      return;
    case "open":
      return openFile(command.file, { host, folder, print });
    case "close":
      host.editors.close(resolve(folder, command.file));
      return;
    case "mention":
      if (mentionFile(command.file, options) === 0) print(noMentions);
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
    const { code, severity, text, actions } = message;
    this.#tell("message", { id, code, severity, text, actions });
    if (actions.length === 0) return undefined;
    return await new Promise((resolveAnswer) => this.#open.set(id, resolveAnswer));
  }

  answer(id: number, action: string | undefined): void {
    this.#open.get(id)?.(action);
    this.#open.delete(id);
  }

  dispose(): void {
    for (const id of Array.from(this.#open.keys())) this.answer(id, undefined);
  }
}
