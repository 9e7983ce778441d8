import type { EditorContext } from "../context/model.ts";
import { replaceInText } from "../support/replace-in-text.ts";
import type { FileFacts, Files } from "../platform/platform.ts";
import { type PatchbayError, pathRefused } from "../support/errors.ts";
import type { SettingsPlace } from "./settings.ts";

/** The arguments of a tool. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/**
 * What an agent says to a command of the user's that it runs before its tools and around its turns, and what it takes as an answer
 * (docs/decisions/0007-hooks.md). Loaded with the first call of such a command.
 */
export interface AgentHook {
  /** What an event says; undefined where it is none that matters. */
  read(event: unknown): HookEvent | undefined;
  /** What the command prints. */
  encode(verdict: HookVerdict): string;
  /** What the command prints where the user has accepted a write already about which the agent asks by itself; absent: nothing does that. */
  encodeConsent?(): string;
  /** What the command prints after a tool, for the model to read. */
  encodeNote(note: string): string;
  readonly settings: HookSettings;
  /** What the model reads with a prompt of what is shared with it; absent: the agent hears of that by its own protocol. */
  contextNote?(context: EditorContext): string;
  /** It asks about all tools of an answer before the first of them runs. */
  readonly asksAhead?: boolean;
}

export type HookEvent =
  | (HookSource & { readonly kind: "session-began" | "session-ended" | "turn-ended" })
  /** The user wants to see, in the editor, what the session waits for. */
  | (HookSource & { readonly kind: "shows" })
  | (HookSource & { readonly kind: "turn-began"; readonly prompt: string })
  /** `isPaused`: the user has paused reviews in the agent. */
  | (HookSource & { readonly kind: "write"; readonly isPaused: boolean } & HookWrite)
  | (HookSource & { readonly kind: "command"; readonly isPaused: boolean } & HookCommand)
  /** The agent is about to ask its user by itself about a write; `call`: as `HookWrite.callOf` says it. */
  | (HookSource & { readonly kind: "asks"; readonly call: string })
  /** A tool that writes files or runs commands has ended; `files`: what it wrote, as far as the agent names it. */
  | (HookSource & { readonly kind: "wrote"; readonly files: readonly NamedFile[] });

export interface HookSource {
  /** The agent's own name for its session. */
  readonly session: string;
  /** Where the agent works; undefined where it does not say. */
  readonly cwd: string | undefined;
}

/** A tool that is about to write. */
interface HookWrite {
  /** Whether the agent is in a mode in which it asks by itself; undefined where it does not say. */
  readonly asks: boolean | undefined;
  /** One for each file. */
  readonly changes: readonly HookChange[];
  /**
   * Arguments with which the tool makes of all its files what the user wants, those left out that they refused; undefined where none can.
   * Absent: the tool takes one change, or all as they are.
   */
  argumentsForAll?(finished: readonly FinishedChange[]): Promise<ToolArguments | undefined>;
  /**
   * What tells the call, with the arguments that were put in the place of its own, where the agent asks about it once more by itself. Absent:
   * it does not, or nobody can answer for the user.
   */
  callOf?(replaced: ToolArguments | undefined): string | undefined;
}

/** What the user made of one of several changes. */
export interface FinishedChange {
  readonly change: HookChange;
  /** What is on disk by now; undefined: no such file. */
  readonly before: string | undefined;
  /** Undefined: nothing of it. */
  readonly wanted: string | undefined;
  readonly isAsProposed: boolean;
}

/** A tool that is about to run a shell command. */
export interface HookCommand {
  /** The agent asks about it by itself, whatever the hook says. */
  readonly asks: boolean;
  readonly command: string;
  /** Where it runs, as the agent names it; undefined: where the agent works. */
  readonly directory: string | undefined;
}

/** A file as an agent's tool was told it. */
export interface NamedFile {
  /** As the agent names it: absolute, or in the folder where it works. */
  readonly path: string;
  /**
   * The path that the tool opens for its write: agents clean, decode and resolve what their models say, each by rules of its own. Throws
   * a `path-refused` where that cannot be told.
   */
  opened(place: PathPlace): Promise<string>;
}

/** What is made of paths as texts, as Node.js does it: nearly all agents are programs of Node.js. */
export interface PathWords {
  basename(path: string): string;
  dirname(path: string): string;
  isAbsolute(path: string): boolean;
  join(...parts: string[]): string;
  resolve(...parts: string[]): string;
}

