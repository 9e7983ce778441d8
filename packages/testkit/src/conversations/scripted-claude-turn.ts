import { randomUUID } from "node:crypto";
import { agentOf } from "@patchbay/core";

/** What the model does in a turn. */
export type ClaudeScript = (turn: ScriptedClaudeTurn) => Promise<void> | void;

/** A hook that was asked for: which tools it is for. */
export interface ScriptedHook {
  readonly event: string;
  readonly matcher: string;
  readonly id: string;
}

/** What a turn needs of the program that plays it. */
export interface ScriptedTurnStage {
  readonly hooks: readonly ScriptedHook[];
  readonly files: Map<string, string>;
  /** What reached the model besides. */
  readonly contexts: string[];
  next(): number;
  say(message: Readonly<Record<string, unknown>>): void;
  ask(request: Readonly<Record<string, unknown>>, requestId?: string): Promise<Readonly<Record<string, unknown>>>;
  cancel(requestId: string): void;
  setMode(mode: string): void;
  /** What the session has cost with this. */
  paid(amount: number): number;
  /** A tool has started something in the background. */
  goesOn(toolId: string, description: string, type: string): void;
}

/** How a tool is used in a script. */
export interface ScriptedToolUse {
  /** The user is asked, unless this is false. */
  readonly isAsked?: boolean;
  readonly suggestions?: readonly Readonly<Record<string, unknown>>[];
  /** What comes of it where it runs; Write and Edit say it themselves. */
  readonly result?: string;
  /** The use of the tool that started the subagent that uses it. */
  readonly parent?: string;
  /** It is started in the background: a `local_bash` or a `local_agent`. */
  readonly background?: string;
  /** What the question holds as input, where that is not what the model wrote. */
  readonly askedInput?: Readonly<Record<string, unknown>>;
}

const writing: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit"]);

