import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  agents,
  type Companion,
  type EditorContext,
  isSecretPath,
  type KeptReason,
  type KeptTextSaving,
  messageOf,
  type Position,
  type Range,
  type SessionInfo,
} from "@patchbay/core";
import { shownCommand } from "@patchbay/core/presences";
import type { HeadlessHost } from "../host/headless-host.ts";
import { countLines, type FilePlace, nameOf, parseFilePlace, pathInFolder, toOpenPlace } from "../host/open-files.ts";
import { verbs } from "../review/review-words.ts";
import { escapeLine, escapeText } from "../terminal/escape-text.ts";
import { listOf } from "../terminal/layout.ts";

export interface ServeCommandsOptions {
  readonly companion: Companion;
  readonly host: HeadlessHost;
  readonly folder: string;
  readonly print: (text: string) => void;
  /** Puts a proposal in front. */
  readonly review: (id: string) => void;
  /** Shows a made-up proposal. */
  readonly tryReview: () => void;
}

/** The agents that take mentions. */
const mentioned = agents.filter(({ takesMentions }) => takesMentions).map(({ agentName }) => agentName);

const whoDoes = `${listOf(mentioned, "and")} ${mentioned.length === 1 ? "does" : "do"}`;

const help = `open <file[:line[-line]]>     show agents a file, and lines of it as selected
close <file>                  take it away again
mention <file[:line[-line]]>  put it into the prompt of agents that can (${mentioned.join(", ")})
sessions                      who is connected, and what they see
proposals                     what waits for you
review [number]               go (back) to a proposal
commands [number]             shell commands that wait for your answer; asks again about one
kept                          your texts that no agent took: show, save, discard
try                           try a review without an agent
quit                          end Patchbay`;

/** Carries out a command line that is no answer to a question. */
export function runServeCommand(line: string, options: ServeCommandsOptions): void {
  const { companion, host, folder, print } = options;
  const [, word = "", argument = ""] = /^(\S+)\s*(.*)$/u.exec(line) ?? [];
  const waiting = host.diffs.waiting;
  switch (word) {
    case "open":
      return print(openFile(argument, options).text);
    case "close":
      return print(closeFile(argument, options).text);
    case "mention":
      return print(mentionFile(argument, options).text);
    case "sessions": {
      const { sessions } = companion;
      if (sessions.length === 0) print("No agent is connected.");
      for (const session of sessions) print(describeSession(session, Date.now()));
      return print(describeContext(companion.sharedContext(), folder));
    }
    case "proposals": {
      if (waiting.length === 0) print("No proposals are waiting.");
      for (const [index, { request }] of waiting.entries()) {
        print(`${index + 1}  ${escapeLine(request.agentName)} ${verbs[request.kind]} ${nameOf(request, folder)}`);
      }
      return;
    }
    case "review": {
      const chosen = waiting[argument === "" ? 0 : Number(argument) - 1];
      if (waiting.length === 0) return print("No proposals are waiting.");
      if (chosen === undefined) return print(`No such proposal: ${escapeLine(argument)}. Type: proposals`);
      return options.review(chosen.request.id);
    }
    case "commands":
      return askAboutCommand(argument, options);
    case "kept":
      return void runKeptCommand(argument, options);
    case "try":
      return options.tryReview();
    case "help":
    case "?":
      return print(help);
    default:
      print(`Unknown command "${escapeLine(word)}". Type: help`);
  }
}

/** `commands`: those that agents wait for. */
function askAboutCommand(argument: string, { companion, print }: ServeCommandsOptions): void {
  const waiting = companion.commands?.all ?? [];
  if (waiting.length === 0) return print("No commands are waiting.");
  if (argument === "") {
    for (const [index, { agentName, command, folder = "" }] of waiting.entries()) {
      const where = folder === "" ? "" : `  (${folder})`;
      print(`${index + 1}  ${escapeLine(`${agentName}: ${shownCommand(command)}${where}`)}`);
    }
    return print("Type: commands <number>");
  }
  const chosen = waiting[Number(argument) - 1];
  if (chosen === undefined) return print(`No such command: ${escapeLine(argument)}. Type: commands`);
  companion.commands?.show(chosen.id);
}