/** What an agent's rules about paths look at. */
export interface PathPlace {
  /** Of the system on which the agent runs. */
  readonly words: PathWords;
  /** Where the agent works, absolute; undefined where it does not say. */
  readonly cwd: string | undefined;
  readonly homeDirectory: string;
  readonly isWindows: boolean;
  readonly files: Pick<Files, "lstat" | "readLink">;
  /**
   * Where the system leads with a path; `by-name`: where `..` in a link stands for the name before it, as for Node.js' `realpathSync`. Throws
   * a `path-refused` where that depends on the process that asks, or is nowhere.
   */
  follow(path: string, links?: "as-system" | "by-name"): Promise<FollowedPath>;
}

/** Where the system leads with a path. */
export interface FollowedPath {
  /** Without links, as far as it exists. */
  readonly real: string;
  /** Undefined where nothing is there yet. */
  readonly facts: FileFacts | undefined;
  /** So much of `real` is there. */
  readonly existing: string;
}

export function relativePath(): PatchbayError {
  return pathRefused("The path is relative. Give the absolute path of the file.");
}

export interface HookChange extends NamedFile {
  /**
   * The whole file after the tool, byte for byte as the agent writes it; undefined where the tool would refuse, or that cannot
   * be told. `before` is the file on disk with its byte order mark; undefined where there is none. `source`: the same of the file
   * from which this one is moved.
   */
  textAfter(before: string | undefined, source?: string): string | undefined;
  /** What is moved here; absent: nothing is. */
  readonly source?: NamedFile;
  /**
   * Arguments with which the tool makes exactly `wanted` of the file; undefined where none can, or the agent takes no others than its
   * own.
   */
  argumentsFor(before: string | undefined, wanted: string): ToolArguments | undefined;
  /** What the agent makes of its own arguments is known from one version only: others are sent where there are some. */
  readonly isDelicate: boolean;
}

/** `isSeen`: the user has accepted each of the files that the call writes. */
export type HookVerdict =
  | { readonly kind: "allow"; readonly isSeen?: boolean }
  /** Yes, with other arguments; `note`: what the model reads of it, where the agent passes it on. */
  | {
      readonly kind: "allow-changed";
      readonly arguments: ToolArguments;
      readonly note: string;
      readonly isSeen?: boolean;
    }
  /** No; the model reads why. `said`: the user's own word for it, which may be empty; absent: it is not theirs. */
  | { readonly kind: "deny"; readonly reason: string; readonly said?: string }
  /** Nothing was asked, at the begin of a turn; the model reads the note with the prompt. */
  | { readonly kind: "told"; readonly note: string };

/** A member of an event that came as JSON; undefined where it is no text. */
export function textOf(value: unknown, name: string): string | undefined {
  const found = memberOf(value, name);
  return typeof found === "string" ? found : undefined;
}

/** A member of an event that came as JSON. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** The arguments of the tool that an event is about. */
export function argumentsOf(event: unknown): ToolArguments {
  const found = memberOf(event, "tool_input");
  return typeof found === "object" && found !== null && !Array.isArray(found) ? { ...found } : {};
}

/** The text that a tool puts into its file, as its arguments say it; undefined where that is not one text. */
export function newTextOf(given: ToolArguments): string | undefined {
  const edits = memberOf(given, "edits");
  return (
    textOf(given, "content") ??
    textOf(given, "new_string") ??
    textOf(given, "newString") ??
    (Array.isArray(edits) ? (textOf(edits[0], "new_string") ?? textOf(edits[0], "newText")) : undefined)
  );
}

/** Where an event comes from; undefined where it does not name its session. */
export function sourceOf(event: unknown): HookSource | undefined {
  const session = textOf(event, "session_id");
  if (session === undefined || session === "" || session.length > longestName) return undefined;
  return { session, cwd: textOf(event, "cwd") };
}

const longestName = 200;

/** What an agent calls the moments at which it runs its hook; the begin and the end of a session have one name with all. */
export interface HookMoments {
  readonly beforeTool: string;
  readonly afterTool: string;
  readonly turnBegins: string;
  readonly turnEnds: string;
}

/** What of an agent's events is its own. */
export interface HookReading {
  readonly moments: HookMoments;
  /** Undefined where the tool runs no shell command. */
  command(event: unknown): HookCommand | undefined;
  /** One for each file that the tool writes; none where it writes none. */
  changes(event: unknown): readonly HookChange[];
  /** See `HookWrite`. */
  asksBeforeWrite(event: unknown): boolean | undefined;
}

