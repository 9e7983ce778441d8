import { memberOf, type PatchbayInAgent, textOf } from "../hook.ts";
import {
  type Answer,
  goodbyeMs,
  memberOfAny,
  NotesOfCalls,
  put,
  readAnswer,
  reviewMs,
  turnMs,
  unusableReason,
  writtenMs,
} from "../plugin.ts";
import { backgroundTool, commandTool, editTool, moments, patchTool, writeTool } from "./names.ts";

// Runs in the agent's own process: docs/protocols/opencode.md. Whatever is thrown before a tool is a no to that tool.

const reviewedTools: ReadonlySet<unknown> = new Set([writeTool, editTool, patchTool, commandTool, backgroundTool]);

/** What the model reads of a call that its user has interrupted. */
const interruptedReason = "The user interrupted this. Nothing was done.";

/** The plugin that acts in a folder, where the user and the folder have one each, and where the agent has loaded it anew: both are told of every event. */
const acting: Map<string, OpenCodePlugin> = new Map();

/** Has an agent of the family ask before it writes: gives it what it calls. Never throws. */
export function attachOpenCode(host: unknown, patchbay: PatchbayInAgent): OpenCodeHooks {
  const plugin = new OpenCodePlugin(host, patchbay);
  acting.set(plugin.folder, plugin);
  return plugin.hooks();
}

type Hook = (input: unknown, output: unknown) => Promise<void>;

/** What the agent calls, by its own names. */
export interface OpenCodeHooks {
  readonly event: (told: unknown) => Promise<void>;
  readonly "chat.message": Hook;
  readonly "tool.execute.before": Hook;
  readonly "tool.execute.after": Hook;
  readonly dispose: () => Promise<void>;
}

/** A call that the user is asked about, or whose turn has not come. */
interface AskedCall {
  readonly session: string;
  readonly interrupt: AbortController;
}

/** A no, of which the model is told. */
class Refusal extends Error {}

class OpenCodePlugin {
  /** Where the agent works. */
  readonly folder: string;
  readonly #host: unknown;
  readonly #patchbay: PatchbayInAgent;
  readonly #notes: NotesOfCalls = new NotesOfCalls();
  /** The session from which one was made for a part of its work. */
  readonly #parents: Map<string, string> = new Map();
  // oxlint-disable-next-line patchbay/no-kept-promise -- It does not fail: whoever waits for it wants to know that it is over.
  readonly #begun: Map<string, Promise<unknown>> = new Map();
  readonly #asked: Map<string, AskedCall> = new Map();
  /** What the user has said yes to, and what has not ended. */
  readonly #accepted: Map<string, string> = new Map();
  /** The agent runs the tools of an answer at once; its user is asked about one after the other. */
  // oxlint-disable-next-line patchbay/no-kept-promise -- It does not fail: whoever waits for it wants to know that it is over.
  readonly #turns: Map<string, Promise<unknown>> = new Map();

  constructor(host: unknown, patchbay: PatchbayInAgent) {
    this.#host = host;
    this.#patchbay = patchbay;
    const folder = memberOfAny(host, "directory");
    this.folder = typeof folder === "string" ? folder : "";
  }