/** What became of a command, as a sentence that is safe to print. */
export interface CommandResult {
  readonly done: boolean;
  readonly text: string;
}

/** Puts a file, or lines of it, into the prompt of agents that can. */
export function mentionFile(
  argument: string,
  { companion, folder }: Pick<ServeCommandsOptions, "companion" | "folder">,
): CommandResult {
  const place = readPlace(argument, folder, "mention");
  if (typeof place === "string") return { done: false, text: place };
  const { path, lines } = place;
  const count = companion.mention(
    path,
    lines === undefined ? undefined : { start: lines.start, end: lines.end ?? lines.start },
  );
  if (count === 0) return { done: false, text: `No connected agent supports @-mentions (${whoDoes}).` };
  const prompts = count === 1 ? "one agent's prompt" : `the prompts of ${count} agents`;
  return { done: true, text: `Put ${describePlace(place, folder)} into ${prompts}.` };
}

/** Opens a file in the eyes of the agents. `cursor` and `selection` are more exact than lines in the argument. */
export function openFile(
  argument: string,
  { host, folder }: Pick<ServeCommandsOptions, "host" | "folder">,
  cursor?: Position,
  selection?: Range,
): CommandResult {
  const exact = cursor ?? selection?.end;
  const place = readPlace(argument, folder, "open", exact !== undefined);
  if (typeof place === "string") return { done: false, text: place };
  const marked = selection === undefined ? {} : { selection };
  host.editors.open(exact === undefined ? toOpenPlace(place) : { path: place.path, cursor: exact, ...marked });
  const secret = isSecretPath(place.path) ? " Its text is never sent." : "";
  const selected = place.lines?.end === undefined ? "" : " as selected";
  return { done: true, text: `Agents see ${describePlace(place, folder)}${selected}.${secret}` };
}

/** Takes a file away from the eyes of the agents. */
export function closeFile(
  argument: string,
  { host, folder }: Pick<ServeCommandsOptions, "host" | "folder">,
): CommandResult {
  if (argument === "") return { done: false, text: "Which file? Type: close <file>" };
  const path = resolve(folder, argument);
  const name = pathInFolder(path, folder);
  if (!host.editors.close(path)) return { done: false, text: `${name} was not open.` };
  return { done: true, text: `Agents no longer see ${name}.` };
}

/** The file and lines of an argument, or what is wrong with it. `isPlain`: it is a file's name, whatever it ends with. */
function readPlace(argument: string, folder: string, command: "open" | "mention", isPlain = false): FilePlace | string {
  if (argument === "") return `Which file? Type: ${command} <file[:line[-line]]>`;
  const place = isPlain ? { path: resolve(folder, argument) } : parseFilePlace(argument, folder);
  const name = pathInFolder(place.path, folder);
  const stats = statSync(place.path, { throwIfNoEntry: false });
  if (stats === undefined) return `File not found: ${name}.`;
  if (!stats.isFile()) return `${name} is not a file.`;
  const { lines } = place;
  if (lines === undefined) return place;
  const count = countLines(place.path, lines.start + 1);
  if (lines.start < count) return place;
  return `${name} has only ${count === 1 ? "one line" : `${count} lines`}.`;
}

/** A file, and the lines meant in it as a part of a sentence. */
function describePlace({ path, lines }: FilePlace, folder: string): string {
  const name = pathInFolder(path, folder);
  if (lines === undefined) return name;
  const { start, end = start } = lines;
  return end === start ? `line ${start + 1} of ${name}` : `lines ${start + 1} to ${end + 1} of ${name}`;
}

export interface KeptCommandOptions {
  readonly companion: Pick<Companion, "keptTexts" | "readKeptText" | "saveKeptText" | "discardKeptText">;
  readonly folder: string;
  readonly print: (text: string) => void;
}

const usage = "Type: kept show <number>, kept save <number>, kept discard <number>";

