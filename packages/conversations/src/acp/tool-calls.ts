import * as z from "zod";
import { type FileChange, outputLimit, type ToolEntry, type ToolState } from "../model/index.ts";
import { lastOf } from "../process/lines.ts";
import { maybe, text } from "./lenient.ts";
import type { AcpProfile } from "./profiles.ts";
import type { UpdateSink } from "./sink.ts";
import type { DiffContent, Meta, ToolFields } from "./wire.ts";

/** Characters of an input that are shown: an agent may pass a whole file. */
const inputLimit = 65_536;

/** A use of a tool as it is known by now. */
interface Call {
  readonly entry: ToolEntry;
  readonly turn: string;
  /** The agent's own name of the tool, where it has said it. */
  readonly ownName: string | undefined;
  readonly rawInput: unknown;
  readonly diffs: readonly DiffContent[];
  /** What an agent's own terminal has printed by now, its end; and what the last message has added to it. */
  readonly terminal: string;
  readonly printed: string;
  /** Changes as they really are, by path: as they were written through us, or as a part of a file was found in it. */
  readonly known: ReadonlyMap<string, FileChange>;
}

/** A use of a tool that has come to its end, and what it changed. */
export interface FinishedCall {
  readonly id: string;
  readonly entry: ToolEntry;
}

const finalStates: ReadonlySet<ToolState> = new Set(["done", "failed", "rejected", "cancelled"]);

/**
 * The uses of tools of a session, by the agent's own ids. Whatever message comes first makes one: some agents ask before they
 * tell that there is one, others tell of it before they know what it is.
 */
export class ToolCalls {
  readonly #profile: AcpProfile;
  readonly #sink: UpdateSink;
  readonly #onFinished: (call: FinishedCall) => void;
  readonly #calls: Map<string, Call> = new Map();
  #turn = "";

  constructor(profile: AcpProfile, sink: UpdateSink, onFinished: (call: FinishedCall) => void) {
    this.#profile = profile;
    this.#sink = sink;
    this.#onFinished = onFinished;
  }

  /** A turn begins: ids that come again from now on are of other calls, as some models count theirs from 1 each time. */
  beginTurn(turn: string): void {
    // What has ended before the last turn is told no more of, and may hold whole files.
    for (const [id, call] of this.#calls) {
      if (call.turn !== this.#turn && finalStates.has(call.entry.state)) this.#calls.delete(id);
    }
    this.#turn = turn;
  }

  /** What was said of a call; returns its entry. */
  hear(fields: ToolFields, isNew = false): ToolEntry {
    const isBegun = isNew || fields.status === "pending" || fields.status === "in_progress";
    const before = this.#find(fields.id, isBegun);
    const call = this.#merge(before, fields);
    this.#keep(fields.id, before, call);
    return call.entry;
  }

  /** The diffs that an agent has told of a call. */
  diffsOf(id: string): readonly DiffContent[] {
    return this.#calls.get(id)?.diffs ?? [];
  }

  entryOf(id: string): ToolEntry | undefined {
    return this.#calls.get(id)?.entry;
  }

  /** The change that a call makes to a file, as it really is. The text before it stays what it was the first time. */
  know(id: string, change: FileChange): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    const { before: _, ...after } = change;
    const first = call.known.get(change.path) ?? change;
    const known = new Map(call.known).set(change.path, {
      ...after,
      ...(first.before === undefined ? {} : { before: first.before }),
    });
    this.#keep(id, call, withChanges({ ...call, known, printed: "" }, this.#profile));
  }

  /** A question about it is open, or was answered. */
  setState(id: string, state: ToolState): void {
    const call = this.#calls.get(id);
    if (call === undefined || finalStates.has(call.entry.state) || call.entry.state === state) return;
    this.#keep(id, call, { ...call, printed: "", entry: { ...call.entry, state } });
  }

  /** The newest call that has not ended and is about a file. */
  openOn(path: string): string | undefined {
    const found = Array.from(this.#calls).filter(
      ([, { entry }]) => !finalStates.has(entry.state) && entry.locations?.some((location) => location.path === path),
    );
    return found.at(-1)?.[0];
  }

