// What a test asks of the editor process over the private channel between the two; both sides parse what they get.
import * as z from "zod";

/** One kind of question: its name, and what goes in and comes out. */
export interface Call<Input, Output> {
  readonly name: string;
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodType<Output>;
}

function define<Input, Output>(name: string, input: z.ZodType<Input>, output: z.ZodType<Output>): Call<Input, Output> {
  return { name, input, output };
}

const nothing = z.undefined();
const view = z.object({ id: z.string() });
const text = z.string();
const bytes = z.number();

export interface HostSettings {
  readonly folders: string[];
  readonly storage?: string | undefined;
  readonly exclude?: string[] | undefined;
}

export interface Listening {
  readonly port: number;
  readonly warnings: string[];
}

export interface SessionSeen {
  readonly id: string;
  readonly dialect: string;
  readonly state: string;
  readonly openProposals: number;
}

export interface ProposalSeen {
  readonly id: string;
  readonly sessionId: string;
  readonly path: string;
  readonly state: string;
  readonly edited: boolean;
}

export interface ViewSeen {
  readonly id: string;
  readonly path: string;
  readonly agentName: string;
  /** `open`, how the user ended it, or `withdrawn`. */
  readonly state: string;
  readonly reason?: string | undefined;
  readonly agentPresent: boolean;
  /** At most 2,000 characters; `viewText` gives all. */
  readonly text: string;
  /** Whether it opened with a draft of the user's. */
  readonly draft: boolean;
}

export interface Weight {
  readonly heap: number;
  /** Heap, buffers and what else the engine knows of. */
  readonly total: number;
  readonly resident: number;
}

/** Builds an editor and a companion and starts it. */
export const start: Call<HostSettings, Listening> = define(
  "start",
  z.object({ folders: z.array(text), storage: text.optional(), exclude: z.array(text).optional() }),
  z.object({ port: z.number(), warnings: z.array(text) }),
);
export const stop: Call<{ reload?: boolean | undefined; comeBackMs?: number | undefined }, undefined> = define(
  "stop",
  z.object({ reload: z.boolean().optional(), comeBackMs: z.number().optional() }),
  nothing,
);
export const state: Call<undefined, string> = define("state", nothing, text);
export const environment: Call<undefined, Record<string, string>> = define(
  "environment",
  nothing,
  z.record(text, text),
);
export const sessions: Call<undefined, SessionSeen[]> = define(
  "sessions",
  nothing,
  z.array(z.object({ id: text, dialect: text, state: text, openProposals: z.number() })),
);
export const proposals: Call<undefined, ProposalSeen[]> = define(
  "proposals",
  nothing,
  z.array(z.object({ id: text, sessionId: text, path: text, state: text, edited: z.boolean() })),
);
export const views: Call<undefined, ViewSeen[]> = define(
  "views",
  nothing,
  z.array(
    z.object({
      id: text,
      path: text,
      agentName: text,
      state: text,
      reason: text.optional(),
      agentPresent: z.boolean(),
      text,
      draft: z.boolean(),
    }),
  ),
);
export const type: Call<{ id: string; text: string }, undefined> = define("type", view.extend({ text }), nothing);
export const accept: Call<{ id: string }, undefined> = define("accept", view, nothing);
export const reject: Call<{ id: string }, undefined> = define("reject", view, nothing);
export const closeView: Call<{ id: string }, undefined> = define("closeView", view, nothing);
export const viewText: Call<{ id: string }, string> = define("viewText", view, text);
/** Lets the editor forget the views that have ended. */
export const forgetViews: Call<undefined, undefined> = define("forgetViews", nothing, nothing);
export type Verdict = "accept" | "reject" | "edit";
export interface Rule {
  /** `leave` leaves it to the test; `as-told` does what the first word of the proposal says. */
  readonly how: Verdict | "leave" | "as-told";
  /** The user takes up to so long, milliseconds. */
  readonly delayMs?: number | undefined;
}
/** From now on every view that opens is answered by this rule. */
export const decide: Call<Rule, undefined> = define(
  "decide",
  z.object({
    how: z.enum(["leave", "accept", "reject", "edit", "as-told"]),
    delayMs: z.number().optional(),
  }),
  nothing,
);
export const openFile: Call<{ path: string; text?: string | undefined }, undefined> = define(
  "openFile",
  z.object({ path: text, text: text.optional() }),
  nothing,
);
export const closeFile: Call<{ path: string }, undefined> = define("closeFile", z.object({ path: text }), nothing);
export const makeDirty: Call<{ path: string; text: string }, undefined> = define(
  "makeDirty",
  z.object({ path: text, text }),
  nothing,
);
export const select: Call<{ toLine: number; toCharacter: number }, undefined> = define(
  "select",
  z.object({ toLine: z.number(), toCharacter: z.number() }),
  nothing,
);
export const setCursor: Call<{ line: number; character: number }, undefined> = define(
  "setCursor",
  z.object({ line: z.number(), character: z.number() }),
  nothing,
);
/** Moves the cursor down line by line, as a held arrow key does; answers at the end. */
export const holdArrowKey: Call<{ everyMs: number; forMs: number }, undefined> = define(
  "holdArrowKey",
  z.object({ everyMs: z.number(), forMs: z.number() }),
  nothing,
);
/** Reports so many times that the selection changed although it did not. */
export const repeatSelection: Call<{ times: number }, undefined> = define(
  "repeatSelection",
  z.object({ times: z.number() }),
  nothing,
);
export const setFolders: Call<{ folders: string[] }, undefined> = define(
  "setFolders",
  z.object({ folders: z.array(text) }),
  nothing,
);
const failing: z.ZodType<FailingCall> = z.enum([
  "diffs.open",
  "diagnostics.read",
  "documents.open",
  "documents.save",
  "editors.active",
  "editors.openFiles",
  "messages.show",
  "view.currentText",
  "view.close",
  "workspace.folders",
]);
export type FailingCall =
  | "diffs.open"
  | "diagnostics.read"
  | "documents.open"
  | "documents.save"
  | "editors.active"
  | "editors.openFiles"
  | "messages.show"
  | "view.currentText"
  | "view.close"
  | "workspace.folders";