/** `kept`: the texts that no agent took. Resolves when it has printed what became of it. */
async function runKeptCommand(argument: string, options: KeptCommandOptions): Promise<void> {
  const { companion, folder, print } = options;
  const [word = "", number = "", ...more] = argument.split(/\s+/u);
  const texts = companion.keptTexts;
  if (word === "") {
    if (texts.length === 0) return print("No texts are kept.");
    for (const [index, { agentName, path, reason }] of texts.entries()) {
      print(`${index + 1}  ${pathInFolder(path, folder)}: ${whyKept(reason, escapeLine(agentName))}`);
    }
    return print(usage);
  }
  const chosen = more.length === 0 ? texts[Number(number) - 1] : undefined;
  if (!["show", "save", "discard"].includes(word)) return print(usage);
  if (chosen === undefined)
    return print(number === "" ? usage : `No such kept text: ${escapeLine(number)}. Type: kept`);
  const name = pathInFolder(chosen.path, folder);
  try {
    if (word === "show")
      return print(escapeText((await companion.readKeptText(chosen.id)) ?? "This text is no longer kept."));
    if (word === "save") return print(await saveKept(chosen.id, chosen.path, options));
    const done = await companion.discardKeptText(chosen.id);
    print(done ? `Your text for ${name} was discarded.` : "This text is no longer kept.");
  } catch (error) {
    print(escapeText(messageOf(error)));
  }
}

/** Why a text has lost its agent, safe to print where `agent` is. */
function whyKept(reason: KeptReason, agent: string): string {
  switch (reason) {
    case "agent-exited":
      return `${agent} has exited`;
    case "withdrawn":
      return `${agent} has withdrawn its change`;
    case "superseded":
      return `${agent} made a newer proposal`;
    case "answered-in-terminal":
      return `${agent} was answered in its terminal`;
    case "not-delivered":
      return `${agent} exited before it received your answer`;
    case "not-written":
      return `accepted, not written by ${agent}`;
  }
}

/** Saves a kept text to its file; resolves with what became of it, as a sentence. */
export async function saveKept(
  id: string,
  path: string,
  { companion, folder }: Pick<KeptCommandOptions, "companion" | "folder">,
): Promise<string> {
  return whatWasSaved(await companion.saveKeptText(id), pathInFolder(path, folder));
}

function whatWasSaved(saving: KeptTextSaving | undefined, name: string): string {
  if (saving === undefined) return "This text is no longer kept.";
  switch (saving.kind) {
    case "saved":
      return saving.merged
        ? `Your text was saved to ${name}, merged with the changes made there.`
        : `Your text was saved to ${name}.`;
    case "conflict":
      return `${name} has changed in the same lines, so nothing was written. Your text is still kept.`;
    case "failed":
      return `Nothing was written to ${name}: ${escapeLine(saving.reason)} Your text is still kept.`;
  }
}

/** An agent's name with its version, safe to print. */
export function sessionName(session: SessionInfo): string {
  const version = session.version === undefined ? "" : ` ${session.version}`;
  return escapeLine(`${session.agentName}${version}`);
}

const states = { connecting: "connecting", connected: "connected", away: "away, may reconnect" } as const;

/** One line about a session. `now` in Unix milliseconds. */
function describeSession(session: SessionInfo, now: number): string {
  const context =
    session.lastContext === undefined ? "no context sent yet" : `context sent ${age(now - session.lastContext)} ago`;
  const { openProposals: open } = session;
  const proposals = open === 0 ? "" : `, ${open === 1 ? "1 proposal" : `${open} proposals`} open`;
  return `${sessionName(session)}: ${states[session.state]} for ${age(now - session.since)}, ${context}${proposals}`;
}

/** What agents see, in one line. */
function describeContext(context: EditorContext, folder: string): string {
  if (context.files.length === 0) return "Agents see no open file.";
  const names = context.files.map(({ path }) => {
    const name = pathInFolder(path, folder);
    if (context.active?.path !== path) return name;
    const { selection, cursor } = context.active;
    return selection === undefined
      ? `${name}:${cursor.line + 1} (active)`
      : `${name} (active, ${selection.text.length} characters selected)`;
  });
  return `Agents see: ${names.join(", ")}`;
}

function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