  /** The turn is over: what has not ended will not. */
  endTurn(state: "cancelled" | "done"): void {
    for (const [id, { entry }] of this.#calls) {
      if (!finalStates.has(entry.state)) this.setState(id, entry.state === "running" ? state : "cancelled");
    }
  }

  /** What ended in an earlier turn does not begin again: it is another call. */
  #find(id: string, isNew: boolean): Call | undefined {
    const call = this.#calls.get(id);
    if (call === undefined) return undefined;
    return isNew && call.turn !== this.#turn && finalStates.has(call.entry.state) ? undefined : call;
  }

  #merge(before: Call | undefined, fields: ToolFields): Call {
    const old = before?.entry;
    const rawInput = isFilled(fields.rawInput) ? fields.rawInput : before?.rawInput;
    const diffs = fields.content?.flatMap((content) => (content.type === "diff" ? [content] : [])) ?? [];
    const printed = terminalText(fields.meta);
    const terminal = lastOf((before?.terminal ?? "") + printed, outputLimit);
    const tool = fields.kind ?? old?.tool ?? "other";
    const parent = this.#parentOf(fields.meta) ?? old?.parent;
    const locations = fields.locations?.length ? fields.locations : old?.locations;
    const title = fields.title === undefined || fields.title === "" ? old?.title : fields.title;
    const ownName = this.#nameOf(fields) ?? before?.ownName;
    const name = ownName ?? tool;
    const command = tool === "execute" ? (commandOf(rawInput) ?? title) : undefined;
    const entry: ToolEntry = {
      kind: "tool",
      id: old?.id ?? this.#sink.nextId("tool"),
      at: old?.at ?? this.#sink.clock.now(),
      ...(parent === undefined ? {} : { parent }),
      tool,
      name,
      title: title ?? name,
      state: stateOf(fields.status, old?.state),
      ...(command === undefined ? {} : { command }),
      ...(command !== undefined || !isFilled(rawInput) ? {} : { input: shownInput(rawInput) }),
      ...outputOf(fields, terminal, old),
      ...(old?.changes === undefined ? {} : { changes: old.changes }),
      ...(locations === undefined ? {} : { locations }),
    };
    const call = {
      entry,
      turn: before?.turn ?? this.#turn,
      ownName,
      rawInput,
      diffs: diffs.length > 0 ? diffs : (before?.diffs ?? []),
      terminal,
      printed,
      known: before?.known ?? new Map<string, FileChange>(),
    };
    return withChanges(call, this.#profile);
  }

  #nameOf({ id, meta }: ToolFields): string | undefined {
    const found = toolNames.safeParse(meta).data;
    const name = found?.toolName ?? found?.claudeCode?.toolName;
    if (name !== undefined || !this.#profile.namesToolsInIds) return name;
    const end = id.lastIndexOf("__");
    return end > 0 ? id.slice(0, end) : undefined;
  }

  #parentOf(meta: Meta): string | undefined {
    const found = toolNames.safeParse(meta).data;
    const id = found?.parentToolCallId ?? found?.claudeCode?.parentToolUseId;
    return id === undefined ? undefined : this.#calls.get(id)?.entry.id;
  }

  #keep(id: string, before: Call | undefined, call: Call): void {
    this.#calls.set(id, call);
    const more = before === undefined ? undefined : addedOutput(before.entry, call);
    if (more === undefined) this.#sink.fire({ type: "entry", entry: call.entry });
    else if (more !== "") this.#sink.fire({ type: "append", id: call.entry.id, to: "output", text: more });
    const hasEnded = finalStates.has(call.entry.state);
    if (hasEnded && !(before !== undefined && finalStates.has(before.entry.state))) {
      this.#onFinished({ id, entry: call.entry });
    }
  }
}

const toolNames = z.object({
  toolName: maybe(text),
  parentToolCallId: maybe(text),
  claudeCode: maybe(z.object({ toolName: maybe(text), parentToolUseId: maybe(text) })),
});

const states = { pending: "pending", in_progress: "running", completed: "done", failed: "failed" } as const;