/** Makes the next calls of one of the editor's methods throw. */
export const fail: Call<{ call: FailingCall; times: number }, undefined> = define(
  "fail",
  z.object({ call: failing, times: z.number() }),
  nothing,
);
export const messages: Call<undefined, { code: string; text: string }[]> = define(
  "messages",
  nothing,
  z.array(z.object({ code: text, text })),
);
/** Waits for a message and chooses one of its buttons. */
export const answerMessage: Call<{ code: string; action: string }, undefined> = define(
  "answerMessage",
  z.object({ code: text, action: text }),
  nothing,
);
/** The texts that are kept because no agent takes them. */
export const keptTexts: Call<undefined, string[]> = define("keptTexts", nothing, z.array(text));
/** Texts handed back to the user in unsaved documents. */
export const untitled: Call<undefined, string[]> = define("untitled", nothing, z.array(text));
export const mention: Call<{ path: string }, number> = define("mention", z.object({ path: text }), z.number());
/** Shifts the wall clock of the editor's machine. */
export const jumpClock: Call<{ ms: number }, undefined> = define("jumpClock", z.object({ ms: z.number() }), nothing);
/** Collects garbage and weighs what is left, in bytes. */
export const weigh: Call<undefined, Weight> = define(
  "weigh",
  nothing,
  z.object({ heap: bytes, total: bytes, resident: bytes }),
);
/** Answers the largest resident memory since it was switched on, in bytes. */
export const watchMemory: Call<{ on: boolean }, number> = define("watchMemory", z.object({ on: z.boolean() }), bytes);
/** Answers the longest time the event loop was held since it was switched on, in milliseconds. */
export const watchLoop: Call<{ on: boolean }, number> = define("watchLoop", z.object({ on: z.boolean() }), z.number());
/** Answers how many timers made since it was switched on are still there, those that keep no process alive included. */
export const watchTimers: Call<{ on: boolean }, number> = define(
  "watchTimers",
  z.object({ on: z.boolean() }),
  z.number(),
);
export const log: Call<undefined, string[]> = define("log", nothing, z.array(text));
/** Exceptions and rejections that nobody handled. */
export const faults: Call<undefined, string[]> = define("faults", nothing, z.array(text));
