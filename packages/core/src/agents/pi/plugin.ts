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
import { commandTool, editTool, writeTool } from "./names.ts";
import { PiSigns, registerCommand } from "./signs.ts";

// Runs in Pi's own process: docs/protocols/pi.md. A handler that throws blocks the tool, and one that waits holds Pi up.

const reviewedTools: ReadonlySet<unknown> = new Set([writeTool, editTool, commandTool]);

/** What an extension is given. */
interface PiApi {
  on(event: string, handler: (event: unknown, context: unknown) => Promise<unknown>): void;
}

/** Pi runs in the conversation panel, which asks by itself (`conversations/src/pi-rpc/extension.ts`), and is loaded first. */
function isInPanel(): boolean {
  return Reflect.get(globalThis, Symbol.for("patchbay.panel")) === true;
}

function isApi(host: unknown): host is PiApi {
  return typeof memberOfAny(host, "on") === "function";
}

/** The extension that acts, where the user and the folder have one each: both are told of every event. */
let acting: { readonly host: PiApi; readonly signs: PiSigns } | undefined;
/** The begin of a session, of which all extensions are told with the same object. */
let lastBegin: unknown;
/** One of those that were loaded since has given Pi its command. */
let hasCommand = false;

/** Has Pi ask before it writes. Never throws. */
export function attachPi(host: unknown, patchbay: PatchbayInAgent): void {
  if (!isApi(host) || isInPanel()) return;
  const signs = new PiSigns(async (context) => await patchbay.editorOf(textOf(sourceIn(context), "cwd") ?? ""));
  /** What the model is to read when a call has ended. */
  const notes = new NotesOfCalls();
  const listen = (name: string, handle: (event: unknown, context: unknown) => Promise<unknown>): void =>
    host.on(name, async (event, context) => {
      try {
        acting ??= { host, signs };
        await begun;
        return acting.host === host ? await handle(event, context) : undefined;
      } catch {
        return undefined;
      }
    });
  /** The begin of the session is told first; Pi's start does not wait for it. */
  let begun: Promise<unknown> = Promise.resolve();
  const tell = async (name: string, telling: Telling): Promise<Answer | undefined> => {
    const { of = {}, context, ...patience } = telling;
    return readAnswer(await patchbay.ask({ ...of, ...sourceIn(context), hook_event_name: name }, patience));
  };
  host.on("session_start", async (event, context) => {
    if (event !== lastBegin) {
      lastBegin = event;
      acting = { host, signs };
      hasCommand = false;
    }
    if (acting?.host !== host) return;
    begun = tell("SessionStart", { context, limitMs: turnMs }).catch(() => undefined);
    signs.begin(context);
  });
  listen("session_shutdown", async (_event, context) => {
    signs.end();
    await tell("SessionEnd", { context, limitMs: goodbyeMs });
  });
  listen("before_agent_start", async (event, context) => {
    const of = { prompt: textOf(event, "prompt") ?? "" };
    const answer = await tell("before_agent_start", { of, context, limitMs: turnMs });
    const content = answer?.note;
    return content === undefined ? undefined : { message: { customType: "patchbay", content, display: true } };
  });
  listen("agent_end", async (_event, context) => {
    await tell("agent_end", { context, limitMs: turnMs });
  });
  listen("tool_call", async (event, context) => {
    const signal = signalIn(context);
    // Pi asks for each call of a message, also where its user has interrupted the first.
    if (!reviewedTools.has(memberOf(event, "toolName")) || signal?.aborted === true) return undefined;
    const of = { ...callOf(event), is_paused: signs.isPaused };
    const onWaiting = (): void => signs.waitsFor(nameIn(memberOf(event, "input")));
    const telling = { of, context, limitMs: reviewMs, onWaiting, ...(signal === undefined ? {} : { signal }) };
    const answer = await tell("tool_call", telling).finally(() => signs.waitsFor(undefined));
    if (answer?.kind === "deny") return { block: true, reason: answer.reason };
    if (answer?.kind === "allow-changed") {
      // What the user took out is not written instead.
      if (!put(answer.arguments, memberOf(event, "input"))) return { block: true, reason: unusableReason };
      notes.keep(textOf(event, "toolCallId") ?? "", answer.note);
    }
    return undefined;
  });
  listen("tool_result", async (event, context) => {
    if (!reviewedTools.has(memberOf(event, "toolName"))) return undefined;
    const changed = notes.take(textOf(event, "toolCallId") ?? "");
    const signal = signalIn(context);
    const patience = { limitMs: writtenMs, ...(signal === undefined ? {} : { signal }) };
    const telling = { of: callOf(event), context, ...patience };
    const answer = await tell("tool_result", telling).catch(() => undefined);
    const content = memberOf(event, "content");
    // What was not written is nobody's text.
    const told = [memberOf(event, "isError") === true ? undefined : changed, answer?.note];
    const texts = told.filter((text) => text !== undefined).map((text) => ({ type: "text", text }));
    return texts.length === 0 || !Array.isArray(content) ? undefined : { content: [...content, ...texts] };
  });
  if (hasCommand) return;
  hasCommand = true;
  registerCommand(host, async (typed, context) => {
    await acting?.signs.answer(typed, context, async () => await tell("PatchbayShow", { context, limitMs: turnMs }));
  });
}

type Told = Readonly<Record<string, unknown>>;

type Telling = { readonly of?: Told; readonly context: unknown } & Parameters<PatchbayInAgent["ask"]>[1];

function callOf(event: unknown): Told {
  return { tool_name: memberOf(event, "toolName"), tool_input: memberOf(event, "input") };
}

/** What a call is about, for its user. */
function nameIn(input: unknown): string {
  const path = textOf(input, "path");
  return path === undefined ? `$ ${textOf(input, "command") ?? ""}` : path.slice(path.lastIndexOf("/") + 1);
}

function sourceIn(context: unknown): Told {
  const sessions = memberOfAny(context, "sessionManager");
  const name: unknown = memberOfAny(sessions, "getSessionId");
  return {
    session_id: typeof name === "function" ? Reflect.apply(name, sessions, []) : undefined,
    cwd: memberOfAny(context, "cwd"),
  };
}

function signalIn(context: unknown): AbortSignal | undefined {
  const signal = memberOfAny(context, "signal");
  return signal instanceof AbortSignal ? signal : undefined;
}