  hooks(): OpenCodeHooks {
    const quietly = (work: Hook): Hook => {
      return async (input, output) => {
        try {
          if (acting.get(this.folder) === this) await work(input, output);
        } catch (error) {
          if (error instanceof Refusal) throw error;
        }
      };
    };
    return {
      event: async (told) => await quietly(async () => this.#event(memberOf(told, "event")))(told, undefined),
      "chat.message": quietly(async (input, output) => await this.#prompted(input, output)),
      "tool.execute.before": quietly(async (input, output) => await this.#before(input, output)),
      "tool.execute.after": quietly(async (input, output) => await this.#after(input, output)),
      dispose: async () => await quietly(async () => await this.#end())(undefined, undefined),
    };
  }

  async #event(event: unknown): Promise<void> {
    const told = memberOf(event, "properties");
    const session = textOf(told, "sessionID") ?? "";
    switch (textOf(event, "type")) {
      case "session.created": {
        const parent = textOf(memberOf(told, "info"), "parentID");
        if (parent !== undefined) this.#parents.set(session, parent);
        return;
      }
      case "session.error":
        this.#interrupt((call) => call.session === session);
        return;
      case "session.idle":
        this.#interrupt((call) => call.session === session);
        if (!this.#parents.has(session) && this.#begun.has(session))
          await this.#tell(moments.turnEnds, session, turnMs);
        return;
      case "session.deleted":
        this.#interrupt((call) => call.session === session);
        this.#parents.delete(session);
        if (this.#begun.delete(session)) await this.#tell("SessionEnd", session, turnMs);
        return;
      case "message.part.updated":
        return await this.#partChanged(memberOf(told, "part"), session);
      case "permission.asked":
        return await this.#answerItsQuestion(told, session);
      default:
    }
  }

  /** A call that has ended, in whatever way, waits for nobody; of one that has failed after a yes nobody else tells. */
  async #partChanged(part: unknown, session: string): Promise<void> {
    const call = textOf(part, "callID");
    const status = textOf(memberOf(part, "state"), "status");
    if (call === undefined || (status !== "error" && status !== "completed")) return;
    this.#asked.get(call)?.interrupt.abort();
    if (!this.#accepted.delete(call) || status !== "error") return;
    this.#notes.take(call);
    const input = memberOf(memberOf(part, "state"), "input");
    await this.#tell(moments.afterTool, session, writtenMs, { tool_name: textOf(part, "tool"), tool_input: input });
  }

  #interrupt(isMeant: (call: AskedCall) => boolean): void {
    for (const call of this.#asked.values()) if (isMeant(call)) call.interrupt.abort();
  }

  /** What the user has said yes to in their editor, the agent need not ask in its terminal. */
  async #answerItsQuestion(question: unknown, session: string): Promise<void> {
    const call = textOf(memberOf(question, "tool"), "callID") ?? "";
    const [permission, id] = [textOf(question, "permission"), textOf(question, "id")];
    if (permission === undefined || id === undefined || this.#accepted.get(call) !== permission) return;
    const client = memberOfAny(this.#host, "client");
    const reply = memberOfAny(client, "postSessionIdPermissionsPermissionId");
    if (typeof reply !== "function") return;
    await Reflect.apply(reply, client, [{ path: { id: session, permissionID: id }, body: { response: "once" } }]);
  }

  async #prompted(input: unknown, output: unknown): Promise<void> {
    const session = textOf(input, "sessionID") ?? "";
    if (this.#parents.has(session)) return;
    const parts = memberOf(output, "parts");
    const texts = Array.isArray(parts) ? parts.flatMap((part: unknown) => textOf(part, "text") ?? []) : [];
    const answer = await this.#tell(moments.turnBegins, session, turnMs, { prompt: texts.join("\n") });
    if (answer?.note === undefined || !Array.isArray(parts)) return;
    const [first]: readonly unknown[] = parts;
    const [id, messageID] = [textOf(first, "id"), textOf(first, "messageID")];
    // Behind what the user wrote: ids tell the order.
    if (id !== undefined && messageID !== undefined)
      parts.push({ id: `${id}z`, sessionID: session, messageID, type: "text", text: answer.note, synthetic: true });
  }

  async #before(input: unknown, output: unknown): Promise<void> {
    const tool = textOf(input, "tool");
    if (!reviewedTools.has(tool)) return;
    const call = textOf(input, "callID") ?? "";
    const own = textOf(input, "sessionID") ?? "";
    const given = memberOf(output, "args");
    const interrupt = new AbortController();
    this.#asked.set(call, { session: own, interrupt });
    try {
      const told = { tool_name: tool, tool_input: given };
      const answer = await this.#inTurn(this.#rootOf(own), async () =>
        interrupt.signal.aborted
          ? undefined
          : await this.#tell(moments.beforeTool, own, reviewMs, told, interrupt.signal),
      );
      if (interrupt.signal.aborted) throw new Refusal(interruptedReason);
      if (answer?.kind === "deny") throw new Refusal(answer.reason);
      if (answer?.kind === "allow-changed") {
        // What the user took out is not written instead.
        if (!put(answer.arguments, given)) throw new Refusal(unusableReason);
        this.#notes.keep(call, answer.note);
      }
      if (answer?.kind === "allow" || answer?.kind === "allow-changed")
        this.#accepted.set(call, tool === commandTool || tool === backgroundTool ? commandTool : "edit");
    } finally {
      this.#asked.delete(call);
    }
  }

  async #after(input: unknown, output: unknown): Promise<void> {
    const tool = textOf(input, "tool");
    if (!reviewedTools.has(tool)) return;
    const call = textOf(input, "callID") ?? "";
    this.#accepted.delete(call);
    const changed = this.#notes.take(call);
    const told = { tool_name: tool, tool_input: memberOf(input, "args") };
    const session = textOf(input, "sessionID") ?? "";
    const answer = await this.#tell(moments.afterTool, session, writtenMs, told).catch(() => undefined);
    const read = textOf(output, "output");
    const notes = [changed, answer?.note].filter((note) => note !== undefined);
    if (read === undefined || notes.length === 0 || typeof output !== "object" || output === null) return;
    Reflect.set(output, "output", [read, ...notes].join("\n\n"));
  }

  /** The agent ends, or loads its plugins anew. */
  async #end(): Promise<void> {
    this.#interrupt(() => true);
    acting.delete(this.folder);
    await Promise.all(Array.from(this.#begun.keys(), (session) => this.#tell("SessionEnd", session, goodbyeMs)));
  }

  /** What is asked about a session, one after the other. */
  async #inTurn<Result>(session: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(session) ?? Promise.resolve();
    const mine = before.then(work);
    const ended = mine.catch(() => undefined);
    this.#turns.set(session, ended);
    try {
      return await mine;
    } finally {
      if (this.#turns.get(session) === ended) this.#turns.delete(session);
    }
  }

  /** The session that the user began. */
  #rootOf(session: string): string {
    let root = session;
    for (let steps = 0; steps < mostParents; steps += 1) root = this.#parents.get(root) ?? root;
    return root;
  }

  async #tell(
    name: string,
    own: string,
    limitMs: number,
    of: Readonly<Record<string, unknown>> = {},
    signal?: AbortSignal,
  ): Promise<Answer | undefined> {
    const session = this.#rootOf(own);
    const source = { session_id: session, cwd: this.folder };
    const isEnd = name === "SessionEnd";
    if (!isEnd && !this.#begun.has(session)) {
      const begin = { ...source, hook_event_name: "SessionStart" };
      this.#begun.set(
        session,
        this.#patchbay.ask(begin, { limitMs: turnMs }).catch(() => undefined),
      );
    }
    await this.#begun.get(session);
    const patience = { limitMs, ...(signal === undefined ? {} : { signal }) };
    return readAnswer(await this.#patchbay.ask({ ...of, ...source, hook_event_name: name }, patience));
  }
}

/** Deeper nobody makes sessions of sessions. */
const mostParents = 8;