/** A list of what there is. */
export function oneOrNone<Item>(item: Item | undefined): readonly Item[] {
  return item === undefined ? [] : [item];
}

/** An event as `AgentHook.read` gives it. */
export function readEvent(event: unknown, reading: HookReading): HookEvent | undefined {
  const source = sourceOf(event);
  if (source === undefined) return undefined;
  const { moments } = reading;
  switch (textOf(event, "hook_event_name")) {
    case "SessionStart":
      return { ...source, kind: "session-began" };
    case "SessionEnd":
      return { ...source, kind: "session-ended" };
    case moments.turnBegins:
      return { ...source, kind: "turn-began", prompt: textOf(event, "prompt") ?? "" };
    case moments.turnEnds:
      return { ...source, kind: "turn-ended" };
    case moments.afterTool:
      return { ...source, kind: "wrote", files: reading.changes(event) };
    case "PatchbayShow":
      return { ...source, kind: "shows" };
    case moments.beforeTool: {
      const isPaused = memberOf(event, "is_paused") === true;
      const command = reading.command(event);
      if (command !== undefined) return { ...source, kind: "command", isPaused, ...command };
      const changes = reading.changes(event);
      if (changes.length === 0) return undefined;
      return { ...source, kind: "write", isPaused, asks: reading.asksBeforeWrite(event), changes };
    }
    default:
      return undefined;
  }
}

/** How long an agent waits for its hook, s: a review takes as long as its user. The hook answers a minute earlier. */
const hookPatienceSeconds = 3_600;

/** A word about a turn, which nobody waits for, s. */
const turnSeconds = 10;

/** What is entered for a hook: before and after the tools that write or run commands, and around turns and sessions. */
export function hookEntries(
  moments: HookMoments,
  tools: { readonly matcher: string; readonly commandTool: string },
  unitsInSecond: number,
): readonly HookEntry[] {
  const turn = turnSeconds * unitsInSecond;
  return [
    { event: moments.beforeTool, ...tools, timeout: hookPatienceSeconds * unitsInSecond },
    { event: moments.afterTool, ...tools, timeout: turn },
    ...[moments.turnBegins, moments.turnEnds, "SessionStart", "SessionEnd"].map((event) => ({ event, timeout: turn })),
  ];
}

/**
 * What an agent still asks of its user before it runs a hook that is installed: nothing; a trusted folder, for a hook in the folder's
 * settings; a yes at its next start.
 */
export type HookConsent = "none" | "trusted-folder" | "at-next-start";

/** How an agent is told of a hook in its settings. */
export interface HookSettings {
  /** The file of the user, or of the folder. */
  file(place: SettingsPlace, scope: HookScope): string;
  /** What is entered under `hooks`, by event. */
  readonly entries: readonly HookEntry[];
  /** The agent ignores a file with comments or trailing commas, all of it. */
  readonly isStrict: boolean;
  /** What a hook says on Windows to be run by PowerShell, for which it is written there; undefined: it is in any case. */
  readonly shell: "powershell" | undefined;
  readonly consent: HookConsent;
  /**
   * Whether its user has told the agent that it may run those of the commands of a file that are ours; absent: it does not ask. Never
   * rejects.
   */
  isTrusted?(place: SettingsPlace, file: string, isOwn: (command: string) => boolean): Promise<boolean>;
  /**
   * The text of the file where the agent loads a program into its own process, and the file is ours alone; its first line tells that it is.
   * Absent: a command is entered in settings.
   */
  readonly plugin?: string;
}

/** What a program of ours has of Patchbay that runs in an agent's process. */
export interface PatchbayInAgent {
  /** Asks what the agent's hook would ask: an event, for what the hook would print. Never rejects. */
  ask(
    event: Readonly<Record<string, unknown>>,
    patience: {
      readonly limitMs: number;
      readonly signal?: AbortSignal;
      /** The user is being asked; called once or more often. */
      readonly onWaiting?: () => void;
    },
  ): Promise<string | undefined>;
  /** The name of the editor that would be asked about a folder; undefined: there is none. Never rejects. */
  editorOf(folder: string): Promise<string | undefined>;
}

export type HookScope = "user" | "project";

export interface HookEntry {
  readonly event: string;
  /** Of tools that write; absent for events of turns. */
  readonly matcher?: string;
  /** The tool that runs shell commands. */
  readonly commandTool?: string;
  /** In the unit of the agent. */
  readonly timeout: number;
}