/** What a tool makes of its file. */
async function changeOf(
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<{ textAfter(before: string | undefined): string | undefined } | undefined> {
  const event = { session_id: "s", hook_event_name: "PreToolUse", tool_name: tool, tool_input: input };
  const read = (await agentOf("claude").loadHook?.())?.read(event);
  return read?.kind === "write" ? read.changes[0] : undefined;
}

class Stopped extends Error {}

const usage = { input_tokens: 10, output_tokens: 1 };

/** What the model does in one turn. */
export class ScriptedClaudeTurn {
  readonly #process: ScriptedTurnStage;
  readonly #promptId: string | undefined;
  #asked: string | undefined;
  #used: string | undefined;
  #stop: (() => void) | undefined;
  #failure: string | undefined;
  isStopped = false;

  constructor(process: ScriptedTurnStage, promptId: string | undefined) {
    this.#process = process;
    this.#promptId = promptId;
  }

  /** A question is open. */
  get isAsking(): boolean {
    return this.#asked !== undefined;
  }

  /** Says a text, piece by piece. */
  says(...pieces: readonly string[]): void {
    this.#streams("text", "text_delta", pieces);
  }

  thinks(...pieces: readonly string[]): void {
    this.#streams("thinking", "thinking_delta", pieces);
  }

  /** A part of a text that never comes to its end. */
  begins(text: string): void {
    this.#event({ type: "message_start", message: { id: `msg_${this.#process.next()}`, usage } });
    this.#event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
    this.#event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  }

  /** Uses a tool, as the user lets it; resolves with the text that the model gets. */
  async uses(name: string, input: Readonly<Record<string, unknown>>, how: ScriptedToolUse = {}): Promise<string> {
    const id = `toolu_${this.#process.next()}`;
    const parent = how.parent ?? null;
    this.#used = id;
    const block = { type: "tool_use", id, name, input };
    if (how.parent === undefined) {
      this.#event({ type: "message_start", message: { id: `msg_${id}`, usage } });
      this.#event({ type: "content_block_start", index: 0, content_block: { ...block, input: {} } });
    }
    this.#whole(`msg_${id}`, block, parent);
    await this.#hook("PreToolUse", id, name, input);
    const answer = how.isAsked === false ? { behavior: "allow" } : await this.#ask(id, name, input, how);
    if (answer["behavior"] !== "allow") return this.#finish(id, String(answer["message"]), true, parent);
    const updated = isRecord(answer["updatedInput"]) ? answer["updatedInput"] : input;
    for (const update of Array.isArray(answer["updatedPermissions"]) ? answer["updatedPermissions"] : []) {
      if (isRecord(update) && update["type"] === "setMode") this.#process.setMode(String(update["mode"]));
    }
    if (how.background !== undefined) {
      this.#process.goesOn(id, String(updated["description"]), how.background);
      return this.#finish(id, "Command running in background with ID: 1.", false, parent);
    }
    const done = await this.#run(name, updated, how);
    if (!done.isError) await this.#hook("PostToolUse", id, name, updated);
    return this.#finish(id, done.text, done.isError, parent, done.result);
  }

  /** Thinks until it is stopped. */
  async waits(): Promise<never> {
    return await new Promise<never>((_resolve, reject) => {
      this.#stop = () => reject(new Stopped());
    });
  }

  retries(attempt: number, delayMs: number): void {
    this.#process.say({
      type: "system",
      subtype: "api_retry",
      attempt,
      max_retries: 10,
      retry_delay_ms: delayMs,
      error_status: 529,
      error: "overloaded",
    });
  }

  /** The provider fails: the text comes as if the model had said it. */
  fails(error: string, text: string): void {
    this.#failure = text;
    const message = { id: randomUUID(), model: "<synthetic>", role: "assistant", content: [{ type: "text", text }] };
    this.#process.say({ type: "assistant", message, parent_tool_use_id: null, error });
  }

  /** The editor interrupts. */
  stop(): void {
    this.isStopped = true;
    if (this.#asked !== undefined) this.#process.cancel(this.#asked);
    this.#stop?.();
  }

  async play(script: ClaudeScript): Promise<void> {
    try {
      await script(this);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
    if (this.isStopped && this.#used !== undefined) {
      const meta = [{ id: this.#used, non_execution_kind: "user-rejected" }];
      this.#result(this.#used, "The user doesn't want to proceed with this tool use.", true, null, undefined, meta);
    }
    this.#process.say({
      type: "result",
      subtype: this.isStopped ? "error_during_execution" : "success",
      is_error: this.isStopped || this.#failure !== undefined,
      ...(this.#failure === undefined ? {} : { result: this.#failure }),
      ...(this.isStopped ? { terminal_reason: "aborted_streaming" } : { terminal_reason: "completed" }),
      duration_ms: 100,
      total_cost_usd: this.#process.paid(this.#failure === undefined ? 0.5 : 0),
      usage:
        this.#failure === undefined ? { input_tokens: 10, output_tokens: 5 } : { input_tokens: 0, output_tokens: 0 },
      modelUsage: { "claude-large-1": { contextWindow: 1_000_000 } },
      ...(this.#promptId === undefined
        ? {}
        : { user_message_uuid: this.#promptId, user_message_uuids: [this.#promptId] }),
    });
  }

  #event(event: Readonly<Record<string, unknown>>): void {
    this.#process.say({ type: "stream_event", event, parent_tool_use_id: null });
  }

  #whole(id: string, block: Readonly<Record<string, unknown>>, parent: string | null): void {
    const message = { id, model: "claude-large-1", role: "assistant", content: [block], usage };
    this.#process.say({ type: "assistant", message, parent_tool_use_id: parent });
  }

  #streams(kind: "text" | "thinking", delta: string, pieces: readonly string[]): void {
    const id = `msg_${this.#process.next()}`;
    this.#event({ type: "message_start", message: { id, usage } });
    this.#event({ type: "content_block_start", index: 0, content_block: { type: kind, [kind]: "" } });
    for (const piece of pieces) {
      this.#event({ type: "content_block_delta", index: 0, delta: { type: delta, [kind]: piece } });
    }
    this.#whole(id, { type: kind, [kind]: pieces.join("") }, null);
    this.#event({ type: "content_block_stop", index: 0 });
  }

  async #hook(event: string, id: string, name: string, input: Readonly<Record<string, unknown>>): Promise<void> {
    for (const hook of this.#process.hooks) {
      if (hook.event !== event || !new RegExp(`^(?:${hook.matcher})$`, "u").test(name)) continue;
      const members = { hook_event_name: event, tool_name: name, tool_input: input };
      const answer = await this.#process.ask({
        subtype: "hook_callback",
        callback_id: hook.id,
        input: members,
        tool_use_id: id,
      });
      const output = answer["hookSpecificOutput"];
      if (isRecord(output) && typeof output["additionalContext"] === "string") {
        this.#process.contexts.push(output["additionalContext"]);
      }
    }
  }

  async #ask(
    id: string,
    name: string,
    input: Readonly<Record<string, unknown>>,
    { suggestions, askedInput }: ScriptedToolUse,
  ): Promise<Readonly<Record<string, unknown>>> {
    const requestId = randomUUID();
    this.#asked = requestId;
    const stopped = new Promise<never>((_resolve, reject) => {
      this.#stop = () => reject(new Stopped());
    });
    const asked = this.#process.ask(
      {
        subtype: "can_use_tool",
        tool_name: name,
        display_name: name,
        input: askedInput ?? input,
        tool_use_id: id,
        ...(suggestions === undefined ? {} : { permission_suggestions: suggestions }),
      },
      requestId,
    );
    const answer = await Promise.race([asked, stopped]);
    this.#asked = undefined;
    return answer;
  }

  /** Writes what the real one was seen to write (docs/protocols/claude.md, "Hooks"). */
  async #run(name: string, input: Readonly<Record<string, unknown>>, how: ScriptedToolUse): Promise<Done> {
    if (!writing.has(name)) return { text: how.result ?? "", isError: false };
    // It takes composed letters for the decomposed ones of a name.
    const path = String(input["file_path"]).normalize("NFC");
    const { files } = this.#process;
    const held = files.get(path);
    const after = (await changeOf(name, input))?.textAfter(held);
    if (after === undefined) {
      return { text: "<tool_use_error>String to replace not found in file.</tool_use_error>", isError: true };
    }
    files.set(path, after);
    const originalFile = held?.replace(/^\uFEFF/u, "").replaceAll("\r\n", "\n");
    if (name === "Write") {
      const type = held === undefined ? "create" : "update";
      const result = { type, filePath: path, content: input["content"], structuredPatch: [] };
      return {
        text: `File created successfully at: ${path}`,
        isError: false,
        result: { ...result, originalFile: originalFile ?? null },
      };
    }
    const { old_string: oldString, new_string: newString } = input;
    const result = { filePath: path, oldString, newString, originalFile };
    return { text: `The file ${path} has been updated successfully.`, isError: false, result };
  }

  #finish(id: string, text: string, isError: boolean, parent: string | null, result?: unknown): string {
    this.#used = undefined;
    const meta = isError ? [{ id, non_execution_kind: "permission-rule" }] : [{ id }];
    this.#result(id, text, isError, parent, result, meta);
    return text;
  }

  #result(id: string, text: string, isError: boolean, parent: string | null, result: unknown, meta: unknown): void {
    const block = { type: "tool_result", tool_use_id: id, content: text, ...(isError ? { is_error: true } : {}) };
    this.#process.say({
      type: "user",
      message: { role: "user", content: [block] },
      parent_tool_use_id: parent,
      ...(result === undefined ? {} : { tool_use_result: result }),
      tool_result_meta: meta,
    });
  }
}

interface Done {
  readonly text: string;
  readonly isError: boolean;
  readonly result?: unknown;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
