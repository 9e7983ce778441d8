import { outputLimit, type SessionUpdate, type ToolEntry, type ToolState } from "../model/index.ts";
import { lastOf } from "../process/lines.ts";
import type { ToolUseBlock, UserMessage } from "./codec.ts";
import { fileToolResult } from "./requests.ts";
import {
  changeOf,
  isFileTool,
  isShownAsQuestion,
  kindOfTool,
  locationsOf,
  shownInput,
  stepsOf,
  titleOf,
  type ToolInput,
} from "./tool-facts.ts";

export interface ToolUseSink {
  now(): number;
  update(update: SessionUpdate): void;
}

/** The uses of tools in a session, each an entry until its result has come. */
export class ToolUses {
  readonly #sink: ToolUseSink;
  readonly #cwd: string;
  readonly #open: Map<string, ToolEntry> = new Map();
  /** Inputs as the model wrote them: a question may come with less. */
  readonly #inputs: Map<string, ToolInput> = new Map();
  /** Uses of which the user was asked, and whether they said no. */
  readonly #asked: Map<string, { isRejected: boolean }> = new Map();
  /** Uses that have started something in the background: they end with that. */
  readonly #goingOn: Set<string> = new Set();

  constructor(sink: ToolUseSink, cwd: string) {
    this.#sink = sink;
    this.#cwd = cwd;
  }

  begin({ id, name, input }: ToolUseBlock, parent: string | undefined, isWhole: boolean): void {
    const known = this.#open.get(id);
    this.#inputs.set(id, input);
    const steps = stepsOf(name, input);
    if (steps !== undefined && isWhole) {
      this.#sink.update({ type: "entry", entry: { kind: "plan", id: "plan", at: this.#sink.now(), steps } });
    }
    const locations = locationsOf(input, this.#cwd);
    this.#set({
      kind: "tool",
      id,
      at: known?.at ?? this.#sink.now(),
      ...(parent === undefined ? {} : { parent }),
      tool: kindOfTool(name),
      name,
      title: titleOf(name, input, this.#cwd),
      state: known === undefined || known.state === "pending" ? (isWhole ? "running" : "pending") : known.state,
      ...shownInput(name, input),
      ...(locations.length === 0 ? {} : { locations }),
    });
  }

  inputOf(id: string): ToolInput {
    return this.#inputs.get(id) ?? {};
  }

  parentOf(id: string): string | undefined {
    return this.#open.get(id)?.parent;
  }

  /** The user is asked whether it may run. */
  asked(id: string): void {
    this.#asked.set(id, { isRejected: false });
    this.#move(id, "waiting");
  }

  allowed(id: string): void {
    this.#move(id, "running");
  }

  rejected(id: string): void {
    this.#asked.set(id, { isRejected: true });
  }

  /** What it has started goes on in the background. */
  goesOn(id: string): void {
    this.#goingOn.add(id);
    this.#move(id, "running");
  }

  /** What it has started in the background has ended. */
  finishLater(id: string, status: string, summary: string): void {
    const entry = this.#open.get(id);
    if (!this.#goingOn.delete(id) || entry === undefined) return;
    const state = status === "completed" ? "done" : status === "failed" ? "failed" : "cancelled";
    // Of a command it is no more than what it is about; a subagent reports.
    this.#close({ ...entry, state, ...(entry.tool === "subagent" ? limitedOutput(summary) : {}) });
  }

  /** Results of tools have come. */
  finish({ message, tool_use_result, tool_result_meta }: UserMessage): void {
    if (typeof message.content === "string") return;
    for (const block of message.content) {
      if (block.type !== "tool_result") continue;
      const entry = this.#open.get(block.tool_use_id);
      if (entry === undefined) continue;
      const isError = block.is_error === true;
      if (this.#goingOn.has(entry.id) && !isError) continue;
      const wasStopped = tool_result_meta?.some(
        (meta) => meta.id === entry.id && meta.non_execution_kind === "user-rejected",
      );
      this.#close({
        ...entry,
        state: !isError ? "done" : this.#endOf(entry.id, wasStopped ?? false),
        ...limitedOutput(resultText(block.content)),
        ...(isError ? {} : this.#changes(entry, tool_use_result)),
      });
    }
  }

  /**
   * A turn has ended: what belongs to it and has no result by now gets none. What goes on in the background is not stopped with it,
   * and neither is what a subagent does there.
   */
  endTurn(isStopped: boolean): void {
    for (const entry of this.#open.values()) {
      if (this.#isGoingOn(entry)) continue;
      if (entry.parent === undefined || isStopped) this.#close({ ...entry, state: "cancelled" });
    }
  }

  /** The process has ended, and all with it. */
  end(): void {
    this.#goingOn.clear();
    for (const entry of this.#open.values()) this.#close({ ...entry, state: "cancelled" });
  }

  #isGoingOn({ id, parent }: ToolEntry): boolean {
    return this.#goingOn.has(id) || (parent !== undefined && this.#goingOn.has(parent));
  }

  #endOf(id: string, wasStopped: boolean): ToolState {
    if (this.#asked.get(id)?.isRejected === true) return "rejected";
    return wasStopped ? "cancelled" : "failed";
  }

  #changes(entry: ToolEntry, result: unknown): Pick<ToolEntry, "changes"> {
    if (!isFileTool(entry.name)) return {};
    const parsed = fileToolResult.safeParse(result);
    if (!parsed.success) return {};
    const change = changeOf(parsed.data, this.#cwd);
    this.#sink.update({
      type: "file-changed",
      path: change.path,
      toolId: entry.id,
      isAsked: this.#asked.has(entry.id),
    });
    return { changes: [change] };
  }

  #move(id: string, state: ToolState): void {
    const entry = this.#open.get(id);
    if (entry !== undefined) this.#set({ ...entry, state });
  }

  #set(entry: ToolEntry): void {
    this.#open.set(entry.id, entry);
    if (!isShownAsQuestion(entry.name)) this.#sink.update({ type: "entry", entry });
  }

  #close(entry: ToolEntry): void {
    // The question says it all, unless it came to none.
    const isSaid = isShownAsQuestion(entry.name) && (this.#asked.has(entry.id) || entry.state !== "failed");
    this.#open.delete(entry.id);
    this.#inputs.delete(entry.id);
    this.#asked.delete(entry.id);
    if (!isSaid) this.#sink.update({ type: "entry", entry });
  }
}

/** The text of a tool's result, which is a text or a list of blocks. */
function resultText(content: unknown): string {
  if (typeof content === "string") return content.replace(/^<tool_use_error>([^]*)<\/tool_use_error>$/u, "$1");
  if (!Array.isArray(content)) return "";
  const blocks: readonly unknown[] = content;
  return blocks.flatMap(blockText).join("\n");
}

function blockText(block: unknown): readonly string[] {
  if (typeof block !== "object" || block === null || !("type" in block)) return [];
  if ("text" in block && typeof block.text === "string") return [block.text];
  return block.type === "image" ? ["[image]"] : [];
}

function limitedOutput(text: string): Pick<ToolEntry, "output" | "outputOmitted"> {
  if (text === "") return {};
  if (text.length <= outputLimit) return { output: text };
  return { output: lastOf(text, outputLimit), outputOmitted: text.length - outputLimit };
}