/** A replacement as the edit tools of agents make it: `from` stands in the file as the agent sees it. */
export interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly isForAll: boolean;
}

const byteOrderMark = "\ufeff";

/** A file as agents see it in their edits: without its byte order mark, every line with a line feed. */
export interface SeenFile {
  readonly mark: string;
  readonly text: string;
  /** The file whose text this is to be, as the agent writes it. */
  written(text: string): string;
}

/** `endsWithReturn` says of a file with some `\r\n` whether the agent writes all its lines so. */
export function seenFile(file: string, endsWithReturn: (file: string) => boolean): SeenFile {
  const mark = file.startsWith(byteOrderMark) ? byteOrderMark : "";
  const body = file.slice(mark.length);
  const hasReturns = body.includes("\r\n");
  const isWithReturns = hasReturns && endsWithReturn(body);
  return {
    mark,
    text: hasReturns ? body.replaceAll("\r\n", "\n") : body,
    written: (text) => mark + (isWithReturns ? text.replaceAll("\n", "\r\n") : text),
  };
}

/** So much of a file tells Claude Code how its lines end, UTF-16 units (seen, 2.1.328). */
const headLength = 4_096;

/** Whether most lines at the beginning of a file end with `\r\n`. */
export function beginsWithReturns(file: string): boolean {
  const head = file.slice(0, headLength);
  const returns = head.split("\r\n").length - 1;
  return returns > head.split("\n").length - 1 - returns;
}

/** How often a text stands in another, also where two of them overlap: none, once or more often. */
function occurrences(text: string, part: string): "none" | "once" | "more" {
  const first = text.indexOf(part);
  if (first === -1) return "none";
  return text.lastIndexOf(part) === first ? "once" : "more";
}

/**
 * A text after replacements, one after the other; undefined where one does not fit, fits more than one place, or makes a text of which
 * nobody could see the whole.
 */
export function replaced(text: string, replacements: readonly Replacement[]): string | undefined {
  let now = text;
  for (const { from, to, isForAll } of replacements) {
    if (from === "" || from === to) return undefined;
    const found = occurrences(now, from);
    if (found === "none" || (found === "more" && !isForAll)) return undefined;
    const next = replaceInText(now, { from, to, isForAll });
    if (next === undefined) return undefined;
    now = next;
  }
  return now;
}

/** A replacement whose empty new text takes the end of the line with it, where the old one is followed by one. */
export function withLineEnd(edit: Replacement, { text }: SeenFile): Replacement {
  const takesLine = edit.to === "" && !edit.from.endsWith("\n") && text.includes(`${edit.from}\n`);
  return takesLine ? { ...edit, from: `${edit.from}\n` } : edit;
}

/**
 * One replacement that makes `text` into `wanted`: of `kept`, if that is enough, else of the fewest lines that stand once in the text.
 * Neither side is empty, unless all of the text goes: agents do more with an empty one than to replace it. Undefined where both are
 * the same, or the text is empty.
 */
export function replacementFor(text: string, wanted: string, kept: string | undefined): Replacement | undefined {
  if (text === wanted || text === "") return undefined;
  const own = kept === undefined ? undefined : keeping(text, wanted, kept);
  return own ?? ofLines(text, wanted);
}

/** The same old text with another new one. */
function keeping(text: string, wanted: string, from: string): Replacement | undefined {
  if (from === "" || occurrences(text, from) !== "once") return undefined;
  const start = text.indexOf(from);
  const rest = text.slice(start + from.length);
  if (wanted.length <= start + rest.length) return undefined;
  if (!wanted.startsWith(text.slice(0, start)) || !wanted.endsWith(rest)) return undefined;
  const to = wanted.slice(start, wanted.length - rest.length);
  return to === from ? undefined : { from, to, isForAll: false };
}

function ofLines(text: string, wanted: string): Replacement {
  const [before, after] = [linesOf(text), linesOf(wanted)];
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  for (let more = 1; head > 0 || tail > 0; more *= 2) {
    const from = before.slice(head, before.length - tail).join("");
    const to = after.slice(head, after.length - tail).join("");
    if (from !== "" && to !== "" && occurrences(text, from) === "once") return { from, to, isForAll: false };
    head = Math.max(0, head - more);
    tail = Math.max(0, tail - more);
  }
  return { from: text, to: wanted, isForAll: false };
}

/** With their ends. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/(?<=\n)/u);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
