import { isAbsolute, join, relative } from "node:path";
import {
  type FileChange,
  type Location,
  outputLimit,
  type SessionUpdate,
  type ToolEntry,
  type ToolKind,
  type ToolState,
} from "../model/index.ts";
import { lastOf } from "../process/lines.ts";
import { type PiToolCall, textOf, type ToolResult } from "./codec.ts";

const kinds: Readonly<Record<string, ToolKind>> = {
  read: "read",
  edit: "edit",
  write: "edit",
  bash: "execute",
  grep: "search",
  find: "search",
  ls: "search",
};

/** What Pi brings along that only reads. */
export const readingTools: ReadonlySet<string> = new Set(["read", "grep", "find", "ls"]);

type Input = Readonly<Record<string, unknown>>;

export interface ToolUseSink {
  now(): number;
  update(update: SessionUpdate): void;
}

/** The uses of tools in a session, each an entry until its result has come. */
export class ToolUses {
  readonly #sink: ToolUseSink;
  readonly #cwd: string;
  readonly #open: Map<string, ToolEntry> = new Map();
  /** How those end that do not run, by what the user said of them. */
  readonly #ends: Map<string, ToolState> = new Map();
  readonly #changes: Map<string, { readonly change: FileChange; readonly isAsked: boolean }> = new Map();

  constructor(sink: ToolUseSink, cwd: string) {
    this.#sink = sink;
    this.#cwd = cwd;
  }

  begin({ id, name, arguments: input }: Pick<PiToolCall, "id" | "name" | "arguments">, state?: ToolState): void {
    const known = this.#open.get(id);
    const path = pathIn(input, this.#cwd);
    this.#set({
      kind: "tool",
      id,
      at: known?.at ?? this.#sink.now(),
      tool: kinds[name] ?? "other",
      name,
      title: titleOf(name, input, this.#cwd),
      state: state ?? known?.state ?? "pending",
      ...shownInput(name, input),
      ...(path === undefined ? {} : { locations: [locationOf(path, input)] }),
    });
  }

  /** It has begun: its user is asked next, if at all. */
  started(id: string, name: string, input: Input): void {
    this.begin({ id, name, arguments: input }, this.#open.get(id)?.state ?? "pending");
  }

  move(id: string, state: ToolState): void {
    const entry = this.#open.get(id);
    if (entry !== undefined) this.#set({ ...entry, state });
  }

  /** It is not run: `rejected` by the user, or `cancelled`. */
  isDenied(id: string, end: ToolState): void {
    this.#ends.set(id, end);
  }

  /** What it makes of its file, if it runs. */
  writes(id: string, change: FileChange, isAsked: boolean): void {
    this.#changes.set(id, { change, isAsked });
  }

  /** It comes with all that was printed so far. */
  progress(id: string, result: ToolResult): void {
    const entry = this.#open.get(id);
    const output = textOf(result.content);
    if (entry === undefined || output === "") return;
    const before = entry.output ?? "";
    if (!output.startsWith(before) || entry.outputOmitted !== undefined) {
      this.#set({ ...entry, state: "running", ...limited(output) });
      return;
    }
    if (entry.state !== "running" || output.length > outputLimit)
      this.#set({ ...entry, state: "running", ...limited(output) });
    else if (output !== before) {
      this.#open.set(id, { ...entry, output });
      this.#sink.update({ type: "append", id, to: "output", text: output.slice(before.length) });
    }
  }

  /** `isStopped`: its turn was. */
  finish(id: string, result: ToolResult, isError: boolean, isStopped: boolean): void {
    const entry = this.#open.get(id);
    if (entry === undefined) return;
    const written = isError ? undefined : this.#changes.get(id);
    const state = isError ? (this.#ends.get(id) ?? (isStopped ? "cancelled" : "failed")) : "done";
    if (written !== undefined) {
      const { change, isAsked } = written;
      this.#sink.update({ type: "file-changed", path: change.path, toolId: id, isAsked });
    }
    const { output: _output, outputOmitted: _omitted, ...rest } = entry;
    const changes = written === undefined ? {} : { changes: [written.change] };
    this.#close({ ...rest, state, ...limited(textOf(result.content)), ...changes });
  }

  /** The turn, or the process, has ended: what has no result by now gets none. */
  end(): void {
    for (const entry of this.#open.values()) this.#close({ ...entry, state: "cancelled" });
  }

  #set(entry: ToolEntry): void {
    this.#open.set(entry.id, entry);
    this.#sink.update({ type: "entry", entry });
  }

  #close(entry: ToolEntry): void {
    this.#open.delete(entry.id);
    this.#ends.delete(entry.id);
    this.#changes.delete(entry.id);
    this.#sink.update({ type: "entry", entry });
  }
}

function textIn(input: Input, name: string): string | undefined {
  const value = input[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The file that a tool is about, as near as its arguments say it. */
function pathIn(input: Input, cwd: string): string | undefined {
  const path = textIn(input, "path")?.replace(/^@/u, "");
  if (path === undefined) return undefined;
  return isAbsolute(path) ? path : join(cwd, path);
}

function locationOf(path: string, input: Input): Location {
  const { offset } = input;
  return typeof offset === "number" && offset > 0 ? { path, line: offset } : { path };
}

const titleLimit = 120;

/** What a use of a tool is about, for people: one line. */
export function titleOf(name: string, input: Input, cwd: string): string {
  const path = pathIn(input, cwd);
  if (path !== undefined && kinds[name] !== "search") return `${name} ${shortPath(path, cwd)}`;
  const about = textIn(input, "command") ?? textIn(input, "pattern") ?? textIn(input, "path") ?? textIn(input, "query");
  const [line = ""] = (about ?? "").split("\n");
  return line === "" ? name : `${name}: ${line.length > titleLimit ? `${line.slice(0, titleLimit)}…` : line}`;
}

function shortPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return below === "" || below.startsWith("..") || isAbsolute(below) ? path : below;
}

/** What is shown of an input: the command of a shell whole, anything else as JSON, and nothing of what a diff shows. */
export function shownInput(name: string, input: Input): Pick<ToolEntry, "command" | "input"> {
  const command = name === "bash" ? textIn(input, "command") : undefined;
  if (command !== undefined) return { command };
  if (kinds[name] === "edit" || Object.keys(input).length === 0) return {};
  return { input: JSON.stringify(input, undefined, 2) };
}

function limited(text: string): Pick<ToolEntry, "output" | "outputOmitted"> {
  if (text === "") return {};
  if (text.length <= outputLimit) return { output: text };
  return { output: lastOf(text, outputLimit), outputOmitted: text.length - outputLimit };
}