/** What the user has decided stays: agents call it a failure, or say nothing more. A question waits until it is answered. */
function stateOf(status: ToolFields["status"], old: ToolState | undefined): ToolState {
  if (old === "rejected" || (old === "cancelled" && status === "failed")) return old;
  if (status === undefined) return old ?? "pending";
  if (old === "waiting" && status === "pending") return old;
  return states[status];
}

const shellInput = z.object({ command: z.union([z.string(), z.array(z.string())]) });

function commandOf(rawInput: unknown): string | undefined {
  const command = shellInput.safeParse(rawInput).data?.command;
  if (typeof command === "string") return command;
  const [shell, flag, script] = command ?? [];
  // What a shell is given as one argument is the command; its own name tells nothing.
  if (shell !== undefined && script !== undefined && /^-\w*c$/u.test(flag ?? "") && command?.length === 3)
    return script;
  return command?.map((word) => (/^[-\w./:=@]+$/u.test(word) ? word : JSON.stringify(word))).join(" ");
}

function isFilled(value: unknown): boolean {
  if (typeof value === "string") return value !== "";
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function shownInput(rawInput: unknown): string {
  const input = typeof rawInput === "string" ? rawInput : JSON.stringify(rawInput, undefined, 2);
  return input.length > inputLimit ? `${input.slice(0, inputLimit)}…` : input;
}

const terminalMeta = z.object({
  terminal_output_delta: maybe(z.object({ data: text })),
  terminal_output: maybe(z.object({ data: text })),
});

/** What an agent's own terminal prints comes beside the protocol. */
function terminalText(meta: Meta): string {
  const found = terminalMeta.safeParse(meta).data;
  return found?.terminal_output_delta?.data ?? found?.terminal_output?.data ?? "";
}

/** The end of what the tool returned. */
function outputOf(
  { content, rawOutput, status }: ToolFields,
  terminal: string,
  old: ToolEntry | undefined,
): Pick<ToolEntry, "output" | "outputOmitted"> {
  const texts = content?.flatMap((part) => (part.type === "text" ? [part.text] : [])) ?? [];
  const plain = texts.length === 0 && status === "completed" && typeof rawOutput === "string" ? rawOutput : "";
  const output = terminal === "" ? [...texts, plain].filter((part) => part !== "").join("\n") : terminal;
  if (output === "") {
    return {
      ...(old?.output === undefined ? {} : { output: old.output }),
      ...(old?.outputOmitted === undefined ? {} : { outputOmitted: old.outputOmitted }),
    };
  }
  const omitted = output.length - outputLimit;
  return omitted > 0 ? { output: lastOf(output, outputLimit), outputOmitted: omitted } : { output };
}

/** The entry with the changes as they are known; the input of an edit says the same once more. */
function withChanges(call: Call, profile: AcpProfile): Call {
  const told = call.diffs.map((diff) => call.known.get(diff.path) ?? changeOf(diff, profile));
  const paths = new Set(told.map(({ path }) => path));
  const changes = [...told, ...Array.from(call.known.values()).filter(({ path }) => !paths.has(path))];
  if (changes.length === 0) return call;
  const { input: _, ...entry } = call.entry;
  return { ...call, entry: { ...entry, changes } };
}

/** A diff as it was told. No text before, or an empty one: the file was not there. */
export function changeOf({ path, before, after }: DiffContent, profile: AcpProfile): FileChange {
  if (before === undefined || before === "") return { path, after };
  return { path, before, after, ...(profile.sendsWholeFiles ? {} : { isFragment: true }) };
}

/** The output that was added where nothing else has changed; undefined where something has. */
function addedOutput(before: ToolEntry, { entry, printed }: Call): string | undefined {
  const { output: oldOutput = "", outputOmitted: _, ...oldRest } = before;
  const { output = "", outputOmitted: __, ...rest } = entry;
  if (JSON.stringify(oldRest) !== JSON.stringify(rest)) return undefined;
  if (printed !== "") return printed;
  return output.startsWith(oldOutput) ? output.slice(oldOutput.length) : undefined;
}
